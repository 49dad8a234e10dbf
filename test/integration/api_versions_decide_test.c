/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R16 through the public interface: on a bucket with versioning the list of versions decides what others have
 * replaced or deleted before anybody looked.
 */
#include "support/raw_service.h"
#include "support/versions_try.h"

#include <stdio.h>
#include <string.h>

#define DENIED    "<?xml version=\"1.0\"?><Error><Code>AccessDenied</Code><Message>Access Denied.</Message></Error>"
#define OURS_ETAG "\"abdc793c700a0f9110566c092398985f\"" /* of "ours" */

/* ------------------------------------------------------------------------------------------------ applied */

static void check_committed(struct try *try)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    CHECK_VERDICT(try->outcome, OS_COMMITTED);
    try_check_rule(try, "R16");
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
    unsigned id = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "PUT", "outsider");
    try_end(&try, id);
    check_committed(&try);
    CHECK_OBJECT(try.client, try.key, "outsider");
    try_close(&try);
}

SUITE_TEST(a_native_write_that_was_replaced_unseen_is_committed, BACKEND_REAL)
{
    applied_and_replaced(f, "replaced-native", OS_GUARD_NATIVE);
}

SUITE_TEST(a_write_under_a_record_that_was_replaced_unseen_is_committed, BACKEND_REAL)
{
    applied_and_replaced(f, "replaced-record", OS_GUARD_RECORD);
}

SUITE_TEST(a_write_that_was_deleted_unseen_is_committed, BACKEND_REAL)
{
    struct try try;
    try_open(&try, f, "deleted", OS_GUARD_NATIVE);
    unsigned id = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "DELETE", NULL);
    try_end(&try, id);
    check_committed(&try);
    CHECK_ABSENT(try.client, try.key);
    try_close(&try);
}

SUITE_TEST(a_ticket_is_settled_by_the_list_too, BACKEND_REAL)
{
    struct try try;
    try_open(&try, f, "ticket", OS_GUARD_NATIVE);
    try.deadline_ms = 6000; /* applied by then, and not yet dead */
    unsigned id = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "PUT", "outsider");
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    struct outcome settled = resolve(try.client, try.outcome.result.ticket, NULL);
    outcome_clear(&try.outcome);
    try.outcome = settled;
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    try_check_rule(&try, "R16");
    assert_string_equal(try.outcome.result.etag, OURS_ETAG);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ not applied */

static void lost_and_anothers_is_there(struct fixture *f, const char *name, os_guard guard)
{
    struct try try;
    try_open(&try, f, name, guard);
    try_before(&try);
    unsigned id = try_begin(&try, FAULT_HOLD);
    try_outsider(&try, "PUT", "outsider");
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_CONFLICT);
    try_check_rule(&try, "R16");
    assert_string_equal(try.outcome.result.found_etag, "\"bed945e0718a876291b22dd13f70586a\"");
    try_close(&try);
}

SUITE_TEST(a_native_write_that_was_lost_is_a_conflict_with_what_is_there, BACKEND_REAL)
{
    lost_and_anothers_is_there(f, "lost-native", OS_GUARD_NATIVE);
}

SUITE_TEST(a_write_under_a_record_that_was_lost_is_a_conflict_with_what_is_there, BACKEND_REAL)
{
    lost_and_anothers_is_there(f, "lost-record", OS_GUARD_RECORD);
}

SUITE_TEST(a_native_create_that_was_lost_is_tried_again, BACKEND_REAL)
{
    struct try try;
    try_open(&try, f, "again", OS_GUARD_NATIVE);
    try_before(&try);
    try_see_marker(&try);
    try_end(&try, try_begin(&try, FAULT_HOLD));
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    try_check_rule(&try, "R9");
    assert_int_equal(try.outcome.result.guards, 2);
    assert_int_equal(try_lists(&try), 1);
    CHECK_OBJECT(try.client, try.key, "ours");
    try_close(&try);
}

/* Of a store whose 404s may name no delete marker: it may have been applied and deleted again. */
SUITE_TEST(an_empty_list_alone_proves_nothing, BACKEND_REAL)
{
    struct try try;
    try_open(&try, f, "empty", OS_GUARD_NATIVE);
    try_before(&try);
    try_end(&try, try_begin(&try, FAULT_HOLD));
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    try_check_rule(&try, "N3");
    assert_int_equal(try.outcome.result.guards, 1);
    assert_int_equal(try_lists(&try), 1);
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

SUITE_TEST(a_deletion_that_was_lost_is_told_by_the_lack_of_a_marker, BACKEND_REAL)
{
    struct try try;
    char etag[128];
    delete_ours(&try, f, "delete-lost", etag);
    unsigned id = try_begin(&try, FAULT_HOLD);
    try_outsider(&try, "PUT", "outsider");
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_CONFLICT);
    try_check_rule(&try, "R16");
    CHECK_OBJECT(try.client, try.key, "outsider");
    try_close(&try);
}

/* Nobody can tell whose the marker is. */
SUITE_TEST(a_deletion_that_was_applied_stays_unknown, BACKEND_REAL)
{
    struct try try;
    char etag[128];
    delete_ours(&try, f, "delete-applied", etag);
    try_end(&try, try_begin(&try, FAULT_HOLD_ANSWER));
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    try_check_rule(&try, "R13.F");
    assert_int_equal(try_lists(&try), 1);
    CHECK_ABSENT(try.client, try.key);
    try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ no evidence */

SUITE_TEST(without_the_right_to_list_versions_it_stays_unknown, BACKEND_REAL)
{
    struct try try;
    try_open(&try, f, "denied", OS_GUARD_NATIVE);
    struct fault_rule deny = {.match = {.method = "GET", .query_contains = "versions="},
                              .action = FAULT_ANSWER,
                              .status = 403,
                              .headers = TRY_XML,
                              .body = DENIED};
    assert_true(fault_proxy_add(try.f->store_proxy, &deny) > 0);
    unsigned id = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "PUT", "outsider");
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    try_check_rule(&try, "N3");
    assert_int_equal(try_lists(&try), 1);
    try_close(&try);
}

SUITE_TEST(a_list_or_a_version_that_is_not_answered_is_asked_for_again, BACKEND_REAL)
{
    struct try try;
    try_open(&try, f, "unanswered", OS_GUARD_NATIVE);
    struct fault_rule list = {
        .match = {.method = "GET", .query_contains = "versions="}, .action = FAULT_DROP_ANSWER, .times = 1};
    struct fault_rule cut = {
        .match = {.method = "GET", .query_contains = "versions="}, .action = FAULT_CUT, .times = 1, .bytes = 50};
    struct fault_rule elsewhere = {.match = {.method = "GET", .query_contains = "versions="},
                                   .action = FAULT_ANSWER,
                                   .times = 1,
                                   .status = 307,
                                   .headers = TRY_XML,
                                   .body = ""};
    struct fault_rule head = {
        .match = {.method = "HEAD", .query_contains = "versionId="}, .action = FAULT_DROP_ANSWER, .times = 1};
    unsigned cut_short = fault_proxy_add(try.f->store_proxy, &cut);
    unsigned redirected = fault_proxy_add(try.f->store_proxy, &elsewhere);
    unsigned listed = fault_proxy_add(try.f->store_proxy, &list);
    unsigned looked = fault_proxy_add(try.f->store_proxy, &head);
    unsigned id = try_begin(&try, FAULT_HOLD_ANSWER);
    try_outsider(&try, "PUT", "outsider");
    try_end(&try, id);
    check_committed(&try);
    assert_int_equal(fault_proxy_hits(try.f->store_proxy, cut_short), 1);
    assert_int_equal(fault_proxy_hits(try.f->store_proxy, redirected), 1);
    assert_int_equal(fault_proxy_hits(try.f->store_proxy, listed), 1);
    assert_int_equal(fault_proxy_hits(try.f->store_proxy, looked), 1);
    try_close(&try);
}

/* Suspended, a write may have replaced ours and left nothing of it. */
SUITE_TEST(where_versioning_is_suspended_meanwhile_it_stays_unknown, BACKEND_REAL)
{
    static const char body[] = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Status>Suspended</Status></VersioningConfiguration>";
    struct try try;
    char path[128];
    try_open(&try, f, "suspended", OS_GUARD_NATIVE);
    try_before(&try);
    unsigned id = try_begin(&try, FAULT_HOLD);
    try_outsider(&try, "PUT", "outsider");
    snprintf(path, sizeof(path), "/%s?versioning=", try.bucket);
    assert_int_equal(raw_s3(try.f->store_endpoint, "PUT", path, body, NULL), 200);
    try_end(&try, id);
    CHECK_VERDICT(try.outcome, OS_UNKNOWN);
    try_check_rule(&try, "N3");
    try_close(&try);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "versions decide", .needs = BACKEND_REAL, .only = "minio"};
    return suite_main(&suite, argc, argv);
}
