/* SPDX-License-Identifier: Apache-2.0 */
/* Options from the variables OSCOMMIT_..., for programs that want to be set up as the tool is. */
#include "base/error.h"
#include "base/text.h"
#include "client/settings.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum kind { TEXT, NUMBER_64, NUMBER_32, CHOICE, SWITCH };

struct variable {
    const char *name; /* behind "OSCOMMIT_" */
    enum kind kind;
    size_t offset;
    const char *choices; /* CHOICE: "first|second", numbered from 0 */
};

#define VARIABLE(name, kind, field)                   \
    {                                                 \
        name, kind, offsetof(os_options, field), NULL \
    }
#define VARIABLE_CHOICE(name, field, choices)              \
    {                                                      \
        name, CHOICE, offsetof(os_options, field), choices \
    }

/* Of two variables for one option the first that is set counts. */
static const struct variable variables[] = {
    VARIABLE("STORE", TEXT, store_url),
    VARIABLE("LEDGER", TEXT, ledger_url),
    VARIABLE("S3_ENDPOINT", TEXT, s3_endpoint),
    VARIABLE("ENDPOINT_URL", TEXT, s3_endpoint),
    VARIABLE("DYNAMODB_ENDPOINT", TEXT, dynamodb_endpoint),
    VARIABLE("ENDPOINT_URL", TEXT, dynamodb_endpoint),
    VARIABLE("REGION", TEXT, s3_region),
    VARIABLE("DYNAMODB_REGION", TEXT, dynamodb_region),
    VARIABLE("PROFILE", TEXT, profile),
    VARIABLE("DYNAMODB_PROFILE", TEXT, dynamodb_profile),
    VARIABLE("CA_FILE", TEXT, ca_file),
    VARIABLE_CHOICE("ADDRESSING", s3_addressing, "auto|path|virtual"),
    VARIABLE_CHOICE("SIGNATURE", signature, "v4|v2"),
    VARIABLE("TIMEOUT_MS", NUMBER_64, timeout_ms),
    VARIABLE("MAX_CLOCK_SKEW_RATE", NUMBER_32, max_clock_skew_rate),
    VARIABLE("TTL_S", NUMBER_64, ttl_s),
    VARIABLE("LENGTH_S", NUMBER_32, length_s),
    VARIABLE("ALLOWANCE_S", NUMBER_32, allowance_s),
    VARIABLE("MARGIN_S", NUMBER_32, margin_s),
    VARIABLE("RECHECK_AFTER_MS", NUMBER_64, recheck_after_ms),
    VARIABLE_CHOICE("RELEASE", release, "on_failure|always"),
    VARIABLE_CHOICE("FENCES", fences, "auto|on|off"),
    VARIABLE_CHOICE("CONDITION_HEADERS", condition_headers, "auto|on|off"),
    VARIABLE_CHOICE("GUARD", guard, "auto|record|native|both"),
    VARIABLE("STORE_PROFILE", TEXT, store_profile),
    VARIABLE("STAGE_ABOVE", NUMBER_64, stage_above),
    VARIABLE("PART_SIZE", NUMBER_64, part_size),
    VARIABLE("PARTS_AT_ONCE", NUMBER_32, parts_at_once),
    VARIABLE("MINIMUM_RATE", NUMBER_64, minimum_rate),
    VARIABLE("STALLED_BODY_S", NUMBER_32, stalled_body_s),
    VARIABLE("LATE_SEGMENT_S", NUMBER_32, late_segment_s),
    VARIABLE("RECORD_PREFIX", TEXT, record_prefix),
    VARIABLE("FORWARD_ONLY", SWITCH, forward_only),
    VARIABLE("FORWARD_ONLY_PREFIX", TEXT, forward_only_prefix),
    VARIABLE("RECORDS_BY_BUCKET", SWITCH, records_by_bucket),
    VARIABLE("CHECK_TABLE", SWITCH, check_table),
    VARIABLE("CONNECT_TIMEOUT_MS", NUMBER_64, connect_timeout_ms),
    VARIABLE("REQUEST_TIMEOUT_MS", NUMBER_64, request_timeout_ms),
};
enum { VARIABLES = sizeof(variables) / sizeof(variables[0]) };

_Static_assert(sizeof(os_guard) == sizeof(int) && sizeof(os_addressing) == sizeof(int), "enums are stored as int");

static bool find_choice(const char *choices, const char *value, int *ret)
{
    size_t len = strlen(value);
    *ret = 0;
    for (const char *at = choices; *at != '\0'; *ret += 1) {
        size_t choice_len = strcspn(at, "|");
        if (choice_len == len && memcmp(at, value, len) == 0)
            return true;
        at += choice_len + (at[choice_len] == '|');
    }
    return false;
}

static os_code environment_take_number(const struct variable *variable, const char *value, void *ret, os_error *err)
{
    uint64_t most = variable->kind == NUMBER_32 ? UINT32_MAX : UINT64_MAX;
    uint64_t number;
    if (!text_parse_u64(text_from(value), &number) || number == 0 || number > most)
        return error_set(err, OS_ERR_CONFIG, "OSCOMMIT_%s must be a whole number from 1 to %llu, not \"%.64s\".",
                         variable->name, (unsigned long long)most, value);
    if (variable->kind == NUMBER_32)
        memcpy(ret, &(uint32_t){(uint32_t)number}, sizeof(uint32_t));
    else
        memcpy(ret, &number, sizeof(number));
    return OS_OK;
}

static os_code take_value(const struct variable *variable, const char *value, void *ret, os_error *err)
{
    const char *choices = variable->kind == SWITCH ? "0|1" : variable->choices;
    int choice;
    switch (variable->kind) {
    case TEXT: memcpy(ret, &value, sizeof(value)); return OS_OK;
    case NUMBER_64:
    case NUMBER_32: return environment_take_number(variable, value, ret, err);
    case CHOICE:
    case SWITCH: break;
    }
    if (!find_choice(choices, value, &choice))
        return error_set(err, OS_ERR_CONFIG, "OSCOMMIT_%s must be one of %s, not \"%.64s\".", variable->name, choices,
                         value);
    memcpy(ret, &choice, sizeof(choice));
    return OS_OK;
}

static size_t width(enum kind kind)
{
    static const size_t widths[] = {[TEXT] = sizeof(const char *),
                                    [NUMBER_64] = sizeof(uint64_t),
                                    [NUMBER_32] = sizeof(uint32_t),
                                    [CHOICE] = sizeof(int),
                                    [SWITCH] = sizeof(int)};
    return widths[kind];
}

static bool environment_is_set(const void *field, enum kind kind)
{
    static const unsigned char zero[sizeof(uint64_t)];
    return memcmp(field, zero, width(kind)) != 0;
}

/* The ledger of a fleet is none of a store of files, which has its own. */
static bool is_of_others(const struct variable *variable, const os_options *options)
{
    return variable->offset == offsetof(os_options, ledger_url) && options->store_url != NULL &&
           strncmp(options->store_url, "file://", strlen("file://")) == 0;
}

os_code os_options_from_environment(os_options *options, os_error *err)
{
    os_options filled;
    error_clear(err);
    if (options == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The options are NULL; give a struct to fill.");
    size_t size = options->size;
    os_code code = versioned_copy(options, &filled, sizeof(filled), "os_options", err);
    for (size_t i = 0; i < VARIABLES && code == OS_OK; i++) {
        const struct variable *variable = &variables[i];
        char name[64] = "OSCOMMIT_";
        void *field = (unsigned char *)&filled + variable->offset;
        strncat(name, variable->name, sizeof(name) - sizeof("OSCOMMIT_"));
        const char *value = getenv(name);
        bool is_known = variable->offset + width(variable->kind) <= size; /* to the caller's release */
        if (value != NULL && value[0] != '\0' && is_known && !environment_is_set(field, variable->kind) &&
            !is_of_others(variable, &filled))
            code = take_value(variable, value, field, err);
    }
    if (code != OS_OK)
        return code;
    memcpy(options, &filled, size < sizeof(filled) ? size : sizeof(filled));
    options->size = size;
    return OS_OK;
}
