/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R16 through the public interface: on a bucket with versioning the list of versions decides what others have
 * replaced or deleted before anybody looked. Times are short: an attempt is dead five seconds after it was signed.
 */
#include "support/raw_service.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

#define XML       "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n"
#define DENIED    "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>"
#define OURS_ETAG "\"abdc793c700a0f9110566c092398985f\"" /* of "ours" */

struct
try {
    struct fixture *f;
    os_client *client;
    char bucket[64];
    char key[64];
    char path[192]; /* of the object */
    struct fault_match writes;
    pthread_t thread;
    const char *etag; /* NULL: create */
    bool deletes;
    uint64_t deadline_ms;
    struct outcome outcome;
};

static void try_open(struct try *try, struct fixture *f, const char *name, os_guard guard)
{
    static const char body[] = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Status>Enabled</Status></VersioningConfiguration>";
    char url[128];
    memset(try, 0, sizeof(*try));
    try->f = f;
    assert_true(fixture_proxies(f));
    snprintf(try->bucket, sizeof(try->bucket), "%.50s-d", f->bucket);
    snprintf(url, sizeof(url), "s3://%s", try->bucket);
    snprintf(try->path, sizeof(try->path), "/%s?versioning=", try->bucket);
    assert_true(raw_make_bucket(f->store_endpoint, try->bucket));
    assert_int_equal(raw_s3(f->store_endpoint, "PUT", try->path, body, NULL), 200);
    os_options options = fixture_fast_options(f);
    options.store_url = url;
    options.guard = guard;
    if (guard == OS_GUARD_NATIVE) {
        options.store_profile = f->backend->name;
        options.ledger_url = NULL;
    }
    try->client = fixture_client(&options);
    fixture_key(f, name, try->key, sizeof(try->key));
    snprintf(try->path, sizeof(try->path), "/%s/%s", try->bucket, try->key);
    try->writes = (struct fault_match){.method = "PUT", .path_contains = try->key};
}

static void try_close(struct try *try)
{
    outcome_clear(&try->outcome);
    os_client_close(try->client);
}

/* So that the client has seen the bucket's versions, and that ETags are MD5. */
static void write_before(struct try *try)
{
    char key[80];
    snprintf(key, sizeof(key), "%s-before", try->key);
    struct outcome before = create(try->client, key, "before", NULL);
    CHECK_VERDICT(before, OS_COMMITTED);
    assert_true(before.result.version_id[0] != '\0');
    outcome_clear(&before);
    fault_proxy_forget(try->f->store_proxy);
}

static void *try_write(void *argument)
{
    struct try *try = argument;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = try->deadline_ms;
    if (try->deletes)
        try->outcome = delete_version(try->client, try->key, try->etag, &call);
    else if (try->etag)
        try->outcome = replace(try->client, try->key, try->etag, "ours", &call);
    else
        try->outcome = create(try->client, try->key, "ours", &call);
    return NULL;
}

/* The write is held before it (FAULT_HOLD) or after it (FAULT_HOLD_ANSWER) was applied; then its connection dies. */
static unsigned begin(struct try *try, enum fault_action held)
{
    struct fault_rule rule = {.match = try->writes, .action = held, .times = 1};
    unsigned id = fault_proxy_add(try->f->store_proxy, &rule);
    assert_true(id > 0);
    assert_int_equal(pthread_create(&try->thread, NULL, try_write, try), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, id, 1, 5000));
    return id;
}

static void end(struct try *try, unsigned id)
{
    fault_proxy_release(try->f->store_proxy, id, FAULT_DISCARD);
    pthread_join(try->thread, NULL);
}

static void outsider(const struct try *try, const char *method, const char *text)
{
    int status = raw_s3(try->f->store_endpoint, method, try->path, text, NULL);
    assert_true(status == 200 || status == 204);
}

static void check_rule(const struct try *try, const char *rule)
{
    assert_string_equal(try->outcome.result.rule, rule);
}

static size_t lists(const struct try *try)
{
    struct fault_match match = {.method = "GET", .query_contains = "versions="};
    return fault_proxy_count(try->f->store_proxy, &match);
}

/* ------------------------------------------------------------------------------------------------ applied */

static void check_committed(struct try *try)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_VERDICT(try->outcome, OS_COMMITTED);
    check_rule(try, "R16");
    assert_string_equal(try->outcome.result.etag, OURS_ETAG);
    assert_int_equal(try->outcome.result.attempts, 1);
    const char *id = try->outcome.result.version_id;
    CHECK_CODE(os_head_version(try->client, try->key, id, NULL, &object, &error), OS_OK, &error);
    assert_string_equal(object.etag, OURS_ETAG);
}

static void applied_and_replaced(struct fixture *f, const char *name, os_guard guard)
{
    struct try try;
    try_open(&try, f, name, guard);
    unsigned id = begin(&try, FAULT_HOLD_ANSWER);
    outsider(&try, "PUT", "outsider");
    end(&try, id);
    check_committed(&try);
    CHECK_OBJECT(try.client, try.key, "outsider");
    try_close(&try);
}

static void a_native_write_that_was_replaced_unseen_is_committed(void **state)
{
    applied_and_replaced(*state, "replaced-native", OS_GUARD_NATIVE);
}

static void a_write_under_a_record_that_was_replaced_unseen_is_committed(void **state)
{
    applied_and_replaced(*state, "replaced-record", OS_GUARD_RECORD);
}

static void a_write_that_was_deleted_unseen_is_committed(void **state)
{
    struct try try;
    try_open(&try, *state, "deleted", OS_GUARD_NATIVE);
    unsigned id = begin(&try, FAULT_HOLD_ANSWER);
    outsider(&try, "DELETE", NULL);
    end(&try, id);
    check_committed(&try);
    CHECK_ABSENT(try.client, try.key);
    try_close(&try);
}

static void a_ticket_is_settled_by_the_list_too(void **state)
{
    struct try try;
    try_open(&try, *state, "ticket", OS_GUARD_NATIVE);
    try.deadline_ms = 1500;
    unsigned id = begin(&try, FAULT_HOLD_ANSWER);
    outsider(&try, "PUT", "outsider");
    end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    struct outcome settled = resolve(try.client, try.outcome.result.ticket, NULL);
    outcome_clear(&try.outcome);
    try.outcome = settled;
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    check_rule(&try, "R16");
    assert_string_equal(try.outcome.result.etag, OURS_ETAG);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ not applied */

static void lost_and_anothers_is_there(struct fixture *f, const char *name, os_guard guard)
{
    struct try try;
    try_open(&try, f, name, guard);
    write_before(&try);
    unsigned id = begin(&try, FAULT_HOLD);
    outsider(&try, "PUT", "outsider");
    end(&try, id);
    CHECK_VERDICT(try.outcome, OS_CONFLICT);
    check_rule(&try, "R16");
    assert_string_equal(try.outcome.result.found_etag, "\"bed945e0718a876291b22dd13f70586a\"");
    try_close(&try);
}

static void a_native_write_that_was_lost_is_a_conflict_with_what_is_there(void **state)
{
    lost_and_anothers_is_there(*state, "lost-native", OS_GUARD_NATIVE);
}

static void a_write_under_a_record_that_was_lost_is_a_conflict_with_what_is_there(void **state)
{
    lost_and_anothers_is_there(*state, "lost-record", OS_GUARD_RECORD);
}

static void a_native_create_that_was_lost_is_tried_again(void **state)
{
    struct try try;
    try_open(&try, *state, "again", OS_GUARD_NATIVE);
    write_before(&try);
    end(&try, begin(&try, FAULT_HOLD));
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    check_rule(&try, "R9");
    assert_int_equal(try.outcome.result.guards, 2);
    assert_int_equal(lists(&try), 1);
    CHECK_OBJECT(try.client, try.key, "ours");
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ deletions */

static void delete_ours(struct try *try, struct fixture *f, const char *name, char *etag)
{
    try_open(try, f, name, OS_GUARD_RECORD);
    put_plain(try->client, try->key, "x", etag);
    try->etag = etag;
    try->deletes = true;
    try->writes.method = "DELETE";
}

static void a_deletion_that_was_lost_is_told_by_the_lack_of_a_marker(void **state)
{
    struct try try;
    char etag[128];
    delete_ours(&try, *state, "delete-lost", etag);
    unsigned id = begin(&try, FAULT_HOLD);
    outsider(&try, "PUT", "outsider");
    end(&try, id);
    CHECK_VERDICT(try.outcome, OS_CONFLICT);
    check_rule(&try, "R16");
    CHECK_OBJECT(try.client, try.key, "outsider");
    try_close(&try);
}

/* Nobody can tell whose the marker is. */
static void a_deletion_that_was_applied_stays_unknown(void **state)
{
    struct try try;
    char etag[128];
    delete_ours(&try, *state, "delete-applied", etag);
    end(&try, begin(&try, FAULT_HOLD_ANSWER));
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    check_rule(&try, "R13.F");
    assert_int_equal(lists(&try), 1);
    CHECK_ABSENT(try.client, try.key);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ no evidence */

static void without_the_right_to_list_versions_it_stays_unknown(void **state)
{
    struct try try;
    try_open(&try, *state, "denied", OS_GUARD_NATIVE);
    struct fault_rule deny = {.match = {.method = "GET", .query_contains = "versions="},
                              .action = FAULT_ANSWER,
                              .status = 403,
                              .headers = XML,
                              .body = DENIED};
    assert_true(fault_proxy_add(try.f->store_proxy, &deny) > 0);
    unsigned id = begin(&try, FAULT_HOLD_ANSWER);
    outsider(&try, "PUT", "outsider");
    end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    check_rule(&try, "N3");
    assert_int_equal(lists(&try), 1);
    try_close(&try);
}

static void a_list_or_a_version_that_is_not_answered_is_asked_for_again(void **state)
{
    struct try try;
    try_open(&try, *state, "unanswered", OS_GUARD_NATIVE);
    struct fault_rule list = {
        .match = {.method = "GET", .query_contains = "versions="}, .action = FAULT_DROP_ANSWER, .times = 1};
    struct fault_rule head = {
        .match = {.method = "HEAD", .query_contains = "versionId="}, .action = FAULT_DROP_ANSWER, .times = 1};
    unsigned listed = fault_proxy_add(try.f->store_proxy, &list);
    unsigned looked = fault_proxy_add(try.f->store_proxy, &head);
    unsigned id = begin(&try, FAULT_HOLD_ANSWER);
    outsider(&try, "PUT", "outsider");
    end(&try, id);
    check_committed(&try);
    assert_int_equal(fault_proxy_hits(try.f->store_proxy, listed), 1);
    assert_int_equal(fault_proxy_hits(try.f->store_proxy, looked), 1);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ made-up lists */

#define LIST_OF(inside) "<?xml version=\"1.0\"?><ListVersionsResult>" inside "</ListVersionsResult>"

/* The first list is this one. */
static void list_says(const struct try *try, const char *body)
{
    struct fault_rule rule = {.match = {.method = "GET", .query_contains = "versions="},
                              .action = FAULT_ANSWER,
                              .times = 1,
                              .status = 200,
                              .headers = XML,
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

static void a_version_on_a_later_page_is_found(void **state)
{
    struct try try;
    char id[256];
    char body[2048];
    try_open(&try, *state, "pages", OS_GUARD_NATIVE);
    unsigned held = begin(&try, FAULT_HOLD_ANSWER);
    outsider(&try, "PUT", "outsider");
    current_id(&try, id, sizeof(id));
    snprintf(body, sizeof(body),
             LIST_OF("<IsTruncated>true</IsTruncated><NextKeyMarker>%s</NextKeyMarker><NextVersionIdMarker>%s"
                     "</NextVersionIdMarker><Version><Key>%s</Key><VersionId>%s</VersionId><IsLatest>true</IsLatest>"
                     "</Version>"),
             try.key, id, try.key, id);
    list_says(&try, body);
    end(&try, held);
    check_committed(&try);
    assert_int_equal(lists(&try), 2);
    try_close(&try);
}

static void unknown_by_a_list(struct fixture *f, const char *name, const char *format)
{
    struct try try;
    char body[2048];
    try_open(&try, f, name, OS_GUARD_NATIVE);
    write_before(&try);
    unsigned id = begin(&try, FAULT_HOLD);
    outsider(&try, "PUT", "outsider");
    snprintf(body, sizeof(body), format, try.key);
    list_says(&try, body);
    end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    check_rule(&try, "N3");
    assert_int_equal(lists(&try), 1);
    try_close(&try);
}

/* E5: what the HEAD before it showed is not in it. */
static void a_list_that_is_behind_proves_nothing(void **state)
{
    unknown_by_a_list(*state, "behind", LIST_OF("<IsTruncated>false</IsTruncated><Prefix>%s</Prefix>"));
}

static void a_list_that_goes_on_nobody_knows_where_proves_nothing(void **state)
{
    unknown_by_a_list(*state, "goes-on", LIST_OF("<IsTruncated>true</IsTruncated><NextKeyMarker>%s</NextKeyMarker>"));
}

static void what_is_no_list_proves_nothing(void **state)
{
    unknown_by_a_list(*state, "no-list",
                      "<?xml version=\"1.0\"?><ListBucketResult><Prefix>%s</Prefix></ListBucketResult>");
}

/* Suspended, a write may have replaced ours and left nothing of it. */
static void where_versioning_is_suspended_meanwhile_it_stays_unknown(void **state)
{
    static const char body[] = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Status>Suspended</Status></VersioningConfiguration>";
    struct try try;
    char path[128];
    try_open(&try, *state, "suspended", OS_GUARD_NATIVE);
    write_before(&try);
    unsigned id = begin(&try, FAULT_HOLD);
    outsider(&try, "PUT", "outsider");
    snprintf(path, sizeof(path), "/%s?versioning=", try.bucket);
    assert_int_equal(raw_s3(try.f->store_endpoint, "PUT", path, body, NULL), 200);
    end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    check_rule(&try, "N3");
    try_close(&try);
}

int main(int argc, char **argv)
{
    static const struct suite_test tests[] = {
        SUITE_TEST(a_native_write_that_was_replaced_unseen_is_committed, BACKEND_REAL),
        SUITE_TEST(a_write_under_a_record_that_was_replaced_unseen_is_committed, BACKEND_REAL),
        SUITE_TEST(a_write_that_was_deleted_unseen_is_committed, BACKEND_REAL),
        SUITE_TEST(a_ticket_is_settled_by_the_list_too, BACKEND_REAL),
        SUITE_TEST(a_native_write_that_was_lost_is_a_conflict_with_what_is_there, BACKEND_REAL),
        SUITE_TEST(a_write_under_a_record_that_was_lost_is_a_conflict_with_what_is_there, BACKEND_REAL),
        SUITE_TEST(a_native_create_that_was_lost_is_tried_again, BACKEND_REAL),
        SUITE_TEST(a_deletion_that_was_lost_is_told_by_the_lack_of_a_marker, BACKEND_REAL),
        SUITE_TEST(a_deletion_that_was_applied_stays_unknown, BACKEND_REAL),
        SUITE_TEST(without_the_right_to_list_versions_it_stays_unknown, BACKEND_REAL),
        SUITE_TEST(a_list_or_a_version_that_is_not_answered_is_asked_for_again, BACKEND_REAL),
        SUITE_TEST(a_version_on_a_later_page_is_found, BACKEND_REAL),
        SUITE_TEST(a_list_that_is_behind_proves_nothing, BACKEND_REAL),
        SUITE_TEST(a_list_that_goes_on_nobody_knows_where_proves_nothing, BACKEND_REAL),
        SUITE_TEST(what_is_no_list_proves_nothing, BACKEND_REAL),
        SUITE_TEST(where_versioning_is_suspended_meanwhile_it_stays_unknown, BACKEND_REAL),
        {0}};
    static const struct suite suite = {
        .name = "versions decide", .tests = tests, .needs = BACKEND_REAL, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
