/* SPDX-License-Identifier: Apache-2.0 */
/* Many processes and threads at once, on few keys. What each reader sees must be one version, whole, with its own ETag,
 * nonce and headers. */
#include "local/file_store.h"

#include "local/file_internal.h"
#include "scratch.h"

#include <pthread.h>

enum { PROCESSES = 8, PUTS = 200, THREADS = 6, ROUNDS = 100 };

struct state {
    char *root;
};

static os_error error;

static void state_set_up(struct state *state)
{
    state->root = scratch_make();
    CHECK_OK(file_store_init(state->root, &error));
}

static void state_tear_down(struct state *state)
{
    scratch_remove(state->root);
}

static void name_version(char *ret, int who, int what)
{
    (void)snprintf(ret, 33, "p%03d%028x", who, (unsigned)what * 2654435761u);
}

/* In a child: no assertion may run there, so a fault is printed and becomes the exit status. */
static int complain(const char *fault, int line)
{
    (void)fprintf(stderr, "child, line %d: %s\n", line, fault);
    return 1;
}

static int put_and_look(const char *root, const char *key, int process)
{
    struct file_store *store = NULL;
    os_error child_error = {.code = OS_OK};
    if (file_store_open(root, &store, &child_error) != OS_OK)
        return complain(child_error.message, __LINE__);
    for (int i = 0; i < PUTS; i++) {
        char nonce[33];
        name_version(nonce, process, i);
        if (put_telling(store, key, nonce, &child_error) != OS_OK)
            return complain(child_error.message, __LINE__);
        const char *fault = telling_check(store, key, &child_error);
        if (fault[0] != '\0')
            return complain(fault, __LINE__);
    }
    file_store_close(store);
    return 0;
}

/* Creates and deletes below one folder, so that the folder comes and goes under the others' feet. */
static int put_and_delete(const char *root, const char *key, int process)
{
    struct file_store *store = NULL;
    os_error child_error = {.code = OS_OK};
    char own[64];
    (void)snprintf(own, sizeof(own), "%s/%d/deep/er", key, process % 3);
    if (file_store_open(root, &store, &child_error) != OS_OK)
        return complain(child_error.message, __LINE__);
    for (int i = 0; i < ROUNDS; i++) {
        char nonce[33];
        name_version(nonce, process, i);
        if (put_telling(store, own, nonce, &child_error) != OS_OK)
            return complain(child_error.message, __LINE__);
        const char *fault = telling_check(store, own, &child_error);
        if (fault[0] != '\0')
            return complain(fault, __LINE__);
        if (file_store_delete(store, own, &child_error) != OS_OK)
            return complain(child_error.message, __LINE__);
    }
    file_store_close(store);
    return 0;
}

static void run_all(const char *root, int (*role)(const char *root, const char *key, int process))
{
    pid_t children[PROCESSES];
    for (int i = 0; i < PROCESSES; i++) {
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0)
            _exit(role(root, "k", i));
    }
    for (int i = 0; i < PROCESSES; i++)
        join(children[i]);
}

static bool count_row(void *context, const struct file_row *row)
{
    (void)row;
    ++*(size_t *)context;
    return true;
}

TEST_WITH(state, eight_processes_putting_one_key_leave_one_whole_object)
{
    struct file_store *store = NULL;
    size_t rows = 0;
    run_all(state->root, put_and_look);
    CHECK_OK(file_store_open(state->root, &store, &error));
    assert_string_equal(telling_check(store, "k", &error), "");
    assert_true(exists(below(state->root, "k")));
    assert_int_equal(entries_of(below(state->root, ".oscommit/tmp")), 0);
    assert_int_equal(entries_of(state->root), 2);
    /* Rows that were left because the index was busy go with a later, undisturbed write: 64 at a time. */
    for (int i = 0; i < 40; i++)
        CHECK_OK(put_telling(store, "k", "z0000000000000000000000000000000", &error));
    CHECK_OK(file_index_rows(&store->place.index, "k", count_row, &rows, &error));
    assert_int_equal(rows, 1);
    file_store_close(store);
}

TEST_WITH(state, folders_may_come_and_go_under_eight_processes)
{
    run_all(state->root, put_and_delete);
    assert_int_equal(entries_of(below(state->root, ".oscommit/tmp")), 0);
    assert_int_equal(entries_of(state->root), 1);
}

/* ----------------------------------------------------------------------------------------------------- threads */

struct worker {
    struct file_store *store;
    int number;
    const char *fault;
    os_error error;
};

static void *work(void *context)
{
    struct worker *worker = context;
    for (int i = 0; i < ROUNDS && worker->fault[0] == '\0'; i++) {
        char nonce[33];
        struct file_object object;
        name_version(nonce, worker->number, i);
        if (put_telling(worker->store, "k", nonce, &worker->error) != OS_OK) {
            worker->fault = worker->error.message;
            break;
        }
        worker->fault = telling_check(worker->store, "k", &worker->error);
        if (worker->fault[0] == '\0' && file_store_head(worker->store, "k", &object, &worker->error) == OS_OK &&
            object.nonce[0] != 'c') {
            char copied[33];
            (void)snprintf(copied, sizeof(copied), "c%.31s", object.nonce + 1);
            os_code code =
                file_store_copy(worker->store,
                                &(struct file_copy_request){
                                    .source_key = "k", .source_etag = object.etag, .key = "copy", .nonce = copied},
                                &object, &worker->error);
            if (code != OS_OK && code != OS_ERR_SOURCE)
                worker->fault = worker->error.message;
            else
                worker->fault = telling_check(worker->store, "copy", &worker->error);
        }
    }
    return NULL;
}

TEST_WITH(state, threads_may_share_an_open_store)
{
    struct file_store *store = NULL;
    pthread_t threads[THREADS];
    static struct worker workers[THREADS];
    CHECK_OK(file_store_open(state->root, &store, &error));
    for (int i = 0; i < THREADS; i++) {
        workers[i] = (struct worker){.store = store, .number = i, .fault = ""};
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        assert_int_equal(pthread_join(threads[i], NULL), 0);
        assert_string_equal(workers[i].fault, "");
    }
    assert_int_equal(entries_of(below(state->root, ".oscommit/tmp")), 0);
    file_store_close(store);
}
