/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R16 through the public interface: what a list of versions must be like to prove that a write was not applied. The
 * lists are made up.
 */
#include "support/versions_try.h"

#include <stdio.h>
#include <string.h>

#define LIST_OF(inside) "<?xml version=\"1.0\"?><ListVersionsResult>" inside "</ListVersionsResult>"

/* The first list is this one. */
static void list_says(const struct try *try, const char *body)
{
    struct fault_rule rule = {.match = {.method = "GET", .query_contains = "versions="},
                              .action = FAULT_ANSWER,
                              .times = 1,
                              .status = 200,
                              .headers = TRY_XML,
                              .body = body};
    assert_true(fault_proxy_add(try->f->store_proxy, &rule) > 0);
}

static void current_id(const struct try *try, char *ret, size_t size)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_CODE(os_head(try->client, try->key, NULL, &object, &error), OS_OK, &error);
    snprintf(ret, size, "%s", object.version_id);
}

SUITE_TEST(a_version_on_a_later_page_is_found, BACKEND_REAL)
{
    struct try try;
    char id[256];
    char body[2048];
    try_open(&try, f, "pages", OS_GUARD_NATIVE);
    unsigned held = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "PUT", "outsider");
    current_id(&try, id, sizeof(id));
    snprintf(body, sizeof(body),
             LIST_OF("<IsTruncated>true</IsTruncated><NextKeyMarker>%s</NextKeyMarker><NextVersionIdMarker>%s"
                     "</NextVersionIdMarker><Version><Key>%s</Key><VersionId>%s</VersionId><IsLatest>true</IsLatest>"
                     "</Version>"),
             try.key, id, try.key, id);
    list_says(&try, body);
    try_end(&try, held);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    try_check_rule(&try, "R16");
    assert_int_equal(try_lists(&try), 2);
    try_close(&try);
}

static void unknown_by_a_list(struct fixture *f, const char *name, const char *format)
{
    struct try try;
    char body[2048];
    try_open(&try, f, name, OS_GUARD_NATIVE);
    try_before(&try);
    unsigned id = try_begin(&try, FAULT_HOLD);
    try_outsider(&try, "PUT", "outsider");
    snprintf(body, sizeof(body), format, try.key);
    list_says(&try, body);
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    try_check_rule(&try, "N3");
    assert_int_equal(try_lists(&try), 1);
    try_close(&try);
}

/* E5: what the HEAD before it showed is not in it. */
SUITE_TEST(a_list_that_is_behind_proves_nothing, BACKEND_REAL)
{
    unknown_by_a_list(f, "behind", LIST_OF("<IsTruncated>false</IsTruncated><Prefix>%s</Prefix>"));
}

SUITE_TEST(a_list_that_goes_on_nobody_knows_where_proves_nothing, BACKEND_REAL)
{
    unknown_by_a_list(f, "goes-on", LIST_OF("<IsTruncated>true</IsTruncated><NextKeyMarker>%s</NextKeyMarker>"));
}

SUITE_TEST(what_is_no_list_proves_nothing, BACKEND_REAL)
{
    unknown_by_a_list(f, "no-list", "<?xml version=\"1.0\"?><ListBucketResult><Prefix>%s</Prefix></ListBucketResult>");
}

/* Applied and deleted; the store's 404 names no marker, and its list comes without the key. Nothing is written again.
 */
static void deleted_and_listed_as(struct fixture *f, const char *name, bool marker_seen, const char *body)
{
    struct try try;
    try_open(&try, f, name, OS_GUARD_NATIVE);
    try_before(&try);
    if (marker_seen)
        try_see_marker(&try);
    struct fault_rule strip = {.match = {.method = "HEAD", .path_contains = try.key},
                               .action = FAULT_STRIP_ANSWER,
                               .header = "x-amz-version-id"};
    assert_true(fault_proxy_add(try.f->store_proxy, &strip) > 0);
    unsigned id = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "DELETE", NULL);
    list_says(&try, body);
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    try_check_rule(&try, "N3");
    assert_int_equal(try.outcome.result.guards, 1);
    assert_int_equal(try_lists(&try), 1);
    CHECK_ABSENT(try.client, try.key);
    try_close(&try);
}

SUITE_TEST(a_list_without_the_key_proves_no_absence, BACKEND_REAL)
{
    deleted_and_listed_as(f, "lacks-key", false, LIST_OF("<IsTruncated>false</IsTruncated>"));
}

#define VERSION_OF(key, id, date)                                                                          \
    "<Version><Key>" key "</Key><VersionId>" id "</VersionId><IsLatest>true</IsLatest><LastModified>" date \
    "</LastModified><ETag>&quot;bed945e0718a876291b22dd13f70586a&quot;</ETag><Size>8</Size></Version>"

SUITE_TEST(a_list_of_other_keys_proves_no_absence, BACKEND_REAL)
{
    deleted_and_listed_as(f, "other-entry", true,
                          LIST_OF("<IsTruncated>false</IsTruncated>" VERSION_OF("a", "v1", "2001-01-01T00:00:00Z")));
    deleted_and_listed_as(f, "other-marker", true,
                          LIST_OF("<IsTruncated>true</IsTruncated><NextKeyMarker>b</NextKeyMarker>"
                                  "<NextVersionIdMarker>v1</NextVersionIdMarker>"));
}

/* The outsider's object is there, of which no HEAD names the id. */
static void replaced_and_listed_as(struct fixture *f, const char *name, os_verdict verdict, const char *format)
{
    struct try try;
    char body[2048];
    try_open(&try, f, name, OS_GUARD_NATIVE);
    try_before(&try);
    struct fault_rule strip = {.match = {.method = "HEAD", .path_contains = try.key},
                               .action = FAULT_STRIP_ANSWER,
                               .header = "x-amz-version-id"};
    assert_true(fault_proxy_add(try.f->store_proxy, &strip) > 0);
    unsigned id = try_begin(&try, FAULT_HOLD);
    try_outsider(&try, "PUT", "outsider");
    snprintf(body, sizeof(body), format, try.key, try.key);
    list_says(&try, body);
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, verdict);
    assert_int_equal(try_lists(&try), 1);
    try_close(&try);
}

SUITE_TEST(without_an_id_the_list_must_have_the_same_bytes_as_the_latest, BACKEND_REAL)
{
    replaced_and_listed_as(f, "latest", OS_CONFLICT,
                           LIST_OF("<IsTruncated>false</IsTruncated>" VERSION_OF(
                               "%s", "v1", "2001-01-01T00:00:00Z") "<Prefix>%s</Prefix>"));
    replaced_and_listed_as(
        f, "marker", OS_UNKNOWN,
        LIST_OF("<IsTruncated>false</IsTruncated><DeleteMarker><Key>%s</Key><VersionId>v1</VersionId>"
                "<IsLatest>true</IsLatest><LastModified>2001-01-01T00:00:00Z</LastModified>"
                "</DeleteMarker><Prefix>%s</Prefix>"));
    replaced_and_listed_as(f, "bytes", OS_UNKNOWN,
                           LIST_OF("<IsTruncated>false</IsTruncated><Version><Key>%s</Key><VersionId>v1</VersionId>"
                                   "<IsLatest>true</IsLatest><LastModified>2001-01-01T00:00:00Z</LastModified>"
                                   "<ETag>&quot;x&quot;</ETag><Size>8</Size></Version><Prefix>%s</Prefix>"));
}

SUITE_TEST(an_id_of_two_versions_proves_nothing, BACKEND_REAL)
{
    replaced_and_listed_as(f, "twice", OS_UNKNOWN,
                           LIST_OF("<IsTruncated>false</IsTruncated>" VERSION_OF("%s", "v1", "2001-01-01T00:00:00Z")
                                       VERSION_OF("%s", "v1", "2001-01-02T00:00:00Z")));
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "versions lists", .needs = BACKEND_REAL, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
