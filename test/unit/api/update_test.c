/* SPDX-License-Identifier: Apache-2.0 */
/* os_update: what the transform is given, and what becomes of what it gives. */
#include "support/clock_jump.h"
#include "unit/api/updated.h"

#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ one writer */

TEST_WITH(updated, what_is_absent_is_created)
{
    CHECK_COMMITTED(updated, updated_add_plus);
    updated_check_object(updated, "+");
    assert_string_equal(updated->seen[0], "absent");
    assert_string_equal(updated->etag, "");
    assert_int_equal(updated->runs, 1);
    assert_int_equal(updated->round, 1);
    assert_int_equal(updated->result.conflicts, 0);
    assert_int_equal(updated->result.unchanged, 0);
    assert_true(updated->result.requests > 1);
    assert_string_equal(updated->result.request, "PutObject");
}

TEST_WITH(updated, what_is_there_is_replaced)
{
    updated_write_now(updated, "old");
    CHECK_COMMITTED(updated, updated_add_plus);
    updated_check_object(updated, "old+");
    assert_string_equal(updated->seen[0], "old");
    assert_int_equal(updated->etag[0], '"');
    assert_string_not_equal(updated->etag, updated->result.etag);
}

static int give_nothing(void *context, const os_current *current, os_body *ret)
{
    (void)ret;
    updated_note(context, current);
    return 0;
}

TEST_WITH(updated, nothing_is_an_empty_object)
{
    CHECK_COMMITTED(updated, give_nothing);
    updated_check_object(updated, "");
    assert_int_equal(updated->result.unchanged, 0);
    CHECK_COMMITTED(updated, give_nothing);
    assert_int_equal(updated->result.unchanged, 1);
    assert_string_equal(updated->seen[1], "");
}

static void note_progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    struct updated *updated = context;
    if (done_bytes == total_bytes)
        snprintf(updated->bytes, sizeof(updated->bytes), "%u bytes", (unsigned)total_bytes);
}

TEST_WITH(updated, the_write_tells_of_its_progress)
{
    updated->gives = "12345";
    updated->call.progress = note_progress;
    updated->call.progress_context = updated;
    CHECK_COMMITTED(updated, updated_add_plus);
    assert_string_equal(updated->bytes, "5 bytes");
}

TEST_WITH(updated, put_options_go_with_the_object)
{
    os_put_options put = OS_PUT_OPTIONS_INIT;
    os_object object = OS_OBJECT_INIT;
    put.content_type = "text/x-counter";
    updated->options.put = &put;
    CHECK_COMMITTED(updated, updated_add_plus);
    CHECK_CODE(os_head(updated->other, "key", NULL, &object, &updated->error), OS_OK, &updated->error);
    assert_string_equal(object.content_type, "text/x-counter");
}

TEST_WITH(updated, the_same_bytes_are_not_written)
{
    updated_write_now(updated, "same");
    updated->gives = "same";
    CHECK_COMMITTED(updated, updated_add_plus);
    assert_int_equal(updated->result.unchanged, 1);
    assert_int_equal(updated->result.requests, 1);
    assert_int_equal(updated->result.guards, 0);
    assert_int_equal(updated->result.guard, OS_GUARD_AUTO);
    assert_string_equal(updated->result.request, "");
    assert_string_equal(updated->result.etag, updated->etag);
    updated->options.always_write = 1;
    CHECK_COMMITTED(updated, updated_add_plus);
    assert_int_equal(updated->result.unchanged, 0);
    assert_int_equal(updated->result.guards, 1);
}

TEST_WITH(updated, the_transform_may_refuse)
{
    updated_write_now(updated, "old");
    updated->stops_at = 1;
    updated_check_verdict(updated, updated_update(updated, updated_add_plus), OS_NOT_EXECUTED, OS_ERR_STOPPED);
    CHECK_SAYS(&updated->error, "(7)");
    updated_check_object(updated, "old");
}

TEST_WITH(updated, both_lengths_have_a_bound)
{
    updated_write_now(updated, "12345");
    updated->options.max_length = 5;
    updated_check_verdict(updated, updated_update(updated, updated_add_plus), OS_NOT_EXECUTED, OS_ERR_TOO_LARGE);
    CHECK_SAYS(&updated->error, "max_length");
    assert_int_equal(updated->runs, 1);
    updated->options.max_length = 4;
    updated_check_verdict(updated, updated_update(updated, updated_add_plus), OS_NOT_EXECUTED, OS_ERR_TOO_LARGE);
    assert_int_equal(updated->runs, 1);
    CHECK_SAYS(&updated->error, "max_length");
    updated->options.max_length = 6;
    CHECK_COMMITTED(updated, updated_add_plus);
    updated_check_object(updated, "12345+");
}

static int give_a_file(void *context, const os_current *current, os_body *ret)
{
    updated_note(context, current);
    ret->file = "/etc/passwd";
    return 0;
}

TEST_WITH(updated, arguments_are_checked)
{
    os_error error;
    updated_check_verdict(updated, updated_update(updated, NULL), OS_NOT_EXECUTED, OS_ERR_ARGUMENT);
    updated_check_verdict(updated, updated_update(updated, give_a_file), OS_NOT_EXECUTED, OS_ERR_ARGUMENT);
    assert_int_equal(os_update(updated->client, "", updated_add_plus, updated, NULL, NULL, NULL, &error),
                     OS_NOT_EXECUTED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    assert_int_equal(os_update(updated->client, "key", updated_add_plus, updated, NULL, NULL, NULL, NULL),
                     OS_COMMITTED);
    updated->options.size = 0;
    updated_check_verdict(updated, updated_update(updated, updated_add_plus), OS_NOT_EXECUTED, OS_ERR_ARGUMENT);
}

/* ------------------------------------------------------------------------------------------------ conflicts */

TEST_WITH(updated, a_lost_write_is_made_again_from_what_won)
{
    updated_write_now(updated, "old");
    updated->losses = 2;
    CHECK_COMMITTED(updated, updated_add_plus);
    updated_check_object(updated, "other 2+");
    assert_int_equal(updated->runs, 3);
    assert_string_equal(updated->seen[1], "other 1");
    assert_int_equal(updated->round, 3);
    assert_int_equal(updated->result.conflicts, 2);
    assert_int_equal(updated->result.guards, 3);
    assert_string_equal(updated->result.found_etag, "");
}

TEST_WITH(updated, a_create_that_lost_becomes_a_replacement)
{
    updated->losses = 1;
    CHECK_COMMITTED(updated, updated_add_plus);
    updated_check_object(updated, "other 1+");
}

static void delete_now(struct updated *updated)
{
    os_error error;
    CHECK_CODE(os_delete(updated->other, "key", NULL, &error), OS_OK, &error);
}

static int delete_first(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    int failed = updated_add_plus(updated, current, ret);
    if (updated->runs == 1)
        delete_now(updated);
    return failed;
}

TEST_WITH(updated, what_the_conflict_says_is_absent_is_not_read_again)
{
    updated_write_now(updated, "old");
    CHECK_COMMITTED(updated, delete_first);
    updated_check_object(updated, "+");
    assert_string_equal(updated->seen[1], "absent");
    assert_int_equal(atomic_load(&updated->gets), 1);
}

static int delete_then_stop(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    return delete_first(updated, current, ret) || !current->exists;
}

TEST_WITH(updated, a_refusal_rests_on_a_read)
{
    updated_write_now(updated, "old");
    updated_check_verdict(updated, updated_update(updated, delete_then_stop), OS_NOT_EXECUTED, OS_ERR_STOPPED);
    assert_int_equal(atomic_load(&updated->gets), 2);
    assert_int_equal(updated->runs, 3);
}

TEST_WITH(updated, unchanged_after_a_conflict)
{
    updated_write_now(updated, "old");
    updated->losses = 1;
    updated->gives = "other 1";
    CHECK_COMMITTED(updated, updated_add_plus);
    assert_int_equal(updated->result.unchanged, 1);
    assert_int_equal(updated->result.conflicts, 1);
    assert_string_equal(updated->result.etag, updated->etag);
    assert_string_equal(updated->result.found_etag, "");
}

static int lose_always(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    char other[32];
    updated->runs = 0;
    updated_note(updated, current);
    ret->data = "mine";
    ret->length = 4;
    snprintf(other, sizeof(other), "other %u", (unsigned)current->round);
    updated_write_now(updated, other);
    return 0;
}

/* Two thirds of the time are over when the round ends: a second one would not fit. */
static int lose_for_long(void *context, const os_current *current, os_body *ret)
{
    int status = lose_always(context, current, ret);
    clock_jump(HOUR_MS / 3 * 2);
    return status;
}

TEST_WITH(updated, the_deadline_ends_it_with_the_last_conflict)
{
    updated_write_now(updated, "old");
    updated->call.deadline_ms = HOUR_MS;
    updated_check_verdict(updated, updated_update(updated, lose_for_long), OS_CONFLICT, OS_ERR_CONFLICT);
    CHECK_SAYS(&updated->error, "after");
    assert_int_equal(updated->result.conflicts, 1);
    updated_check_object(updated, "other 1");
}

static int cancel_at_once(void *context, const os_current *current, os_body *ret)
{
    struct updated *updated = context;
    os_cancel_trigger(updated->cancel);
    return lose_always(context, current, ret);
}

TEST_WITH(updated, a_cancellation_ends_it)
{
    updated_write_now(updated, "old");
    updated_check_verdict(updated, updated_update(updated, cancel_at_once), OS_NOT_EXECUTED, OS_ERR_CANCELLED);
    updated_check_object(updated, "other 1");
}
