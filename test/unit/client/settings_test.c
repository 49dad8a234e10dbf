/* SPDX-License-Identifier: Apache-2.0 */
/* Options: defaults, and every refusal with its sentence. */
#include "client/settings.h"
#include "client/ticket_place.h"
#include "commit/record.h"
#include "unit/api/client_scratch.h"
#include "unit/client/opened_settings.h"

#include <stdlib.h>
#include <string.h>

static void check_refused(const os_options *options, os_code code, const char *says)
{
    struct opened opened;
    os_code got = open_settings(options, &opened);
    if (got == OS_OK)
        fail_msg("it is accepted, and ought to say: %s", says);
    CHECK_CODE(got, code, &opened.error);
    CHECK_SAYS(&opened.error, says);
    assert_null(strstr(opened.error.message, "secret-of-the-test"));
    assert_null(opened.store_keys);
    assert_null(opened.ledger_keys);
    close_settings(&opened);
}

/* Options and what has been made of them. */
struct given {
    os_options options;
    struct opened opened;
    bool is_open;
};

static void given_set_up(struct given *given)
{
    given->options = s3_options();
}

static void given_tear_down(struct given *given)
{
    if (given->is_open)
        close_settings(&given->opened);
}

/* They are accepted; what was made of them before is closed. */
static const struct settings *accepted(struct given *given)
{
    given_tear_down(given);
    given->is_open = true;
    CHECK_CODE(open_settings(&given->options, &given->opened), OS_OK, &given->opened.error);
    return &given->opened.settings;
}

/* Options that are the defaults but for `change`. */
#define REFUSED_WITH(change, says)                      \
    do {                                                \
        os_options options = s3_options();              \
        options.change;                                 \
        check_refused(&options, OS_ERR_CONFIG, (says)); \
    } while (0)

TEST_WITH(given, zero_means_the_defaults_of_the_protocol)
{
    accepted(given);
    const struct guard_settings *guard = &given->opened.settings.guard;
    assert_int_equal(guard->timeout_ms, 20000);
    assert_int_equal(guard->max_clock_skew_rate, 3);
    assert_int_equal(guard->ttl_s, 3600);
    assert_int_equal(guard->length_s, 5);
    assert_int_equal(guard->margin_s, 2);
    assert_int_equal(guard->work_s, 0); /* by operation */
    assert_int_equal(guard->recheck_after_ms, 5000);
    assert_false(guard->release_always);
    assert_false(given->opened.settings.condition_headers);
    assert_int_equal(given->opened.settings.request_timeout_ms, 10000);
    assert_string_equal(given->opened.settings.s3_endpoint.region, "us-east-1");
    assert_string_equal(given->opened.settings.dynamodb_endpoint.region, "us-east-1");
    assert_string_equal(given->opened.settings.prefix, "prefix/");
    assert_non_null(given->opened.store_keys);
    assert_non_null(given->opened.ledger_keys);
}

TEST_WITH(given, an_embedded_store_has_its_own_ledger_and_no_keys)
{
    given->options = (os_options)OS_OPTIONS_INIT;
    given->options.store_url = "file:///srv/data/";
    given->options.no_environment = 1;
    accepted(given);
    assert_int_equal(given->opened.settings.ledger_scheme, SETTINGS_SQLITE);
    assert_string_equal(given->opened.settings.table, "/srv/data/.oscommit/ledger.db");
    assert_null(given->opened.store_keys);
    assert_null(given->opened.ledger_keys);
    struct ticket_place place;
    ticket_place_of(&given->opened.settings, &place);
    char *with_slash = strdup(place.part[TICKET_ENDPOINT]);
    given->options.store_url = "file:///srv/data";
    accepted(given);
    ticket_place_of(&given->opened.settings, &place);
    assert_string_equal(place.part[TICKET_ENDPOINT], with_slash); /* one store, one name in tickets */
    free(with_slash);
}

/* E4.3 */
TEST_WITH(given, an_embedded_store_takes_no_other_ledger)
{
    given->options = (os_options)OS_OPTIONS_INIT;
    given->options.store_url = "file:///srv/data/";
    given->options.no_environment = 1;
    given->options.ledger_url = "dynamodb://commits";
    check_refused(&given->options, OS_ERR_CONFIG, "A store of files has its own ledger.");
    given->options.ledger_url = "sqlite:///srv/data/ledger.db";
    check_refused(&given->options, OS_ERR_CONFIG, "A store of files has its own ledger.");
    given->options.ledger_url = "sqlite:///srv/data2/.oscommit/ledger.db";
    check_refused(&given->options, OS_ERR_CONFIG, "A store of files has its own ledger.");
    given->options.ledger_url = "sqlite:///srv/data/.oscommit/ledger.db";
    accepted(given);
}

TEST_WITH(given, an_s3_store_without_a_ledger_is_for_plain_calls)
{
    given->options.ledger_url = "";
    accepted(given);
    assert_int_equal(given->opened.settings.ledger_scheme, 0);
    assert_null(given->opened.ledger_keys);
}

TEST_WITH(given, a_ledger_url_with_a_timeout_sets_it_unless_an_option_does)
{
    given->options.ledger_url = "dynamo:records:30000";
    assert_int_equal(accepted(given)->guard.timeout_ms, 30000);
    given->options.timeout_ms = 40000;
    assert_int_equal(accepted(given)->guard.timeout_ms, 40000);
}

TEST_WITH(given, t5_a_ttl_that_ends_too_early_is_refused)
{
    given->options.ttl_s = 599;
    check_refused(&given->options, OS_ERR_CONFIG, "at least 600");
    given->options.ttl_s = 600;
    accepted(given); /* 10 x 20 s x 3 */
    given->options.timeout_ms = 20001;
    check_refused(&given->options, OS_ERR_CONFIG, "T5");
    given->options.ttl_s = 601;
    accepted(given);
    given->options.max_clock_skew_rate = 4;
    check_refused(&given->options, OS_ERR_CONFIG, "ttl_s is 601");
    given->options.ttl_s = UINT64_C(1) << 32;
    check_refused(&given->options, OS_ERR_CONFIG, "136 years");
    given->options.ttl_s = 0; /* the default grows with the others */
    given->options.timeout_ms = 3600000;
    assert_int_equal(accepted(given)->guard.ttl_s, 10 * 3600 * 4);
}

TEST_WITH(given, a_skew_rate_without_room_is_refused)
{
    given->options.max_clock_skew_rate = 1;
    check_refused(&given->options, OS_ERR_CONFIG, "max_clock_skew_rate is 1");
    given->options.max_clock_skew_rate = 2;
    accepted(given);
    given->options.max_clock_skew_rate = 1001;
    check_refused(&given->options, OS_ERR_CONFIG, "max_clock_skew_rate at most 1,000");
}

TEST(times_that_nobody_would_wait_for_are_refused)
{
    REFUSED_WITH(timeout_ms = 86400001, "timeout_ms must be at most a day");
    REFUSED_WITH(length_s = 61, "length_s is 61");
    REFUSED_WITH(margin_s = 3601, "margin_s must be at most an hour");
    REFUSED_WITH(allowance_s = 86401, "allowance_s at most a day");
    REFUSED_WITH(minimum_rate = 1023, "minimum_rate is 1023");
    REFUSED_WITH(late_segment_s = 3601, "late_segment_s must be at most an hour");
    REFUSED_WITH(stalled_body_s = 86401, "stalled_body_s at most a day");
}

static uint32_t stalled_body_of(const char *profile, uint32_t own_s)
{
    os_options options = s3_options();
    struct opened opened;
    options.store_profile = profile;
    options.stalled_body_s = own_s;
    assert_int_equal(open_settings(&options, &opened), OS_OK);
    uint32_t stalled_s = opened.settings.guard.stalled_body_s;
    close_settings(&opened);
    return stalled_s;
}

/* F2, F5: what the caller says, then the profile, then what most stores do. */
TEST(how_long_a_store_waits_for_a_stalled_body_is_told_by_its_profile)
{
    assert_int_equal(stalled_body_of(NULL, 0), GUARD_STALLED_BODY_S);
    assert_int_equal(stalled_body_of("minio", 0), 65);
    assert_true(stalled_body_of("versitygw", 0) == GUARD_STALLED_BODY_FOR_EVER);
    assert_int_equal(stalled_body_of("versitygw", 7), 7);
    assert_true(stalled_body_of("minio", UINT32_MAX) == GUARD_STALLED_BODY_FOR_EVER);
}

/* It acknowledges what the store has not yet, and takes its time. */
TEST(behind_a_proxy_nothing_bounds_a_body)
{
    assert_int_equal(setenv("https_proxy", "http://proxy.example:3128", 1), 0);
    assert_true(stalled_body_of("minio", 0) == GUARD_STALLED_BODY_FOR_EVER);
    assert_true(stalled_body_of("minio", 7) == GUARD_STALLED_BODY_FOR_EVER);
    assert_int_equal(setenv("no_proxy", "amazonaws.com", 1), 0);
    assert_int_equal(stalled_body_of("minio", 7), 7);
    assert_int_equal(unsetenv("https_proxy") | unsetenv("no_proxy"), 0);
}

TEST_WITH(given, sizes_that_no_store_takes_are_refused)
{
    const uint64_t mib = 1 << 20;
    const uint64_t gib = 1 << 30;
    REFUSED_WITH(part_size = 5 * mib - 1, "5 MiB to 5 GiB");
    REFUSED_WITH(part_size = 5 * gib + 1, "5 MiB to 5 GiB");
    REFUSED_WITH(stage_above = 5 * gib + 1, "stage_above is 5368709121");
    REFUSED_WITH(parts_at_once = 257, "parts_at_once is 257");
    given->options.parts_at_once = 256;
    given->options.part_size = 5 * mib;
    given->options.stage_above = 5 * gib;
    accepted(given);
    assert_int_equal(given->opened.settings.parts_at_once, 256);
    assert_int_equal(given->opened.settings.part_size, 5 * mib);
    assert_int_equal(given->opened.settings.stage_above, 5 * gib);
    given->options = s3_options();
    assert_int_equal(accepted(given)->parts_at_once, 4);
}

/* T6 is kept by the guard, which raises what it writes: the longest settings must not make a number too large. */
TEST_WITH(given, t6_the_longest_times_are_still_numbers)
{
    given->options.timeout_ms = 86400000;
    given->options.max_clock_skew_rate = 1000;
    given->options.length_s = 60;
    given->options.margin_s = 3600;
    given->options.allowance_s = 86400;
    given->options.request_timeout_ms = UINT64_MAX;
    given->options.connect_timeout_ms = UINT64_MAX;
    given->options.recheck_after_ms = UINT64_MAX;
    accepted(given);
    assert_int_equal(given->opened.settings.guard.ttl_s, UINT64_C(10) * 86400 * 1000);
    assert_int_equal(given->opened.settings.request_timeout_ms, 86400000);
    assert_int_equal(given->opened.settings.connect_timeout_ms, 86400000);
}

TEST_WITH(given, values_outside_their_enumerations_are_refused)
{
    static const char says[] = "not in its enumeration";
    REFUSED_WITH(release = (os_release)2, says);
    REFUSED_WITH(fences = (os_toggle)3, says);
    REFUSED_WITH(condition_headers = (os_toggle)-1, says);
    REFUSED_WITH(s3_addressing = (os_addressing)3, says);
    REFUSED_WITH(signature = (os_signature)2, says);
    REFUSED_WITH(log_level = (os_log_level)5, says);
    given->options.fences = OS_ON;
    given->options.signature = OS_SIGNATURE_V2;
    check_refused(&given->options, OS_ERR_CONFIG, "fences=on needs signature v4");
}

TEST_WITH(given, modes_that_contradict_the_rest_are_refused)
{
    given->options.guard = OS_GUARD_NATIVE;
    given->options.s3_endpoint = "https://minio.example";
    check_refused(&given->options, OS_ERR_CONFIG, "guard=native needs store_profile");
    given->options.store_profile = "minio";
    given->options.condition_headers = OS_OFF;
    check_refused(&given->options, OS_ERR_CONFIG, "contradicts guard=native");
    given->options.guard = OS_GUARD_BOTH;
    check_refused(&given->options, OS_ERR_CONFIG, "contradicts guard=both");
    given->options.condition_headers = OS_AUTO;
    given->options.signature = OS_SIGNATURE_V2;
    check_refused(&given->options, OS_ERR_CONFIG, "store_profile needs signature v4");
    given->options.store_profile = NULL;
    check_refused(&given->options, OS_ERR_CONFIG, "guard=native or both needs signature v4");
    given->options.signature = OS_SIGNATURE_V4;
    given->options.store_url = "file:///srv/data";
    given->options.ledger_url = NULL;
    check_refused(&given->options, OS_ERR_CONFIG, "the embedded store");
    given->options.guard = OS_GUARD_AUTO;
    given->options.store_profile = "minio";
    check_refused(&given->options, OS_ERR_CONFIG, "the embedded store");
    given->options = s3_options();
    given->options.store_profile = "no-such-store";
    check_refused(&given->options, OS_ERR_CONFIG, "no-such-store");
    given->options.store_profile = "./no-such-file.json";
    check_refused(&given->options, OS_ERR_CONFIG, "no-such-file");
}

TEST_WITH(given, a_profile_is_taken_and_the_ledger_is_then_no_must)
{
    given->options.s3_endpoint = "https://minio.example";
    accepted(given);
    assert_null(given->opened.settings.profile);
    assert_int_equal(given->opened.settings.mode, OS_GUARD_AUTO);
    given->options.store_profile = "minio";
    given->options.guard = OS_GUARD_NATIVE;
    given->options.ledger_url = NULL;
    accepted(given);
    assert_string_equal(given->opened.settings.profile->name, "MinIO");
    assert_int_equal(given->opened.settings.mode, OS_GUARD_NATIVE);
}

/* T4.2 */
TEST_WITH(given, the_bucket_stands_behind_the_record_prefix)
{
    given->options = s3_options();
    given->options.store_url = "s3://fleet-7/below";
    given->options.records_by_bucket = 1;
    assert_string_equal(accepted(given)->record_prefix, "fleet-7/");
    given->options.record_prefix = "eu/";
    assert_string_equal(accepted(given)->record_prefix, "eu/fleet-7/");
    given->options.records_by_bucket = 0;
    assert_string_equal(accepted(given)->record_prefix, "eu/");
}

TEST(an_embedded_store_has_no_bucket_before_its_records)
{
    os_options options = s3_options();
    options.store_url = "file:///srv";
    options.ledger_url = NULL;
    options.records_by_bucket = 1;
    check_refused(&options, OS_ERR_CONFIG, "records_by_bucket is for stores over S3");
}

/* Leases need no store. */
TEST_WITH(given, a_ledger_alone_is_enough)
{
    given->options.store_url = NULL;
    assert_int_equal(accepted(given)->store_scheme, SETTINGS_NONE);
    assert_int_equal(given->opened.settings.ledger_scheme, SETTINGS_DYNAMODB);
    assert_null(given->opened.store_keys);
    assert_non_null(given->opened.ledger_keys);
    given->options.ledger_url = "";
    check_refused(&given->options, OS_ERR_CONFIG, "store_url is missing");
    check_refused(&given->options, OS_ERR_CONFIG, "rows and documents need ledger_url alone");
}

TEST(bad_names_of_places_are_refused)
{
    char prefix[514];
    memset(prefix, 'r', sizeof(prefix) - 1);
    prefix[513] = '\0';
    check_refused(NULL, OS_ERR_CONFIG, "store_url is missing");
    REFUSED_WITH(ledger_url = "redis://x", "redis://x");
    REFUSED_WITH(s3_endpoint = "ftp://host", "The s3 endpoint");
    REFUSED_WITH(dynamodb_endpoint = "http://host:port", "dynamodb endpoint");
    REFUSED_WITH(user_agent = "me\r\nx-forged: 1", "user_agent");
    REFUSED_WITH(record_prefix = prefix, "record_prefix");
    REFUSED_WITH(record_prefix = "\xff", "record_prefix");
}

TEST(half_a_pair_of_keys_is_refused)
{
    REFUSED_WITH(access_key_id = NULL, "key");
    REFUSED_WITH(dynamodb_secret_access_key = "secret-of-the-test", "key");
}

TEST_WITH(given, empty_keys_of_the_ledger_mean_those_of_the_store)
{
    struct sigv4_keys keys;
    given->options.dynamodb_access_key_id = "";
    given->options.dynamodb_secret_access_key = "";
    given->options.dynamodb_profile = "";
    accepted(given);
    CHECK_CODE(credentials_get(given->opened.ledger_keys, &keys, &given->opened.error), OS_OK, &given->opened.error);
    assert_string_equal(keys.access_key_id, "id");
}

TEST_WITH(given, the_dynamodb_region_defaults_to_the_s3_one)
{
    given->options.s3_region = "eu-west-1";
    assert_string_equal(accepted(given)->dynamodb_endpoint.region, "eu-west-1");
    given->options.dynamodb_region = "eu-central-1";
    accepted(given);
    assert_string_equal(given->opened.settings.dynamodb_endpoint.region, "eu-central-1");
    assert_string_equal(given->opened.settings.s3_endpoint.region, "eu-west-1");
}

struct newer_options {
    os_options options;
    uint64_t later;
};

TEST(an_option_of_a_later_release_is_refused)
{
    struct newer_options newer = {.options = s3_options(), .later = 1};
    newer.options.size = sizeof(newer);
    check_refused(&newer.options, OS_ERR_ARGUMENT, "os_options");
}

/* They are reached elsewhere, by sessions; another store may have buckets of such a name. */
TEST_WITH(given, a_directory_bucket_of_amazon_is_refused)
{
    static const char *const urls[] = {"s3://mine--use1-az4--x-s3/a", "s3://mine--use1-az4--xa-s3"};
    for (size_t i = 0; i < 2; i++) {
        given->options.store_url = urls[i];
        given->options.s3_endpoint = NULL;
        assert_int_equal(open_settings(&given->options, &given->opened), OS_ERR_UNSUPPORTED);
        assert_non_null(strstr(given->opened.error.message, "directory bucket"));
        close_settings(&given->opened);
        given->options.s3_endpoint = "http://127.0.0.1:9";
        accepted(given);
        close_settings(&given->opened);
        memset(&given->opened, 0, sizeof(given->opened));
    }
}
