/* SPDX-License-Identifier: Apache-2.0 */
/* URLs of stores and ledgers, good and bad. */
#include "client/url.h"
#include "unit/api/client_scratch.h"

#include <stdlib.h>
#include <string.h>

struct good_store {
    const char *url;
    enum settings_scheme scheme;
    const char *bucket;
    const char *prefix;
    const char *root;
};

static void check_string(const char *got, const char *wanted)
{
    if (wanted == NULL)
        assert_null(got);
    else
        assert_string_equal(got, wanted);
}

TEST(store_urls_are_taken_apart)
{
    static const struct good_store cases[] = {
        {"s3://bucket", SETTINGS_S3, "bucket", "", NULL},
        {"s3://bucket/", SETTINGS_S3, "bucket", "", NULL},
        {"s3://bucket/a", SETTINGS_S3, "bucket", "a/", NULL},
        {"s3://bucket/a/b/", SETTINGS_S3, "bucket", "a/b/", NULL},
        {"s3://bucket/a%20b", SETTINGS_S3, "bucket", "a%20b/", NULL},
        {"s3://bucket/\xc3\xa9", SETTINGS_S3, "bucket", "\xc3\xa9/", NULL},
        {"file:///srv/data", SETTINGS_FILE, NULL, NULL, "/srv/data"},
        {"file:///srv/data/", SETTINGS_FILE, NULL, NULL, "/srv/data"},
        {"file:////srv//data//", SETTINGS_FILE, NULL, NULL, "/srv//data"},
        {"file:///with%20blank", SETTINGS_FILE, NULL, NULL, "/with blank"},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct settings settings = {0};
        os_error error = {0};
        CHECK_CODE(url_parse_store(cases[i].url, &settings, &error), OS_OK, &error);
        assert_int_equal(settings.store_scheme, cases[i].scheme);
        check_string(settings.bucket, cases[i].bucket);
        check_string(settings.prefix, cases[i].prefix);
        check_string(settings.root, cases[i].root);
        settings_free(&settings);
    }
}

TEST(bad_store_urls_are_named)
{
    static const char *const urls[] = {
        "",          "bucket",      "http://bucket",    "S3://bucket",  "s3://",
        "s3:///a",   "s3://a b",    "s3://bucket/\xff", "file://",      "file://relative",
        "file:///",  "file:///a%2", "file:///a%00b",    "file:///a%zz", "gs://bucket",
        "s3:bucket",
    };
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        struct settings settings = {0};
        os_error error = {0};
        CHECK_CODE(url_parse_store(urls[i], &settings, &error), OS_ERR_CONFIG, &error);
        char shown[64];
        (void)os_escape_text(urls[i], strlen(urls[i]), shown, sizeof(shown));
        CHECK_SAYS(&error, shown);
        settings_free(&settings);
    }
}

TEST(an_access_point_is_named_by_its_alias)
{
    struct settings settings = {0};
    os_error error = {0};
    assert_int_equal(url_parse_store("s3://arn:aws:s3:eu-west-1:123456789012:accesspoint/mine/a", &settings, &error),
                     OS_ERR_CONFIG);
    assert_non_null(strstr(error.message, "write its alias"));
    error = (os_error){0};
    CHECK_CODE(url_parse_store("s3://mine-abcdef-s3alias/a", &settings, &error), OS_OK, &error);
    assert_string_equal(settings.bucket, "mine-abcdef-s3alias");
    settings_free(&settings);
}

TEST(a_prefix_must_leave_room_for_a_key)
{
    char url[1200] = "s3://bucket/";
    size_t start = strlen(url);
    struct settings settings = {0};
    os_error error = {0};
    memset(url + start, 'p', 1023);
    CHECK_CODE(url_parse_store(url, &settings, &error), OS_OK, &error);
    settings_free(&settings);
    memset(url + start, 'p', 1024);
    CHECK_CODE(url_parse_store(url, &settings, &error), OS_ERR_CONFIG, &error);
    settings_free(&settings);
}

struct good_ledger {
    const char *url;
    enum settings_scheme scheme;
    const char *table;
    uint64_t timeout_ms;
};

TEST(ledger_urls_are_taken_apart)
{
    static const struct good_ledger cases[] = {
        {"dynamodb://records", SETTINGS_DYNAMODB, "records", 0},
        {"dynamo:records", SETTINGS_DYNAMODB, "records", 0},
        {"dynamo:records:2500", SETTINGS_DYNAMODB, "records", 2500},
        {"sqlite:///var/lib/ledger.db", SETTINGS_SQLITE, "/var/lib/ledger.db", 0},
        {"sqlite:////var/lib/ledger.db", SETTINGS_SQLITE, "/var/lib/ledger.db", 0}, /* no path is relative */
        {"sqlite:///ledger.db", SETTINGS_SQLITE, "/ledger.db", 0},
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct settings settings = {0};
        uint64_t timeout_ms = 0;
        os_error error = {0};
        CHECK_CODE(url_parse_ledger(cases[i].url, &settings, &timeout_ms, &error), OS_OK, &error);
        assert_int_equal(settings.ledger_scheme, cases[i].scheme);
        check_string(settings.table, cases[i].table);
        assert_int_equal(timeout_ms, cases[i].timeout_ms);
        settings_free(&settings);
    }
}

TEST(bad_ledger_urls_are_named)
{
    static const char *const urls[] = {
        "",          "records",       "dynamodb:records",  "dynamodb://",        "dynamodb://ab",
        "dynamo:",   "dynamo:a b",    "dynamo:records:",   "dynamo:records:0",   "dynamo:records:-1",
        "sqlite://", "sqlite://file", "dynamo:records:1s", "postgres://records", "dynamo:records:99999999999999999999",
    };
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        struct settings settings = {0};
        uint64_t timeout_ms = 0;
        os_error error = {0};
        CHECK_CODE(url_parse_ledger(urls[i], &settings, &timeout_ms, &error), OS_ERR_CONFIG, &error);
        CHECK_SAYS(&error, urls[i]);
        settings_free(&settings);
    }
}

TEST(one_place_has_one_name)
{
    static const char *const urls[] = {"file:///srv", "file:////srv", "file:///srv/", "file://///srv///"};
    os_error err = {0};
    for (size_t i = 0; i < sizeof(urls) / sizeof(urls[0]); i++) {
        struct settings settings;
        memset(&settings, 0, sizeof(settings));
        CHECK_CODE(url_parse_store(urls[i], &settings, &err), OS_OK, &err);
        check_string(settings.root, "/srv");
        settings_free(&settings);
    }
    struct settings settings;
    memset(&settings, 0, sizeof(settings));
    CHECK_CODE(url_parse_store("file:////", &settings, &err), OS_OK, &err);
    check_string(settings.root, "/");
    settings_free(&settings);
}
