/* SPDX-License-Identifier: Apache-2.0 */
#include "client/settings.h"

#include "store/proxied.h"

#include "base/error.h"
#include "base/min.h"
#include "client/own_profile.h"
#include "client/table_reach.h"
#include "client/url.h"
#include "profile/profile_json.h"
#include "s3/part_plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_TIMEOUT_MS = 20000,
    DEFAULT_RATE = 3,
    DEFAULT_TTL_S = 3600,
    DEFAULT_LENGTH_S = 5,
    DEFAULT_MARGIN_S = 2,
    DEFAULT_RECHECK_AFTER_MS = 5000,
    LEAST_TTL_S = 600,
    LONGEST_REQUEST_MS = 86400000, /* a day is as good as for ever */
    DEFAULT_MINIMUM_RATE = 256 << 10,
    LEAST_RATE = 1024,
    DEFAULT_LATE_SEGMENT_S = 1,
    LOCAL_ALLOWANCE_S = 1, /* the embedded store looks at the expiry under its lock, at the end */
    LOCAL_MARGIN_S = 1,    /* one clock; only rounding */
    DEFAULT_PARTS_AT_ONCE = 4,
    MOST_PARTS_AT_ONCE = 256
};

static bool given(const char *option)
{
    return option && option[0];
}

static os_code copy_string(const char *from, char **ret, os_error *err)
{
    if (from == NULL || from[0] == '\0')
        return OS_OK;
    *ret = strdup(from);
    return *ret ? OS_OK : error_no_memory(err);
}

/* ------------------------------------------------------------------------------------------------ protocol */

static uint64_t settings_or_default(uint64_t value, uint64_t otherwise)
{
    return value ? value : otherwise;
}

static os_code check_protocol(const os_options *options, struct guard_settings *guard, os_error *err)
{
    if (guard->max_clock_skew_rate < 2)
        return error_set(err, OS_ERR_CONFIG,
                         "max_clock_skew_rate is %u; give 2 or more, which leaves room for a slow clock.",
                         guard->max_clock_skew_rate);
    if (guard->timeout_ms > UINT64_C(86400000) || guard->max_clock_skew_rate > 1000)
        return error_set(err, OS_ERR_CONFIG,
                         "timeout_ms must be at most a day, and max_clock_skew_rate at most 1,000: nobody could take "
                         "over such a record otherwise.");
    if (guard->length_s > GUARD_LENGTH_MAX_S)
        return error_set(err, OS_ERR_CONFIG, "length_s is %u; a signature may be valid for at most %d s.",
                         guard->length_s, GUARD_LENGTH_MAX_S);
    if (guard->margin_s > 3600 || guard->work_s > 86400)
        return error_set(err, OS_ERR_CONFIG, "margin_s must be at most an hour, and allowance_s at most a day.");
    bool ends = guard->stalled_body_s != GUARD_STALLED_BODY_FOR_EVER;
    if (guard->late_segment_s > 3600 || (ends && guard->stalled_body_s > PROFILE_STALLED_MAX_S))
        return error_set(err, OS_ERR_CONFIG,
                         "late_segment_s must be at most an hour, and stalled_body_s at most a day. For a store that "
                         "waits for the rest of a body for ever, set stalled_body_s to 4294967295.");
    if (guard->minimum_rate < LEAST_RATE)
        return error_set(err, OS_ERR_CONFIG,
                         "minimum_rate is %llu bytes per second; give %d or more: nobody could take over from a "
                         "stalled writer otherwise.",
                         (unsigned long long)guard->minimum_rate, LEAST_RATE);
    uint64_t least_s = record_ttl(0, LEAST_TTL_S, guard->timeout_ms, guard->max_clock_skew_rate);
    if (options->ttl_s == 0 && guard->ttl_s < least_s)
        guard->ttl_s = least_s;
    if (guard->ttl_s < least_s || guard->ttl_s > UINT32_MAX)
        return error_set(err, OS_ERR_CONFIG,
                         "ttl_s is %llu; it must be at least 600, at least 10 x timeout x max_clock_skew_rate (here "
                         "%llu, rule T5), and less than 136 years.",
                         (unsigned long long)guard->ttl_s, (unsigned long long)least_s);
    return OS_OK;
}

static os_code take_protocol(const os_options *options, uint64_t url_timeout_ms, struct settings *ret, os_error *err)
{
    bool local = ret->store_scheme == SETTINGS_FILE;
    struct guard_settings *guard = &ret->guard;
    guard->timeout_ms =
        settings_or_default(options->timeout_ms, settings_or_default(url_timeout_ms, DEFAULT_TIMEOUT_MS));
    guard->max_clock_skew_rate = options->max_clock_skew_rate ? options->max_clock_skew_rate : DEFAULT_RATE;
    guard->ttl_s = settings_or_default(options->ttl_s, DEFAULT_TTL_S);
    guard->length_s = options->length_s ? options->length_s : DEFAULT_LENGTH_S;
    guard->margin_s = options->margin_s ? options->margin_s : (local ? LOCAL_MARGIN_S : DEFAULT_MARGIN_S);
    guard->work_s = options->allowance_s ? options->allowance_s : (local ? LOCAL_ALLOWANCE_S : 0);
    guard->minimum_rate = settings_or_default(options->minimum_rate, DEFAULT_MINIMUM_RATE);
    guard->stalled_body_s = options->stalled_body_s;
    guard->late_segment_s = options->late_segment_s ? options->late_segment_s : DEFAULT_LATE_SEGMENT_S;
    guard->recheck_after_ms = settings_or_default(options->recheck_after_ms, DEFAULT_RECHECK_AFTER_MS);
    guard->release_always = options->release == OS_RELEASE_ALWAYS;
    ret->fences = options->fences;
    ret->mode = options->guard;
    ret->condition_headers = options->condition_headers;
    ret->check_table = options->check_table != 0;
    return check_protocol(options, guard, err);
}

static os_code check_enums(const os_options *options, os_error *err)
{
    if ((unsigned)options->release > OS_RELEASE_ALWAYS || (unsigned)options->fences > OS_OFF ||
        (unsigned)options->condition_headers > OS_OFF || (unsigned)options->guard > OS_GUARD_BOTH ||
        (unsigned)options->s3_addressing > OS_ADDRESSING_VIRTUAL || (unsigned)options->signature > OS_SIGNATURE_V2 ||
        (unsigned)options->forward_only > OS_OFF || (unsigned)options->log_level > OS_LOG_DEBUG)
        return error_set(err, OS_ERR_CONFIG,
                         "One of release, fences, condition_headers, guard, s3_addressing, signature, forward_only or "
                         "log_level has a "
                         "value that is not in its enumeration.");
    if (options->fences == OS_ON && options->signature == OS_SIGNATURE_V2)
        return error_set(err, OS_ERR_CONFIG,
                         "fences=on needs signature v4: a request signed by V2 has no expiry here.");
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ modes */

static os_code check_native(const os_options *options, const struct settings *settings, os_error *err)
{
    if (options->guard != OS_GUARD_NATIVE || given(options->store_profile) || settings->profile_is_own)
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "guard=native needs store_profile (--store-profile, OSCOMMIT_STORE_PROFILE): only a probe "
                     "(`oscommit probe URL`) shows what the store "
                     "enforces, not its name.%s",
                     settings->unprofiled);
}

static os_code check_mode(const os_options *options, const struct settings *settings, os_error *err)
{
    bool needs_condition = options->guard == OS_GUARD_NATIVE || options->guard == OS_GUARD_BOTH;
    const char *guard = options->guard == OS_GUARD_NATIVE ? "native" : "both";
    bool profiled = given(options->store_profile);
    if (settings->store_scheme == SETTINGS_FILE && (needs_condition || profiled))
        return error_set(err, OS_ERR_CONFIG, "%s is for stores over S3: the embedded store uses the record alone.",
                         profiled ? "store_profile" : "guard=native or both");
    if (options->signature == OS_SIGNATURE_V2 && (needs_condition || profiled))
        return error_set(err, OS_ERR_CONFIG, "%s needs signature v4: requests signed by V2 carry no condition here.",
                         profiled ? "store_profile" : "guard=native or both");
    if (needs_condition && options->condition_headers == OS_OFF)
        return error_set(err, OS_ERR_CONFIG,
                         "condition_headers=off contradicts guard=%s, which rests on them; leave one of the two out.",
                         guard);
    return check_native(options, settings, err);
}

/* F2, F5: what the caller says, else the profile, else what most stores were seen to do. A proxy acknowledges what
 * the store has not yet: behind one nothing bounds how long a body is on its way. */
static void choose_stalled_body(const struct profile *profile, bool proxied, struct guard_settings *guard)
{
    if (proxied)
        guard->stalled_body_s = GUARD_STALLED_BODY_FOR_EVER;
    if (guard->stalled_body_s != 0)
        return;
    guard->stalled_body_s = GUARD_STALLED_BODY_S;
    if (profile == NULL)
        return;
    if (profile->stalled_body == PROFILE_STALLED_KEPT)
        guard->stalled_body_s = GUARD_STALLED_BODY_FOR_EVER;
    else if (profile->stalled_body == PROFILE_STALLED_CLOSED && profile->stalled_body_s > 0)
        guard->stalled_body_s = profile->stalled_body_s;
}

/* Beside a ledger the profile that nobody named gives no record up: others may write by that table, and peers, and
 * clients that have no such profile, do so without a condition. */
static void take_own_profile(const os_options *options, struct settings *ret)
{
    ret->unprofiled = "";
    if (ret->store_scheme != SETTINGS_S3 || given(options->store_profile) || options->signature == OS_SIGNATURE_V2)
        return;
    ret->profile_is_own = own_profile_applies(&ret->s3_endpoint, ret->bucket, &ret->unprofiled);
    bool beside_a_ledger = ret->ledger_scheme != 0 && options->condition_headers != OS_OFF;
    if (ret->profile_is_own && options->guard == OS_GUARD_AUTO && beside_a_ledger)
        ret->mode = OS_GUARD_BOTH;
}

static os_code take_mode(const os_options *options, struct settings *ret, os_error *err)
{
    take_own_profile(options, ret);
    os_code code = check_mode(options, ret, err);
    if (code != OS_OK || (!given(options->store_profile) && !ret->profile_is_own))
        return code;
    ret->profile = calloc(1, sizeof(*ret->profile));
    if (ret->profile == NULL)
        return error_no_memory(err);
    return profile_open(ret->profile_is_own ? OWN_PROFILE_NAME : options->store_profile, ret->profile, err);
}

/* ------------------------------------------------------------------------------------------------ services */

/* What the options say of a service. */
struct service_options {
    const char *name;
    const char *endpoint;
    const char *region;
    const char *profile;
};

/* They go before what the surroundings say. */
static os_code use_endpoint(const struct service_options *service, struct endpoint_setting *setting,
                            struct settings *settings, struct endpoint *ret, os_error *err)
{
    const char *url = given(service->endpoint) ? service->endpoint : setting->url;
    const char *region = given(service->region) ? service->region : setting->region;
    if (settings->ca_file == NULL) {
        settings->ca_file = setting->ca_file;
        setting->ca_file = NULL;
    }
    os_code code =
        endpoint_parse_variant(service->name, url, given(region) ? region : "us-east-1", setting->variant, ret, err);
    if (code != OS_OK && err != NULL)
        endpoint_name_source(service->name, url, given(service->endpoint) ? NULL : setting->url_source, err);
    ret->checksums = setting->checksums;
    return code;
}

static os_code take_endpoint(const os_options *options, const struct service_options *service,
                             struct settings *settings, struct endpoint *ret, os_error *err)
{
    struct endpoint_setting setting = {0};
    os_code code = OS_OK;
    if (!options->no_environment)
        code = endpoint_from_environment(service->name, service->profile, &setting, err);
    if (code == OS_OK)
        code = use_endpoint(service, &setting, settings, ret, err);
    endpoint_setting_free(&setting);
    return code;
}

/* Amazon S3 User Guide, "Directory bucket naming rules": both are reached at hosts of their zone, by sessions. */
static os_code check_bucket_kind(const struct settings *settings, os_error *err)
{
    if (!settings->s3_endpoint.is_aws || !own_profile_is_directory(settings->bucket))
        return OS_OK;
    return error_set(
        err, OS_ERR_UNSUPPORTED,
        "The bucket %.255s is a directory bucket of S3 Express, or an access point of one. Those are signed "
        "for by sessions (CreateSession), which is not supported: use a general-purpose bucket.",
        settings->bucket);
}

static os_code take_services(const os_options *options, struct settings *ret, os_error *err)
{
    const struct service_options s3 = {"s3", options->s3_endpoint, options->s3_region, options->profile};
    const struct service_options dynamodb = {
        "dynamodb", options->dynamodb_endpoint,
        given(options->dynamodb_region) ? options->dynamodb_region : options->s3_region,
        given(options->dynamodb_profile) ? options->dynamodb_profile : options->profile};
    os_code code = copy_string(options->ca_file, &ret->ca_file, err);
    if (code == OS_OK && ret->store_scheme == SETTINGS_S3)
        code = take_endpoint(options, &s3, ret, &ret->s3_endpoint, err);
    if (code == OS_OK && ret->store_scheme == SETTINGS_S3)
        code = check_bucket_kind(ret, err);
    if (code == OS_OK && ret->ledger_scheme == SETTINGS_DYNAMODB)
        code = take_endpoint(options, &dynamodb, ret, &ret->dynamodb_endpoint, err);
    if (code == OS_OK && ret->ledger_scheme == SETTINGS_DYNAMODB)
        code = table_reach(options, &ret->dynamodb_endpoint, &ret->table_reach, err);
    return code;
}

static os_code settings_take_keys(const os_options *options, const struct settings *settings,
                                  struct credentials **ret_store, struct credentials **ret_ledger, os_error *err)
{
    const struct credentials_source s3 = {
        .access_key_id = options->access_key_id,
        .secret_access_key = options->secret_access_key,
        .session_token = options->session_token,
        .profile = options->profile,
        .region =
            settings->store_scheme == SETTINGS_S3 ? settings->s3_endpoint.region : settings->dynamodb_endpoint.region,
        .callback = options->credentials,
        .callback_context = options->credentials_context,
        .no_environment = options->no_environment != 0,
    };
    const struct credentials_source dynamodb = {
        .access_key_id = options->dynamodb_access_key_id,
        .secret_access_key = options->dynamodb_secret_access_key,
        .session_token = options->dynamodb_session_token,
        .profile = options->dynamodb_profile,
        .region = settings->dynamodb_endpoint.region,
        .callback = options->dynamodb_credentials,
        .callback_context = options->dynamodb_credentials_context,
        .no_environment = options->no_environment != 0,
    };
    bool own = given(dynamodb.access_key_id) || given(dynamodb.secret_access_key) || given(dynamodb.profile) ||
               dynamodb.callback != NULL;
    os_code code = OS_OK;
    if (settings->store_scheme == SETTINGS_S3)
        code = credentials_new(&s3, ret_store, err);
    if (code == OS_OK && settings->ledger_scheme == SETTINGS_DYNAMODB && !own && *ret_store != NULL)
        *ret_ledger = credentials_share(*ret_store);
    else if (code == OS_OK && settings->ledger_scheme == SETTINGS_DYNAMODB)
        code = credentials_new(own ? &dynamodb : &s3, ret_ledger, err);
    if (code != OS_OK) {
        credentials_free(*ret_store);
        *ret_store = NULL;
    }
    return code;
}

/* T4. No bucket's name has a slash: those of two buckets never begin alike. */
static os_code take_record_prefix(const os_options *options, struct settings *ret, os_error *err)
{
    const char *prefix = given(options->record_prefix) ? options->record_prefix : "";
    if (strlen(prefix) > 512 || !text_is_utf8(text_from(prefix)))
        return error_set(err, OS_ERR_CONFIG, "record_prefix is longer than 512 bytes, or is not UTF-8.");
    if (!options->records_by_bucket)
        return copy_string(prefix, &ret->record_prefix, err);
    if (ret->store_scheme != SETTINGS_S3)
        return error_set(err, OS_ERR_CONFIG,
                         "records_by_bucket is for stores over S3: an embedded store is no bucket.");
    size_t size = strlen(prefix) + strlen(ret->bucket) + sizeof("/");
    ret->record_prefix = malloc(size);
    if (ret->record_prefix == NULL)
        return error_no_memory(err);
    snprintf(ret->record_prefix, size, "%s%s/", prefix, ret->bucket);
    return OS_OK;
}

static os_code take_forward_only(const os_options *options, struct settings *ret, os_error *err)
{
    const char *prefix = options->forward_only == OS_ON ? "" : options->forward_only_prefix;
    if (options->forward_only != OS_ON && !given(prefix))
        return OS_OK;
    if (strlen(prefix) > 1024 || !text_is_utf8(text_from(prefix)))
        return error_set(err, OS_ERR_CONFIG,
                         "forward_only_prefix is longer than 1,024 bytes, or is not UTF-8: no key begins so.");
    ret->forward_only_prefix = strdup(prefix);
    return ret->forward_only_prefix ? OS_OK : error_no_memory(err);
}

static os_code take_network(const os_options *options, struct settings *ret, os_error *err)
{
    ret->addressing = options->s3_addressing;
    ret->signature = options->signature;
    ret->connect_timeout_ms = u64_min(settings_or_default(options->connect_timeout_ms, 5000), LONGEST_REQUEST_MS);
    ret->request_timeout_ms = u64_min(settings_or_default(options->request_timeout_ms, 10000), LONGEST_REQUEST_MS);
    ret->max_connections = options->max_connections ? options->max_connections : 64;
    ret->max_in_flight = options->max_in_flight ? options->max_in_flight : 10000;
    ret->foreign_loop = options->foreign_loop != 0;
    if (ret->foreign_loop && options->check_table)
        return error_set(err, OS_ERR_CONFIG,
                         "check_table waits for the table's answer, and with foreign_loop nothing may wait. "
                         "Start os_start_table_check on the client in its place.");
    ret->metric.fn = options->metric;
    ret->metric.context = options->metric_context;
    ret->log = options->log;
    ret->log_context = options->log_context;
    ret->log_level = options->log_level ? options->log_level : OS_LOG_WARN;
    os_code code = take_record_prefix(options, ret, err);
    if (code == OS_OK)
        code = take_forward_only(options, ret, err);
    char agent[256];
    bool named = options->user_agent && options->user_agent[0];
    int length = snprintf(agent, sizeof(agent), "%s%soscommit/%s", named ? options->user_agent : "", named ? " " : "",
                          os_version());
    if (length < 0 || (size_t)length >= sizeof(agent) || strpbrk(agent, "\r\n"))
        return error_set(err, OS_ERR_CONFIG, "user_agent is too long, or contains a line end.");
    return code == OS_OK ? copy_string(agent, &ret->user_agent, err) : code;
}

static os_code take_sizes(const os_options *options, struct settings *ret, os_error *err)
{
    ret->stage_above = options->stage_above;
    ret->part_size = options->part_size;
    ret->parts_at_once = options->parts_at_once ? options->parts_at_once : DEFAULT_PARTS_AT_ONCE;
    if (ret->part_size != 0 && (ret->part_size < PART_SIZE_MIN || ret->part_size > PART_SIZE_MAX))
        return error_set(err, OS_ERR_CONFIG, "part_size is %llu bytes; a part has 5 MiB to 5 GiB.",
                         (unsigned long long)ret->part_size);
    if (ret->stage_above > PART_SIZE_MAX)
        return error_set(err, OS_ERR_CONFIG,
                         "stage_above is %llu bytes; it must be less than 5 GiB, the most that one request can send.",
                         (unsigned long long)ret->stage_above);
    if (ret->parts_at_once > MOST_PARTS_AT_ONCE)
        return error_set(err, OS_ERR_CONFIG, "parts_at_once is %u; it must be at most %d.", ret->parts_at_once,
                         MOST_PARTS_AT_ONCE);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ all */

#define OWN_LEDGER "/.oscommit/ledger.db" /* below the root */

static os_code default_ledger(struct settings *ret, os_error *err)
{
    if (ret->store_scheme != SETTINGS_FILE)
        return OS_OK; /* plain calls need none; guarded ones will say that it is missing */
    size_t size = strlen(ret->root) + sizeof(OWN_LEDGER);
    ret->table = malloc(size);
    if (ret->table == NULL)
        return error_no_memory(err);
    snprintf(ret->table, size, "%s" OWN_LEDGER, ret->root);
    ret->ledger_scheme = SETTINGS_SQLITE;
    return OS_OK;
}

/* E4.3: who opens the store without this ledger would not see its records. */
static os_code check_ledger_of_files(const struct settings *settings, os_error *err)
{
    size_t length = settings->store_scheme == SETTINGS_FILE ? strlen(settings->root) : 0;
    if (settings->store_scheme != SETTINGS_FILE ||
        (settings->ledger_scheme == SETTINGS_SQLITE && strncmp(settings->table, settings->root, length) == 0 &&
         strcmp(settings->table + length, OWN_LEDGER) == 0))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "A store of files has its own ledger. With another one, two writers that differ in it would both "
                     "commit: leave ledger_url (--ledger, OSCOMMIT_LEDGER) out for file:// URLs.");
}

static os_code settings_take_all(const os_options *options, struct settings *ret, os_error *err)
{
    uint64_t url_timeout_ms = 0;
    os_code code = check_enums(options, err);
    if (code == OS_OK && given(options->store_url))
        code = url_parse_store(options->store_url, ret, err);
    if (code == OS_OK && options->ledger_url && options->ledger_url[0])
        code = url_parse_ledger(options->ledger_url, ret, &url_timeout_ms, err);
    else if (code == OS_OK)
        code = default_ledger(ret, err);
    if (code == OS_OK)
        code = check_ledger_of_files(ret, err);
    if (code == OS_OK)
        code = take_protocol(options, url_timeout_ms, ret, err);
    if (code == OS_OK)
        code = take_services(options, ret, err);
    if (code == OS_OK)
        code = take_mode(options, ret, err);
    choose_stalled_body(ret->profile, ret->store_scheme == SETTINGS_S3 && store_is_proxied(&ret->s3_endpoint),
                        &ret->guard);
    if (code == OS_OK)
        code = take_network(options, ret, err);
    if (code == OS_OK)
        code = take_sizes(options, ret, err);
    return code;
}

os_code settings_new(const os_options *options, struct settings *ret, struct credentials **ret_store_keys,
                     struct credentials **ret_ledger_keys, os_error *err)
{
    os_options own;
    os_code code = versioned_copy(options, &own, sizeof(own), "os_options", err);
    if (code != OS_OK)
        return code;
    if (!given(own.store_url) && !given(own.ledger_url))
        return error_set(err, OS_ERR_CONFIG,
                         "store_url is missing (--store, OSCOMMIT_STORE); write s3://bucket[/prefix] or "
                         "file:///root. Leases, locks, rows and documents need ledger_url alone (--ledger, "
                         "OSCOMMIT_LEDGER): dynamodb://TABLE or sqlite:///FILE.");
    memset(ret, 0, sizeof(*ret));
    code = settings_take_all(&own, ret, err);
    return code == OS_OK ? settings_take_keys(&own, ret, ret_store_keys, ret_ledger_keys, err) : code;
}

void settings_free(struct settings *settings)
{
    free(settings->bucket);
    free(settings->prefix);
    free(settings->root);
    free(settings->table);
    free(settings->table_reach);
    free(settings->ca_file);
    free(settings->user_agent);
    free(settings->record_prefix);
    free(settings->forward_only_prefix);
    free(settings->profile);
    memset(settings, 0, sizeof(*settings));
}
