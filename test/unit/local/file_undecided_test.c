/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store: the call that applies a write fails, and nobody can say whether it did its work. The linker leads
 * renameat, unlinkat and fsync here (CMakeLists.txt: --wrap).
 */
#include "file_state.h"

#include "local/file_upload.h"

static const char nonce_c[] = "c0000000000000000000000000000000";

/* ----------------------------------------------------------------------------------------- what is led here */

static struct {
    bool armed;  /* the next one fails, */
    bool done;   /* when it has done its work, */
    bool gone;   /* or because its file was taken away, */
    int error;   /* in this way; */
    int flushes; /* counted from there */
} led;

static void fail_next(bool done, int number)
{
    memset(&led, 0, sizeof(led));
    led.armed = true;
    led.done = done;
    led.error = number;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    led.flushes += !led.armed;
    return __real_fsync(fd);
}

int __real_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags);
int __wrap_unlinkat(int folder, const char *name, int flags)
{
    if (!led.armed)
        return __real_unlinkat(folder, name, flags);
    led.armed = false;
    if (led.done)
        assert_int_equal(__real_unlinkat(folder, name, flags), 0);
    errno = led.error;
    return -1;
}

int __real_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name)
{
    if (led.armed && led.gone) {
        led.armed = false;
        assert_int_equal(__real_unlinkat(from, old, 0), 0);
    }
    if (!led.armed)
        return __real_renameat(from, old, to, name);
    led.armed = false;
    if (led.done)
        assert_int_equal(__real_renameat(from, old, to, name), 0);
    errno = led.error;
    return -1;
}

/* --------------------------------------------------------------------------------------------------- helpers */

/* Not of names, permissions and mounts: they may come in the midst. */
static const int open_errors[] = {EIO,    ENOSPC, EDQUOT,    EROFS,  ENOMEM, EINTR,
                                  ENOENT, ESTALE, ETIMEDOUT, EINVAL, ENXIO,  EAGAIN};
static const size_t open_count = sizeof(open_errors) / sizeof(open_errors[0]);

static const int refusals[] = {EACCES, EPERM, EXDEV, EBUSY, ELOOP, EEXIST, EISDIR, ENOTEMPTY, ENOTDIR, ENAMETOOLONG};
static const size_t refusal_count = sizeof(refusals) / sizeof(refusals[0]);

static os_code put(struct state *state)
{
    return put_text(state, "f/k", "new", nonce_b, NULL);
}

static os_code copy(struct state *state)
{
    struct file_object object;
    return file_store_copy(state->store,
                           &(struct file_copy_request){.source_key = "source", .key = "f/k", .nonce = nonce_b}, &object,
                           &error);
}

/* R14: an upload that is still open was not completed, and is aborted. */
static void check_upload(struct state *state, const char *id)
{
    struct file_object object;
    os_error told = error;
    CHECK_OK(file_store_head(state->store, "f/k", &object, &error));
    bool applied = led.gone || strcmp(object.nonce, nonce_b) == 0;
    CHECK_IS(file_upload_abort(state->store, "f/k", id, &error), applied ? OS_ERR_NOT_FOUND : OS_OK);
    error = told;
}

static os_code complete(struct state *state)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    struct file_object object;
    struct file_content content = {.nonce = nonce_b};
    struct http_body body = memory_body("new", 3);
    struct file_completion *completion = NULL;
    CHECK_OK(file_upload_create(state->store, "f/k", &content, id, &error));
    struct file_part_place place = {id, 1, 0};
    CHECK_OK(file_upload_part(state->store, "f/k", &place, &body, &part, &error));
    struct file_part_name name = {1, part.etag};
    CHECK_OK(file_upload_check(state->store, "f/k", id, &name, 1, &completion, &error));
    os_code code = file_upload_complete(completion, &object, &error);
    file_completion_free(completion);
    if (code == OS_ERR_UNDECIDED)
        check_upload(state, id);
    return code;
}

static void check_nonce(struct state *state, const char *nonce)
{
    struct file_object object;
    CHECK_OK(file_store_head(state->store, "f/k", &object, &error));
    assert_string_equal(object.nonce, nonce);
}

static void prepare(struct state *state)
{
    CHECK_OK(put_text(state, "source", "new", nonce_a, NULL));
    CHECK_OK(put_text(state, "f/k", "old", nonce_a, NULL));
}

/* Whoever comes next is not in doubt, and takes away what the doubtful one left in the index. */
static void check_next(struct state *state)
{
    CHECK_OK(put_text(state, "f/k", "next", nonce_c, NULL));
    check_head(state, "f/k", "next", nonce_c);
    assert_int_equal(rows(state, "f/k"), 1);
    assert_int_equal(temps(state), 0);
}

static void check_write(struct state *state, os_code (*write)(struct state *))
{
    prepare(state);
    for (size_t i = 0; i < open_count; i++) {
        fail_next(true, open_errors[i]);
        CHECK_IS(write(state), OS_ERR_UNDECIDED);
        assert_true(led.flushes >= 2); /* the folder and the root: the nonce is taken for a commit */
        check_nonce(state, nonce_b);   /* V4 */
        check_next(state);
        if (open_errors[i] == ENOENT)
            continue; /* and the file is there: somebody has removed its folder, so it is made and tried again */
        fail_next(false, open_errors[i]);
        CHECK_IS(write(state), OS_ERR_UNDECIDED);
        check_nonce(state, nonce_c);
        check_next(state);
    }
    for (size_t i = 0; i < refusal_count; i++) {
        fail_next(false, refusals[i]);
        os_code code = write(state);
        assert_true(code != OS_OK && code != OS_ERR_UNDECIDED);
        check_nonce(state, nonce_c);
        assert_int_equal(rows(state, "f/k"), 1);
    }
}

static void check_vanished(struct state *state, os_code (*write)(struct state *))
{
    prepare(state);
    led.armed = true;
    led.gone = true;
    CHECK_IS(write(state), OS_ERR_UNDECIDED);
    led.gone = false;
    check_nonce(state, nonce_a);
    check_next(state);
}

/* ------------------------------------------------------------------------------------------------------- tests */

TEST_WITH(state, a_put_whose_rename_failed_in_the_midst_is_undecided_and_keeps_its_nonce)
{
    check_write(state, put);
}

TEST_WITH(state, a_copy_whose_rename_failed_in_the_midst_is_undecided_and_keeps_its_nonce)
{
    check_write(state, copy);
}

TEST_WITH(state, a_complete_whose_rename_failed_in_the_midst_is_undecided_and_keeps_its_nonce)
{
    check_write(state, complete);
}

TEST_WITH(state, a_put_whose_temporary_file_is_gone_is_undecided)
{
    check_vanished(state, put);
}

TEST_WITH(state, a_copy_whose_temporary_file_is_gone_is_undecided)
{
    check_vanished(state, copy);
}

TEST_WITH(state, a_complete_whose_upload_is_gone_is_undecided)
{
    check_vanished(state, complete);
}

TEST_WITH(state, a_delete_that_failed_in_the_midst_is_undecided)
{
    prepare(state);
    for (size_t i = 0; i < open_count; i++) {
        bool gone = open_errors[i] == ENOENT; /* whoever has removed it */
        fail_next(true, open_errors[i]);
        CHECK_IS(file_store_delete(state->store, "f/k", &error), gone ? OS_OK : OS_ERR_UNDECIDED);
        check_absent(state, "f/k");
        CHECK_OK(file_store_delete(state->store, "f/k", &error));
        assert_int_equal(rows(state, "f/k"), 0);
        check_next(state);
        if (!gone) {
            fail_next(false, open_errors[i]);
            CHECK_IS(file_store_delete(state->store, "f/k", &error), OS_ERR_UNDECIDED);
            check_head(state, "f/k", "next", nonce_c);
        }
    }
    for (size_t i = 0; i < refusal_count; i++) {
        fail_next(false, refusals[i]);
        os_code code = file_store_delete(state->store, "f/k", &error);
        assert_true(code != OS_OK && code != OS_ERR_UNDECIDED);
        check_head(state, "f/k", "next", nonce_c);
    }
}
