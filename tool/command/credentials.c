/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/clean.h"
#include "cli/session.h"
#include "command/commands.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

struct sources {
    struct output *output;
    const char *url;
    bool failed; /* to print */
};

/* The names are longer than those of other commands' fields. */
static void print_row(const char *name, const char *value)
{
    (void)printf("%-16s ", name);
    clean_print(stdout, value);
    (void)putchar('\n');
}

static void source_json(struct sources *sources, const char *source, int used, const char *reason)
{
    struct json_line line;

    output_json_begin(sources->output, &line, sources->url, status_name(STATUS_DONE));
    json_line_text(&line, "source", source);
    json_line_flag(&line, "used", used != 0);
    if (reason != NULL)
        json_line_text(&line, "reason", reason);
    sources->failed = !output_json_print(sources->output, &line) || sources->failed;
}

static void show_source(void *context, const char *source, int used, const char *reason)
{
    struct sources *sources = context;

    if (sources->output->json)
        source_json(sources, source, used, reason);
    else if (output_is_human(sources->output))
        print_row(source, used != 0 ? "USED" : reason);
}

static bool is_over(int64_t expires_s)
{
    return expires_s <= (int64_t)time(NULL);
}

static bool show_finding(const struct sources *sources, const os_credentials_info *info)
{
    struct json_line line;
    char key[32];
    char expires[CLEAN_TIME_SIZE];
    char shown[CLEAN_TIME_SIZE + 64];

    (void)snprintf(key, sizeof(key), "...%s", info->key_end);
    if (sources->output->json) {
        output_json_begin(sources->output, &line, sources->url, status_name(STATUS_DONE));
        json_line_text(&line, "source", info->source);
        json_line_text(&line, "key", info->key_end);
        if (info->expires_s != 0) {
            json_line_signed(&line, "expiry_s", info->expires_s);
            json_line_time(&line, "expiry", info->expires_s);
            json_line_flag(&line, "expired", is_over(info->expires_s));
        }
        return output_json_print(sources->output, &line);
    }
    if (output_is_human(sources->output)) {
        clean_time(info->expires_s, expires);
        (void)snprintf(shown, sizeof(shown), "%s (UTC)%s", expires,
                       is_over(info->expires_s) ? ": they have expired; renew them" : "");
        print_row("key", key);
        print_row("expires", info->expires_s == 0 ? "never, or not told" : shown);
    }
    return true;
}

static enum status explain(struct session *session, const char *url, bool of_ledger)
{
    struct sources sources = {.output = &session->output, .url = url};
    os_credentials_info info = OS_CREDENTIALS_INFO_INIT;
    os_error error;
    os_code code =
        os_credentials_explain(session->client, of_ledger, &session->call, show_source, &sources, &info, &error);

    if (code != OS_OK)
        return output_outcome(&session->output, url, status_of_read(&error), &error);
    return show_finding(&sources, &info) && !sources.failed ? STATUS_DONE : STATUS_OUTPUT;
}

/* Nothing is sent to the store, so that any name will do where none is given. */
static enum status credentials_run(const struct options *options)
{
    struct session session;
    struct options own = *options;
    const char *url = options->operand_count > 0 ? options->operand[0] : NULL;
    bool of_ledger = url != NULL && strncmp(url, "dynamodb://", strlen("dynamodb://")) == 0;

    if (of_ledger)
        own.value[OPTION_LEDGER] = url;
    enum status status = session_open(&session, &own, of_ledger ? NULL : url != NULL ? url : "s3://any-bucket");
    if (status == STATUS_DONE)
        status = explain(&session, url, of_ledger);
    return session_close(&session, status);
}

const struct command command_credentials = {
    .name = "credentials",
    .operands = "[s3://BUCKET|dynamodb://TABLE]",
    .summary = "say whose credentials are used, and why not the others'",
    .description =
        "Looks for credentials as every command does: in the environment, the profile files, IAM Identity Center, the\n"
        "container's service and the machine's own. Says of each of these sources whether it is used, or why not. "
        "Shows\n"
        "the end of the access key id and when the keys expire, and no secret. Asks no store.\n",
    .examples = "oscommit credentials\n"
                "oscommit credentials s3://bucket --profile production --json\n"
                "oscommit credentials dynamodb://commits --dynamodb-profile records\n",
    .max_operands = 1,
    .run = credentials_run,
};
