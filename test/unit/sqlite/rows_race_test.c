/* SPDX-License-Identifier: Apache-2.0 */
/* Several at once: processes and threads, pages beside writers, a full disk, a busy file. */
#include "rows_state.h"

#include <pthread.h>
#include <stdatomic.h>

#define SEEN_BY_LIBRARIES __attribute__((visibility("default")))
#define COUNTER           "{'p':{'S':'counter'},'s':{'N':'0'}}"
#define MIRROR            "{'p':{'S':'mirror'},'s':{'N':'0'}}"

enum { PROCESSES = 2, ROUNDS = 100, KEYS = 60, MOVED = 100 };

static const char *text_of_n(json_t *item)
{
    static char text[64];
    const char *n = json_string_value(value_inside(json_object_get(item, "n")));
    (void)snprintf(text, sizeof(text), "%s", n != NULL ? n : "none");
    json_decref(item);
    return text;
}

typedef int (*child_fn)(struct state *state, int process); /* 0 to 254; 255: it failed */

/* Processes that begin at once; gives the sum of what they give. Nothing may be open before a fork (fork.h). */
static size_t run_processes(struct state *state, child_fn child)
{
    pid_t children[PROCESSES];
    int borrow[2];
    size_t sum = 0;
    sqlite_rows_close(state->rows);
    assert_int_equal(pipe(borrow), 0);
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            char byte;
            close(borrow[1]);
            bool begins =
                read(borrow[0], &byte, 1) == 0 && sqlite_rows_open(state->file, NULL, &state->rows, &error) == OS_OK;
            _exit(begins ? child(state, i) : 255);
        }
    }
    close(borrow[0]);
    close(borrow[1]);
    for (int i = 0; i < PROCESSES; i++) {
        int status = 0;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_true(WIFEXITED(status));
        assert_int_not_equal(WEXITSTATUS(status), 255);
        sum += (size_t)WEXITSTATUS(status);
    }
    CHECK_OK(sqlite_rows_open(state->file, NULL, &state->rows, &error));
    return sum;
}

static int count_up(struct state *state, int process)
{
    (void)process;
    for (int i = 0; i < ROUNDS; i++) {
        enum table_outcome outcome = WRITE_ALL(
            state, {.kind = ROWS_UPDATE, .item = COUNTER, .path = "n", .change = CHANGE_ADD, .value = "{'N':'1'}"},
            {.kind = ROWS_UPDATE, .item = MIRROR, .path = "n", .change = CHANGE_ADD, .value = "{'N':'-1'}"});
        if (outcome != TABLE_OK)
            return 255;
    }
    return 0;
}

TEST_WITH(state, no_update_of_two_processes_is_lost)
{
    char wanted[16];
    (void)run_processes(state, count_up);
    (void)snprintf(wanted, sizeof(wanted), "%d", PROCESSES * ROUNDS);
    assert_string_equal(text_of_n(get_item(state, &things_table, COUNTER)), wanted);
    (void)snprintf(wanted, sizeof(wanted), "-%d", PROCESSES * ROUNDS);
    assert_string_equal(text_of_n(get_item(state, &things_table, MIRROR)), wanted);
}

static int put_if_absent(struct state *state, int process)
{
    int won = 0;
    for (int key = 0; key < KEYS; key++) {
        char item[128];
        (void)snprintf(item, sizeof(item), "{'p':{'S':'k'},'s':{'N':'%d'},'by':{'N':'%d'}}", key, process);
        enum table_outcome outcome =
            WRITE_ALL(state, {.kind = ROWS_PUT, .item = item, .if_path = "p", .if_test = CONDITION_IS_ABSENT});
        if (outcome != TABLE_OK && outcome != TABLE_CONFLICT)
            return 255;
        won += outcome == TABLE_OK;
    }
    return won;
}

TEST_WITH(state, one_of_two_processes_makes_an_item_that_is_absent)
{
    assert_int_equal(run_processes(state, put_if_absent), KEYS);
}

/* The tables of SQLite are made by whoever is first. */
static int make_table(struct state *state, int process)
{
    (void)process;
    return sqlite_rows_create(state->rows, "things", &things, patient(), &error) == OS_OK ? 1 : 255;
}

TEST_WITH(state, two_processes_may_make_the_same_table)
{
    for (int round = 0; round < 10; round++) {
        (void)snprintf(state->file, sizeof(state->file), "%.900s/shared-%d.db", state->folder, round);
        CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
        assert_int_equal(run_processes(state, make_table), PROCESSES);
        put_item(state, COUNTER);
    }
}

/* ---------------------------------------------------------------------------------------------- pages beside writers */

struct mover {
    struct state state;
    _Atomic bool stops;
    size_t moves;
    os_error error;
};

/* Moves items between the two values of the index, all of MOVED at once: at any instant all of them are in one. */
static void *move_to_and_fro(void *context)
{
    struct mover *mover = context;
    struct rows_write writes[MOVED];
    struct rows_answer answers[MOVED];
    char token[ROWS_TOKEN_MAX + 1];
    while (!atomic_load(&mover->stops)) {
        for (size_t i = 0; i < MOVED; i++) {
            char number[16];
            (void)snprintf(number, sizeof(number), "%zu", i);
            writes[i] = (struct rows_write){.kind = ROWS_PUT,
                                            .table = &things_table,
                                            .item = json_pack("{s{ss}s{ss}s{ss}}", "p", "S", "moved", "s", "N", number,
                                                              "g", "S", mover->moves % 2 == 0 ? "H" : "G")};
        }
        const struct rows_transaction transaction = {.writes = writes, .count = MOVED, .token = new_token(token)};
        enum table_outcome outcome =
            sqlite_rows_transact(mover->state.rows, &transaction, patient(), NOW_S, answers, &mover->error);
        rows_answers_free(answers, MOVED);
        for (size_t i = 0; i < MOVED; i++)
            json_decref((json_t *)writes[i].item);
        if (outcome != TABLE_OK)
            return mover;
        mover->moves++;
    }
    return NULL;
}

/* Both move together. */
static void check_both_alike(struct state *state)
{
    struct rows_items found;
    json_t *keys[] = {case_json("{'p':{'S':'moved'},'s':{'N':'0'}}"), case_json("{'p':{'S':'moved'},'s':{'N':'99'}}")};
    const struct rows_get gets[] = {{.of = {&things_table, keys[0]}}, {.of = {&things_table, keys[1]}}};
    CHECK_OUTCOME(sqlite_rows_get(state->rows, gets, 2, patient(), &found, &error), TABLE_OK);
    assert_true(json_equal(json_object_get(found.items[0], "g"), json_object_get(found.items[1], "g")) ||
                (found.items[0] == NULL && found.items[1] == NULL));
    rows_items_free(&found);
    for (size_t i = 0; i < 2; i++)
        json_decref(keys[i]);
}

static size_t page_size(struct state *state, const json_t *g)
{
    struct rows_page page;
    const struct rows_list query = {.table = &things_table, ALL_G, .partition = g};
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    size_t size = json_array_size(page.items);
    rows_page_free(&page);
    return size;
}

TEST_WITH(state, a_page_and_a_get_are_of_one_instant)
{
    struct mover mover = {.stops = false};
    pthread_t thread;
    void *failed = NULL;
    json_t *g = case_json("{'S':'G'}");
    size_t seen_all = 0;
    size_t seen_none = 0;
    mover.state = *state;
    assert_int_equal(pthread_create(&thread, NULL, move_to_and_fro, &mover), 0);
    while (seen_all < 5 || seen_none < 5) {
        size_t size = page_size(state, g);
        assert_true(size == 0 || size == MOVED);
        for (int i = 0; i < 20; i++)
            check_both_alike(state);
        seen_all += size == MOVED;
        seen_none += size == 0;
    }
    atomic_store(&mover.stops, true);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    json_decref(g);
}

/* What stays is seen exactly once, whatever comes and goes around it between the pages. */
TEST_WITH(state, pages_beside_writers_miss_nothing_that_stays)
{
    enum { STAYING = 30 };
    struct mover mover = {.stops = false};
    pthread_t thread;
    void *failed = NULL;
    struct case_path path;
    json_t *stays = case_json("{'S':'yes'}");
    const struct condition_term term = {.path = *case_path("stays", &path), .test = CONDITION_EQUALS, .value = stays};
    const struct condition filter = {&term, 1};
    for (int i = 0; i < STAYING; i++) {
        char item[128];
        (void)snprintf(item, sizeof(item), "{'p':{'S':'moved'},'s':{'N':'%d.5'},'stays':{'S':'yes'}}", i);
        put_item(state, item);
    }
    mover.state = *state;
    assert_int_equal(pthread_create(&thread, NULL, move_to_and_fro, &mover), 0);
    for (int round = 0; round < 5; round++)
        assert_int_equal(count_all(state, (struct rows_list){.filter = filter, .limit = 7}), STAYING);
    atomic_store(&mover.stops, true);
    assert_int_equal(pthread_join(thread, &failed), 0);
    assert_null(failed);
    json_decref(stays);
}

/* ------------------------------------------------------------------------------------------------------ what fails */

TEST_WITH(state, a_busy_file_is_throttled_and_nothing_is_written)
{
    sqlite3 *other = NULL;
    json_t *item = case_json(COUNTER);
    const struct rows_write write = {.kind = ROWS_PUT, .table = &things_table, .item = item};
    json_t *before = NULL;
    assert_int_equal(sqlite3_open(state->file, &other), SQLITE_OK);
    assert_int_equal(sqlite3_exec(other, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    CHECK_OUTCOME(sqlite_rows_write(state->rows, &write, sqlite_patience_ms(20), NOW_S, &before, &error),
                  TABLE_THROTTLED);
    assert_int_equal(error.code, OS_ERR_THROTTLED);
    assert_null(before);
    CHECK_ITEM(get_item(state, &things_table, COUNTER), NULL);
    assert_int_equal(sqlite3_close(other), SQLITE_OK);
    CHECK_OUTCOME(sqlite_rows_write(state->rows, &write, patient(), NOW_S, &before, &error), TABLE_OK);
    json_decref(item);
}

static _Atomic bool flush_fails;

static bool may_flush(void)
{
    errno = EIO;
    return !atomic_load(&flush_fails);
}

/* In front of libc, for SQLite too. */
SEEN_BY_LIBRARIES int fsync(int fd)
{
    return may_flush() ? (int)syscall(SYS_fsync, fd) : -1;
}

SEEN_BY_LIBRARIES int fdatasync(int fd)
{
    return may_flush() ? (int)syscall(SYS_fdatasync, fd) : -1;
}

/* It may be in the log, for the next process to find. The token lets who asks again find out. */
TEST_WITH(state, a_commit_that_cannot_be_flushed_is_ambiguous_and_its_token_decides)
{
    struct rows_answer answer;
    const struct asked up = {
        .kind = ROWS_UPDATE, .item = COUNTER, .path = "n", .change = CHANGE_ADD, .value = "{'N':'1'}"};
    CHECK_OUTCOME(transact_at(state, &up, 1, "first", NOW_S, &answer), TABLE_OK);
    atomic_store(&flush_fails, true);
    enum table_outcome outcome = transact_at(state, &up, 1, "second", NOW_S, &answer);
    atomic_store(&flush_fails, false);
    CHECK_OUTCOME(outcome, TABLE_AMBIGUOUS);
    assert_int_equal(error.code, OS_ERR_IO);
    assert_int_equal(answer.verdict, 0);
    CHECK_OUTCOME(transact_at(state, &up, 1, "second", NOW_S, &answer), TABLE_OK);
    assert_string_equal(text_of_n(get_item(state, &things_table, COUNTER)), "2");
}

/* A transaction that does not fit is no part of the file. */
static void fill_until_full(struct state *state)
{
    char item[20064];
    char text[20001];
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    enum table_outcome outcome = TABLE_OK;
    int count = 0;
    for (; outcome == TABLE_OK && count < 1000; count++) {
        char second[128];
        (void)snprintf(item, sizeof(item), "{'p':{'S':'full'},'s':{'N':'%d'},'v':{'S':'%s'}}", count, text);
        (void)snprintf(second, sizeof(second), "{'p':{'S':'pair'},'s':{'N':'%d'}}", count);
        outcome = WRITE_ALL(state, {.kind = ROWS_PUT, .item = second}, {.kind = ROWS_PUT, .item = item});
    }
    assert_true(count > 2);
    CHECK_OUTCOME(outcome, TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_NO_SPACE);
    assert_non_null(strstr(error.message, "no space left"));
    json_t *full = case_json("{'S':'full'}");
    json_t *pair = case_json("{'S':'pair'}");
    assert_int_equal(count_all(state, (struct rows_list){.partition = full}), count - 1);
    assert_int_equal(count_all(state, (struct rows_list){.partition = pair}), count - 1);
    json_decref(full);
    json_decref(pair);
}

TEST_WITH(state, a_full_disk_is_said_so_and_leaves_whole_transactions)
{
    char folder[700];
    (void)snprintf(folder, sizeof(folder), "%s", below(state->folder, "small"));
    assert_int_equal(mkdir(folder, 0700), 0);
    if (!mount_small(folder, "size=700k"))
        skip();
    sqlite_rows_close(state->rows);
    state->rows = NULL;
    (void)snprintf(state->file, sizeof(state->file), "%s/ledger.db", folder);
    CHECK_OK(sqlite_tables_create(state->file, NULL, &error));
    CHECK_OK(sqlite_rows_open(state->file, NULL, &state->rows, &error));
    CHECK_OK(sqlite_rows_create(state->rows, "things", &things, patient(), &error));
    fill_until_full(state);
    sqlite_rows_close(state->rows);
    state->rows = NULL;
    assert_int_equal(umount(folder), 0);
}
