/* SPDX-License-Identifier: Apache-2.0 */
/* A program that forks without exec while a key is locked: its child holds copies of the descriptors for as long as it
 * lives, and keeps nobody out. */
#include "local/file_lock.h"

#include "base/clock.h"
#include "scratch.h"
#include "support/event.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>

enum { SHORT_MS = 300, LONG_MS = 60000 };

struct state {
    char *root;
    struct file_locks *locks;
};

static os_error error;

static void state_set_up(struct state *state)
{
    state->root = scratch_make();
    CHECK_OK(file_store_init(state->root, &error));
    CHECK_OK(file_locks_open(state->root, &state->locks, &error));
}

static void state_tear_down(struct state *state)
{
    file_locks_close(state->locks);
    scratch_remove(state->root);
}

static uint64_t in_ms(uint64_t wait_ms)
{
    struct clock_reading now;
    clock_read(&now);
    return now.monotonic_ms + wait_ms;
}

/* A child that was forked here and now, and lives on. It says so first. */
static pid_t bystander(pid_t (*fork_it)(void))
{
    int told[2];
    char byte = 0;
    assert_int_equal(pipe(told), 0);
    pid_t child = fork_it();
    assert_true(child >= 0);
    if (child == 0) {
        (void)!write(told[1], "x", 1);
        for (;;)
            (void)pause();
    }
    assert_int_equal(read(told[0], &byte, 1), 1);
    close(told[0]);
    close(told[1]);
    return child;
}

static void end_bystander(pid_t child)
{
    int status = 0;
    assert_int_equal(kill(child, SIGKILL), 0);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

static os_code take_within(const struct state *state, const char *key, bool exclusive, uint64_t wait_ms,
                           struct file_lock *ret, os_error *err)
{
    uint64_t end_ms = in_ms(wait_ms);
    bool taken = false;
    os_code code = file_lock_try(state->locks, key, exclusive, ret, &taken, err);
    while (code == OS_OK && !taken && in_ms(0) < end_ms) {
        struct timespec nap = {.tv_nsec = 100000}; /* nothing tells that another process lets a lock go */
        (void)nanosleep(&nap, NULL);
        code = file_lock_try(state->locks, key, exclusive, ret, &taken, err);
    }
    return code == OS_OK && !taken ? file_lock_late(key, err) : code;
}

static os_code take(const struct state *state, const char *key, bool exclusive, struct file_lock *ret)
{
    error.code = OS_OK;
    return take_within(state, key, exclusive, LONG_MS, ret, &error);
}

static os_code take_soon(const struct state *state, const char *key, struct file_lock *ret)
{
    error.code = OS_OK;
    return take_within(state, key, true, SHORT_MS, ret, &error);
}

static void check_free_beside_a_child(struct state *state, bool exclusive, pid_t (*fork_it)(void))
{
    struct file_lock lock;
    CHECK_OK(take(state, "k", exclusive, &lock));
    pid_t child = bystander(fork_it);
    file_lock_drop(&lock);
    os_code code = take(state, "k", true, &lock);
    end_bystander(child);
    CHECK_OK(code);
    file_lock_drop(&lock);
}

TEST_WITH(state, a_child_forked_during_a_write_does_not_keep_its_key_locked)
{
    check_free_beside_a_child(state, true, fork);
    check_free_beside_a_child(state, true, fork_silently);
}

TEST_WITH(state, a_child_forked_during_a_head_does_not_keep_its_key_locked)
{
    check_free_beside_a_child(state, false, fork);
    check_free_beside_a_child(state, false, fork_silently);
}

TEST_WITH(state, a_child_that_ends_does_not_end_its_parents_lock)
{
    struct file_lock lock;
    struct file_lock second;
    CHECK_OK(take(state, "k", true, &lock));
    end_bystander(bystander(fork));
    CHECK_IS(take_soon(state, "k", &second), OS_ERR_DEADLINE);
    file_lock_drop(&lock);
}

TEST_WITH(state, a_child_forked_during_a_part_does_not_keep_its_bytes_locked)
{
    const char *file = below(state->root, "part");
    write_plain(file, "bytes");
    int fd = open(file, O_RDWR | O_CLOEXEC);
    int other = open(file, O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0 && other >= 0);
    CHECK_OK(file_lock_range(fd, 0, 5, "k", in_ms(LONG_MS), NULL, &error));
    pid_t child = bystander(fork);
    file_lock_range_drop(fd);
    os_code code = file_lock_range(other, 0, 5, "k", in_ms(LONG_MS), NULL, &error);
    end_bystander(child);
    CHECK_OK(code);
    close(fd);
    close(other);
}

/* ---------------------------------------------------------------------------------------------------- an orphan */

static void tell_and_rest(int told)
{
    pid_t self = getpid();
    (void)!write(told, &self, sizeof(self));
    for (;;)
        (void)pause();
}

static int fork_in_open = -1; /* told by the child that is forked when the lock file is open and not locked yet */

int __real_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...);
int __wrap_openat(int fd, const char *path, int flags, ...)
{
    int got = __real_openat(fd, path, flags, 0600);
    int told = fork_in_open;
    fork_in_open = -1;
    if (told >= 0 && fork() == 0)
        tell_and_rest(told);
    return got;
}

/* In a process of its own: takes the lock, has a child that was forked then or earlier, and waits for its end. */
static void hold_and_fork(const struct state *state, int told, bool early)
{
    struct file_lock lock;
    os_error own = {.code = OS_OK};
    fork_in_open = early ? told : -1;
    if (take_within(state, "k", true, 60000, &lock, &own) != OS_OK)
        _exit(1);
    if (!early && fork() == 0)
        tell_and_rest(told);
    (void)!write(told, &(pid_t){0}, sizeof(pid_t)); /* it is locked */
    for (;;)
        (void)pause();
}

static pid_t read_told(int told)
{
    pid_t ret = -1;
    assert_int_equal(read(told, &ret, sizeof(ret)), sizeof(ret));
    return ret;
}

static void check_free_beside_an_orphan(struct state *state, bool early)
{
    int told[2];
    struct file_lock lock;
    int status = 0;
    assert_int_equal(pipe(told), 0);
    pid_t parent = fork();
    assert_true(parent >= 0);
    if (parent == 0)
        hold_and_fork(state, told[1], early);
    pid_t one = read_told(told[0]);
    pid_t other = read_told(told[0]);
    pid_t orphan = one != 0 ? one : other;
    assert_true(orphan > 0 && (one == 0 || other == 0));
    CHECK_IS(take_soon(state, "k", &lock), OS_ERR_DEADLINE);
    assert_int_equal(kill(parent, SIGKILL), 0);
    assert_int_equal(waitpid(parent, &status, 0), parent);
    os_code code = take(state, "k", true, &lock);
    assert_int_equal(kill(orphan, SIGKILL), 0);
    close(told[0]);
    close(told[1]);
    CHECK_OK(code);
    file_lock_drop(&lock);
}

TEST_WITH(state, a_child_that_outlives_its_killed_parent_does_not_keep_the_key_locked)
{
    check_free_beside_an_orphan(state, false);
}

TEST_WITH(state, nor_does_one_that_was_forked_between_the_opening_and_the_locking)
{
    check_free_beside_an_orphan(state, true);
}

/* -------------------------------------------------------------------------------------------------- many of them */

/* Threads that take and drop while others fork: no child may carry a copy of a lock that is taken later. */
struct taker {
    const struct state *state;
    const char *key;
    atomic_bool stop;
    struct event taken;
    os_code code;
};

static void *take_and_drop(void *argument)
{
    struct taker *taker = argument;
    os_error own = {.code = OS_OK};
    while (!atomic_load(&taker->stop) && taker->code == OS_OK) {
        struct file_lock lock;
        taker->code = take_within(taker->state, taker->key, true, 60000, &lock, &own);
        if (taker->code == OS_OK) {
            file_lock_drop(&lock);
            event_set(&taker->taken);
        }
    }
    return NULL;
}

TEST_WITH(state, no_child_forked_at_any_instant_keeps_a_key_locked)
{
    enum { CHILDREN = 60 };
    struct taker taker = {.state = state, .key = "k", .taken = EVENT_INIT};
    pthread_t thread;
    pid_t children[CHILDREN];
    struct file_lock lock;
    assert_int_equal(pthread_create(&thread, NULL, take_and_drop, &taker), 0);
    for (size_t i = 0; i < CHILDREN; i++) {
        unsigned before = event_count(&taker.taken);
        children[i] = bystander(fork);
        assert_true(event_reaches(&taker.taken, before + 3)); /* the lock goes on changing hands beside the child */
    }
    atomic_store(&taker.stop, true);
    pthread_join(thread, NULL);
    os_code code = take(state, "k", true, &lock);
    for (size_t i = 0; i < CHILDREN; i++)
        end_bystander(children[i]);
    assert_int_equal(taker.code, OS_OK);
    CHECK_OK(code);
    file_lock_drop(&lock);
}

/* As root leaves it, which has used the store of somebody else once. */
TEST_WITH(state, a_folder_of_somebody_else_is_denied_and_says_what_to_do)
{
    struct file_locks *locks = NULL;
    uid_t self = geteuid();
    assert_int_equal(chmod(state->root, 0711), 0);
    assert_int_equal(chmod(below(state->root, ".oscommit"), 0711), 0);
    assert_int_equal(chmod(below(state->root, ".oscommit/locks"), self == 0 ? 0700 : 0), 0);
    assert_int_equal(self == 0 ? seteuid(54321) : 0, 0);
    os_code code = file_locks_open(state->root, &locks, &error);
    assert_int_equal(seteuid(self), 0);
    assert_int_equal(chmod(below(state->root, ".oscommit/locks"), 0700), 0);
    CHECK_IS(code, OS_ERR_DENIED);
    assert_non_null(strstr(error.message, "chown"));
    assert_null(locks);
}

TEST_WITH(state, a_lock_of_somebody_else_is_denied_and_says_what_to_do)
{
    struct file_lock lock;
    uid_t self = geteuid();
    CHECK_OK(take(state, "k", true, &lock));
    char path[64];
    char target[1024] = "";
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", lock.file.fd);
    assert_true(readlink(path, target, sizeof(target) - 1) > 0);
    file_lock_drop(&lock);
    assert_int_equal(chmod(target, self == 0 ? 0600 : 0), 0);
    assert_int_equal(self == 0 ? chmod(below(state->root, ".oscommit/locks"), 0777) : 0, 0);
    assert_int_equal(self == 0 ? seteuid(54321) : 0, 0);
    os_code code = take(state, "k", true, &lock);
    assert_int_equal(seteuid(self), 0);
    CHECK_IS(code, OS_ERR_DENIED);
    assert_non_null(strstr(error.message, "chown"));
}
