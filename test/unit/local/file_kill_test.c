/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SIGKILL at any instant: at random ones, many times, and at every single system call of a put, a copy and a delete.
 * After each, every object must be one version, whole, with its own ETag, nonce and headers; and the store must go on
 * as if nothing had been.
 */
#include "local/file_store.h"

#include "file_state.h"
#include "local/file_internal.h"
#include "local/file_staging.h"
#include "local/file_upload.h"

#include <signal.h>
#include <sys/ptrace.h>
#include <time.h>

/* A traced child stops before and behind each system call: behind one is before the next, so every second is enough. */
enum { KILLS = 150, LONGEST_LIFE_US = 15000, TRACED_STOPS_MAX = 4000, STOPS_OF_A_CALL = 2 };

static const char *const keys[] = {"k0", "k1", "d/e/k2", "d/e/k3", "d/k4", "new/folder/k", "source"};
enum { KEYS = sizeof(keys) / sizeof(keys[0]), KEYS_AT_RANDOM = 5 };

static unsigned next_random(unsigned *seed)
{
    *seed = *seed * 1664525u + 1013904223u;
    return *seed >> 8;
}

/* ------------------------------------------------------------------------------------------------ random instants */

/* The second digit of a nonce is the number of its key, so that a nonce that strayed to another key would be seen. */
static void live(const char *root, unsigned seed, int ready)
{
    struct file_store *store = NULL;
    if (file_store_open(root, &store, NULL) != OS_OK || write(ready, "r", 1) != 1)
        _exit(1);
    for (unsigned i = 0;; i++) {
        unsigned key = next_random(&seed) % KEYS_AT_RANDOM;
        unsigned deed = next_random(&seed) % 8;
        os_code code = OS_OK;
        if (deed < 5) {
            char nonce[33];
            (void)snprintf(nonce, sizeof(nonce), "p%u%014x%016x", key, i, next_random(&seed));
            code = put_telling(store, keys[key], nonce, NULL);
        } else if (deed < 7) {
            struct file_object object;
            char nonce[33];
            code = file_store_head(store, keys[key], &object, NULL);
            if (code == OS_OK && object.nonce[0] == 'p') {
                (void)snprintf(nonce, sizeof(nonce), "c%.31s", object.nonce + 1);
                code = file_store_copy(
                    store,
                    &(struct file_copy_request){
                        .source_key = keys[key], .source_etag = object.etag, .key = keys[key], .nonce = nonce},
                    &object, NULL);
            }
        } else {
            code = file_store_delete(store, keys[key], NULL);
        }
        if (code != OS_OK && code != OS_ERR_NOT_FOUND)
            _exit(2);
    }
}

/* A child opens no store where its parent had one open when it was forked. */
static void close_store(struct state *state)
{
    file_store_close(state->store);
    state->store = NULL;
}

static void open_store_again(struct state *state)
{
    CHECK_OK(file_store_open(state->root, &state->store, &error));
}

static void check_all(struct state *state)
{
    for (size_t i = 0; i < KEYS_AT_RANDOM; i++) {
        struct file_object object;
        assert_string_equal(telling_check(state->store, keys[i], &error), "");
        if (file_store_head(state->store, keys[i], &object, &error) == OS_OK)
            assert_int_equal(object.nonce[1] - '0', i);
    }
}

static void check_nothing_is_left(struct state *state)
{
    char tmp[1024];
    (void)snprintf(tmp, sizeof(tmp), "%s/.oscommit/tmp", state->root);
    for (size_t i = 0; i < KEYS; i++)
        CHECK_OK(file_store_delete(state->store, keys[i], &error));
    assert_int_equal(entries_of(state->root), 1); /* .oscommit alone: no folder either */
    while (entries_of(tmp) > 0) {
        size_t before = entries_of(tmp);
        file_temp_sweep(&state->store->place, (int64_t)time(NULL) + FILE_TEMP_AGE_S + 2);
        assert_true(entries_of(tmp) < before);
    }
    for (size_t i = 0; i < KEYS; i++) {
        struct file_stale stale;
        do { /* what the deletes had to leave, because a temporary file was still there */
            file_stale_find(&state->store->place, keys[i], &stale);
            file_stale_remove(&state->store->place, keys[i], &stale);
        } while (stale.count > 0);
        assert_int_equal(rows(state, keys[i]), 0);
    }
}

TEST_WITH(state, killed_at_random_every_object_stays_whole)
{
    unsigned seed = (unsigned)time(NULL);
    print_message("seed %u\n", seed);
    for (int i = 0; i < KILLS; i++) {
        int ready[2];
        char byte;
        assert_int_equal(pipe(ready), 0);
        close_store(state);
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0)
            live(state->root, seed + (unsigned)i, ready[1]);
        close(ready[1]);
        assert_int_equal(read(ready[0], &byte, 1), 1);
        close(ready[0]);
        struct timespec life = {.tv_nsec = (long)(next_random(&seed) % LONGEST_LIFE_US) * 1000};
        nanosleep(&life, NULL); /* the random instant itself */
        assert_int_equal(kill(child, SIGKILL), 0);
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status)); /* it had not ended by itself, with a failure */
        open_store_again(state);
        check_all(state);
    }
    check_nothing_is_left(state);
}

/* ------------------------------------------------------------------------------------------- every system call */

static const char old_nonce[] = "p000000000000000000000000000000a";
static const char new_nonce[] = "p000000000000000000000000000000c"; /* of the same length of body */
static const char copied_nonce[] = "c000000000000000000000000000000c";

enum deed { PUT_NEW, PUT_OVER, COPY_OVER, DELETE_ONE, INIT, COMPLETE };

static const char *target_of(enum deed deed)
{
    return deed == PUT_OVER ? "k0" : "new/folder/k";
}

/* The upload that the deed COMPLETE completes; made anew before each. Its bytes are those of an object of its own,
 * whose ETag they have not: a note in place of telling_check. */
static char upload_id[FILE_ID_SIZE];
static char upload_etag[MD5_ETAG_SIZE];

static void begin_upload(struct state *state)
{
    struct file_content content = {.content_type = new_nonce, .nonce = new_nonce};
    struct file_part part;
    struct file_part_place place = {upload_id, 1, 0};
    char data[TELLING_MAX];
    struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = data, .length = telling_body(new_nonce, data)};
    CHECK_OK(file_upload_create(state->store, "k0", &content, upload_id, &error));
    CHECK_OK(file_upload_part(state->store, "k0", &place, &body, &part, &error));
    memcpy(upload_etag, part.etag, sizeof(upload_etag));
}

static os_code complete_upload(struct file_store *store)
{
    struct file_part_name name = {1, upload_etag};
    struct file_object object;
    struct file_completion *completion = NULL;
    os_code code = file_upload_check(store, "k0", upload_id, &name, 1, &completion, NULL);
    if (code == OS_OK) {
        code = file_upload_complete(completion, &object, NULL);
        file_completion_free(completion);
    }
    return code;
}

static os_code act(struct state *state, struct file_store *store, enum deed deed)
{
    struct file_object object;
    switch (deed) {
    case PUT_NEW:
    case PUT_OVER: return put_telling(store, target_of(deed), new_nonce, NULL);
    case COPY_OVER:
        return file_store_copy(
            store, &(struct file_copy_request){.source_key = "source", .key = target_of(deed), .nonce = copied_nonce},
            &object, NULL);
    case DELETE_ONE: return file_store_delete(store, target_of(deed), NULL);
    case INIT: return file_store_init(below(state->apart, "fresh"), NULL);
    case COMPLETE: return complete_upload(store);
    }
    return OS_ERR_ARGUMENT;
}

enum killed { KILLED, ENDED, NOT_TRACED };

/* Runs the deed in a child and kills it at its stop number `stop`. */
static enum killed kill_at(struct state *state, enum deed deed, int stop)
{
    int status = 0;
    close_store(state);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct file_store *store = NULL;
        if (file_store_open(state->root, &store, NULL) != OS_OK)
            _exit(1);
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            _exit(3);
        (void)raise(SIGSTOP);
        _exit(act(state, store, deed) == OS_OK ? 0 : 2);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    for (int i = 0; i < stop && WIFSTOPPED(status); i++) {
        assert_int_equal(ptrace(PTRACE_SYSCALL, child, NULL, NULL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    bool ended = WIFEXITED(status);
    if (!ended) {
        assert_int_equal(kill(child, SIGKILL), 0);
        assert_int_equal(waitpid(child, &status, 0), child);
    }
    open_store_again(state);
    assert_true(!ended || WEXITSTATUS(status) == 0 || WEXITSTATUS(status) == 3);
    return !ended ? KILLED : WEXITSTATUS(status) == 3 ? NOT_TRACED : ENDED;
}

/* "" for an absent object. */
static void nonce_at(struct state *state, const char *key, char *ret)
{
    struct file_object object;
    assert_string_equal(telling_check(state->store, key, &error), "");
    os_code code = file_store_head(state->store, key, &object, &error);
    assert_true(code == OS_OK || code == OS_ERR_NOT_FOUND);
    (void)snprintf(ret, FILE_NONCE_SIZE, "%s", code == OS_OK ? object.nonce : "");
}

static void kill_everywhere(struct state *state, enum deed deed)
{
    const char *target = target_of(deed);
    const char *before = deed == PUT_NEW ? "" : old_nonce;
    const char *after = deed == COPY_OVER ? copied_nonce : deed == DELETE_ONE ? "" : new_nonce;
    int seen_before = 0;
    int seen_after = 0;
    for (int stop = 0; stop < TRACED_STOPS_MAX; stop += STOPS_OF_A_CALL) {
        char nonce[FILE_NONCE_SIZE];
        CHECK_OK(deed == PUT_NEW ? file_store_delete(state->store, target, &error)
                                 : put_telling(state->store, target, old_nonce, &error));
        enum killed killed = kill_at(state, deed, stop);
        if (killed == NOT_TRACED) {
            print_message("SKIPPED: no child can be traced here\n");
            skip();
        }
        nonce_at(state, target, nonce);
        if (strcmp(nonce, before) == 0) {
            seen_before++;
            assert_int_equal(killed, KILLED);
        } else {
            seen_after++;
            assert_string_equal(nonce, after);
        }
        if (killed == ENDED) {
            print_message("killed at %d stops, %d before the change\n", stop, seen_before);
            break;
        }
    }
    assert_true(seen_before > 2 && seen_after > 2);
}

TEST_WITH(state, a_new_put_killed_at_any_system_call_is_whole_or_absent)
{
    kill_everywhere(state, PUT_NEW);
    check_nothing_is_left(state);
}

TEST_WITH(state, a_put_killed_at_any_system_call_leaves_the_old_or_the_new_object)
{
    kill_everywhere(state, PUT_OVER);
    check_nothing_is_left(state);
}

TEST_WITH(state, a_copy_killed_at_any_system_call_leaves_the_old_or_the_new_object)
{
    CHECK_OK(put_telling(state->store, "source", new_nonce, &error));
    kill_everywhere(state, COPY_OVER);
    assert_string_equal(telling_check(state->store, "source", &error), "");
    check_nothing_is_left(state);
}

TEST_WITH(state, a_delete_killed_at_any_system_call_leaves_the_old_object_or_none)
{
    kill_everywhere(state, DELETE_ONE);
    check_nothing_is_left(state);
}

/* R14: an upload that is open proves that its Complete was not applied; so it is open exactly as long as the old object
 * stands. */
TEST_WITH(state, a_completion_killed_at_any_system_call_has_either_the_upload_or_its_object)
{
    enum killed killed = KILLED;
    int before = 0;
    int after = 0;
    for (int stop = 0; killed == KILLED && stop < TRACED_STOPS_MAX; stop += STOPS_OF_A_CALL) {
        struct file_object object;
        CHECK_OK(put_telling(state->store, "k0", old_nonce, &error));
        begin_upload(state);
        killed = kill_at(state, COMPLETE, stop);
        if (killed == NOT_TRACED) {
            print_message("SKIPPED: no child can be traced here\n");
            skip();
        }
        CHECK_OK(file_store_head(state->store, "k0", &object, &error));
        bool open = file_upload_abort(state->store, "k0", upload_id, &error) == OS_OK;
        assert_string_equal(object.nonce, open ? old_nonce : new_nonce);
        if (!open) {
            assert_string_equal(object.content_type, new_nonce);
            assert_string_equal(object.etag + 33, "-1\"");
        }
        before += open;
        after += !open;
    }
    print_message("%d stops before the rename, %d behind it\n", before, after);
    assert_true(before > 2 && after > 2 && killed == ENDED);
    staging_sweep(&state->store->place, (int64_t)time(NULL) + FILE_TEMP_AGE_S + 2);
    assert_int_equal(entries_of(below(state->root, ".oscommit/uploads")), 0);
    check_nothing_is_left(state);
}

TEST_WITH(state, an_init_killed_at_any_system_call_can_be_run_again)
{
    enum killed killed = KILLED;
    for (int stop = 0; killed == KILLED; stop += STOPS_OF_A_CALL) {
        char *fresh = strdup(below(state->apart, "fresh"));
        struct file_store *store = NULL;
        assert_non_null(fresh);
        killed = kill_at(state, INIT, stop);
        if (killed == NOT_TRACED) {
            print_message("SKIPPED: no child can be traced here\n");
            skip();
        }
        CHECK_OK(file_store_init(fresh, &error));
        CHECK_OK(file_store_open(fresh, &store, &error));
        CHECK_OK(put_telling(store, "k", new_nonce, &error));
        file_store_close(store);
        scratch_remove(fresh);
    }
}
