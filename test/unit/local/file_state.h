/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of one subject share, split over several programs. */
#ifndef OSCOMMIT_TEST_UNIT_LOCAL_FILE_STATE_H
#define OSCOMMIT_TEST_UNIT_LOCAL_FILE_STATE_H

#include "base/clock.h"
#include "local/file_internal.h"
#include "local/file_store.h"
#include "scratch.h"
#include "unit/sqlite/records.h"
#include <signal.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <time.h>

static const char nonce_a[] = "a0000000000000000000000000000000";
static const char nonce_b[] = "b0000000000000000000000000000000";

/* By the clock that the store reads. time() has one of its own, which is some milliseconds behind. */
MAYBE_UNUSED static int64_t now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000);
}

struct state {
    char *root;
    char *apart; /* a folder outside of the store */
    struct file_store *store;
};

static os_error error;

static inline void state_set_up(struct state *state)
{
    state->root = scratch_make();
    state->apart = scratch_make();
    CHECK_OK(file_store_init(state->root, &error));
    CHECK_OK(file_store_open(state->root, &state->store, &error));
}

static inline void state_tear_down(struct state *state)
{
    file_store_close(state->store);
    scratch_remove(state->root);
    scratch_remove(state->apart);
}

static inline struct http_body memory_body(const void *data, size_t len)
{
    return (struct http_body){.kind = HTTP_BODY_MEMORY, .data = data, .length = len};
}

static inline os_code put_text(struct state *state, const char *key, const char *text, const char *nonce,
                               struct file_object *ret)
{
    struct file_object object;
    struct http_body body = memory_body(text, strlen(text));
    struct file_content content = {.nonce = nonce};
    os_code code = file_store_put(state->store, key, &body, &content, &object, &error);
    if (code == OS_OK && ret != NULL)
        *ret = object;
    return code;
}

static inline void check_head(struct state *state, const char *key, const char *text, const char *nonce)
{
    struct file_object object;
    char etag[MD5_ETAG_SIZE];
    CHECK_OK(file_store_head(state->store, key, &object, &error));
    etag_of(text, strlen(text), etag);
    assert_string_equal(object.etag, etag);
    assert_string_equal(object.nonce, nonce);
    assert_int_equal(object.length, strlen(text));
    struct gathered gathered = {.len = 0};
    CHECK_OK(file_store_get(state->store, key, NULL, gather, &gathered, &object, &error));
    assert_string_equal(gathered.data, text);
    assert_string_equal(object.etag, etag);
    assert_string_equal(object.nonce, nonce);
}

static inline void check_absent(struct state *state, const char *key)
{
    struct file_object object;
    CHECK_IS(file_store_head(state->store, key, &object, &error), OS_ERR_NOT_FOUND);
}

static inline size_t temps(struct state *state)
{
    return entries_of(below(state->root, ".oscommit/tmp"));
}

static inline bool count_row(void *context, const struct file_row *row)
{
    (void)row;
    ++*(size_t *)context;
    return true;
}

static inline size_t rows(struct state *state, const char *key)
{
    size_t count = 0;
    error = (os_error){.code = OS_OK};
    CHECK_OK(file_index_rows(&state->store->place.index, key, count_row, &count, &error));
    return count;
}

/* Lets a file look as if it had been left alone for a while. Its ctime stays young. */
static inline void set_mtime(const char *path, int64_t seconds, long ns)
{
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, {.tv_sec = seconds, .tv_nsec = ns}};
    assert_int_equal(utimensat(AT_FDCWD, path, times, AT_SYMLINK_NOFOLLOW), 0);
}

#endif
