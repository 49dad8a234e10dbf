/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/sso_token.h"

#include "base/clock.h"
#include "base/digest.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/named_file.h"
#include "base/random.h"
#include "credentials/service.h"
#include "syntax/json.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    SSO_RENEW_BEFORE_S = 900, /* as botocore 1.44 (tokens.py) */
    SSO_FILE_MAX = 64 << 10,
    SSO_PATH_SIZE = 1200
};

static int64_t sso_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000);
}

/* ------------------------------------------------------------------------------------------------ the file */

/* Its name is the SHA-1 of the session's name, or of the start URL. */
static bool token_path(const struct sso_settings *settings, char *ret, size_t ret_size)
{
    const char *name = settings->session[0] != '\0' ? settings->session : settings->start_url;
    const char *home = getenv("HOME");
    unsigned char digest[SHA256_SIZE];
    char hex[2 * SHA256_SIZE + 1];
    size_t len = 0;
    struct digest_stream stream;
    if (home == NULL || !digest_stream_begin(&stream, "SHA1"))
        return false;
    digest_stream_add(&stream, name, strlen(name));
    bool ok = digest_stream_end(&stream, digest, &len);
    digest_stream_free(&stream);
    if (!ok)
        return false;
    text_hex(digest, len, hex);
    int printed = snprintf(ret, ret_size, "%s/.aws/sso/cache/%s.json", home, hex);
    return printed > 0 && (size_t)printed < ret_size;
}

static os_code log_in(const char *profile, const char *why, os_error *err)
{
    return error_set(err, OS_ERR_CREDENTIALS,
                     "The profile \"%.100s\" gets its keys by IAM Identity Center, and %.400s: run `aws sso login "
                     "--profile %.100s`.",
                     profile, why, profile);
}

static os_code load_token(const char *profile, const char *path, json_t **ret, os_error *err)
{
    size_t len = 0;
    const char *why = NULL;
    char *data = named_file_read(path, SSO_FILE_MAX, &len, &why);
    char clause[SSO_PATH_SIZE + 100];
    if (data == NULL && errno == ENOMEM)
        return error_no_memory(err);
    if (data == NULL) {
        (void)snprintf(clause, sizeof(clause), "its token in %.300s cannot be read (%s)", path, why);
        return log_in(profile, clause, err);
    }
    *ret = json_read(data, len);
    OPENSSL_cleanse(data, len);
    free(data);
    if (*ret != NULL)
        return OS_OK;
    (void)snprintf(clause, sizeof(clause), "the file %.300s is no JSON object", path);
    return log_in(profile, clause, err);
}

/* Whole, or not at all: the AWS tools read it as well. What cannot be written is still good for this process. A name of its
 * own each time: in a container process ids come again, and what a killed process has left would stand in the way. */
static void save_token(const char *path, const json_t *token)
{
    char beside[SSO_PATH_SIZE + 32];
    uint64_t unique = 0;
    struct buf text;
    buf_init(&text, SSO_FILE_MAX);
    text.secret = true;
    bool named = random_bytes(&unique, sizeof(unique));
    (void)snprintf(beside, sizeof(beside), "%s.%016" PRIx64, path, unique);
    int fd = named && json_write(&text, token) ? fd_open(beside, O_WRONLY | O_CREAT | O_EXCL, 0600) : -1;
    bool ok = fd >= 0 && write(fd, text.data, text.len) == (ssize_t)text.len;
    if (fd >= 0)
        ok = close(fd) == 0 && ok;
    if (fd >= 0 && (!ok || rename(beside, path) != 0))
        (void)unlink(beside);
    buf_free(&text);
}

static bool member_time(const json_t *token, const char *name, int64_t *ret_s)
{
    const char *text = json_member_string(token, name);
    return text != NULL && service_parse_time(text_from(text), ret_s);
}

/* ------------------------------------------------------------------------------------------------ renewal */

static bool can_renew(const json_t *token, int64_t now_s)
{
    int64_t registered_until_s = 0;
    return json_member_string(token, "refreshToken") != NULL && json_member_string(token, "clientId") != NULL &&
           json_member_string(token, "clientSecret") != NULL &&
           member_time(token, "registrationExpiresAt", &registered_until_s) && registered_until_s > now_s;
}

/* API Reference of IAM Identity Center OIDC, CreateToken. */
static bool build_renewal(const json_t *token, struct buf *body, struct http_request *request)
{
    static const char *const members[][2] = {{"clientId", "{\"grantType\":\"refresh_token\",\"clientId\":"},
                                             {"clientSecret", ",\"clientSecret\":"},
                                             {"refreshToken", ",\"refreshToken\":"}};
    bool ok = true;
    for (size_t i = 0; i < 3 && ok; i++) {
        const char *value = json_member_string(token, members[i][0]);
        ok = buf_add_str(body, members[i][1]);
        json_write_string(body, value, strlen(value));
    }
    request->method = "POST";
    ok = ok && buf_add_char(body, '}') && buf_add_str(&request->path, "/token") &&
         http_headers_add(&request->headers, "content-type", "application/json");
    request->body = (struct http_body){.kind = HTTP_BODY_MEMORY, .data = body->data, .length = body->len};
    return ok;
}

static void put_string(json_t *token, const char *name, const char *value)
{
    (void)json_object_set_new(token, name, json_string(value));
}

/* False: the answer has no token. */
static bool take_renewed(json_t *token, const struct http_response *response, int64_t now_s)
{
    char date[32];
    json_t *answer = json_read(buf_str(&response->body), response->body.len);
    const char *access = json_member_string(answer, "accessToken");
    const char *refresh = json_member_string(answer, "refreshToken");
    json_int_t expires_in_s = json_integer_value(json_object_get(answer, "expiresIn"));
    bool ok = response->status == 200 && access != NULL && expires_in_s > 0 && expires_in_s < INT32_MAX;
    if (ok) {
        put_string(token, "accessToken", access);
        text_format_iso8601(now_s + expires_in_s, date);
        put_string(token, "expiresAt", date);
    }
    if (ok && refresh != NULL)
        put_string(token, "refreshToken", refresh);
    json_decref(answer);
    return ok;
}

static os_code ask_for_token(const struct chain *chain, const struct endpoint *endpoint, json_t *token,
                             bool *ret_renewed, os_error *err)
{
    struct http_request request;
    struct http_response response = {0};
    struct buf body;
    http_request_init(&request);
    buf_init(&body, SSO_FILE_MAX);
    body.secret = true;
    os_code code = build_renewal(token, &body, &request) ? OS_OK : error_no_memory(err);
    if (code == OS_OK)
        code = service_ask_endpoint(chain, "IAM Identity Center", endpoint, &request, &response, err);
    *ret_renewed = code == OS_OK && take_renewed(token, &response, sso_now_s());
    http_request_free(&request);
    http_response_free(&response);
    buf_free(&body);
    return code;
}

/* One that cannot be renewed is used as long as it is good. */
static os_code renew_if_due(const struct chain *chain, const char *profile, const struct sso_settings *settings,
                            const char *path, json_t *token, os_error *err)
{
    struct endpoint endpoint;
    int64_t expires_s = 0;
    bool renewed = false;
    if (!member_time(token, "expiresAt", &expires_s))
        return log_in(profile, "its token has no time at which it expires", err);
    int64_t left_s = expires_s - sso_now_s();
    if (left_s > SSO_RENEW_BEFORE_S || (left_s > 0 && settings->session[0] == '\0'))
        return OS_OK;
    os_code code = OS_OK;
    if (settings->session[0] != '\0' && can_renew(token, sso_now_s())) {
        code = service_endpoint(chain, profile, "sso_oidc", settings->region, &endpoint, err);
        if (code == OS_OK)
            code = ask_for_token(chain, &endpoint, token, &renewed, err);
    }
    if (renewed)
        save_token(path, token);
    if (renewed || left_s > 0)
        return OS_OK;
    return code != OS_OK ? code : log_in(profile, "its token has expired and cannot be renewed", err);
}

os_code sso_token_get(const struct chain *chain, const char *profile, const struct sso_settings *settings,
                      char ret[SSO_TOKEN_SIZE], os_error *err)
{
    char path[SSO_PATH_SIZE];
    json_t *token = NULL;
    if (!token_path(settings, path, sizeof(path)))
        return log_in(profile, "the place of its token is not known, as HOME is not set, or is too long", err);
    os_code code = load_token(profile, path, &token, err);
    if (code == OS_OK)
        code = renew_if_due(chain, profile, settings, path, token, err);
    struct text access = text_from(json_member_string(token, "accessToken"));
    if (code == OS_OK && (access.len == 0 || !text_is_visible(access) || !text_copy(access, ret, SSO_TOKEN_SIZE)))
        code = log_in(profile, "there is no accessToken in its file that can be sent", err);
    json_decref(token);
    return code;
}
