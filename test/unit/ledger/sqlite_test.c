/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded ledger while another program keeps its database locked: who waits for it is answered at his time, or
 * when it is let go, and keeps nobody else waiting. */
#include "ledger/ledger.h"
#include "unit/api/client_scratch.h"
#include "unit/loop/on_loop.h"

#include "base/clock.h"

#include <sqlite3.h>
#include <stdio.h>

enum { CROWD = 64, PATIENT = 8, SOON_MS = 60000, FAR_MS = 120000 };

struct asking {
    struct on_ledger *on;
    char path[32];
    struct record record;
    struct record_condition condition;
    struct ledger_request request;
    struct ledger_op *op;
    enum ledger_outcome outcome;
    os_error error;
    uint64_t took_ms;
    int done;
};

struct on_ledger {
    struct on_loop on;
    struct table *ledger;
    sqlite3 *locked;
    struct asking crowd[CROWD];
    struct asking reader;
    uint64_t start_ms;
    int done_count;
    int wanted_count; /* of the crowd */
    struct event all; /* so many are done */
    struct event read;
};

static void note_done(void *context, const struct ledger_answer *answer)
{
    struct asking *asking = context;
    struct on_ledger *on = asking->on;
    asking->op = NULL;
    asking->outcome = answer->outcome;
    asking->error = answer->error;
    asking->took_ms = now_ms() - on->start_ms;
    asking->done++;
    if (asking == &on->reader)
        event_set(&on->read);
    else if (++on->done_count == on->wanted_count)
        event_set(&on->all);
}

static void execute(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

static void prepare(struct on_ledger *on, struct asking *asking, size_t number, uint64_t try_ms)
{
    *asking = (struct asking){.on = on};
    snprintf(asking->path, sizeof(asking->path), "path-%zu", number);
    memset(&asking->record, 0, sizeof(asking->record));
    asking->record.generation = 1;
    asking->record.timeout_ms = 1000;
    asking->record.ttl_s = UINT64_C(4000000000);
    asking->condition.kind = RECORD_IF_ABSENT;
    asking->request = (struct ledger_request){.verb = LEDGER_PUT,
                                              .path = asking->path,
                                              .etag = RECORD_ETAG_CREATE,
                                              .record = &asking->record,
                                              .condition = &asking->condition,
                                              .deadline_monotonic_ms = UINT64_MAX,
                                              .try_ms = try_ms};
}

static void ask(struct asking *asking)
{
    struct table *ledger = asking->on->ledger;
    asking->op = ledger_start(ledger, &asking->request, note_done, asking);
    assert_non_null(asking->op);
}

static void ask_all(void *context)
{
    struct on_ledger *on = context;
    on->start_ms = now_ms();
    for (size_t i = 0; i < CROWD; i++)
        ask(&on->crowd[i]);
}

static void ask_reader(void *context)
{
    ask(&((struct on_ledger *)context)->reader);
}

static void cancel_all(void *context)
{
    struct on_ledger *on = context;
    for (size_t i = 0; i < CROWD; i++)
        if (on->crowd[i].op)
            ledger_cancel(on->crowd[i].op);
}

/* A ledger that was opened, and then locked against writers. */
static struct on_ledger *ledger_setup(const struct scratch *scratch, uint64_t try_ms)
{
    char file[160];
    os_error error;
    struct on_ledger *on = calloc(1, sizeof(*on));
    assert_non_null(on);
    on_loop_set_up(&on->on);
    on->wanted_count = CROWD;
    on->all = (struct event)EVENT_INIT;
    on->read = (struct event)EVENT_INIT;
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    struct table_config config = {.loop = on->on.loop, .name = file};
    assert_int_equal(sqlite_table_new(&config, &on->ledger, &error), OS_OK);
    for (size_t i = 0; i < CROWD; i++)
        prepare(on, &on->crowd[i], i, try_ms);
    prepare(on, &on->reader, 0, FAR_MS);
    on->reader.request.verb = LEDGER_GET;
    assert_int_equal(sqlite3_open_v2(file, &on->locked, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    execute(on->locked, "BEGIN IMMEDIATE");
    return on;
}

static void ledger_teardown(struct on_ledger *on)
{
    if (on->locked) {
        execute(on->locked, "ROLLBACK");
        assert_int_equal(sqlite3_close(on->locked), SQLITE_OK);
    }
    on_loop_settle(&on->on);
    on->ledger->vtable->free(on->ledger);
    free(on);
}

/* Also behind those who can wait for longer. */
TEST_WITH(scratch, all_who_wait_are_told_at_their_time_that_it_is_busy)
{
    struct on_ledger *on = ledger_setup(scratch, 400);
    for (size_t i = 0; i < PATIENT; i++)
        on->crowd[i].request.try_ms = FAR_MS;
    on->wanted_count = CROWD - PATIENT;
    on_loop_call(&on->on, ask_all, on);
    event_wait(&on->all);
    for (size_t i = PATIENT; i < CROWD; i++) {
        assert_int_equal(on->crowd[i].outcome, LEDGER_THROTTLED);
        assert_int_equal(on->crowd[i].error.code, OS_ERR_THROTTLED);
        assert_in_range(on->crowd[i].took_ms, 300, SOON_MS);
    }
    on_loop_call(&on->on, cancel_all, on);
    ledger_teardown(on);
}

TEST_WITH(scratch, all_who_wait_go_through_when_it_is_let_go_and_who_reads_does_not_wait)
{
    struct on_ledger *on = ledger_setup(scratch, FAR_MS);
    on_loop_call(&on->on, ask_all, on);
    for (int i = 0; i < 5; i++) {
        uint64_t start_ms = now_ms();
        on_loop_call(&on->on, ask_reader, on);
        event_wait(&on->read);
        assert_in_range(now_ms() - start_ms, 0, SOON_MS);
        assert_int_equal(on->reader.outcome, LEDGER_OK);
    }
    assert_int_equal(on->done_count, 0);
    execute(on->locked, "ROLLBACK");
    assert_int_equal(sqlite3_close(on->locked), SQLITE_OK);
    on->locked = NULL;
    event_wait(&on->all);
    for (size_t i = 0; i < CROWD; i++) {
        assert_int_equal(on->crowd[i].outcome, LEDGER_OK);
        assert_int_equal(on->crowd[i].done, 1);
    }
    ledger_teardown(on);
}

/* A program that has the file for itself keeps others also from opening it: it is busy, and not unfit. */
TEST_WITH(scratch, a_ledger_that_cannot_be_opened_yet_puts_off)
{
    struct on_ledger *on = ledger_setup(scratch, FAR_MS);
    execute(on->locked, "ROLLBACK; PRAGMA locking_mode = EXCLUSIVE; BEGIN EXCLUSIVE");
    on->reader.request.try_ms = 150;
    on_loop_call(&on->on, ask_reader, on);
    event_wait(&on->read);
    assert_int_equal(on->reader.outcome, LEDGER_THROTTLED);
    assert_int_equal(on->reader.error.code, OS_ERR_THROTTLED);
    ledger_teardown(on);
}

TEST_WITH(scratch, who_is_cancelled_while_he_waits_is_never_told)
{
    struct on_ledger *on = ledger_setup(scratch, FAR_MS);
    on_loop_call(&on->on, ask_all, on);
    on_loop_call(&on->on, ask_reader, on);
    event_wait(&on->read); /* some of the crowd wait with a worker, some without, some for one */
    uint64_t start_ms = now_ms();
    on_loop_call(&on->on, cancel_all, on);
    assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    ledger_teardown(on);
}
