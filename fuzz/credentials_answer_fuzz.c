/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of the services that give out keys: XML of STS, JSON of the others, and a time. Keys come whole, and can be sent;
 * what is refused says so in one line, and leaves nothing behind. */
#include "fuzz.h"

#include "credentials/service.h"
#include "credentials/sts.h"

#include <stdlib.h>
#include <string.h>

static void check_part(const char *part, size_t most)
{
    FUZZ_CHECK(part == NULL || (part[0] != '\0' && strlen(part) <= most));
    for (; part != NULL && *part != '\0'; part++)
        FUZZ_CHECK((unsigned char)*part > ' ' && *part != 0x7f);
}

static void check_keys(os_code code, const os_error *err, struct keys *keys, bool must_expire)
{
    FUZZ_CHECK(keys_are_there(keys) == (code == OS_OK));
    if (code == OS_OK) {
        FUZZ_CHECK(keys->secret_access_key != NULL);
        check_part(keys->access_key_id, SIGV4_ACCESS_KEY_ID_MAX);
        check_part(keys->secret_access_key, SIGV4_SECRET_MAX);
        check_part(keys->session_token, SIGV4_SESSION_TOKEN_MAX);
        FUZZ_CHECK(!must_expire || keys->expires_s != 0);
    } else {
        fuzz_check_error(code, err);
        FUZZ_CHECK(code == OS_ERR_CREDENTIALS);
    }
    keys_free(keys);
}

static void read_sts(const struct http_response *response)
{
    struct keys keys = {0};
    os_error err;
    os_code code = sts_read_answer(response, "arn:aws:iam::1:role/r", &keys, &err);
    FUZZ_CHECK(code != OS_OK || (response->status == 200 && keys.session_token != NULL && keys.expires_s > 0));
    FUZZ_CHECK(code == OS_OK || response->status == 200 || err.http_status == response->status);
    check_keys(code, &err, &keys, true);
}

static void read_json(const struct http_response *response, bool must_expire)
{
    const struct service_members members = {.access_key_id = "AccessKeyId",
                                            .secret_access_key = "SecretAccessKey",
                                            .session_token = "Token",
                                            .expiration = "Expiration",
                                            .must_expire = must_expire};
    struct keys keys = {0};
    json_t *document = NULL;
    os_error err;
    os_code code =
        service_read_json(text_of(buf_str(&response->body), response->body.len), "The answer", &document, &err);
    if (code == OS_OK)
        code = service_take_keys(document, &members, "The answer", &keys, &err);
    json_decref(document);
    check_keys(code, &err, &keys, must_expire);
}

/* A zone can lead out of the years 0001 to 9999, which can be written. */
static bool can_be_written(int64_t epoch_s)
{
    return epoch_s >= INT64_C(-62135596800) && epoch_s <= INT64_C(253402300799);
}

/* A time is read alike with each way to write its zone; what is no time leaves the result alone. */
static void read_time(const uint8_t *data, size_t size)
{
    char *text = fuzz_copy(data, size);
    int64_t epoch_s = INT64_MIN;
    if (!service_parse_time(text_of(text, size), &epoch_s)) {
        FUZZ_CHECK(epoch_s == INT64_MIN);
    } else if (can_be_written(epoch_s)) {
        char utc[80];
        int64_t again_s = 0;
        FUZZ_CHECK(size < sizeof(utc) - 4);
        text_format_iso8601(epoch_s, utc);
        FUZZ_CHECK(service_parse_time(text_from(utc), &again_s) && again_s == epoch_s);
        utc[strlen(utc) - 1] = '\0';
        strcat(utc, "UTC");
        FUZZ_CHECK(service_parse_time(text_from(utc), &again_s) && again_s == epoch_s);
        strcpy(utc + strlen(utc) - 3, "+01:00");
        FUZZ_CHECK(service_parse_time(text_from(utc), &again_s) && again_s == epoch_s - 3600);
    }
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_response response;

    fuzz_response(data, size, &response);
    read_sts(&response);
    read_json(&response, true);
    read_json(&response, false);
    read_time(data, size);
    http_response_free(&response);
    return 0;
}
