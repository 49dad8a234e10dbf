/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/credentials/sources.h"

#include "base/clock.h"
#include "base/text.h"
#include "unit/aws/surroundings.h"

#include <ftw.h>

void sources_set_up(struct sources *ret)
{
    assert_int_equal(surroundings_setup(NULL), 0);
    ret->server = http_server_start(NULL);
    snprintf(ret->url, sizeof(ret->url), "http://%s", http_server_host(ret->server));
    ret->http = (struct http_engine_options){.user_agent = "test", .connect_timeout_ms = 30000, .max_connections = 1};
    assert_int_equal(fetcher_init(&ret->fetcher, &ret->http, &ret->error), OS_OK);
}

static int remove_one(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status;
    (void)kind;
    (void)place;
    return remove(path);
}

void sources_tear_down(struct sources *sources)
{
    chain_free(&sources->chain);
    fetcher_close(&sources->fetcher);
    http_server_stop(sources->server);
    surroundings_clear();
    assert_int_equal(nftw(surroundings_home, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

/* ------------------------------------------------------------------------------------------------ files */

void sources_path(const char *name, char ret[SOURCES_PATH_SIZE])
{
    int len = snprintf(ret, SOURCES_PATH_SIZE, "%s/.aws/%s", surroundings_home, name);
    assert_in_range(len, 1, SOURCES_PATH_SIZE - 1);
}

void sources_write(const char *name, const char *text)
{
    char path[SOURCES_PATH_SIZE];
    sources_path(name, path);
    for (char *slash = strchr(path + strlen(surroundings_home) + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700);
        *slash = '/';
    }
    FILE *stream = fopen(path, "wb");
    assert_non_null(stream);
    assert_int_equal(fwrite(text, 1, strlen(text), stream), strlen(text));
    assert_int_equal(fclose(stream), 0);
}

char *sources_read(const char *name)
{
    enum { MOST = 1 << 16 };
    char path[SOURCES_PATH_SIZE];
    sources_path(name, path);
    FILE *stream = fopen(path, "rb");
    assert_non_null(stream);
    char *text = calloc(1, MOST + 1);
    assert_non_null(text);
    assert_in_range(fread(text, 1, MOST, stream), 0, MOST - 1);
    assert_int_equal(fclose(stream), 0);
    return text;
}

/* ------------------------------------------------------------------------------------------------ the server */

void sources_answer(struct sources *sources, const char *status, const char *body)
{
    size_t size = strlen(status) + strlen(body) + 100;
    char *text = malloc(size);
    assert_non_null(text);
    snprintf(text, size, "HTTP/1.1 %s\r\nContent-Length: %zu\r\n\r\n%s", status, strlen(body), body);
    http_server_push(sources->server, &(struct http_server_step){.answer = text});
    free(text);
}

void sources_answers(struct sources *sources, const char *status, const char *body, unsigned times)
{
    for (unsigned i = 0; i < times; i++)
        sources_answer(sources, status, body);
}

void sources_give_keys(struct sources *sources, const char *id, int64_t left_s, bool hold)
{
    char expires[32];
    char body[300];
    char text[400];
    sources_time(left_s, expires);
    snprintf(body, sizeof(body),
             "{\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"HUSH\",\"Token\":\"t\",\"Expiration\":\"%s\"}", id,
             expires);
    snprintf(text, sizeof(text), "HTTP/1.1 200 OK\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    http_server_push(sources->server, &(struct http_server_step){.answer = text, .hold = hold});
}

void sources_give_none(struct sources *sources, bool hold)
{
    http_server_push(
        sources->server,
        &(struct http_server_step){.answer = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n", .hold = hold});
}

void sources_name_server(const struct sources *sources, const char *variable, const char *path)
{
    char url[128];
    snprintf(url, sizeof(url), "%s%s", sources->url, path);
    assert_int_equal(setenv(variable, url, 1), 0);
}

const struct http_server_record *sources_request(const struct sources *sources, size_t index)
{
    assert_in_range(index + 1, 1, http_server_count(sources->server));
    return http_server_record(sources->server, index);
}

void sources_check_header(const struct http_server_record *record, const char *name, const char *value)
{
    const char *found = http_headers_get(&record->headers, name);
    assert_string_equal(found != NULL ? found : "none", value != NULL ? value : "none");
}

/* ------------------------------------------------------------------------------------------------ searching */

os_code sources_find(struct sources *sources, const char *profile)
{
    chain_free(&sources->chain);
    sources->chain = (struct chain){.profile = profile, .fetcher = &sources->fetcher};
    sources->error = (os_error){.code = OS_OK};
    sources->code = chain_find(&sources->chain, &sources->error);
    return sources->code;
}

void sources_expect(struct sources *sources, const char *profile, const char *source, const char *id, const char *token)
{
    if (sources_find(sources, profile) != OS_OK)
        fail_msg("%s: %s", os_code_name(sources->code), sources->error.message);
    assert_string_equal(sources->chain.source, source);
    assert_string_equal(sources->chain.found.access_key_id, id);
    assert_string_equal(sources->chain.found.secret_access_key, "HUSH");
    const char *found = sources->chain.found.session_token;
    assert_string_equal(found != NULL ? found : "none", token != NULL ? token : "none");
}

void sources_check_says(const struct sources *sources, const char *words)
{
    if (strstr(sources->error.message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, sources->error.message);
    assert_null(strstr(sources->error.message, "HUSH"));
    assert_null(strstr(sources->error.message, ".."));
}

void sources_expect_none(struct sources *sources, const char *profile, os_code code, const char *words)
{
    os_code got = sources_find(sources, profile);
    if (got != code)
        fail_msg("%s instead of %s: %s", os_code_name(got), os_code_name(code), sources->error.message);
    assert_int_equal(sources->error.code, code);
    assert_false(keys_are_there(&sources->chain.found));
    sources_check_says(sources, words);
}

/* ------------------------------------------------------------------------------------------------ documents */

void sources_time(int64_t from_now_s, char ret[32])
{
    struct clock_reading now;
    clock_read(&now);
    text_format_iso8601((int64_t)(now.realtime_ms / 1000) + from_now_s, ret);
}

void sources_json(const char *id, char ret[400])
{
    char expires[32];
    sources_time(3600, expires);
    snprintf(ret, 400,
             "{\"Code\":\"Success\",\"AccessKeyId\":\"%s\",\"SecretAccessKey\":\"HUSH\",\"Token\":\"t\","
             "\"Expiration\":\"%s\"}",
             id, expires);
}

void sources_sts(const char *action, const char *id, char ret[900])
{
    char expires[32];
    sources_time(3600, expires);
    snprintf(ret, 900,
             "<%sResponse xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\"><%sResult><AssumedRoleUser>"
             "<AssumedRoleId>r:s</AssumedRoleId><Arn>arn</Arn></AssumedRoleUser><Credentials><AccessKeyId>%s"
             "</AccessKeyId><SecretAccessKey>HUSH</SecretAccessKey><SessionToken>t</SessionToken>"
             "<Expiration>%s</Expiration></Credentials></%sResult><ResponseMetadata><RequestId>r1</RequestId>"
             "</ResponseMetadata></%sResponse>",
             action, action, id, expires, action, action);
}
