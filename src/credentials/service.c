/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/service.h"

#include "base/error.h"
#include "syntax/json.h"

#include <stdio.h>
#include <string.h>

enum { SERVICE_TIMEOUT_MS = 10000, SERVICE_ATTEMPTS = 3, SERVICE_PAUSE_MS = 200 };

/* ------------------------------------------------------------------------------------------------ asking */

/* STS says so with 400 (API Reference, "Common Errors", and AssumeRoleWithWebIdentity): when a fleet starts, all ask at
 * once. */
static bool says_busy(const struct http_response *response)
{
    static const char *const codes[] = {"<Code>Throttling", "<Code>RequestLimitExceeded<",
                                        "<Code>IDPCommunicationError<"};
    bool busy = false;
    for (size_t i = 0; i < sizeof(codes) / sizeof(codes[0]); i++)
        busy = busy || strstr(buf_str(&response->body), codes[i]) != NULL;
    return busy;
}

static bool is_passing(const struct http_response *response)
{
    return response->status == 429 || response->status >= 500 || (response->status == 400 && says_busy(response));
}

static bool may_pass(os_code code)
{
    return code == OS_ERR_NETWORK || code == OS_ERR_DEADLINE || code == OS_ERR_PROTOCOL;
}

os_code service_ask(struct fetcher *fetcher, const struct service_request *request, struct http_response *ret,
                    os_error *err)
{
    uint64_t pause_ms = request->pause_ms;
    for (unsigned attempt = 1;; attempt++, pause_ms *= 2) {
        os_code code = fetcher_ask(fetcher, &request->fetch, ret, err);
        bool again = code == OS_OK ? is_passing(ret) : may_pass(code);
        if (!again || attempt >= request->attempts || !fetcher_pause(fetcher, pause_ms))
            return code;
        http_response_free(ret);
    }
}

os_code service_ask_endpoint(const struct chain *chain, const char *name, const struct endpoint *endpoint,
                             struct http_request *request, struct http_response *ret, os_error *err)
{
    char service[sizeof(endpoint->host) + 100];
    (void)snprintf(service, sizeof(service), "%s at %s://%s", name, endpoint->scheme, endpoint->host);
    const struct service_request asked = {
        .fetch = {.request = request,
                  .timeout_ms = SERVICE_TIMEOUT_MS,
                  .direct = endpoint->loopback,
                  .service = service},
        .attempts = SERVICE_ATTEMPTS,
        .pause_ms = SERVICE_PAUSE_MS,
    };
    if (!http_request_set_origin(request, endpoint->scheme, endpoint->host))
        return error_no_memory(err);
    return service_ask(chain->fetcher, &asked, ret, err);
}

os_code service_endpoint(const struct chain *chain, const char *profile, const char *service, const char *region,
                         struct endpoint *ret, os_error *err)
{
    struct endpoint_setting setting;
    os_code code = endpoint_from_files(service, profile, &chain->files, &setting, err);
    if (code != OS_OK)
        return code;
    if (region == NULL)
        region = setting.region != NULL ? setting.region : chain->region != NULL ? chain->region : "us-east-1";
    code = endpoint_parse_variant(service, setting.url, region, setting.variant, ret, err);
    endpoint_setting_free(&setting);
    return code;
}

os_code service_setting(const struct chain *chain, const char *profile, const char *name, char *ret, size_t ret_size,
                        os_error *err)
{
    struct text value = profile_setting(&chain->files, profile, name);
    if (text_copy(value, ret, ret_size))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG, "%s of the profile \"%.100s\" has %zu bytes; at most %zu are possible.", name,
                     profile, value.len, ret_size - 1);
}

/* ------------------------------------------------------------------------------------------------ reading */

/* Of six characters, "+hh:mm" or "-hh:mm", in seconds. */
static bool parse_offset(struct text text, int64_t *ret_s)
{
    uint64_t hours = 0;
    uint64_t minutes = 0;
    bool before = text.p[0] == '-';
    if (text.p[3] != ':' || !text_parse_u64(text_of(text.p + 1, 2), &hours) ||
        !text_parse_u64(text_of(text.p + 4, 2), &minutes) || hours > 23 || minutes > 59)
        return false;
    *ret_s = (int64_t)(hours * 3600 + minutes * 60) * (before ? -1 : 1);
    return true;
}

/* How long the zone at the end is that is none but "Z": "+01:00", or "UTC", which older AWS tools wrote. */
static bool take_zone(struct text text, size_t *ret_len, int64_t *ret_offset_s)
{
    struct text utc = text.len > 3 ? text_of(text.p + text.len - 3, 3) : text_of("", 0);
    struct text offset = text.len > 6 ? text_of(text.p + text.len - 6, 6) : text_of("", 0);
    bool is_utc = text_is(utc, "UTC");
    bool is_offset = offset.len > 0 && (offset.p[0] == '+' || offset.p[0] == '-');
    *ret_len = is_utc ? utc.len : is_offset ? offset.len : 0;
    *ret_offset_s = 0;
    return is_utc || !is_offset || parse_offset(offset, ret_offset_s);
}

bool service_parse_time(struct text text, int64_t *ret_epoch_s)
{
    char zulu[64];
    size_t zone_len = 0;
    int64_t offset_s = 0;
    if (!take_zone(text, &zone_len, &offset_s))
        return false;
    if (zone_len == 0)
        return text_parse_iso8601(text, ret_epoch_s);
    if (!text_copy(text_of(text.p, text.len - zone_len), zulu, sizeof(zulu) - 1))
        return false;
    strcat(zulu, "Z");
    if (!text_parse_iso8601(text_from(zulu), ret_epoch_s))
        return false;
    *ret_epoch_s -= offset_s;
    return true;
}

os_code service_read_json(struct text document, const char *from, json_t **ret, os_error *err)
{
    *ret = json_read(document.p, document.len);
    if (*ret != NULL)
        return OS_OK;
    return error_set(err, OS_ERR_CREDENTIALS, "%s is no JSON object, so there are no keys in it.", from);
}

/* In seconds; 0 where there is none. */
static bool read_expiration(const json_t *value, int64_t *ret_s)
{
    *ret_s = 0;
    if (value == NULL || json_is_null(value))
        return true;
    if (json_is_integer(value)) {
        *ret_s = json_integer_value(value) / 1000;
        return *ret_s > 0;
    }
    return json_is_string(value) && service_parse_time(text_from(json_string_value(value)), ret_s);
}

const struct service_members service_role_members = {.access_key_id = "AccessKeyId",
                                                     .secret_access_key = "SecretAccessKey",
                                                     .session_token = "Token",
                                                     .expiration = "Expiration",
                                                     .must_expire = true};

os_code service_take_keys(const json_t *object, const struct service_members *members, const char *from,
                          struct keys *ret, os_error *err)
{
    struct keys_text text = {
        .access_key_id = text_from(json_member_string(object, members->access_key_id)),
        .secret_access_key = text_from(json_member_string(object, members->secret_access_key)),
        .session_token = text_from(json_member_string(object, members->session_token)),
    };
    if (text.access_key_id.len == 0 || text.secret_access_key.len == 0) {
        return error_set(err, OS_ERR_CREDENTIALS, "%s has no %s.", from,
                         text.access_key_id.len == 0 ? members->access_key_id : members->secret_access_key);
    }
    const json_t *expiration = json_object_get(object, members->expiration);
    if (!read_expiration(expiration, &text.expires_s) || (members->must_expire && text.expires_s == 0))
        return error_set(err, OS_ERR_CREDENTIALS, "%s has no %s that is a time.", from, members->expiration);
    return keys_take(&text, ret, err);
}
