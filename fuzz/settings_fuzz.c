/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A client's options: lines "name value". Whatever they say, they are refused with a sentence, or what the
 * protocol relies on holds (T5, T6, the skew rate).
 */
#include "fuzz.h"

#include "client/settings.h"
#include "client/ticket_place.h"

#include <stdlib.h>
#include <string.h>

enum { LINES_MAX = 64, LEAST_TTL_S = 600, DAY_MS = 86400000 };

struct named_string {
    const char *name;
    size_t offset;
};
#define STRING(field)                       \
    {                                       \
#field, offsetof(os_options, field) \
    }
static const struct named_string strings[] = {
    STRING(store_url),
    STRING(ledger_url),
    STRING(s3_endpoint),
    STRING(s3_region),
    STRING(dynamodb_endpoint),
    STRING(dynamodb_region),
    STRING(ca_file),
    STRING(access_key_id),
    STRING(secret_access_key),
    STRING(session_token),
    STRING(record_prefix),
    STRING(user_agent),
    STRING(dynamodb_profile),
    STRING(dynamodb_session_token),
    STRING(profile),
    STRING(dynamodb_access_key_id),
    STRING(dynamodb_secret_access_key),
};

static bool take_string(os_options *options, const char *name, const char *value)
{
    for (size_t i = 0; i < sizeof(strings) / sizeof(strings[0]); i++) {
        if (strcmp(name, strings[i].name) == 0) {
            memcpy((char *)options + strings[i].offset, &value, sizeof(value));
            return true;
        }
    }
    return false;
}

static void take_number(os_options *options, const char *name, unsigned long long value)
{
    const struct {
        const char *name;
        uint64_t *wide;
        uint32_t *narrow;
    } numbers[] = {
        {"timeout_ms", &options->timeout_ms, NULL},
        {"ttl_s", &options->ttl_s, NULL},
        {"recheck_after_ms", &options->recheck_after_ms, NULL},
        {"connect_timeout_ms", &options->connect_timeout_ms, NULL},
        {"request_timeout_ms", &options->request_timeout_ms, NULL},
        {"max_clock_skew_rate", NULL, &options->max_clock_skew_rate},
        {"length_s", NULL, &options->length_s},
        {"allowance_s", NULL, &options->allowance_s},
        {"margin_s", NULL, &options->margin_s},
        {"max_connections", NULL, &options->max_connections},
    };
    for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (strcmp(name, numbers[i].name) == 0 && numbers[i].wide != NULL)
            *numbers[i].wide = value;
        else if (strcmp(name, numbers[i].name) == 0)
            *numbers[i].narrow = (uint32_t)value;
}

/* An enumeration holds any int that a caller puts there. */
static void take_choice(os_options *options, const char *name, unsigned value)
{
    if (strcmp(name, "release") == 0)
        options->release = (os_release)value;
    else if (strcmp(name, "fences") == 0)
        options->fences = (os_toggle)value;
    else if (strcmp(name, "condition_headers") == 0)
        options->condition_headers = (os_toggle)value;
    else if (strcmp(name, "s3_addressing") == 0)
        options->s3_addressing = (os_addressing)value;
    else if (strcmp(name, "signature") == 0)
        options->signature = (os_signature)value;
    else if (strcmp(name, "log_level") == 0)
        options->log_level = (os_log_level)value;
}

static void take_lines(char *text, os_options *options)
{
    char *rest = text;
    for (int lines = 0; rest != NULL && lines < LINES_MAX; lines++) {
        char *line = strsep(&rest, "\n");
        char *name = strsep(&line, " ");
        if (line == NULL || take_string(options, name, line))
            continue;
        unsigned long long value = strtoull(line, NULL, 10);
        take_number(options, name, value);
        take_choice(options, name, (unsigned)value);
    }
}

/* Without a store there are leases and locks alone, which have no tickets. */
static void check_store(const struct settings *settings)
{
    struct ticket_place place;
    if (settings->store_scheme == SETTINGS_NONE) {
        FUZZ_CHECK(settings->ledger_scheme == SETTINGS_DYNAMODB || settings->ledger_scheme == SETTINGS_SQLITE);
        return;
    }
    FUZZ_CHECK(settings->store_scheme == SETTINGS_S3 || settings->store_scheme == SETTINGS_FILE);
    ticket_place_of(settings, &place);
    for (size_t i = 0; i < TICKET_PARTS; i++)
        FUZZ_CHECK(place.part[i] != NULL);
    FUZZ_CHECK(place.part[TICKET_ENDPOINT][0] != '\0');
}

static void check_accepted(const struct settings *settings)
{
    const struct guard_settings *guard = &settings->guard;
    FUZZ_CHECK(guard->max_clock_skew_rate >= 2);
    FUZZ_CHECK(guard->timeout_ms > 0 && guard->timeout_ms <= DAY_MS);
    FUZZ_CHECK(guard->ttl_s >= LEAST_TTL_S && guard->ttl_s <= UINT32_MAX); /* T5 */
    FUZZ_CHECK(guard->ttl_s >= 10 * guard->timeout_ms * guard->max_clock_skew_rate / 1000);
    FUZZ_CHECK(guard->length_s > 0 && guard->length_s <= GUARD_LENGTH_MAX_S);
    check_store(settings);
    FUZZ_CHECK(settings->ledger_scheme != SETTINGS_DYNAMODB || settings->table != NULL);
    FUZZ_CHECK(settings->user_agent == NULL || strpbrk(settings->user_agent, "\r\n") == NULL);
}

static void read_settings(const os_options *options)
{
    struct settings settings;
    struct credentials *store_keys = NULL;
    struct credentials *ledger_keys = NULL;
    os_error err = {.code = OS_OK};

    memset(&settings, 0, sizeof(settings));
    os_code code = settings_new(options, &settings, &store_keys, &ledger_keys, &err);
    if (code == OS_OK)
        check_accepted(&settings);
    else
        fuzz_check_error(code, &err);
    settings_free(&settings);
    credentials_free(store_keys);
    credentials_free(ledger_keys);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    os_options options = OS_OPTIONS_INIT;

    options.no_environment = 1;
    take_lines(text, &options);
    read_settings(&options);
    free(text);
    return 0;
}
