/* SPDX-License-Identifier: Apache-2.0 */
/* What is left of transactions that did not commit: a gc finds it, also after a gc that was killed. */
#include "transact/txn.h"
#include "unit/api/lake.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { OLD_S = 1000000000, DAY_S = 24 * 60 * 60, REQUESTS_MAX = 100 };

/* ------------------------------------------------------------------------------------------------ gc */

struct planted {
    struct lake *lake;
    const char *key;
    const char *bucket;
    int64_t since_s;
};

static os_code plant(void *context, os_txn *txn, os_error *err)
{
    const struct planted *planted = context;
    char fields[256];
    snprintf(fields, sizeof(fields), "{\"key\":\"%s\",\"bucket\":\"%s\",\"since\":%lld}", planted->key, planted->bucket,
             (long long)planted->since_s);
    return os_txn_create(txn, planted->lake->intents, fields, NULL, err);
}

static void plant_intent(struct lake *lake, const char *key, const char *bucket, int64_t since_s)
{
    const os_body body = OS_BODY_MEMORY("left", 4);
    struct planted planted = {.lake = lake, .key = key, .bucket = bucket, .since_s = since_s};
    if (os_transact(lake->client, NULL, plant, &planted, NULL, NULL, &lake->error) != OS_COMMITTED)
        fail_msg("%s", lake->error.message);
    CHECK_CODE(os_put(lake->client, key, &body, NULL, NULL, NULL, &lake->error), OS_OK, &lake->error);
}

TEST_WITH(lake, a_gc_removes_what_is_old_and_its_dry_run_says_so)
{
    struct lake_heard heard = {.count = 0};
    plant_intent(lake, "meta/old", "", OLD_S);
    plant_intent(lake, "meta/young", "", (int64_t)time(NULL) - DAY_S / 2);
    os_txn_gc_result result = lake_collect(lake, 0, 0, &heard);
    assert_true(result.seen == 2 && result.found == 1 && result.removed == 0);
    assert_string_equal(heard.key, "meta/old");
    assert_int_equal(lake_objects(lake), 2);
    result = lake_collect(lake, 0, 1, &heard);
    assert_true(result.seen == 2 && result.removed == 1 && heard.count == 2);
    assert_int_equal(heard.fate, OS_GARBAGE_REMOVED);
    lake_check_reads(lake, "meta/young", "left");
    assert_int_equal(lake_objects(lake), 1);
    assert_int_equal(lake_collect(lake, 0, 1, NULL).seen, 1);
}

TEST_WITH(lake, a_gc_leaves_the_intents_of_another_bucket_and_prefix)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    plant_intent(lake, "meta/theirs", "another-bucket", OLD_S);
    plant_intent(lake, "else/ours", "", OLD_S);
    options.intents = lake->intents;
    options.prefix = "meta/";
    options.remove = 1;
    CHECK_CODE(os_txn_gc(lake->client, &options, NULL, NULL, NULL, &result, &lake->error), OS_OK, &lake->error);
    assert_int_equal(result.removed, 0);
    assert_int_equal(lake_objects(lake), 2);
}

/* Another gc, between two intents of one page. */
static int let_another_collect(void *context, const os_txn_garbage *garbage)
{
    struct lake_heard *heard = context;
    struct lake *lake = heard->lake;
    if (heard->count == 0)
        assert_int_equal(lake_collect(lake, 0, 1, NULL).removed, 1);
    return lake_hear(heard, garbage);
}

TEST_WITH(lake, a_gc_spares_what_is_not_there_any_more)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    struct lake_heard heard = {.lake = lake};
    plant_intent(lake, "meta/1", "", OLD_S);
    plant_intent(lake, "meta/2", "", OLD_S);
    options.intents = lake->intents;
    options.remove = 1;
    CHECK_CODE(os_txn_gc(lake->client, &options, NULL, let_another_collect, &heard, &result, &lake->error), OS_OK,
               &lake->error);
    assert_true(result.removed == 1 && result.spared == 1 && result.failed == 0);
    assert_int_equal(heard.fate, OS_GARBAGE_SPARED);
    assert_non_null(strstr(heard.reason, "another gc"));
}

TEST_WITH(lake, a_callback_stops_a_gc)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    struct lake_heard heard = {.stops = 1};
    plant_intent(lake, "meta/1", "", OLD_S);
    plant_intent(lake, "meta/2", "", OLD_S);
    options.intents = lake->intents;
    CHECK_CODE(os_txn_gc(lake->client, &options, NULL, lake_hear, &heard, NULL, &lake->error), OS_ERR_STOPPED,
               &lake->error);
    assert_int_equal(heard.count, 1);
}

static void collect_meanwhile(struct lake_plan *plan, const char *key)
{
    os_error error;
    os_txn_gc_result result = lake_collect(plan->lake, 1, 1, NULL);
    assert_int_equal(result.removed, 1);
    assert_int_equal(os_head(plan->lake->client, key, NULL, NULL, &error), OS_ERR_NOT_FOUND);
}

TEST_WITH(lake, what_a_gc_has_removed_is_never_committed)
{
    struct lake_plan plan = {.lake = lake, .names = {"a"}, .text = "kept", .meanwhile = collect_meanwhile};
    CHECK_MOVED(&plan);
    assert_int_equal(lake->result.runs, 2);
    lake_check_reads(lake, lake_pointer(lake, "a").key, "kept");
    assert_int_equal(lake_objects(lake), 1);
}

/* ------------------------------------------------------------------------------------------------ beside a writer */

/* As a gc does, before it deletes anything. */
static os_code mark(void *context, os_txn *txn, os_error *err)
{
    struct lake_plan *plan = context;
    char key[LAKE_KEY_SIZE + 16];
    os_row *row = NULL;
    snprintf(key, sizeof(key), "{\"key\":\"%s\"}", plan->text);
    os_code code = os_txn_get(txn, plan->lake->intents, key, NULL, &row, err);
    return code == OS_OK ? os_row_set_bool(row, "is_marked", 1, err) : code;
}

static void mark_meanwhile(struct lake_plan *plan, const char *key)
{
    struct lake_plan of = {.lake = plan->lake, .text = key};
    if (os_transact(plan->lake->client, NULL, mark, &of, NULL, NULL, &plan->lake->error) != OS_COMMITTED)
        fail_msg("%s", plan->lake->error.message);
}

TEST_WITH(lake, what_a_gc_has_marked_is_never_committed)
{
    struct lake_plan plan = {.lake = lake, .names = {"a"}, .text = "kept", .meanwhile = mark_meanwhile};
    CHECK_MOVED(&plan);
    assert_int_equal(lake->result.runs, 2);
    lake_check_reads(lake, lake_pointer(lake, "a").key, "kept");
    assert_int_equal(lake_objects(lake), 1);
    lake_check_nothing_left(lake);
}

/* Another client, which marks what it finds when the first object is there, and its intent has not been read. */
struct marker {
    struct lake lake;
    bool is_over;
    bool has_marked;
};

static void mark_behind_the_put(void *context, int number, const char *operation)
{
    struct marker *marker = context;
    struct lake_heard heard = {.count = 0};
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    struct lake_plan of = {.lake = &marker->lake, .text = heard.key};
    os_error error;
    (void)number;
    if (strcmp(operation, "PUT") != 0 || marker->is_over)
        return;
    marker->is_over = true;
    options.intents = marker->lake.intents;
    options.of_any_age = 1;
    marker->has_marked = os_txn_gc(marker->lake.client, &options, NULL, lake_hear, &heard, NULL, &error) == OS_OK &&
                         heard.count == 1 &&
                         os_transact(marker->lake.client, NULL, mark, &of, NULL, NULL, &error) == OS_COMMITTED;
}

TEST_WITH(lake, what_was_marked_before_its_put_ended_is_never_committed)
{
    struct marker marker = {.lake = *lake};
    struct lake_watch watch = {.request = mark_behind_the_put, .context = &marker};
    struct lake_plan plan = {.lake = lake, .names = {"a"}, .text = "kept"};
    lake->client = lake_client(lake, &watch);
    CHECK_MOVED(&plan);
    os_client_close(marker.lake.client);
    assert_true(marker.has_marked);
    assert_int_equal(lake->result.runs, 2);
    lake_check_reads(lake, lake_pointer(lake, "a").key, "kept");
    assert_int_equal(lake_objects(lake), 1);
    lake_check_nothing_left(lake);
}

/* A gc whose call is cancelled at the end of one of its requests, as if it had been killed there. */
struct cut {
    os_cancel *cancel;
    int at;
    bool was_cut;
};

static void cut_gc(void *context, int number, const char *operation)
{
    struct cut *cut = context;
    (void)operation;
    if (number != cut->at)
        return;
    cut->was_cut = true;
    os_cancel_trigger(cut->cancel);
}

static void collect_a_part(struct lake_plan *plan, const char *key)
{
    struct cut *cut = plan->context;
    struct lake_watch watch = {.request = cut_gc, .context = cut};
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_call call = OS_CALL_INIT;
    os_error error;
    os_client *client = lake_client(plan->lake, &watch);
    (void)key;
    assert_int_equal(os_cancel_new(&cut->cancel), OS_OK);
    options.intents = plan->lake->intents;
    options.of_any_age = 1;
    options.remove = 1;
    call.cancel = cut->cancel;
    os_code code = os_txn_gc(client, &options, &call, NULL, NULL, NULL, &error);
    assert_true(code == OS_OK || code == OS_ERR_CANCELLED);
    os_client_close(client);
    os_cancel_free(cut->cancel);
}

TEST_WITH(lake, wherever_a_gc_stops_beside_a_writer_no_row_names_what_is_gone)
{
    struct cut cut = {.was_cut = true};
    int began_anew = 0;
    while (cut.was_cut) {
        struct lake_plan plan = {
            .lake = lake, .names = {"a", "b"}, .text = "kept", .meanwhile = collect_a_part, .context = &cut};
        cut.was_cut = false;
        assert_true(++cut.at < REQUESTS_MAX);
        CHECK_MOVED(&plan);
        began_anew += lake->result.runs == 2;
        lake_check_reads(lake, lake_pointer(lake, "a").key, "kept");
        lake_check_reads(lake, lake_pointer(lake, "b").key, "kept");
        (void)lake_collect(lake, 1, 1, NULL);
        assert_int_equal(lake_objects(lake), 2 * cut.at);
    }
    assert_true(began_anew > 1 && began_anew < cut.at);
}

/* ------------------------------------------------------------------------------------------------ killed */

static void kill_this(void *context, int number, const char *operation)
{
    (void)operation;
    if (number == *(const int *)context)
        (void)kill(getpid(), SIGKILL);
}

/* Runs `act` in a child that is killed at the end of its request `number`. False: it needed fewer. */
static bool kill_at(struct lake *lake, int number, void (*act)(struct lake *lake))
{
    struct lake_watch watch = {.request = kill_this, .context = &number};
    int status = 0;
    os_client_close(lake->client);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        lake->client = lake_client(lake, &watch);
        act(lake);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    lake->client = lake_client(lake, NULL);
    if (WIFEXITED(status))
        assert_int_equal(WEXITSTATUS(status), 0);
    else
        assert_int_equal(WTERMSIG(status), SIGKILL);
    return WIFSIGNALED(status);
}

static void move_both(struct lake *lake)
{
    struct lake_plan plan = {.lake = lake, .names = {"a", "b"}, .text = "whole"};
    if (lake_transact(&plan) != OS_COMMITTED)
        _exit(1);
}

static void move_in_vain(struct lake *lake)
{
    struct lake_plan plan = {.lake = lake, .names = {"a", "b"}, .text = "never", .ends_with = OS_ERR_SOURCE};
    if (lake_transact(&plan) != OS_NOT_EXECUTED)
        _exit(1);
}

/* Both or none, and after a gc nothing else. */
static void check_both(struct lake *lake, int64_t before, int64_t after)
{
    struct lake_pointer a = lake_pointer(lake, "a");
    struct lake_pointer b = lake_pointer(lake, "b");
    assert_int_equal(a.version, b.version);
    assert_true(a.version == before || a.version == after);
    if (a.version > 0) {
        lake_check_reads(lake, a.key, "whole");
        lake_check_reads(lake, b.key, "whole");
    }
    (void)lake_collect(lake, 1, 1, NULL);
    assert_int_equal(lake_objects(lake), 2 * a.version);
    lake_check_nothing_left(lake);
    if (a.version > 0) {
        lake_check_reads(lake, a.key, "whole");
        lake_check_reads(lake, b.key, "whole");
    }
}

TEST_WITH(lake, killed_at_any_request_it_leaves_both_or_none)
{
    int64_t version = 0;
    bool was_committed = false;
    bool was_lost = false;
    int number = 0;
    bool is_killed = true;
    while (is_killed) {
        assert_true(++number < REQUESTS_MAX);
        is_killed = kill_at(lake, number, move_both);
        check_both(lake, version, version + 1);
        int64_t now = lake_pointer(lake, "a").version;
        was_committed = was_committed || (is_killed && now > version);
        was_lost = was_lost || now == version;
        version = now;
    }
    print_message("%d requests\n", number - 1);
    assert_true(was_committed && was_lost && number > 8);
}

TEST_WITH(lake, killed_while_it_takes_back_it_leaves_the_rest_to_a_gc)
{
    int number = 1;
    while (kill_at(lake, number, move_in_vain)) {
        assert_true(number++ < REQUESTS_MAX);
        check_both(lake, 0, 0);
    }
    assert_int_equal(lake_objects(lake), 0);
    assert_true(number > 10);
}

static void collect_all(struct lake *lake)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    options.intents = lake->intents;
    options.remove = 1;
    if (os_txn_gc(lake->client, &options, NULL, NULL, NULL, NULL, &lake->error) != OS_OK)
        _exit(1);
}

TEST_WITH(lake, a_gc_that_is_killed_at_any_request_is_gone_on_with)
{
    int number = 1;
    bool is_killed = true;
    while (is_killed) {
        assert_true(number < REQUESTS_MAX);
        plant_intent(lake, "meta/1", "", OLD_S);
        plant_intent(lake, "meta/2", "", OLD_S);
        is_killed = kill_at(lake, number++, collect_all);
        (void)lake_collect(lake, 0, 1, NULL);
        assert_int_equal(lake_objects(lake), 0);
        assert_int_equal(lake_collect(lake, 0, 0, NULL).seen, 0);
    }
    assert_true(number > 8);
}

/* ------------------------------------------------------------------------------------------------ out of time */

/* Nothing is written any more, but what is there can be read. */
static void lock_file(struct lake_plan *plan, const char *key)
{
    struct sqlite3 **db = plan->context;
    (void)key;
    *db = scratch_lock_file(&plan->lake->scratch, "ledger.db", "BEGIN IMMEDIATE");
}

TEST_WITH(lake, what_the_deadline_left_is_not_committed_and_a_gc_removes_it)
{
    os_call call = OS_CALL_INIT;
    struct sqlite3 *db = NULL;
    struct lake_plan plan = {
        .lake = lake, .names = {"a"}, .text = "late", .meanwhile = lock_file, .context = &db, .call = &call};
    call.deadline_ms = 500;
    os_verdict verdict = lake_transact(&plan);
    scratch_unlock_file(db);
    assert_int_equal(verdict, OS_NOT_EXECUTED);
    os_txn_result_clear(&lake->result);
    assert_int_equal(lake_collect(lake, 1, 1, NULL).removed, 1);
    assert_int_equal(lake_objects(lake), 0);
    assert_int_equal(lake_pointer(lake, "a").version, 0);
}

static os_code end_as_unknown(void *context, os_txn *txn, os_error *err)
{
    struct lake_plan *plan = context;
    os_code code = lake_move(plan, txn, err);
    assert_int_equal(lake_objects(plan->lake), 2);
    txn->end_staged(txn, OS_UNKNOWN);
    return code == OS_OK ? OS_ERR_SOURCE : code;
}

/* A commit whose answer was lost, and which may be applied yet. */
TEST_WITH(lake, what_may_be_committed_yet_stays_for_a_gc)
{
    struct lake_plan plan = {.lake = lake, .names = {"a", "b"}, .text = "who knows"};
    assert_int_equal(os_transact(lake->client, NULL, end_as_unknown, &plan, NULL, NULL, &lake->error), OS_NOT_EXECUTED);
    assert_int_equal(lake->error.code, OS_ERR_SOURCE);
    assert_int_equal(lake_objects(lake), 2);
    assert_int_equal(lake_collect(lake, 1, 1, NULL).removed, 2);
    assert_int_equal(lake_objects(lake), 0);
}
