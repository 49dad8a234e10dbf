/* SPDX-License-Identifier: Apache-2.0 */
/*
 * R14: what is done after a Complete that came to nothing. Where only its fence says so, the verdict waits for the
 * abort of its upload and for one more HEAD after it.
 */
#include "unit/api/client_scratch.h"
#include "unit/api/upload_store.h"

#include <stdio.h>
#include <string.h>

struct settling {
    struct upload_store store;
    os_client *client;
    os_cancel *cancel;
    char key[16];
    os_result result;
    os_error error;
};

static os_client *client_of(const struct scratch *scratch, const struct http_server *server, bool native)
{
    char profile[SCRATCH_PATH_SIZE];
    os_options options = OS_OPTIONS_INIT;
    options.fences = OS_ON;
    options.stage_above = 1;
    if (native) {
        scratch_write_profile(scratch, SCRATCH_NATIVE_COMPLETE, profile);
        options.store_profile = profile;
    }
    return scratch_s3_client(scratch, http_server_host(server), &options);
}

/* `cancelled`: the call, by its first Complete, so that it is `unknown`. */
static void open_script(struct settling *ret, const struct scratch *scratch, const struct upload_script *script,
                        bool cancelled)
{
    static unsigned number; /* of the key: the record of an earlier one would be in the way */
    memset(ret, 0, sizeof(*ret));
    snprintf(ret->key, sizeof(ret->key), "key-%u", ++number);
    if (cancelled)
        assert_int_equal(os_cancel_new(&ret->cancel), OS_OK);
    upload_store_start(&ret->store, script, ret->cancel);
    ret->client = client_of(scratch, ret->store.server, script->native);
    ret->result = (os_result)OS_RESULT_INIT;
}

static void close_script(struct settling *settling)
{
    os_result_clear(&settling->result);
    os_client_close(settling->client);
    upload_store_stop(&settling->store);
    os_cancel_free(settling->cancel);
}

/* A create where nothing is at first, else a replacement of what is. */
static os_verdict put(struct settling *settling)
{
    os_body body = OS_BODY_MEMORY("two", 3);
    os_call call = OS_CALL_INIT;
    call.cancel = settling->cancel;
    if (settling->store.script.at_first == OBJECT_ABSENT)
        return os_put_if_absent(settling->client, settling->key, &body, NULL, &call, &settling->result,
                                &settling->error);
    return os_put_if_match(settling->client, settling->key, UPLOAD_STORE_FIRST_ETAG, &body, NULL, &call,
                           &settling->result, &settling->error);
}

static os_verdict resolve_again(struct settling *settling, uint64_t deadline_ms)
{
    os_call call = OS_CALL_INIT;
    call.deadline_ms = deadline_ms;
    os_result unknown = settling->result;
    assert_non_null(unknown.ticket);
    settling->result = (os_result)OS_RESULT_INIT;
    os_verdict verdict = os_resolve(settling->client, unknown.ticket, &call, &settling->result, &settling->error);
    os_result_clear(&unknown);
    return verdict;
}

/* What becomes of the ticket of a call that was cancelled when its Complete had been sent. */
static os_verdict resolve(struct settling *settling, const struct scratch *scratch, const struct upload_script *script)
{
    open_script(settling, scratch, script, true);
    assert_int_equal(put(settling), OS_UNKNOWN);
    assert_int_equal(upload_store_seen(&settling->store).aborts, 0);
    return resolve_again(settling, 60000);
}

static void check_not_executed(const struct scratch *scratch, const struct upload_script *script)
{
    struct settling settling;
    os_verdict verdict = resolve(&settling, scratch, script);
    if (verdict != OS_NOT_EXECUTED)
        fail_msg("%s: %s", os_verdict_name(verdict), settling.error.message);
    struct upload_store_seen seen = upload_store_seen(&settling.store);
    assert_false(seen.open);
    assert_int_equal(seen.aborts, 1);
    assert_int_equal(seen.looks, 1);
    assert_null(settling.result.ticket);
    close_script(&settling);
}

static void check_still_unknown(const struct settling *settling, os_verdict verdict, const char *words)
{
    assert_int_equal(verdict, OS_UNKNOWN);
    assert_int_equal(settling->error.code, OS_ERR_UNDECIDED);
    CHECK_SAYS(&settling->error, words);
    assert_non_null(settling->result.ticket);
    assert_string_equal(settling->result.etag, "");
    assert_string_equal(settling->result.found_etag, "");
}

static void check_unknown(const struct scratch *scratch, const struct upload_script *script, const char *words)
{
    struct settling settling;
    os_verdict verdict = resolve(&settling, scratch, script);
    check_still_unknown(&settling, verdict, words);
    close_script(&settling);
}

#define CHANGED "has changed the object or its upload"
#define PART    "the store shows only a part of it"

/* ------------------------------------------------------------------------------------------------ committed */

static void check_committed(const struct settling *settling, os_verdict verdict)
{
    if (verdict != OS_COMMITTED)
        fail_msg("%s: %s", os_verdict_name(verdict), settling->error.message);
    assert_int_equal(settling->error.code, OS_OK);
    assert_string_equal(settling->result.rule, "V4");
    assert_string_equal(settling->result.etag, UPLOAD_STORE_OURS_ETAG);
    assert_string_equal(settling->result.version_id, UPLOAD_STORE_OURS_ID);
    assert_string_equal(settling->result.found_etag, "");
    assert_null(settling->result.ticket);
}

/* The Complete lands when it has been called lost: only a HEAD after the abort can show it. */
TEST_WITH(scratch, what_lands_before_the_abort_is_committed)
{
    static const enum upload_store_reply answers[] = {REPLY_DONE, REPLY_NO_UPLOAD};
    static const enum upload_store_object firsts[] = {OBJECT_ABSENT, OBJECT_FIRST};
    for (size_t i = 0; i < 4; i++) {
        struct settling settling;
        const struct upload_script script = {
            .at_first = firsts[i / 2], .at_complete = firsts[i / 2], .at_abort = OBJECT_OURS, .abort = answers[i % 2]};
        check_committed(&settling, resolve(&settling, scratch, &script));
        assert_int_equal(upload_store_seen(&settling.store).looks, 1);
        close_script(&settling);
    }
}

/* ------------------------------------------------------------------------------------------------ not executed */

TEST_WITH(scratch, what_did_not_land_by_the_abort_is_not_executed)
{
    const struct upload_script created = {.abort = REPLY_DONE};
    const struct upload_script replaced = {
        .at_first = OBJECT_FIRST, .at_complete = OBJECT_FIRST, .at_abort = OBJECT_FIRST};
    const struct upload_script not_told = {.parts = REPLY_DENIED};
    check_not_executed(scratch, &created);
    check_not_executed(scratch, &replaced);
    check_not_executed(scratch, &not_told);
}

/* R14: a part that was under way may keep an upload open, or open it again, behind an abort that was accepted. */
TEST_WITH(scratch, an_upload_that_stays_behind_its_abort_is_aborted_again)
{
    struct settling settling;
    const struct upload_script script = {.abort = REPLY_STAYS};
    assert_int_equal(resolve(&settling, scratch, &script), OS_NOT_EXECUTED);
    struct upload_store_seen seen = upload_store_seen(&settling.store);
    assert_false(seen.open);
    assert_int_equal(seen.aborts, 2);
    close_script(&settling);
}

/* R14: only NoSuchUpload says that an upload is gone. */
TEST_WITH(scratch, a_bare_404_says_nothing_of_an_upload)
{
    struct settling settling;
    const struct upload_script script = {.parts = REPLY_BARE_404};
    open_script(&settling, scratch, &script, true);
    assert_int_equal(put(&settling), OS_UNKNOWN);
    assert_int_equal(resolve_again(&settling, 1000), OS_UNKNOWN);
    assert_false(settling.result.final);
    struct upload_store_seen seen = upload_store_seen(&settling.store);
    assert_true(seen.open);
    assert_int_equal(seen.aborts, 0);
    close_script(&settling);
}

/* Another has aborted it: a Complete that was applied would have left another version, or none. */
TEST_WITH(scratch, an_upload_that_is_gone_beside_the_very_version_is_not_executed)
{
    const struct upload_script script = {
        .at_first = OBJECT_FIRST, .at_complete = OBJECT_FIRST, .at_abort = OBJECT_FIRST, .abort = REPLY_NO_UPLOAD};
    check_not_executed(scratch, &script);
}

/* Row D has looked at what may have become of it. */
TEST_WITH(scratch, an_upload_that_was_gone_when_its_complete_was_called_lost_is_not_executed)
{
    const struct upload_script script = {.closed = true};
    check_not_executed(scratch, &script);
}

/* ------------------------------------------------------------------------------------------------ N2 */

TEST_WITH(scratch, an_open_upload_takes_a_native_complete_again)
{
    struct settling settling;
    const struct upload_script script = {.native = true};
    open_script(&settling, scratch, &script, false);
    assert_int_equal(put(&settling), OS_COMMITTED);
    assert_int_equal(settling.result.guard, OS_GUARD_NATIVE);
    assert_int_equal(upload_store_seen(&settling.store).completes, 2);
    close_script(&settling);
}

/* The late end of a part's first copy opens the completed upload again (versitygw 1.8.0): what was created, and deleted
 * by another since, would be created once more. */
TEST_WITH(scratch, an_upload_with_a_part_that_was_not_answered_proves_nothing_by_being_open)
{
    struct settling settling;
    const struct upload_script script = {.native = true, .part_lost = true};
    open_script(&settling, scratch, &script, false);
    assert_int_equal(put(&settling), OS_UNKNOWN);
    assert_string_equal(settling.result.rule, "N3");
    struct upload_store_seen seen = upload_store_seen(&settling.store);
    assert_int_equal(seen.parts, 2);
    assert_int_equal(seen.completes, 1);
    assert_int_equal(seen.aborts, 0);
    assert_int_equal(resolve_again(&settling, 20000), OS_UNKNOWN); /* its ticket knows */
    assert_string_equal(settling.result.rule, "N3");
    close_script(&settling);
}

/* ------------------------------------------------------------------------------------------------ unknown */

/* The Complete may still be applied as long as its upload is there. */
TEST_WITH(scratch, an_abort_that_is_refused_leaves_the_complete_unknown)
{
    struct settling settling;
    const struct upload_script script = {.abort = REPLY_DENIED};
    check_still_unknown(&settling, resolve(&settling, scratch, &script), "could not be aborted");
    assert_true(upload_store_seen(&settling.store).open);
    upload_store_allow_aborts(&settling.store);
    assert_int_equal(resolve_again(&settling, 60000), OS_NOT_EXECUTED);
    close_script(&settling);
}

TEST_WITH(scratch, an_abort_that_is_never_answered_leaves_the_complete_unknown)
{
    struct settling settling;
    const struct upload_script script = {.abort = REPLY_UNAVAILABLE};
    open_script(&settling, scratch, &script, true);
    assert_int_equal(put(&settling), OS_UNKNOWN);
    check_still_unknown(&settling, resolve_again(&settling, 20000), "could not be aborted");
    assert_in_range(upload_store_seen(&settling.store).aborts, 2, 100);
    close_script(&settling);
}

TEST_WITH(scratch, an_object_that_cannot_be_read_after_the_abort_leaves_the_complete_unknown)
{
    const struct upload_script script = {.look = REPLY_DENIED};
    check_unknown(scratch, &script, "could not be read");
}

/* It may have been applied, and what it made replaced or deleted since. */
TEST_WITH(scratch, an_object_that_was_changed_by_the_abort_leaves_the_complete_unknown)
{
    static const struct {
        enum upload_store_object from, to;
    } cases[] = {{OBJECT_ABSENT, OBJECT_OTHER},
                 {OBJECT_FIRST, OBJECT_OTHER},
                 {OBJECT_FIRST, OBJECT_TOUCHED},
                 {OBJECT_FIRST, OBJECT_ABSENT}};
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        const struct upload_script script = {
            .at_first = cases[i].from, .at_complete = cases[i].from, .at_abort = cases[i].to};
        check_unknown(scratch, &script, CHANGED);
    }
}

/* What came of it may have been deleted. Where ListParts is refused, the upload may have been open. */
TEST_WITH(scratch, an_upload_that_is_gone_only_by_the_abort_beside_no_object_is_unknown)
{
    const struct upload_script open = {.abort = REPLY_NO_UPLOAD};
    const struct upload_script not_told = {.parts = REPLY_DENIED, .abort = REPLY_NO_UPLOAD};
    check_unknown(scratch, &open, CHANGED);
    check_unknown(scratch, &not_told, CHANGED);
}

/* V4.6: a store that writes the metadata first, and does not come to the rest. */
TEST_WITH(scratch, a_complete_of_which_only_the_metadata_is_there_is_unknown)
{
    const struct upload_script script = {
        .at_first = OBJECT_FIRST, .at_complete = OBJECT_FIRST, .at_abort = OBJECT_TORN};
    check_unknown(scratch, &script, PART);
}

TEST_WITH(scratch, a_complete_of_which_a_part_is_there_after_the_abort_is_unknown)
{
    const struct upload_script script = {.at_abort = OBJECT_CUT};
    check_unknown(scratch, &script, PART);
}

static void check_final(const struct settling *settling, os_verdict verdict, const char *words)
{
    check_still_unknown(settling, verdict, words);
    assert_int_equal(settling->result.ask_again_ms, 0);
    assert_true(settling->result.final);
}

/* V4.8: what another has replaced may be the part. The ticket knows of it. */
TEST_WITH(scratch, a_part_that_another_has_replaced_stays_unknown)
{
    struct settling settling;
    const struct upload_script script = {.at_abort = OBJECT_CUT, .at_last = OBJECT_REPLACING};
    check_still_unknown(&settling, resolve(&settling, scratch, &script), PART);
    check_final(&settling, resolve_again(&settling, 60000), "has shown only a part of it");
    close_script(&settling);
}

/* A call that asks twice knows as much. */
TEST_WITH(scratch, a_question_that_is_asked_again_remembers_the_part)
{
    struct settling settling;
    const struct upload_script script = {.at_abort = OBJECT_CUT, .at_last = OBJECT_REPLACING};
    os_call call = OS_CALL_INIT;
    open_script(&settling, scratch, &script, true);
    assert_int_equal(put(&settling), OS_UNKNOWN);
    call.deadline_ms = 60000;
    os_result unknown = settling.result;
    settling.result = (os_result)OS_RESULT_INIT;
    os_verdict verdict = os_settle(settling.client, unknown.ticket, NULL, &call, &settling.result, &settling.error);
    check_final(&settling, verdict, "has shown only a part of it");
    assert_in_range(upload_store_seen(&settling.store).looks, 2, 9);
    os_result_clear(&unknown);
    close_script(&settling);
}

TEST_WITH(scratch, the_whole_after_a_part_is_committed)
{
    struct settling settling;
    const struct upload_script script = {.at_abort = OBJECT_CUT, .at_last = OBJECT_OURS};
    check_still_unknown(&settling, resolve(&settling, scratch, &script), PART);
    check_committed(&settling, resolve_again(&settling, 60000));
    close_script(&settling);
}

TEST_WITH(scratch, a_store_that_does_not_say_how_many_bytes_there_are_proves_nothing)
{
    struct settling settling;
    const struct upload_script script = {.at_abort = OBJECT_UNSIZED, .at_last = OBJECT_REPLACING};
    check_still_unknown(&settling, resolve(&settling, scratch, &script), "does not say how many bytes");
    assert_int_equal(resolve_again(&settling, 60000), OS_COMMITTED); /* it was no part, as far as is known */
    close_script(&settling);
}

TEST_WITH(scratch, a_store_that_refuses_the_next_look_ends_the_question)
{
    struct settling settling;
    const struct upload_script script = {.at_abort = OBJECT_CUT};
    check_still_unknown(&settling, resolve(&settling, scratch, &script), PART);
    upload_store_refuse_looks(&settling.store);
    check_still_unknown(&settling, resolve_again(&settling, 60000), "refuses to answer");
    assert_in_range(settling.result.duration_ms, 0, 50000);
    close_script(&settling);
}

/* ------------------------------------------------------------------------------------------------ whole calls */

/* The next guard's Complete of the same upload is answered, for itself alone. */
TEST_WITH(scratch, a_refusal_of_the_next_complete_does_not_settle_the_first)
{
    struct settling settling;
    const struct upload_script script = {.complete = REPLY_DENIED, .at_abort = OBJECT_OURS};
    open_script(&settling, scratch, &script, false);
    check_committed(&settling, put(&settling));
    assert_int_equal(upload_store_seen(&settling.store).completes, 2);
    assert_int_equal(settling.result.attempts, 2);
    close_script(&settling);
}

TEST_WITH(scratch, parts_are_staged_again_once_the_first_complete_is_settled)
{
    struct settling settling;
    const struct upload_script script = {.complete = REPLY_INVALID_PART};
    open_script(&settling, scratch, &script, false);
    assert_int_equal(put(&settling), OS_COMMITTED);
    assert_int_equal(upload_store_seen(&settling.store).creations, 2);
    assert_int_equal(upload_store_seen(&settling.store).aborts, 1);
    close_script(&settling);
}

/* What the first Complete has become after all is seen before the parts are sent again. */
static void check_second_look(const struct scratch *scratch, const struct upload_script *script, os_verdict expected)
{
    struct settling settling;
    open_script(&settling, scratch, script, false);
    os_verdict verdict = put(&settling);
    if (expected == OS_COMMITTED)
        check_committed(&settling, verdict);
    else
        check_still_unknown(&settling, verdict, PART);
    assert_int_equal(upload_store_seen(&settling.store).creations, 1);
    close_script(&settling);
}

TEST_WITH(scratch, what_lands_before_the_parts_are_staged_again_is_committed)
{
    const struct upload_script script = {.complete = REPLY_INVALID_PART, .at_last = OBJECT_OURS};
    check_second_look(scratch, &script, OS_COMMITTED);
}

TEST_WITH(scratch, a_part_of_the_first_complete_is_unknown)
{
    const struct upload_script script = {.complete = REPLY_INVALID_PART, .at_last = OBJECT_CUT};
    check_second_look(scratch, &script, OS_UNKNOWN);
}

TEST_WITH(scratch, the_metadata_of_the_first_complete_is_unknown)
{
    const struct upload_script script = {.at_first = OBJECT_FIRST,
                                         .at_complete = OBJECT_FIRST,
                                         .at_abort = OBJECT_FIRST,
                                         .complete = REPLY_INVALID_PART,
                                         .at_last = OBJECT_TORN};
    check_second_look(scratch, &script, OS_UNKNOWN);
}

/* There is no attempt that a ticket could settle. */
TEST_WITH(scratch, a_part_of_a_complete_that_was_refused_is_unknown_for_good)
{
    struct settling settling;
    const struct upload_script script = {.first = REPLY_INVALID_PART, .at_abort = OBJECT_CUT};
    open_script(&settling, scratch, &script, false);
    assert_int_equal(put(&settling), OS_UNKNOWN);
    CHECK_SAYS(&settling.error, "refused the write");
    assert_null(settling.result.ticket);
    assert_true(settling.result.final);
    close_script(&settling);
}

TEST_WITH(scratch, nothing_is_staged_again_beside_a_complete_that_is_unknown)
{
    struct settling settling;
    const struct upload_script script = {.complete = REPLY_INVALID_PART, .abort = REPLY_DENIED};
    open_script(&settling, scratch, &script, false);
    check_still_unknown(&settling, put(&settling), "could not be aborted");
    assert_int_equal(upload_store_seen(&settling.store).creations, 1);
    close_script(&settling);
}

TEST_WITH(scratch, a_conflict_stays_one_where_nothing_has_changed_since)
{
    struct settling settling;
    const struct upload_script script = {.at_complete = OBJECT_OTHER, .at_abort = OBJECT_OTHER};
    open_script(&settling, scratch, &script, false);
    assert_int_equal(put(&settling), OS_CONFLICT);
    assert_string_equal(settling.result.found_etag, UPLOAD_STORE_OTHER_ETAG);
    assert_false(upload_store_seen(&settling.store).open);
    close_script(&settling);
}

TEST_WITH(scratch, a_conflict_with_our_own_commit_is_committed)
{
    struct settling settling;
    const struct upload_script script = {.at_complete = OBJECT_OTHER, .at_abort = OBJECT_OURS};
    open_script(&settling, scratch, &script, false);
    check_committed(&settling, put(&settling));
    close_script(&settling);
}

TEST_WITH(scratch, a_conflict_is_unknown_where_the_object_has_changed_since)
{
    struct settling settling;
    const struct upload_script script = {.at_complete = OBJECT_OTHER, .at_abort = OBJECT_FIRST};
    open_script(&settling, scratch, &script, false);
    check_still_unknown(&settling, put(&settling), CHANGED);
    close_script(&settling);
}
