/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store beside another process (E8): who may do what while a key is locked, from its admission to the
 * rename that makes the object; and what a rename that may be done is answered with.
 */
#include "local/file_lock.h"
#include "store/store.h"
#include "unit/api/client_scratch.h"
#include "unit/loop/on_loop.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SHORT_MS = 100, LONG_MS = 60000 };

static const char nonce[] = "0123456789abcdef0123456789abcdef";

static bool rename_fails; /* when it has done its work */
static struct event *renamed;

int __real_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name)
{
    int ret = __real_renameat(from, old, to, name);
    if (renamed)
        event_set(renamed);
    if (!rename_fails)
        return ret;
    errno = EIO;
    return -1;
}

static uint64_t now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms / 1000;
}

/* ------------------------------------------------------------------------------------------------ a store */

struct side {
    struct on_loop on;
    struct store *store;
};

static void side_open(struct side *ret, const char *root)
{
    os_error err;
    on_loop_set_up(&ret->on);
    struct store_config config = {.loop = ret->on.loop, .root = root};
    assert_int_equal(local_store_new(&config, &ret->store, &err), OS_OK);
}

static void side_close(struct side *side)
{
    on_loop_settle(&side->on);
    side->store->vtable->free(side->store);
}

struct call {
    struct side *side;
    struct store_request request;
    uint64_t not_after_s; /* 0: started plainly */
    struct store_attempt *attempt;
    struct store_answer answer;
    struct event done;
};

static void take(void *context, const struct store_answer *answer)
{
    struct call *call = context;
    call->answer = *answer;
    event_set(&call->done);
}

static void start_call(void *context)
{
    struct call *call = context;
    struct store *store = call->side->store;
    struct store_sending sending = {.deadline_monotonic_ms = call->request.deadline_monotonic_ms};
    os_error err;
    if (call->not_after_s == 0) {
        assert_non_null(store->vtable->start(store, &call->request, take, call));
        return;
    }
    assert_int_equal(store->vtable->prepare(store, &call->request, call->not_after_s, 0, &call->attempt, &err), OS_OK);
    assert_non_null(store->vtable->send(store, call->attempt, &sending, take, call));
}

static void begin(struct call *call, struct side *side, const struct store_request *request, uint64_t deadline_ms,
                  uint64_t not_after_s)
{
    *call = (struct call){.side = side, .request = *request, .not_after_s = not_after_s, .done = EVENT_INIT};
    call->request.deadline_monotonic_ms = now_ms() + deadline_ms;
    on_loop_call(&side->on, start_call, call);
}

static const struct store_answer *finish(struct call *call)
{
    event_wait(&call->done);
    call->side->store->vtable->attempt_free(call->side->store, call->attempt);
    return &call->answer;
}

static struct store_answer ask(struct side *side, const struct store_request *request, uint64_t deadline_ms)
{
    struct call call;
    begin(&call, side, request, deadline_ms, 0);
    return *finish(&call);
}

static const struct store_request head = {.verb = STORE_HEAD, .key = "k"};
static const struct store_request put = {
    .verb = STORE_PUT, .key = "k", .nonce = nonce, .body = {.kind = HTTP_BODY_MEMORY, .data = "new", .length = 3}};

/* ------------------------------------------------------------------------------------------------ another process */

/* It does as it is told, and answers each word with one byte. */
enum word { LOCK_SHARED = 's', LOCK_ALONE = 'a', UNLOCK = 'u', PUT = 'p' };

struct other {
    pid_t pid;
    int words;
    int answers;
};

static os_code lock_key(struct file_locks *locks, bool alone, struct file_lock *lock)
{
    uint64_t end_ms = now_ms() + LONG_MS;
    os_error err;
    bool taken = false;
    os_code code = file_lock_try(locks, "k", alone, lock, &taken, &err);
    while (code == OS_OK && !taken && now_ms() < end_ms) {
        (void)poll(NULL, 0, 1);
        code = file_lock_try(locks, "k", alone, lock, &taken, &err);
    }
    return code == OS_OK && !taken ? OS_ERR_DEADLINE : code;
}

static os_code obey(enum word word, struct side *side, struct file_locks *locks, struct file_lock *lock)
{
    switch (word) {
    case LOCK_SHARED:
    case LOCK_ALONE: return lock_key(locks, word == LOCK_ALONE, lock);
    case UNLOCK: file_lock_drop(lock); return OS_OK;
    case PUT: {
        struct call call;
        begin(&call, side, &put, LONG_MS, now_s() + 60);
        return finish(&call)->code;
    }
    default: return OS_ERR_ARGUMENT;
    }
}

static void live(const char *root, int words, int answers)
{
    struct side side;
    struct file_locks *locks = NULL;
    struct file_lock lock;
    os_error err;
    char word = 0;
    char answer = OS_OK;
    side_open(&side, root);
    bool well = file_locks_open(root, &locks, &err) == OS_OK && write(answers, &answer, 1) == 1;
    while (well && read(words, &word, 1) == 1) {
        answer = (char)obey((enum word)word, &side, locks, &lock);
        well = write(answers, &answer, 1) == 1;
    }
    _exit(1);
}

static void tell(const struct other *other, enum word word)
{
    char byte = (char)word;
    assert_int_equal(write(other->words, &byte, 1), 1);
}

static void hear(const struct other *other)
{
    char answer = 1;
    assert_int_equal(read(other->answers, &answer, 1), 1);
    assert_int_equal(answer, OS_OK);
}

static void bid(const struct other *other, enum word word)
{
    tell(other, word);
    hear(other);
}

/* Before this process has threads. */
static void other_start(struct other *ret, const char *root)
{
    int words[2];
    int answers[2];
    assert_int_equal(pipe(words), 0);
    assert_int_equal(pipe(answers), 0);
    ret->pid = fork();
    assert_true(ret->pid >= 0);
    if (ret->pid == 0) {
        close(words[1]);
        close(answers[0]);
        live(root, words[0], answers[1]);
    }
    close(words[0]);
    close(answers[1]);
    ret->words = words[1];
    ret->answers = answers[0];
    hear(ret);
}

static void other_stop(struct other *other)
{
    assert_int_equal(kill(other->pid, SIGKILL), 0);
    assert_int_equal(waitpid(other->pid, NULL, 0), other->pid);
    close(other->words);
    close(other->answers);
}

/* ------------------------------------------------------------------------------------------------ both */

struct fixture {
    struct scratch scratch;
    struct other other;
    struct side side;
};

static void fixture_set_up(struct fixture *f)
{
    scratch_set_up(&f->scratch);
    other_start(&f->other, f->scratch.root);
    side_open(&f->side, f->scratch.root);
    rename_fails = false;
}

static void fixture_tear_down(struct fixture *f)
{
    other_stop(&f->other);
    side_close(&f->side);
    scratch_tear_down(&f->scratch);
}

static void check_code(struct store_answer answer, os_code wanted, int line)
{
    if (answer.code != wanted)
        fail_msg("line %d: %s instead of %s: %s", line, os_code_name(answer.code), os_code_name(wanted),
                 answer.error.message);
}
#define CHECK_ANSWERED(answer, wanted) check_code((answer), (wanted), __LINE__)

static void check_nothing_sent(struct store_answer answer, int line)
{
    check_code(answer, OS_ERR_DEADLINE, line);
    assert_false(answer.sent);
    assert_false(answer.complete);
}

/* ------------------------------------------------------------------------------------------------ tests */

/* An upload of "k" with one part, ready for its Complete. */
struct staged {
    struct s3_upload_id id;
    struct s3_part part;
    struct s3_part_name name;
};

static struct store_request stage(struct fixture *f, struct staged *ret)
{
    static const struct s3_content content = {.nonce = nonce};
    static const struct s3_creation creation = {.content = &content};
    struct store_request request = {.verb = STORE_CREATE_UPLOAD, .key = "k", .upload.creation = &creation};
    struct store_answer answer = ask(&f->side, &request, LONG_MS);
    CHECK_ANSWERED(answer, OS_OK);
    ret->id = answer.upload_id;
    request = (struct store_request){
        .verb = STORE_UPLOAD_PART, .key = "k", .body = put.body, .upload = {.id = ret->id.text, .part_number = 1}};
    answer = ask(&f->side, &request, LONG_MS);
    CHECK_ANSWERED(answer, OS_OK);
    ret->part = answer.part;
    ret->name = (struct s3_part_name){1, ret->part.etag, NULL};
    return (struct store_request){
        .verb = STORE_COMPLETE, .key = "k", .upload = {.id = ret->id.text, .parts = &ret->name, .part_count = 1}};
}

TEST_WITH(fixture, E8_no_write_goes_on_beside_a_lock_of_its_key_and_a_head_only_beside_a_shared_one)
{
    struct staged staged;
    struct store_request first = {
        .verb = STORE_PUT, .key = "source", .body = {.kind = HTTP_BODY_MEMORY, .data = "old", .length = 3}};
    CHECK_ANSWERED(ask(&fixture->side, &first, LONG_MS), OS_OK);
    first.key = "k";
    struct store_answer old = ask(&fixture->side, &first, LONG_MS);
    CHECK_ANSWERED(old, OS_OK);
    const struct store_request writes[] = {
        put,
        {.verb = STORE_COPY, .key = "k", .source_key = "source", .nonce = nonce},
        {.verb = STORE_DELETE, .key = "k"},
        stage(fixture, &staged),
    };
    bid(&fixture->other, LOCK_SHARED);
    CHECK_ANSWERED(ask(&fixture->side, &head, LONG_MS), OS_OK);
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
        check_nothing_sent(ask(&fixture->side, &writes[i], SHORT_MS), __LINE__);
    bid(&fixture->other, UNLOCK);
    bid(&fixture->other, LOCK_ALONE);
    check_nothing_sent(ask(&fixture->side, &head, SHORT_MS), __LINE__);
    for (size_t i = 0; i < sizeof(writes) / sizeof(writes[0]); i++)
        check_nothing_sent(ask(&fixture->side, &writes[i], SHORT_MS), __LINE__);
    bid(&fixture->other, UNLOCK);
    struct store_answer now = ask(&fixture->side, &head, LONG_MS);
    CHECK_ANSWERED(now, OS_OK);
    assert_string_equal(now.object.nonce, "");
    assert_string_equal(now.object.etag, old.object.etag);
}

TEST_WITH(fixture, a_put_and_a_copy_say_what_they_replace)
{
    static const char replaced[] = "fedcba9876543210fedcba9876543210";
    struct store_request write = put;
    write.replaced = replaced;
    CHECK_ANSWERED(ask(&fixture->side, &write, LONG_MS), OS_OK);
    struct store_answer seen = ask(&fixture->side, &head, LONG_MS);
    assert_string_equal(seen.object.nonce, nonce);
    assert_string_equal(seen.object.replaced, replaced);
    const struct store_request copies[] = {
        {.verb = STORE_COPY, .key = "k", .source_key = "k", .nonce = replaced, .replaced = nonce},
        {.verb = STORE_COPY, .key = "k", .source_key = "k", .nonce = nonce},
    };
    for (size_t i = 0; i < sizeof(copies) / sizeof(copies[0]); i++) {
        CHECK_ANSWERED(ask(&fixture->side, &copies[i], LONG_MS), OS_OK);
        seen = ask(&fixture->side, &head, LONG_MS);
        assert_string_equal(seen.object.nonce, copies[i].nonce);
        assert_string_equal(seen.object.replaced, i == 0 ? nonce : "");
    }
}

/* Otherwise a write that waited is applied although all others count it as dead. */
TEST_WITH(fixture, E8_a_write_is_admitted_by_the_time_at_which_it_got_its_lock)
{
    struct call call;
    bid(&fixture->other, LOCK_ALONE);
    uint64_t not_after_s = now_s() + 1;
    begin(&call, &fixture->side, &put, LONG_MS, not_after_s);
    while (now_s() <= not_after_s) /* what is waited for is the time */
        (void)poll(NULL, 0, 20);
    bid(&fixture->other, UNLOCK);
    struct store_answer late = *finish(&call);
    CHECK_ANSWERED(late, OS_ERR_DENIED);
    assert_int_equal(late.status, 403);
    assert_true(late.date_s > not_after_s);
    CHECK_ANSWERED(ask(&fixture->side, &head, LONG_MS), OS_ERR_NOT_FOUND);
}

static sqlite3 *keep_writers_from_the_index(const struct scratch *scratch)
{
    char file[160];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/objects.db", scratch->root);
    assert_int_equal(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "BEGIN IMMEDIATE", NULL, NULL, NULL), SQLITE_OK);
    return db;
}

/* The temporary file is made behind the admission, and the index is written before the rename. */
TEST_WITH(fixture, E8_a_write_holds_its_lock_from_its_admission_to_its_rename)
{
    sqlite3 *db = keep_writers_from_the_index(&fixture->scratch);
    tell(&fixture->other, PUT);
    char path[160];
    snprintf(path, sizeof(path), "%s/.oscommit/tmp", fixture->scratch.root);
    assert_true(folder_gets_a_file(path));
    check_nothing_sent(ask(&fixture->side, &head, SHORT_MS), __LINE__);
    check_nothing_sent(ask(&fixture->side, &put, SHORT_MS), __LINE__);
    assert_int_equal(sqlite3_close(db), SQLITE_OK); /* rolls back */
    hear(&fixture->other);
    struct store_answer seen = ask(&fixture->side, &head, LONG_MS);
    CHECK_ANSWERED(seen, OS_OK);
    assert_string_equal(seen.object.nonce, nonce);
}

/* R10: an answer of 4xx would be definite. */
TEST_WITH(fixture, R10_what_may_be_done_all_the_same_is_answered_with_a_500)
{
    rename_fails = true;
    struct store_answer answer = ask(&fixture->side, &put, LONG_MS);
    rename_fails = false;
    CHECK_ANSWERED(answer, OS_ERR_UNDECIDED);
    assert_int_equal(answer.status, 500);
    assert_true(answer.sent && answer.complete);
    struct store_answer seen = ask(&fixture->side, &head, LONG_MS);
    assert_string_equal(seen.object.nonce, nonce);
}

struct borrowing {
    struct side *side;
    char *key; /* in a page of its own: nobody reads it when that is gone */
    size_t page_size;
    struct event inside;
};

static void cancel_a_write_that_has_its_lock(void *context)
{
    struct borrowing *borrowing = context;
    struct store *store = borrowing->side->store;
    struct store_request request = put;
    request.key = borrowing->key;
    request.deadline_monotonic_ms = now_ms() + LONG_MS;
    struct store_op *op = store->vtable->start(store, &request, take, NULL);
    assert_non_null(op);
    event_wait(&borrowing->inside);
    store->vtable->cancel(store, op);
    assert_int_equal(munmap(borrowing->key, borrowing->page_size), 0);
}

/* Its job comes to the loop only when whoever cancelled it has freed what he had lent. */
TEST_WITH(fixture, a_cancelled_write_reads_nothing_that_it_borrowed)
{
    struct borrowing borrowing = {
        .side = &fixture->side, .page_size = (size_t)sysconf(_SC_PAGESIZE), .inside = EVENT_INIT};
    borrowing.key = mmap(NULL, borrowing.page_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(borrowing.key != MAP_FAILED);
    memcpy(borrowing.key, "k", 2);
    renamed = &borrowing.inside;
    on_loop_call(&fixture->side.on, cancel_a_write_that_has_its_lock, &borrowing);
    renamed = NULL;
    CHECK_ANSWERED(ask(&fixture->side, &head, LONG_MS), OS_OK); /* that job is done */
}
