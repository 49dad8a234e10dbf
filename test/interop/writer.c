/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One writer of this library, driven by lines as the peer is (peer/src/main.rs), so that a test can set both to the
 * same work; to be paused and killed by its process id. Uses the public interface only.
 *
 *   interop_writer ENDPOINT BUCKET TABLE TIMEOUT_MS RATE [OPTION...]      credentials and region: AWS_ACCESS_KEY_ID ...
 *
 * Options: length=S allowance=S margin=S (of a signature), release=always, headers=on|off (condition headers),
 * agent=NAME (of its requests, by which a test knows whose they are), stage=1 (every body goes in parts). Commands, and
 * their answers: create KEY BODY | update KEY ETAG BODY | copy FROM TO | delete KEY ETAG ok ETAG GENERATION TOOK_OVER
 * WAITED_MS | conflict RULE | not_executed TEXT | unknown TEXT get KEY       ok ETAG BODY | none | error TEXT quit A
 * key and an ETag have no blanks; a body has no line ends. An empty ETag is shown as "-".
 */
#include "oscommit.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { DEADLINE_MS = 110000 };

static const os_call one_call = {.size = sizeof(os_call), .deadline_ms = DEADLINE_MS};

/* ----------------------------------------------------------------------------------------------------- settings */

static bool option_is(const char *option, const char *name, uint32_t *ret)
{
    size_t len = strlen(name);
    if (strncmp(option, name, len) != 0 || option[len] != '=')
        return false;
    *ret = (uint32_t)strtoul(option + len + 1, NULL, 10);
    return true;
}

static bool take_option(const char *option, os_options *options)
{
    if (strcmp(option, "release=always") == 0) {
        options->release = OS_RELEASE_ALWAYS;
    } else if (strcmp(option, "stage=1") == 0) {
        options->stage_above = 1;
    } else if (strncmp(option, "headers=", 8) == 0) {
        options->condition_headers = strcmp(option + 8, "on") == 0 ? OS_ON : OS_OFF;
    } else if (strncmp(option, "agent=", 6) == 0) {
        options->user_agent = option + 6;
    } else {
        return option_is(option, "length", &options->length_s) ||
               option_is(option, "allowance", &options->allowance_s) || option_is(option, "margin", &options->margin_s);
    }
    return true;
}

static os_client *open_client(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    char store_url[256];
    char ledger_url[256];
    snprintf(store_url, sizeof(store_url), "s3://%s", argv[2]);
    snprintf(ledger_url, sizeof(ledger_url), "dynamo:%s:%s", argv[3], argv[4]); /* as the peer spells it */
    options.store_url = store_url;
    options.ledger_url = ledger_url;
    options.s3_endpoint = argv[1];
    options.dynamodb_endpoint = argv[1];
    options.max_clock_skew_rate = (uint32_t)strtoul(argv[5], NULL, 10);
    for (int i = 6; i < argc; i++) {
        if (!take_option(argv[i], &options)) {
            fprintf(stderr, "interop_writer: unknown option %s\n", argv[i]);
            return NULL;
        }
    }
    os_client *client = NULL;
    os_error error;
    if (os_client_open(&options, &client, &error) != OS_OK) {
        fprintf(stderr, "interop_writer: %s\n", error.message);
        return NULL;
    }
    return client;
}

/* ----------------------------------------------------------------------------------------------------- commands */

/* Cuts the next word off *rest. "" when there is none. */
static const char *word(char **rest)
{
    char *start = *rest;
    char *blank = strchr(start, ' ');
    *rest = blank != NULL ? blank + 1 : start + strlen(start);
    if (blank != NULL)
        *blank = '\0';
    return start;
}

static os_verdict guarded(os_client *client, const char *command, char *rest, os_result *ret, os_error *error)
{
    const char *key = word(&rest);
    if (strcmp(command, "copy") == 0)
        return os_copy_if_not_exists(client, key, rest, NULL, &one_call, ret, error);
    const char *etag = strcmp(command, "create") == 0 ? NULL : word(&rest);
    if (strcmp(command, "delete") == 0)
        return os_delete_if_match(client, key, etag, &one_call, ret, error);
    os_body body = OS_BODY_MEMORY(rest, strlen(rest));
    return etag == NULL ? os_put_if_absent(client, key, &body, NULL, &one_call, ret, error)
                        : os_put_if_match(client, key, etag, &body, NULL, &one_call, ret, error);
}

static void write_guarded(os_client *client, const char *command, char *rest)
{
    os_result result = OS_RESULT_INIT;
    os_error error;
    os_verdict verdict = guarded(client, command, rest, &result, &error);
    if (verdict == OS_COMMITTED) {
        printf("ok %s %" PRIu64 " %d %" PRIu64 "\n", result.etag[0] != '\0' ? result.etag : "-", result.generation,
               result.took_over != 0, result.waited_ms);
    } else if (verdict == OS_CONFLICT) {
        printf("conflict %s\n", result.rule);
    } else {
        printf("%s %s %s\n", verdict == OS_NOT_EXECUTED ? "not_executed" : "unknown", result.rule, error.message);
    }
    os_result_clear(&result);
}

static void read_object(os_client *client, const char *key)
{
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    os_object object = OS_OBJECT_INIT;
    os_error error;
    os_code code = os_get(client, key, &sink, &one_call, &object, &error);
    if (code == OS_OK)
        printf("ok %s %.*s\n", object.etag, (int)length, (const char *)data);
    else
        printf(code == OS_ERR_NOT_FOUND ? "none\n" : "error %s\n", error.message);
    os_free(data);
}

static bool is_guarded(const char *command)
{
    static const char *const names[] = {"create", "update", "copy", "delete"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(command, names[i]) == 0)
            return true;
    return false;
}

int main(int argc, char **argv)
{
    if (argc < 6) {
        fprintf(stderr, "usage: interop_writer ENDPOINT BUCKET TABLE TIMEOUT_MS RATE [OPTION...]\n");
        return 2;
    }
    os_client *client = open_client(argc, argv);
    if (client == NULL)
        return 1;
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    while ((length = getline(&line, &size, stdin)) > 0) {
        line[strcspn(line, "\n")] = '\0';
        char *rest = line;
        const char *command = word(&rest);
        if (strcmp(command, "quit") == 0)
            break;
        if (is_guarded(command))
            write_guarded(client, command, rest);
        else if (strcmp(command, "get") == 0)
            read_object(client, rest);
        else
            printf("error no such command: %s\n", command);
        fflush(stdout);
    }
    free(line);
    os_client_close(client);
    return 0;
}
