/* SPDX-License-Identifier: Apache-2.0 */
/* What waits for others in the embedded store, for the lock of a key, a busy database, or who takes and gives bytes,
 * does not keep anything else from being prompt. */
#include "local/file_lock.h"
#include "support/event.h"
#include "unit/api/client_scratch.h"

#include <fcntl.h>
#include <pthread.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    FEW = 20,
    MANY = 64,
    WRITES = 5,
    SOON_MS = 30000,   /* well before the deadline, until which they would wait otherwise */
    PROMPT_MS = 60000, /* for all of a crowd */
    DEADLINE_MS = 90000,
    OBJECT_BYTES = 256 << 10 /* more than a FIFO takes */
};

/* Calls of one kind, each on a thread of its own. */
struct crowd {
    const struct scratch *scratch;
    os_client *client;
    os_cancel *cancel;
    void (*call)(struct crowd *crowd, const os_call *call, os_error *ret);
    uint64_t deadline_ms;
    os_code wanted;      /* of each call */
    struct event *until; /* what a callback waits for */
    size_t size;
    atomic_uint number;
    struct event begun;
    struct event inside; /* in callbacks */
    atomic_uint ended;
    atomic_uint otherwise; /* ended with something else than what was wanted */
    pthread_t threads[MANY];
};

static void *take_part(void *argument)
{
    struct crowd *crowd = argument;
    os_call call = OS_CALL_INIT;
    os_error error = {.code = OS_OK};
    call.cancel = crowd->cancel;
    call.deadline_ms = crowd->deadline_ms;
    event_set(&crowd->begun);
    crowd->call(crowd, &call, &error);
    if (error.code != crowd->wanted && atomic_fetch_add(&crowd->otherwise, 1) == 0)
        print_message("%s: %s\n", os_code_name(error.code), error.message);
    atomic_fetch_add(&crowd->ended, 1);
    return NULL;
}

static void start_crowd(struct crowd *crowd, const struct scratch *scratch, size_t size)
{
    crowd->scratch = scratch;
    crowd->begun = (struct event)EVENT_INIT;
    crowd->inside = (struct event)EVENT_INIT;
    crowd->size = size;
    crowd->deadline_ms = crowd->deadline_ms ? crowd->deadline_ms : 10 * DEADLINE_MS;
    crowd->client = crowd->client ? crowd->client : scratch_client(scratch, NULL);
    assert_int_equal(os_cancel_new(&crowd->cancel), OS_OK);
    for (size_t i = 0; i < size; i++)
        assert_int_equal(pthread_create(&crowd->threads[i], NULL, take_part, crowd), 0);
    assert_true(event_reaches(&crowd->begun, (unsigned)size));
}

static void end_crowd(struct crowd *crowd)
{
    uint64_t start_ms = now_ms();
    for (size_t i = 0; i < crowd->size; i++)
        pthread_join(crowd->threads[i], NULL);
    assert_in_range(now_ms() - start_ms, 0, PROMPT_MS);
    assert_int_equal(atomic_load(&crowd->otherwise), 0);
    os_client_close(crowd->client);
    os_cancel_free(crowd->cancel);
}

static void check_puts_are_prompt(struct crowd *crowd)
{
    static int number; /* the record of a create stays */
    for (int end = number + WRITES; number < end; number++) {
        os_error error;
        os_call call = OS_CALL_INIT;
        os_body body = OS_BODY_MEMORY("new", 3);
        char key[32];
        snprintf(key, sizeof(key), "absent-%d", number);
        assert_int_not_equal(file_lock_number(key), file_lock_number("locked"));
        call.deadline_ms = DEADLINE_MS;
        uint64_t start_ms = now_ms();
        os_verdict verdict = os_put_if_absent(crowd->client, key, &body, NULL, &call, NULL, &error);
        if (verdict != OS_COMMITTED)
            fail_msg("write %d: %s: %s", number, os_verdict_name(verdict), error.message);
        assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    }
    assert_int_equal(atomic_load(&crowd->ended), 0);
}

/* ---------------------------------------------------------------------------------------- the lock of a key */

/* Another process that keeps the lock of "locked". */
struct holder {
    pid_t child;
    int end;
};

static void hold(const char *root, int told, int end)
{
    struct file_locks *locks = NULL;
    struct file_lock lock;
    bool taken = false;
    char byte;
    if (file_locks_open(root, &locks, NULL) != OS_OK ||
        file_lock_try(locks, "locked", true, &lock, &taken, NULL) != OS_OK || !taken)
        _exit(1);
    (void)!write(told, "x", 1);
    (void)!read(end, &byte, 1); /* until the other end is closed */
    _exit(0);
}

static struct holder start_holder(const struct scratch *scratch)
{
    int told[2];
    int end[2];
    char byte = 0;
    assert_int_equal(pipe2(told, O_CLOEXEC), 0);
    assert_int_equal(pipe2(end, O_CLOEXEC), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(end[1]);
        hold(scratch->root, told[1], end[0]);
    }
    close(told[1]);
    close(end[0]);
    assert_int_equal(read(told[0], &byte, 1), 1);
    close(told[0]);
    return (struct holder){.child = child, .end = end[1]};
}

static void end_holder(struct holder *holder)
{
    int status = -1;
    close(holder->end);
    assert_int_equal(waitpid(holder->child, &status, 0), holder->child);
    assert_int_equal(status, 0);
}

static void head_locked(struct crowd *crowd, const os_call *call, os_error *ret)
{
    os_object object = OS_OBJECT_INIT;
    (void)os_head(crowd->client, "locked", call, &object, ret);
}

static void put_locked(struct crowd *crowd, const os_call *call, os_error *ret)
{
    os_body body = OS_BODY_MEMORY("new", 3);
    (void)os_put(crowd->client, "locked", &body, NULL, call, NULL, ret);
}

static void check_lock(const struct scratch *scratch, size_t size, os_code wanted,
                       void (*call)(struct crowd *crowd, const os_call *call, os_error *ret))
{
    struct crowd crowd = {.call = call, .wanted = wanted};
    struct holder holder = start_holder(scratch);
    start_crowd(&crowd, scratch, size);
    check_puts_are_prompt(&crowd);
    end_holder(&holder);
    end_crowd(&crowd);
}

TEST_WITH(scratch, heads_of_a_locked_key_keep_no_other_write_waiting)
{
    check_lock(scratch, FEW, OS_ERR_NOT_FOUND, head_locked);
    check_lock(scratch, MANY, OS_ERR_NOT_FOUND, head_locked);
}

TEST_WITH(scratch, nor_do_writes_of_it)
{
    check_lock(scratch, FEW, OS_OK, put_locked);
    check_lock(scratch, MANY, OS_OK, put_locked);
}

TEST_WITH(scratch, all_who_wait_for_a_lock_end_at_their_deadlines)
{
    struct crowd crowd = {.call = head_locked, .wanted = OS_ERR_DEADLINE, .deadline_ms = 500};
    struct holder holder = start_holder(scratch);
    uint64_t start_ms = now_ms();
    start_crowd(&crowd, scratch, MANY);
    end_crowd(&crowd);
    assert_in_range(now_ms() - start_ms, 500, SOON_MS);
    end_holder(&holder);
}

TEST_WITH(scratch, all_who_wait_for_a_lock_end_when_they_are_cancelled)
{
    struct crowd crowd = {.call = head_locked, .wanted = OS_ERR_CANCELLED};
    struct holder holder = start_holder(scratch);
    start_crowd(&crowd, scratch, MANY);
    check_puts_are_prompt(&crowd);
    uint64_t start_ms = now_ms();
    os_cancel_trigger(crowd.cancel);
    end_crowd(&crowd);
    assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    end_holder(&holder);
}

TEST_WITH(scratch, a_client_closes_while_its_calls_wait_for_a_lock)
{
    struct crowd crowd = {.call = head_locked, .wanted = OS_ERR_CANCELLED};
    struct holder holder = start_holder(scratch);
    start_crowd(&crowd, scratch, MANY);
    check_puts_are_prompt(&crowd);
    uint64_t start_ms = now_ms();
    os_client_close(crowd.client);
    crowd.client = NULL;
    end_crowd(&crowd);
    assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    end_holder(&holder);
}

/* ------------------------------------------------------------------------------------------- the databases */

static void create_another(struct crowd *crowd, const os_call *call, os_error *ret)
{
    char key[32];
    os_body body = OS_BODY_MEMORY("new", 3);
    snprintf(key, sizeof(key), "other-%u", atomic_fetch_add(&crowd->number, 1));
    if (os_put_if_absent(crowd->client, key, &body, NULL, call, NULL, ret) == OS_COMMITTED)
        ret->code = OS_OK;
}

static int count_record(void *context, const os_record *record)
{
    (void)record;
    ++*(int *)context;
    return 0;
}

TEST_WITH(scratch, writes_that_wait_for_the_ledger_keep_nobody_else_waiting)
{
    struct crowd crowd = {.call = create_another, .wanted = OS_OK};
    os_call call = OS_CALL_INIT;
    os_error error;
    int count = 0;
    crowd.client = scratch_client(scratch, NULL);
    CHECK_CODE(os_table_list(crowd.client, NULL, &call, count_record, &count, &error), OS_OK, &error);
    sqlite3 *db = scratch_lock_file(scratch, "ledger.db", SCRATCH_AGAINST_WRITERS);
    start_crowd(&crowd, scratch, MANY);
    uint64_t start_ms = now_ms();
    for (int i = 0; i < WRITES; i++) {
        os_body body = OS_BODY_MEMORY("new", 3);
        CHECK_CODE(os_put(crowd.client, "plain", &body, NULL, &call, NULL, &error), OS_OK, &error);
        CHECK_CODE(os_table_list(crowd.client, NULL, &call, count_record, &count, &error), OS_OK, &error);
    }
    assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    assert_int_equal(count, 0);
    assert_int_equal(atomic_load(&crowd.ended), 0);
    scratch_unlock_file(db);
    end_crowd(&crowd);
}

TEST_WITH(scratch, writes_that_wait_for_the_index_keep_no_reader_waiting)
{
    struct crowd crowd = {.call = put_locked, .wanted = OS_OK};
    os_call call = OS_CALL_INIT;
    os_object object = OS_OBJECT_INIT;
    os_body body = OS_BODY_MEMORY("old", 3);
    os_error error;
    crowd.client = scratch_client(scratch, NULL);
    CHECK_CODE(os_put(crowd.client, "there", &body, NULL, &call, NULL, &error), OS_OK, &error);
    sqlite3 *db = scratch_lock_file(scratch, "objects.db", SCRATCH_AGAINST_WRITERS);
    start_crowd(&crowd, scratch, MANY);
    uint64_t start_ms = now_ms();
    for (int i = 0; i < WRITES; i++)
        CHECK_CODE(os_head(crowd.client, "there", &call, &object, &error), OS_OK, &error);
    assert_in_range(now_ms() - start_ms, 0, SOON_MS);
    assert_int_equal(atomic_load(&crowd.ended), 0);
    scratch_unlock_file(db);
    end_crowd(&crowd);
}

/* ------------------------------------------------------------------------------- who gives or takes slowly */

static void wait_for_end_of(struct crowd *crowd)
{
    event_set(&crowd->inside);
    event_reaches(crowd->until, 1);
}

static int take_slowly(void *context, const void *data, size_t length)
{
    (void)data;
    (void)length;
    wait_for_end_of(context);
    return 0;
}

static void get_slowly(struct crowd *crowd, const os_call *call, os_error *ret)
{
    os_sink sink = OS_SINK_INIT;
    sink.write = take_slowly;
    sink.write_context = crowd;
    (void)os_get(crowd->client, "large", &sink, call, NULL, ret);
}

static void note_slowly(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    (void)done_bytes;
    (void)total_bytes;
    wait_for_end_of(context);
}

static void put_slowly(struct crowd *crowd, const os_call *call, os_error *ret)
{
    char key[32];
    os_body body = OS_BODY_MEMORY("new", 3);
    os_call slow = *call;
    slow.progress = note_slowly;
    slow.progress_context = crowd;
    snprintf(key, sizeof(key), "slow-%u", atomic_fetch_add(&crowd->number, 1));
    (void)os_put(crowd->client, key, &body, NULL, &slow, NULL, ret);
}

static os_client *client_with_large_object(const struct scratch *scratch)
{
    os_error error;
    os_client *client = scratch_client(scratch, NULL);
    char *bytes = calloc(1, OBJECT_BYTES);
    assert_non_null(bytes);
    os_body body = OS_BODY_MEMORY(bytes, OBJECT_BYTES);
    CHECK_CODE(os_put(client, "large", &body, NULL, NULL, NULL, &error), OS_OK, &error);
    free(bytes);
    return client;
}

static void check_slow(const struct scratch *scratch, size_t size,
                       void (*call)(struct crowd *crowd, const os_call *call, os_error *ret))
{
    struct event over = EVENT_INIT;
    struct crowd crowd = {.call = call, .wanted = OS_OK, .until = &over};
    crowd.client = client_with_large_object(scratch);
    start_crowd(&crowd, scratch, size);
    assert_true(event_reaches(&crowd.inside, 16)); /* as many as ever are */
    check_puts_are_prompt(&crowd);
    event_set(&over);
    end_crowd(&crowd);
}

TEST_WITH(scratch, slow_downloads_from_files_leave_room_for_guarded_writes)
{
    check_slow(scratch, MANY, get_slowly);
}

TEST_WITH(scratch, slow_callbacks_of_uploads_leave_room_for_guarded_writes)
{
    check_slow(scratch, MANY, put_slowly);
}

static void get_into_fifo(struct crowd *crowd, const os_call *call, os_error *ret)
{
    os_sink sink = OS_SINK_INIT;
    char path[160];
    snprintf(path, sizeof(path), "%s/fifo", crowd->scratch->folder);
    sink.file = path;
    (void)os_get(crowd->client, "large", &sink, call, NULL, ret);
}

TEST_WITH(scratch, nobody_who_reads_a_fifo_keeps_no_guarded_write_waiting)
{
    struct crowd crowd = {.call = get_into_fifo, .wanted = OS_ERR_CANCELLED};
    char path[160];
    snprintf(path, sizeof(path), "%s/fifo", scratch->folder);
    assert_int_equal(mkfifo(path, 0600), 0);
    int reader = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
    assert_true(reader >= 0);
    crowd.client = client_with_large_object(scratch);
    start_crowd(&crowd, scratch, MANY);
    check_puts_are_prompt(&crowd);
    uint64_t start_ms = now_ms();
    os_cancel_trigger(crowd.cancel);
    end_crowd(&crowd);
    assert_in_range(now_ms() - start_ms, 0, PROMPT_MS);
    close(reader);
}

enum { HANG_S = 280 }; /* what hangs ends the program */

int main(int argc, char **argv)
{
    (void)alarm(HANG_S);
    return test_main(argc, argv);
}
