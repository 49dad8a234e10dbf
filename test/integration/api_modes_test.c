/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Guard modes through the public interface: what goes out in each, what the result says of it; and native guards whose
 * answers are lost, doubled, refused or made up (M1 to M5). Times are short: an attempt is dead five seconds
 * after it was signed.
 */
#include "support/mode.h"

#include <stdio.h>
#include <string.h>

#define XML "Content-Type: application/xml\r\nx-amz-request-id: MADEUP\r\n"
#define FAILURE(code, message) \
    "<?xml version=\"1.0\"?><Error><Code>" code "</Code><Message>" message "</Message></Error>"

#define PROVEN "{\"absent\":\"enforced\",\"absent_atomic\":true,\"match\":\"enforced\",\"match_atomic\":true}"
#define PROFILE(put)                                                                                                   \
    "{\"format\":1,\"name\":\"of the test\",\"measured_on\":\"2026-11-22\",\"source\":\"documentation\",\"requests\":" \
    "{\"put\":" put ",\"copy\":" PROVEN ",\"complete\":" PROVEN "},\"expiry\":\"start\"}"
#define PUT_409(meaning)                                                                                           \
    "{\"absent\":\"enforced\",\"absent_atomic\":true,\"match\":\"enforced\",\"match_atomic\":true,\"answer_409\":" \
    "\"" meaning "\"}"

static void create_ours(struct mode *mode)
{
    mode->outcome = create(mode->client, mode->key, "ours", NULL);
}

static void check_way(const struct mode *mode, os_guard guard, const char *request)
{
    assert_int_equal(mode->outcome.result.guard, guard);
    assert_string_equal(mode->outcome.result.request, request);
}

static size_t ledger_requests(const struct mode *mode)
{
    struct fault_match any = {0};
    return fault_proxy_count(mode->f->ledger_proxy, &any);
}

static size_t with_header(const struct mode *mode, const char *header)
{
    struct fault_match match = mode->writes;
    match.has_header = header;
    return fault_proxy_count(mode->f->store_proxy, &match);
}

/* ------------------------------------------------------------------------------------------------ what goes out */

SUITE_TEST(native_writes_with_one_request_and_no_ledger, 0)
{
    ENDED struct mode mode = mode_open(f, "native", OS_GUARD_NATIVE, NULL);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    check_way(&mode, OS_GUARD_NATIVE, "PutObject");
    assert_int_equal(mode.outcome.result.requests, 1);
    assert_int_equal(with_header(&mode, "if-none-match"), 1);
    CLEARED struct outcome second = replace(mode.client, mode.key, mode.outcome.result.etag, "theirs", NULL);
    CHECK_VERDICT(second, OS_COMMITTED);
    assert_int_equal(with_header(&mode, "if-match"), 1);
    CLEARED struct outcome third = create(mode.client, mode.key, "third", NULL);
    CHECK_VERDICT(third, OS_CONFLICT);
    assert_string_equal(third.result.found_etag, second.result.etag);
    CLEARED struct outcome fourth = replace(mode.client, mode.key, mode.outcome.result.etag, "fourth", NULL);
    CHECK_VERDICT(fourth, OS_CONFLICT);
    CHECK_OBJECT(mode.client, mode.key, "theirs");
    assert_int_equal(ledger_requests(&mode), 0);
}

SUITE_TEST(native_is_refused_where_the_profile_does_not_prove_it, 0)
{
    ENDED struct mode mode = mode_open(f, "unproven", OS_GUARD_NATIVE, NULL);
    char etag[128];
    put_plain(mode.client, mode.key, "stays", etag);
    mode.outcome = delete_version(mode.client, mode.key, etag, NULL);
    CHECK_VERDICT(mode.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(mode.outcome, OS_ERR_UNSUPPORTED);
    CHECK_SAYS(&mode.outcome.error, "DeleteObject");
    assert_int_equal(mode.outcome.result.requests, 0);
    CHECK_OBJECT(mode.client, mode.key, "stays");
}

SUITE_TEST(a_native_copy_goes_by_a_rung_that_is_proven, 0)
{
    ENDED struct mode mode = mode_open(f, "rung", OS_GUARD_NATIVE, NULL);
    put_plain(mode.client, "rung-source", "source", NULL);
    mode.outcome = copy(mode.client, "rung-source", mode.key, NULL);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    check_way(&mode, OS_GUARD_NATIVE, "CompleteMultipartUpload");
    CLEARED struct outcome second = copy(mode.client, "rung-source", mode.key, NULL);
    CHECK_VERDICT(second, OS_CONFLICT);
    CHECK_OBJECT(mode.client, mode.key, "source");
    assert_int_equal(ledger_requests(&mode), 0);
}

SUITE_TEST(both_sends_the_condition_under_the_record, 0)
{
    ENDED struct mode mode = mode_open(f, "both", OS_GUARD_BOTH, NULL);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    check_way(&mode, OS_GUARD_BOTH, "PutObject");
    assert_int_equal(with_header(&mode, "if-none-match"), 1);
    struct fault_match puts = {.target = "PutItem"};
    assert_int_equal(fault_proxy_count(mode.f->ledger_proxy, &puts), 1);
}

SUITE_TEST(a_native_writer_and_one_with_both_exclude_each_other, 0)
{
    ENDED struct mode mode = mode_open(f, "mixed", OS_GUARD_BOTH, NULL);
    os_options options = fixture_fast_options(mode.f);
    options.guard = OS_GUARD_NATIVE;
    options.length_s = 60; /* its signature lives on: nothing but its condition is in its way */
    options.timeout_ms = 90000;
    options.store_profile = mode.f->backend->name;
    CLOSED os_client *native = fixture_client(&options);
    unsigned id = mode_add(&mode, (struct fault_rule){.action = FAULT_HOLD});
    CLEARED struct outcome theirs = {0};
    /* the native one is held at the proxy until the other, which holds the record, has written */
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 6000;
    theirs = create(native, mode.key, "native", &call);
    CHECK_VERDICT(theirs, OS_UNKNOWN);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    fault_proxy_release(mode.f->store_proxy, id, FAULT_FORWARD);
    assert_true(fault_proxy_wait_finished(mode.f->store_proxy, id, 1, 60000));
    CHECK_OBJECT(mode.client, mode.key, "ours");
}

/* ------------------------------------------------------------------------------------------------ answers */

SUITE_TEST(a_lost_answer_is_proven_by_the_nonce, 0)
{
    ENDED struct mode mode = mode_open(f, "native-lost", OS_GUARD_NATIVE, NULL);
    mode_add(&mode, (struct fault_rule){.action = FAULT_DROP_ANSWER});
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_string_equal(mode.outcome.result.rule, "V4");
    assert_int_equal(mode.outcome.result.attempts, 1);
    CHECK_OBJECT(mode.client, mode.key, "ours");
}

/* The second copy meets what the first one made: 412, of one's own. */
SUITE_TEST(a_412_of_ones_own_copy_is_a_commit, 0)
{
    ENDED struct mode mode = mode_open(f, "native-twice", OS_GUARD_NATIVE, NULL);
    unsigned id = mode_add(&mode, (struct fault_rule){.action = FAULT_REPLAY});
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_string_equal(mode.outcome.result.rule, "V4");
    assert_int_equal(fault_proxy_hits(mode.f->store_proxy, id), 1);
    CHECK_OBJECT(mode.client, mode.key, "ours");
}

static const struct fault_rule answer_503 = {.action = FAULT_ANSWER,
                                             .status = 503,
                                             .headers = XML,
                                             .body = FAILURE("SlowDown", "Please reduce your request rate.")};

/* N3: still absent proves nothing, as nobody keeps a record of who deleted what. */
SUITE_TEST(a_503_to_a_create_is_unknown_when_it_is_dead, 0)
{
    ENDED struct mode mode = mode_open(f, "native-503", OS_GUARD_NATIVE, NULL);
    mode_add(&mode, answer_503);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_UNKNOWN);
    assert_string_equal(mode.outcome.result.rule, "N3");
    CHECK_SAYS(&mode.outcome.error, "without a record");
    assert_int_equal(mode.outcome.result.attempts, 1);
    CHECK_ABSENT(mode.client, mode.key);
    CLEARED struct outcome settled = resolve(mode.client, mode.outcome.result.ticket, NULL);
    CHECK_VERDICT(settled, OS_UNKNOWN);
    assert_string_equal(settled.result.rule, "N3");
    assert_int_equal(settled.result.guard, OS_GUARD_NATIVE);
}

/* The call ends before its attempt is certain; whoever has the ticket, and no ledger either, finds out. */
SUITE_TEST(a_native_ticket_is_resolved_by_the_nonce, 0)
{
    ENDED struct mode mode = mode_open(f, "native-ticket", OS_GUARD_NATIVE, NULL);
    unsigned id = mode_add(&mode, (struct fault_rule){.action = FAULT_HOLD_ANSWER});
    const struct fault_match looks = {.method = "HEAD", .path_contains = mode.key};
    unsigned blind = fault_proxy_add(mode.f->store_proxy, &(struct fault_rule){.match = looks, .action = FAULT_RESET});
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 6000; /* sent by then, and not yet dead */
    mode.outcome = create(mode.client, mode.key, "ours", &call);
    CHECK_VERDICT(mode.outcome, OS_UNKNOWN);
    fault_proxy_remove(mode.f->store_proxy, blind);
    assert_true(fault_proxy_wait_hits(mode.f->store_proxy, id, 1, 60000)); /* it has written */
    CLEARED struct outcome settled = resolve(mode.client, mode.outcome.result.ticket, NULL);
    CHECK_VERDICT(settled, OS_COMMITTED);
    assert_string_equal(settled.result.rule, "V4");
}

static const struct fault_rule answer_412 = {.action = FAULT_ANSWER,
                                             .status = 412,
                                             .headers = XML,
                                             .body =
                                                 FAILURE("PreconditionFailed", "At least one condition did not hold")};

/* As when another writer's object was there for an instant. */
SUITE_TEST(a_412_of_an_instant_is_followed_by_a_new_guard, 0)
{
    ENDED struct mode mode = mode_open(f, "native-412-once", OS_GUARD_NATIVE, NULL);
    mode_add(&mode, answer_412);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_int_equal(mode.outcome.result.guards, 2);
    assert_int_equal(mode.outcome.result.attempts, 2);
    CHECK_OBJECT(mode.client, mode.key, "ours");
}

SUITE_TEST(a_412_again_and_again_although_nothing_is_there_is_not_executed, 0)
{
    ENDED struct mode mode = mode_open(f, "native-412", OS_GUARD_NATIVE, NULL);
    struct fault_rule always = answer_412;
    always.times = 100;
    mode_add(&mode, always);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(mode.outcome, OS_ERR_REFUSED);
    CHECK_SAYS(&mode.outcome.error, "guard=record");
    assert_int_equal(mode.outcome.result.guards, 6);
    CHECK_ABSENT(mode.client, mode.key);
}

static const struct fault_rule answer_409 = {
    .action = FAULT_ANSWER,
    .status = 409,
    .headers = XML,
    .body = FAILURE("ConditionalRequestConflict", "A conflicting operation occurred.")};

/* R7: the profile says that this copy was not applied. */
SUITE_TEST(an_undecided_409_is_sent_again, 0)
{
    ENDED struct mode mode = mode_open(f, "native-409", OS_GUARD_NATIVE, PROFILE(PUT_409("undecided")));
    mode_add(&mode, answer_409);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_int_equal(mode.outcome.result.attempts, 2);
    assert_int_equal(mode.outcome.result.guards, 1);
    CHECK_OBJECT(mode.client, mode.key, "ours");
}

SUITE_TEST(a_final_409_is_as_412, 0)
{
    ENDED struct mode mode = mode_open(f, "native-final", OS_GUARD_NATIVE, PROFILE(PUT_409("final")));
    put_plain(mode.client, mode.key, "theirs", NULL);
    mode_add(&mode, answer_409);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_CONFLICT);
    assert_int_equal(mode.outcome.result.attempts, 1);
    CHECK_OBJECT(mode.client, mode.key, "theirs");
}

SUITE_TEST(a_409_of_which_the_profile_knows_nothing_is_ambiguous, 0)
{
    ENDED struct mode mode = mode_open(f, "native-409-unknown", OS_GUARD_NATIVE, NULL);
    mode_add(&mode, answer_409);
    create_ours(&mode);
    CHECK_VERDICT(mode.outcome, OS_UNKNOWN);
    assert_int_equal(mode.outcome.result.attempts, 1);
    CHECK_ABSENT(mode.client, mode.key);
}

/* ------------------------------------------------------------------------------------------------ RenameObject */

/* No server here has it: the proxy answers in its place, and what is tested is what goes out and what is made of it. */
#define RENAMES                                                                                                        \
    "{\"format\":1,\"name\":\"of the test\",\"measured_on\":\"2026-11-22\",\"source\":\"documentation\",\"requests\":" \
    "{\"rename\":" PROVEN "},\"rename_object\":\"yes\"}"

static void rename_ours(struct mode *mode, const char *name, struct fault_rule rule, uint64_t deadline_ms)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    put_plain(mode->client, name, "moves", NULL);
    mode_add(mode, rule);
    mode->outcome = rename_object(mode->client, name, mode->key, &call);
    check_way(mode, OS_GUARD_NATIVE, "RenameObject");
    CHECK_OBJECT(mode->client, name, "moves");
    struct fault_match renames = mode->writes;
    renames.query_contains = "renameObject";
    renames.has_header = "x-amz-client-token";
    assert_int_equal(fault_proxy_count(mode->f->store_proxy, &mode->writes),
                     fault_proxy_count(mode->f->store_proxy, &renames));
    assert_int_equal(with_header(mode, "if-none-match"), with_header(mode, "x-amz-rename-source-if-match"));
}

SUITE_TEST(a_rename_is_one_request_where_that_is_proven, 0)
{
    ENDED struct mode mode = mode_open(f, "renamed", OS_GUARD_NATIVE, RENAMES);
    rename_ours(&mode, "rename-source-1", (struct fault_rule){.action = FAULT_ANSWER, .status = 200, .headers = XML},
                0);
    CHECK_VERDICT(mode.outcome, OS_COMMITTED);
    assert_string_equal(mode.outcome.result.etag, "\"85b51ace16ad425d5d1e15832fc38da0\"");
    assert_int_equal(with_header(&mode, "if-none-match"), 1);
}

/* R6; a store may apply the second copy once more, where the source has been made anew. */
SUITE_TEST(a_rename_is_sent_once, 0)
{
    static const struct fault_rule unclear[] = {
        {.action = FAULT_ANSWER, .status = 503, .headers = XML, .body = FAILURE("SlowDown", "Later")},
        {.action = FAULT_ANSWER, .status = 408, .headers = XML, .body = FAILURE("RequestTimeout", "Too slow")},
        {.action = FAULT_ANSWER, .status = 400, .headers = XML, .body = FAILURE("RequestTimeout", "Too slow")},
        {.action = FAULT_ANSWER, .status = 409, .headers = XML, .body = FAILURE("OperationAborted", "Try again")},
    };
    for (size_t i = 0; i < sizeof(unclear) / sizeof(unclear[0]); i++) {
        char name[32];
        snprintf(name, sizeof(name), "renamed-once-%zu", i);
        ENDED struct mode mode = mode_open(f, name, OS_GUARD_NATIVE, RENAMES);
        snprintf(name, sizeof(name), "rename-source-once-%zu", i);
        rename_ours(&mode, name, unclear[i], 0);
        CHECK_VERDICT(mode.outcome, OS_UNKNOWN);
        CHECK_ERROR(mode.outcome, OS_ERR_UNDECIDED);
        assert_null(mode.outcome.result.ticket);
        assert_int_equal(with_header(&mode, "x-amz-client-token"), 1);
    }
}

SUITE_TEST(a_rename_that_is_refused_is_not_executed, 0)
{
    static const struct fault_rule deny = {
        .action = FAULT_ANSWER, .status = 403, .headers = XML, .body = FAILURE("AccessDenied", "No")};
    ENDED struct mode mode = mode_open(f, "renamed-denied", OS_GUARD_NATIVE, RENAMES);
    rename_ours(&mode, "rename-source-2", deny, 0);
    CHECK_VERDICT(mode.outcome, OS_NOT_EXECUTED);
    assert_int_equal(with_header(&mode, "x-amz-client-token"), 1);
}

static const struct fault_rule refuse_rename = {.action = FAULT_ANSWER,
                                                .status = 412,
                                                .headers = XML,
                                                .body = FAILURE("PreconditionFailed", "A condition did not hold")};

SUITE_TEST(a_rename_to_a_name_that_is_taken_is_a_conflict, 0)
{
    char etag[128];
    ENDED struct mode mode = mode_open(f, "renamed-taken", OS_GUARD_NATIVE, RENAMES);
    put_plain(mode.client, mode.key, "theirs", etag);
    fault_proxy_forget(mode.f->store_proxy);
    rename_ours(&mode, "rename-source-3", refuse_rename, 0);
    CHECK_VERDICT(mode.outcome, OS_CONFLICT);
    assert_string_equal(mode.outcome.result.found_etag, etag);
}

SUITE_TEST(a_rename_without_a_proven_delete_writes_nothing, 0)
{
    ENDED struct mode mode = mode_open(f, "not-renamed", OS_GUARD_NATIVE, NULL);
    put_plain(mode.client, "rename-source-5", "stays", NULL);
    mode.outcome = rename_object(mode.client, "rename-source-5", mode.key, NULL);
    CHECK_VERDICT(mode.outcome, OS_NOT_EXECUTED);
    CHECK_ERROR(mode.outcome, OS_ERR_UNSUPPORTED);
    CHECK_ABSENT(mode.client, mode.key);
    CHECK_OBJECT(mode.client, "rename-source-5", "stays");
}

int main(int argc, char **argv)
{
    static const struct suite suite = {.name = "guard modes", .needs = BACKEND_REAL, .only = "minio,versitygw"};
    return suite_main(&suite, argc, argv);
}
