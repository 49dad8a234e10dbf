/* SPDX-License-Identifier: Apache-2.0 */
#include "support/checks.h"

#include "support/fixture.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void outcome_clear(struct outcome *outcome)
{
    os_result_clear(&outcome->result);
}

void client_close_at(os_client **client)
{
    os_client_close(*client);
}

static struct outcome outcome_start(void)
{
    return (struct outcome){.result = OS_RESULT_INIT};
}

struct outcome create(os_client *client, const char *key, const char *text, const os_call *call)
{
    struct outcome ret = outcome_start();
    os_body body = OS_BODY_MEMORY(text, strlen(text));
    ret.verdict = os_put_if_absent(client, key, &body, NULL, call, &ret.result, &ret.error);
    return ret;
}

struct outcome replace(os_client *client, const char *key, const char *etag, const char *text, const os_call *call)
{
    struct outcome ret = outcome_start();
    os_body body = OS_BODY_MEMORY(text, strlen(text));
    ret.verdict = os_put_if_match(client, key, etag, &body, NULL, call, &ret.result, &ret.error);
    return ret;
}

struct outcome copy(os_client *client, const char *source, const char *key, const os_call *call)
{
    struct outcome ret = outcome_start();
    ret.verdict = os_copy_if_not_exists(client, source, key, NULL, call, &ret.result, &ret.error);
    return ret;
}

struct outcome copy_over(os_client *client, const char *source, const char *key, const char *etag, const os_call *call)
{
    struct outcome ret = outcome_start();
    ret.verdict = os_copy_if_match(client, source, key, etag, NULL, call, &ret.result, &ret.error);
    return ret;
}

struct outcome rename_object(os_client *client, const char *source, const char *key, const os_call *call)
{
    struct outcome ret = outcome_start();
    ret.verdict = os_rename_if_not_exists(client, source, key, NULL, call, &ret.result, &ret.error);
    return ret;
}

struct outcome delete_version(os_client *client, const char *key, const char *etag, const os_call *call)
{
    struct outcome ret = outcome_start();
    ret.verdict = os_delete_if_match(client, key, etag, call, &ret.result, &ret.error);
    return ret;
}

struct outcome resolve(os_client *client, const char *ticket, const os_call *call)
{
    struct outcome ret = outcome_start();
    ret.verdict = os_resolve(client, ticket, call, &ret.result, &ret.error);
    return ret;
}

char *text_of_object(os_client *client, const char *key)
{
    void *data = NULL;
    size_t length = 0;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    os_error error;
    os_code code = os_get(client, key, &sink, NULL, NULL, &error);
    if (code == OS_ERR_NOT_FOUND)
        return NULL;
    CHECK_CODE(code, OS_OK, &error);
    char *text = strndup(data, length);
    os_free(data);
    assert_non_null(text);
    return text;
}

bool object_exists(os_client *client, const char *key)
{
    os_error error;
    os_code code = os_head(client, key, NULL, NULL, &error);
    if (code != OS_ERR_NOT_FOUND)
        CHECK_CODE(code, OS_OK, &error);
    return code == OS_OK;
}

void put_plain(os_client *client, const char *key, const char *text, char *ret_etag)
{
    os_body body = OS_BODY_MEMORY(text, strlen(text));
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_put(client, key, &body, NULL, NULL, &object, &error), OS_OK, &error);
    if (ret_etag != NULL)
        snprintf(ret_etag, sizeof(object.etag), "%s", object.etag);
}

void fixture_file(const struct fixture *fixture, const char *name, const char *text, char *ret, size_t size)
{
    fixture_path(fixture, name, ret, size);
    FILE *file = fopen(ret, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

os_client *fixture_client(const os_options *options)
{
    os_client *client = NULL;
    os_error error;
    CHECK_CODE(os_client_open(options, &client, &error), OS_OK, &error);
    return client;
}

void check_verdict(const struct outcome *outcome, os_verdict expected, const char *file, int line)
{
    if (outcome->verdict == expected)
        return;
    print_error("%s, where %s was expected, by rule %s after %u guards, %u attempts, %llu ms\n%s: %s [%s, HTTP %d]\n",
                os_verdict_name(outcome->verdict), os_verdict_name(expected), outcome->result.rule,
                outcome->result.guards, outcome->result.attempts, (unsigned long long)outcome->result.duration_ms,
                os_code_name(outcome->error.code), outcome->error.message, outcome->error.service_code,
                outcome->error.http_status);
    _fail(file, line);
}

void check_code(os_code code, os_code expected, const os_error *error, const char *file, int line)
{
    if (code == expected)
        return;
    print_error("%s, where %s was expected\n%s [%s, HTTP %d]\n", os_code_name(code), os_code_name(expected),
                error->message, error->service_code, error->http_status);
    _fail(file, line);
}

void check_says(const os_error *error, const char *part, const char *file, int line)
{
    if (strcasestr(error->message, part) != NULL)
        return;
    print_error("the sentence has no \"%s\" in it: %s\n", part, error->message);
    _fail(file, line);
}

void check_object(os_client *client, const char *key, const char *text, const char *file, int line)
{
    char *found = text_of_object(client, key);
    bool same = text == NULL || found == NULL ? text == found : strcmp(text, found) == 0;
    if (!same) {
        print_error("%s holds %s%.60s, where %s%.60s was expected\n", key, found != NULL ? "" : "nothing",
                    found != NULL ? found : "", text != NULL ? "" : "nothing", text != NULL ? text : "");
    }
    free(found);
    if (!same)
        _fail(file, line);
}
