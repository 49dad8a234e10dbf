/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A Complete that was not answered for certain, and a holder's upload that a contender aborts first (R14). Times are
 * short: an attempt is dead ten seconds after it was signed.
 */
#include "support/multipart_try.h"
#include "support/raw_service.h"
#include "support/suite.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ the Complete */

SUITE_TEST(a_lost_answer_to_the_complete_is_proven_by_the_nonce, 0)
{
    static const struct fault_rule faults[] = {
        {.action = FAULT_DROP_ANSWER},
        {.action = FAULT_CUT, .bytes = 30},
        {.action = FAULT_ANSWER_AFTER,
         .status = 200,
         .headers = XML,
         .body = FAILURE("InternalError", "We encountered an internal error. Please try again.")},
        {.action = FAULT_ANSWER_AFTER,
         .status = 404,
         .headers = XML,
         .body = FAILURE("NoSuchUpload", "The specified multipart upload does not exist.")},
    };
    for (size_t i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
        struct multipart_try try;
        struct fault_rule rule = faults[i];
        multipart_try_open(&try, f, "lost-complete");
        rule.match = multipart_completes(try.key);
        rule.times = 1;
        multipart_try_add(&try, rule);
        multipart_try_put(&try);
        CHECK_VERDICT(try.outcome, OS_COMMITTED);
        assert_string_equal(try.outcome.result.rule, "V4");
        assert_int_equal(try.outcome.result.attempts, 1);
        assert_int_equal(multipart_try_count(&try, multipart_completes(try.key)), 1);
        assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)),
                         0); /* MinIO says 204 to the abort of a completed upload */
        check_big(try.client, try.key, STAGED_LENGTH);
        check_no_uploads(&try);
        multipart_try_close(&try);
    }
}

/* R14: the upload is still open when the attempt is dead, so it was never applied; a new guard completes it. */
SUITE_TEST(a_complete_that_never_came_is_tried_again_on_the_same_upload, BACKEND_FENCE)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "complete-reset");
    multipart_try_add(&try,
                      (struct fault_rule){.match = multipart_completes(try.key), .action = FAULT_RESET, .times = 1});
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.guards, 2);
    assert_int_equal(try.outcome.result.attempts, 2);
    assert_in_range(try.took_ms, 9000, 60000); /* no second copy before the first was dead */
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 1);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

SUITE_TEST(an_upload_that_is_aborted_before_its_complete_is_staged_again, BACKEND_FENCE)
{
    struct multipart_try try;
    char upload[1025];
    multipart_try_open(&try, f, "gone");
    unsigned id = multipart_try_add(
        &try, (struct fault_rule){.match = multipart_completes(try.key), .action = FAULT_HOLD, .times = 1});
    assert_int_equal(pthread_create(&try.thread, NULL, multipart_try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, id, 1, 60000));
    upload_of(try.f, try.key, upload);
    abort_upload(try.f, try.key, upload);
    fault_proxy_release(try.f->store_proxy, id, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(try.outcome.result.attempts, 2);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 2);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

/* R7: on a store whose 409 leaves the expectation undecided, parts are staged again, where they can be read again. */
SUITE_TEST(after_an_undecided_409_the_parts_are_staged_again, BACKEND_FENCE)
{
    static const os_guard guards[] = {OS_GUARD_RECORD, OS_GUARD_NATIVE, OS_GUARD_BOTH};
    for (size_t i = 0; i < sizeof(guards) / sizeof(guards[0]); i++) {
        struct multipart_try try;
        multipart_try_open(&try, f, "undecided");
        multipart_try_answer_409(&try, guards[i], 1);
        multipart_try_put(&try);
        CHECK_VERDICT(try.outcome, OS_COMMITTED);
        assert_int_equal(try.outcome.result.guard, guards[i]);
        assert_int_equal(try.outcome.result.attempts, 2);
        assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 2);
        assert_int_equal(multipart_try_count(&try, multipart_completes(try.key)), 2);
        assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 1);
        check_big(try.client, try.key, STAGED_LENGTH);
        check_no_uploads(&try);
        multipart_try_close(&try);
    }
}

SUITE_TEST(after_an_undecided_409_a_stream_is_not_executed, BACKEND_FENCE)
{
    struct multipart_try try;
    struct big_stream stream = {.length = STAGED_LENGTH};
    multipart_try_open(&try, f, "undecided-stream");
    multipart_try_answer_409(&try, OS_GUARD_RECORD, 1);
    try.body = big_stream_body(&stream);
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try.outcome, OS_ERR_EXPIRED);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 1);
    CHECK_ABSENT(try.client, try.key);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

/* R8, R15: a part that was changed behind its answer, as a copy that comes late may; here by as many other bytes. */
static void replace_a_part(const struct multipart_try *try)
{
    char path[1500];
    char upload[1025];
    char *other = malloc(5 * MIB + 1);
    assert_non_null(other);
    memset(other, 'x', 5 * MIB);
    other[5 * MIB] = '\0';
    upload_of(try->f, try->key, upload);
    snprintf(path, sizeof(path), "/%s/%s?partNumber=1&uploadId=%s", try->f->bucket, try->key, upload);
    assert_int_equal(raw_s3(getenv(try->f->backend->store_variable), "PUT", path, other, NULL), 200);
    free(other);
}

SUITE_TEST(after_a_part_was_replaced_the_parts_are_staged_again, BACKEND_FENCE)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "replaced");
    unsigned id = multipart_try_add(
        &try, (struct fault_rule){.match = multipart_completes(try.key), .action = FAULT_HOLD, .times = 1});
    assert_int_equal(pthread_create(&try.thread, NULL, multipart_try_put, &try), 0);
    assert_true(fault_proxy_wait_hits(try.f->store_proxy, id, 1, 60000));
    replace_a_part(&try);
    fault_proxy_release(try.f->store_proxy, id, FAULT_FORWARD);
    assert_int_equal(pthread_join(try.thread, NULL), 0);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    assert_int_equal(multipart_try_count(&try, multipart_creations(try.key)), 2);
    assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 1);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    multipart_try_close(&try);
}

static void answer_invalid_part(struct multipart_try *try, unsigned times)
{
    multipart_try_add(try,
                      (struct fault_rule){.match = multipart_completes(try->key),
                                          .action = FAULT_ANSWER,
                                          .times = times,
                                          .status = 400,
                                          .headers = XML,
                                          .body = FAILURE("InvalidPart", "One or more parts could not be found.")});
}

static void check_refused_parts(struct multipart_try *try, size_t uploads)
{
    CHECK_VERDICT(try->outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(try->outcome, OS_ERR_REFUSED);
    assert_int_equal(multipart_try_count(try, multipart_creations(try->key)), uploads);
    assert_int_equal(multipart_try_count(try, multipart_completes(try->key)), uploads);
    assert_int_equal(multipart_try_count(try, multipart_aborts(try->key)), uploads);
    CHECK_ABSENT(try->client, try->key);
    check_no_uploads(try);
    multipart_try_close(try);
}

SUITE_TEST(a_store_that_never_knows_its_parts_is_sent_them_twice, 0)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "never");
    answer_invalid_part(&try, 10);
    multipart_try_put(&try);
    check_refused_parts(&try, 2);
}

SUITE_TEST(a_stream_whose_parts_are_refused_is_not_executed, 0)
{
    struct multipart_try try;
    struct big_stream stream = {.length = STAGED_LENGTH};
    multipart_try_open(&try, f, "refused-stream");
    answer_invalid_part(&try, 1);
    try.body = big_stream_body(&stream);
    multipart_try_put(&try);
    check_refused_parts(&try, 1);
}

/* A profile that knows of CRC64NVME: the parts carry it instead of an MD5, and the Complete the sum of the whole. */
SUITE_TEST(the_profiles_checksum_goes_with_parts_and_complete, BACKEND_FENCE)
{
    struct multipart_try try;
    multipart_try_open(&try, f, "sums");
    multipart_try_answer_409(&try, OS_GUARD_RECORD, 1);
    fault_proxy_clear(try.f->store_proxy);
    multipart_try_put(&try);
    CHECK_VERDICT(try.outcome, OS_COMMITTED);
    struct fault_match parts = multipart_parts(try.key);
    struct fault_match complete = multipart_completes(try.key);
    parts.has_header = "x-amz-checksum-crc64nvme";
    parts.lacks_header = "content-md5";
    complete.has_header = "x-amz-checksum-crc64nvme";
    assert_int_equal(multipart_try_count(&try, parts), 3);
    assert_int_equal(multipart_try_count(&try, complete), 1);
    check_big(try.client, try.key, STAGED_LENGTH);
    multipart_try_close(&try);
}

static void open_with_sums(struct multipart_try *try, struct fixture *f, const char *name)
{
    char profile[256];
    char path[512];
    multipart_try_open(try, f, name);
    snprintf(profile, sizeof(profile),
             "{\"format\":1,\"name\":\"of the test\",\"measured_on\":\"2026-11-22\","
             "\"source\":\"documentation\",\"requests\":{},\"checksums\":[\"%s\"]}",
             name);
    fixture_file(f, "sums.json", profile, path, sizeof(path));
    multipart_try_use_profile(try, path, OS_GUARD_AUTO);
}

/* The store checks them: one that is wrong would be refused. */
SUITE_TEST(each_checksum_that_a_profile_may_name_is_taken, BACKEND_FENCE)
{
    static const struct {
        const char *name;
        const char *header;
        size_t completes; /* with the sum of the whole; there is none of SHA-256 */
    } sums[] = {{"CRC32C", "x-amz-checksum-crc32c", 1}, {"SHA256", "x-amz-checksum-sha256", 0}};
    for (size_t i = 0; i < sizeof(sums) / sizeof(sums[0]); i++) {
        struct multipart_try try;
        open_with_sums(&try, f, sums[i].name);
        multipart_try_put(&try);
        CHECK_VERDICT(try.outcome, OS_COMMITTED);
        struct fault_match parts = multipart_parts(try.key);
        struct fault_match complete = multipart_completes(try.key);
        parts.has_header = complete.has_header = sums[i].header;
        parts.lacks_header = "content-md5";
        assert_int_equal(multipart_try_count(&try, parts), 3);
        assert_int_equal(multipart_try_count(&try, complete), sums[i].completes);
        check_big(try.client, try.key, STAGED_LENGTH);
        check_no_uploads(&try);
        multipart_try_close(&try);
    }
}

/* ------------------------------------------------------------------------------------------------ unknown */

SUITE_TEST(an_unknown_complete_is_resolved_by_its_upload, BACKEND_FENCE)
{
    struct multipart_try try;
    unsigned rule;
    multipart_try_open(&try, f, "unknown");
    multipart_try_leave_unknown(&try, FAULT_HOLD, &rule);
    assert_int_equal(open_uploads(try.f, try.key), 1);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_NOT_EXECUTED);
    CHECK_ERROR(resolved, OS_ERR_EXPIRED);
    assert_string_equal(resolved.result.rule, "R14");
    assert_string_equal(resolved.result.request, "CompleteMultipartUpload");
    CHECK_ABSENT(try.client, try.key);
    check_no_uploads(&try);
    outcome_clear(&resolved);
    multipart_try_close(&try);
}

SUITE_TEST(an_unknown_complete_that_was_applied_is_resolved_as_committed, 0)
{
    struct multipart_try try;
    unsigned rule;
    multipart_try_open(&try, f, "applied");
    multipart_try_leave_unknown(&try, FAULT_HOLD_ANSWER, &rule);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_DISCARD);
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_COMMITTED);
    assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 0);
    check_big(try.client, try.key, STAGED_LENGTH);
    check_no_uploads(&try);
    outcome_clear(&resolved);
    multipart_try_close(&try);
}

/* The holder is dead, as far as anybody knows. Its Complete comes after the takeover, and finds no upload. */
SUITE_TEST(a_contender_aborts_the_holders_upload_before_it_takes_over, BACKEND_FENCE)
{
    struct multipart_try try;
    unsigned rule;
    multipart_try_open(&try, f, "contended");
    multipart_try_leave_unknown(&try, FAULT_HOLD, &rule);
    assert_int_equal(open_uploads(try.f, try.key), 1);
    struct outcome next = create(try.client, try.key, "next", NULL);
    CHECK_VERDICT(next, OS_COMMITTED);
    assert_true(next.result.took_over);
    assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 1);
    check_no_uploads(&try);
    fault_proxy_release(try.f->store_proxy, rule, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(try.f->store_proxy, rule, 1, 60000));
    CHECK_OBJECT(try.client, try.key, "next");
    struct outcome resolved = resolve(try.client, try.outcome.result.ticket, NULL);
    CHECK_VERDICT(resolved, OS_CONFLICT);
    outcome_clear(&resolved);
    outcome_clear(&next);
    multipart_try_close(&try);
}

/* ------------------------------------------------------------------------------------------------ unguarded */

SUITE_TEST(an_unguarded_complete_that_is_not_answered_is_undecided, 0)
{
    struct multipart_try try;
    struct big_stream stream = {.length = STAGED_LENGTH};
    os_error error;
    multipart_try_open(&try, f, "plain-lost");
    multipart_try_add(
        &try, (struct fault_rule){.match = multipart_completes(try.key), .action = FAULT_DROP_ANSWER, .times = 1});
    os_body body = big_stream_body(&stream);
    os_options options = fixture_options(try.f);
    options.stage_above = 5 * MIB;
    os_client *client = fixture_client(&options);
    CHECK_CODE(os_put(client, try.key, &body, NULL, NULL, NULL, &error), OS_ERR_UNDECIDED, &error);
    assert_int_equal(multipart_try_count(&try, multipart_aborts(try.key)), 0);
    check_big(client, try.key, STAGED_LENGTH);
    os_client_close(client);
    multipart_try_close(&try);
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "faults around Completes", .needs = BACKEND_S3 | BACKEND_UPLOADS};
    return suite_main(&suite, argc, argv);
}
