/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/settings.h"

#include "cli/clean.h"

#include <string.h>

/* What was said closer to the command counts more; of two equally close, the one for this service. */
const char *settings_endpoint(const struct options *options, enum option_id own)
{
    const char *for_service = options_text(options, own);
    const char *for_both = options_text(options, OPTION_ENDPOINT_URL);

    if (for_service == NULL)
        return for_both;
    if (for_both != NULL && options->distance[own] > options->distance[OPTION_ENDPOINT_URL])
        return for_both;
    return for_service;
}

bool settings_has_userinfo(const char *url)
{
    const char *authority = strstr(url, "://");

    if (authority == NULL)
        return false;
    authority += 3;
    return memchr(authority, '@', strcspn(authority, "/?#")) != NULL;
}

static bool check_urls(const struct options *options, struct usage *usage)
{
    static const enum option_id urls[] = {OPTION_STORE, OPTION_LEDGER, OPTION_ENDPOINT_URL, OPTION_S3_ENDPOINT,
                                          OPTION_DYNAMODB_ENDPOINT};

    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        const char *url = options_text(options, urls[i]);
        if (url != NULL && settings_has_userinfo(url)) {
            return usage_refuse(usage, "--%s must not carry credentials: use --profile or the AWS_* variables.",
                                option_table[urls[i]].name);
        }
    }
    return true;
}

static void fill_services(const struct options *options, os_options *ret)
{
    ret->ledger_url = options_text(options, OPTION_LEDGER);
    ret->s3_endpoint = settings_endpoint(options, OPTION_S3_ENDPOINT);
    ret->dynamodb_endpoint = settings_endpoint(options, OPTION_DYNAMODB_ENDPOINT);
    ret->s3_region = options_text(options, OPTION_REGION);
    ret->dynamodb_region = options_text(options, OPTION_DYNAMODB_REGION);
    ret->profile = options_text(options, OPTION_PROFILE);
    ret->dynamodb_profile = options_text(options, OPTION_DYNAMODB_PROFILE);
    ret->ca_file = options_text(options, OPTION_CA_FILE);
    ret->s3_addressing = (os_addressing)options_choice(options, OPTION_ADDRESSING);
    ret->signature = (os_signature)options_choice(options, OPTION_SIGNATURE);
    ret->connect_timeout_ms = options_number(options, OPTION_CONNECT_TIMEOUT_MS);
    ret->request_timeout_ms = options_number(options, OPTION_REQUEST_TIMEOUT_MS);
}

bool settings_fill(const struct options *options, const char *store_url, os_options *ret, struct usage *usage)
{
    os_options filled = OS_OPTIONS_INIT;

    if (!check_urls(options, usage))
        return false;
    filled.store_url = store_url;
    fill_services(options, &filled);
    filled.timeout_ms = options_number(options, OPTION_TIMEOUT_MS);
    /* The table bounds what is cut here by UINT32_MAX. */
    filled.max_clock_skew_rate = (uint32_t)options_number(options, OPTION_MAX_CLOCK_SKEW_RATE);
    filled.length_s = (uint32_t)options_number(options, OPTION_LENGTH_S);
    filled.allowance_s = (uint32_t)options_number(options, OPTION_ALLOWANCE_S);
    filled.margin_s = (uint32_t)options_number(options, OPTION_MARGIN_S);
    filled.ttl_s = options_number(options, OPTION_TTL_S);
    filled.recheck_after_ms = options_number(options, OPTION_RECHECK_AFTER_MS);
    filled.release = (os_release)options_choice(options, OPTION_RELEASE);
    filled.fences = (os_toggle)options_choice(options, OPTION_FENCES);
    filled.condition_headers = (os_toggle)options_choice(options, OPTION_CONDITION_HEADERS);
    filled.guard = (os_guard)options_choice(options, OPTION_GUARD);
    filled.store_profile = options_text(options, OPTION_STORE_PROFILE);
    filled.stage_above = options_number(options, OPTION_STAGE_ABOVE);
    filled.part_size = options_number(options, OPTION_PART_SIZE);
    filled.parts_at_once = (uint32_t)options_number(options, OPTION_PARTS_AT_ONCE);
    filled.minimum_rate = options_number(options, OPTION_MINIMUM_RATE);
    filled.stalled_body_s = (uint32_t)options_number(options, OPTION_STALLED_BODY_S);
    filled.late_segment_s = (uint32_t)options_number(options, OPTION_LATE_SEGMENT_S);
    filled.record_prefix = options_text(options, OPTION_RECORD_PREFIX);
    filled.forward_only = options_on(options, OPTION_FORWARD_ONLY) ? OS_ON : OS_AUTO;
    filled.forward_only_prefix = options_text(options, OPTION_FORWARD_ONLY_PREFIX);
    filled.records_by_bucket = options_on(options, OPTION_RECORDS_BY_BUCKET) ? 1 : 0;
    filled.check_table = options_on(options, OPTION_CHECK_TABLE) ? 1 : 0;
    *ret = filled;
    return true;
}

/* The last two are of who asks again. */
static bool goes_along(const struct options *options, enum option_id id)
{
    bool tells_where = option_table[id].scope == OPTION_SCOPE_SETTING && id != OPTION_DEADLINE_MS;
    return options->given[id] > 0 && (tells_where || id == OPTION_SAME_STORE || id == OPTION_ABORT_UPLOAD);
}

void settings_print_given(FILE *stream, const struct options *options)
{
    for (int id = 0; id < OPTION_COUNT; id++) {
        if (!goes_along(options, (enum option_id)id))
            continue;
        (void)fprintf(stream, " --%s", option_table[id].name);
        if (option_table[id].kind == OPTION_KIND_SWITCH)
            continue;
        (void)fputc(' ', stream);
        clean_print_quoted(stream, options->value[id]);
    }
}
