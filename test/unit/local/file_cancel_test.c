/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store: work that nobody waits for any more ends at its next block, before anything is published, and
 * leaves nothing. The linker leads what moves the bytes here (CMakeLists.txt: --wrap), so that a call is cancelled in
 * the midst of an exact block.
 */
#include "file_state.h"

#include "local/file_staging.h"
#include "local/file_upload.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <sys/ioctl.h>

enum { BLOCKS = 8, COPY_AT_ONCE_MAX = 16 * 1024 * 1024 };
static const uint64_t large_size = UINT64_C(3) * COPY_AT_ONCE_MAX + 5;

/* ----------------------------------------------------------------------------------------- what is led here */

enum step { STEP_NONE, STEP_DIGEST, STEP_READ, STEP_COPY, STEP_FLUSH, STEP_RENAME, STEP_COUNT };

static _Atomic int cancelled;
static struct {
    enum step at; /* cancelled while this is done */
    int number;   /* for the so manieth time */
    int counts[STEP_COUNT];
    bool kernel_copies;
    size_t longest_copy;
} led;

static void lead(enum step step)
{
    if (++led.counts[step] == led.number && step == led.at)
        atomic_store(&cancelled, 1);
}

static void cancel_at(enum step step, int number)
{
    memset(&led, 0, sizeof(led));
    atomic_store(&cancelled, 0);
    led.at = step;
    led.number = number;
}

void __real_digest_stream_add(struct digest_stream *stream, const void *data, size_t length);
void __wrap_digest_stream_add(struct digest_stream *stream, const void *data, size_t length);
void __wrap_digest_stream_add(struct digest_stream *stream, const void *data, size_t length)
{
    lead(STEP_DIGEST);
    __real_digest_stream_add(stream, data, length);
}

int64_t __real_fd_read_at(int fd, void *ret, size_t size, uint64_t offset);
int64_t __wrap_fd_read_at(int fd, void *ret, size_t size, uint64_t offset);
int64_t __wrap_fd_read_at(int fd, void *ret, size_t size, uint64_t offset)
{
    lead(STEP_READ);
    return __real_fd_read_at(fd, ret, size, offset);
}

int __wrap_ioctl(int fd, unsigned long request, ...);
int __wrap_ioctl(int fd, unsigned long request, ...)
{
    (void)fd;
    (void)request;
    errno = EOPNOTSUPP; /* no file system here shares blocks */
    return -1;
}

/* Copies holes, which is quick. */
ssize_t __wrap_copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags);
ssize_t __wrap_copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset, size_t length, unsigned flags)
{
    struct stat st;
    assert_null(to_offset);
    assert_int_equal(flags, 0);
    if (!led.kernel_copies) {
        errno = EXDEV;
        return -1;
    }
    lead(STEP_COPY);
    assert_int_equal(fstat(from, &st), 0);
    assert_true(*from_offset + (off_t)length <= st.st_size);
    *from_offset += (off_t)length;
    assert_int_equal(ftruncate(to, *from_offset), 0);
    led.longest_copy = length > led.longest_copy ? length : led.longest_copy;
    return (ssize_t)length;
}

int __real_fsync(int fd);
int __wrap_fsync(int fd);
int __wrap_fsync(int fd)
{
    lead(STEP_FLUSH);
    return __real_fsync(fd);
}

int __real_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name);
int __wrap_renameat(int from, const char *old, int to, const char *name)
{
    int failed = __real_renameat(from, old, to, name);
    lead(STEP_RENAME);
    return failed;
}

/* --------------------------------------------------------------------------------------------------- helpers */

/* For a call that may be cancelled; given back by the caller. */
static struct file_store *lend(const struct state *state)
{
    struct sqlite_patience limit = sqlite_patience_ms(60000);
    limit.cancelled = &cancelled;
    struct file_store *lent = file_store_lend(state->store, &limit);
    assert_non_null(lent);
    return lent;
}

static const char *blocks(void)
{
    static char data[BLOCKS * FILE_BLOCK];
    memset(data, 'b', sizeof(data));
    return data;
}

/* A file outside of the store. */
static int file_of_blocks(const struct state *state)
{
    int fd = open(below(state->root, ".oscommit/body"), O_RDWR | O_CREAT, 0600);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, blocks(), BLOCKS * FILE_BLOCK, 0), BLOCKS * FILE_BLOCK);
    return fd;
}

static void put_blocks(struct state *state, const char *key)
{
    struct file_object object;
    struct http_body body = memory_body(blocks(), BLOCKS * FILE_BLOCK);
    cancel_at(STEP_NONE, 0);
    CHECK_OK(file_store_put(state->store, key, &body, NULL, &object, &error));
}

static void check_blocks(struct state *state, const char *key)
{
    struct file_object object;
    char etag[MD5_ETAG_SIZE];
    etag_of(blocks(), BLOCKS * FILE_BLOCK, etag);
    CHECK_OK(file_store_head(state->store, key, &object, &error));
    assert_int_equal(object.length, BLOCKS * FILE_BLOCK);
    assert_string_equal(object.etag, etag);
}

/* A large object of one hole, whose digest nobody has to compute. */
static void put_hole(struct state *state, const char *key)
{
    struct file_row row;
    int fd = open(below(state->root, key), O_RDWR | O_CREAT | O_EXCL, 0600);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, (off_t)large_size), 0);
    file_row_init(&row);
    assert_int_equal(file_stamp_read(fd, &row.stamp), 0);
    close(fd);
    (void)snprintf(row.etag, sizeof(row.etag), "\"00000000000000000000000000000000\"");
    CHECK_OK(file_index_add(&state->store->place.index, key, &row, &error));
    file_row_free(&row);
}

/* The write of "k" that was cancelled has done nothing: what was there before is there, and no more. */
static void check_nothing_done(struct state *state)
{
    assert_int_equal(led.counts[STEP_RENAME], 0);
    assert_int_equal(temps(state), 0);
    assert_int_equal(rows(state, "k"), 1);
    check_head(state, "k", "old", nonce_a);
}

static os_code put(struct state *state, const struct http_body *body, struct file_object *ret)
{
    struct file_content content = {.nonce = nonce_b};
    struct file_store *lent = lend(state);
    os_code code = file_store_put(lent, "k", body, &content, ret, &error);
    file_store_return(lent);
    return code;
}

static os_code copy(struct state *state, const char *source)
{
    struct file_object object;
    struct file_store *lent = lend(state);
    os_code code = file_store_copy(
        lent, &(struct file_copy_request){.source_key = source, .key = "k", .nonce = nonce_b}, &object, &error);
    file_store_return(lent);
    return code;
}

static os_code head(struct state *state, const char *key, struct file_object *ret)
{
    struct file_store *lent = lend(state);
    os_code code = file_store_head(lent, key, ret, &error);
    file_store_return(lent);
    return code;
}

/* ------------------------------------------------------------------------------------------------ put, copy, head */

TEST_WITH(state, a_put_from_memory_ends_at_the_next_block)
{
    struct file_object object;
    struct http_body body = memory_body(blocks(), BLOCKS * FILE_BLOCK);
    CHECK_OK(put_text(state, "k", "old", nonce_a, NULL));
    for (int number = 1; number <= BLOCKS; number++) {
        cancel_at(STEP_DIGEST, number);
        CHECK_IS(put(state, &body, &object), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_DIGEST], number);
        assert_int_equal(led.counts[STEP_FLUSH], 0);
        check_nothing_done(state);
    }
}

TEST_WITH(state, a_put_from_a_file_ends_at_the_next_block)
{
    struct file_object object;
    struct http_body body = {.kind = HTTP_BODY_FILE, .fd = file_of_blocks(state), .length = BLOCKS * FILE_BLOCK};
    CHECK_OK(put_text(state, "k", "old", nonce_a, NULL));
    for (int number = 1; number <= BLOCKS; number++) {
        cancel_at(STEP_READ, number);
        CHECK_IS(put(state, &body, &object), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_DIGEST], number - 1);
        assert_int_equal(led.counts[STEP_FLUSH], 0);
        check_nothing_done(state);
    }
    close(body.fd);
}

TEST_WITH(state, a_copy_by_the_kernel_ends_at_its_next_piece)
{
    struct file_object object;
    CHECK_OK(put_text(state, "k", "old", nonce_a, NULL));
    put_hole(state, "source");
    for (int number = 1; number <= 4; number++) {
        cancel_at(STEP_COPY, number);
        led.kernel_copies = true;
        CHECK_IS(copy(state, "source"), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_COPY], number);
        assert_int_equal(led.counts[STEP_READ], 0);
        assert_int_equal(led.counts[STEP_FLUSH], 0);
        check_nothing_done(state);
        CHECK_OK(file_store_head(state->store, "source", &object, &error));
        assert_int_equal(object.length, large_size);
    }
}

TEST_WITH(state, a_copy_by_the_kernel_goes_to_its_end_piece_by_piece)
{
    struct file_object object;
    put_hole(state, "source");
    cancel_at(STEP_NONE, 0);
    led.kernel_copies = true;
    CHECK_OK(copy(state, "source"));
    assert_int_equal(led.counts[STEP_COPY], 4);
    assert_int_equal(led.longest_copy, COPY_AT_ONCE_MAX);
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_int_equal(object.length, large_size);
    assert_string_equal(object.nonce, nonce_b);
}

TEST_WITH(state, a_copy_by_hand_ends_at_its_next_block)
{
    CHECK_OK(put_text(state, "k", "old", nonce_a, NULL));
    put_blocks(state, "source");
    for (int number = 1; number <= BLOCKS; number++) {
        cancel_at(STEP_READ, number);
        CHECK_IS(copy(state, "source"), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_READ], number);
        assert_int_equal(led.counts[STEP_FLUSH], 0);
        check_nothing_done(state);
        check_blocks(state, "source");
    }
    cancel_at(STEP_NONE, 0);
    CHECK_OK(copy(state, "source"));
    check_blocks(state, "k");
}

TEST_WITH(state, a_head_of_a_file_without_a_row_ends_at_the_next_block)
{
    struct file_object object;
    int fd = file_of_blocks(state);
    close(fd);
    assert_int_equal(rename(below(state->root, ".oscommit/body"), below(state->root, "by-hand")), 0);
    for (int number = 1; number < BLOCKS; number++) {
        cancel_at(STEP_DIGEST, number);
        CHECK_IS(head(state, "by-hand", &object), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_DIGEST], number);
        assert_int_equal(rows(state, "by-hand"), 0);
    }
    cancel_at(STEP_DIGEST, BLOCKS); /* all of it was read */
    CHECK_OK(head(state, "by-hand", &object));
    check_blocks(state, "by-hand");
}

/* The time that a call may wait is not one that its work may take: a guard asks for a HEAD every few seconds, and a
 * large file that was put by hand would never get an ETag. */
TEST_WITH(state, the_time_to_wait_does_not_end_work_that_goes_on)
{
    struct file_object object;
    struct http_body body = memory_body(blocks(), BLOCKS * FILE_BLOCK);
    cancel_at(STEP_NONE, 0);
    struct sqlite_patience over = {.until_ms = 1, .cancelled = &cancelled};
    struct file_store *lent = file_store_lend(state->store, &over);
    assert_non_null(lent);
    CHECK_OK(file_store_put(lent, "k", &body, NULL, &object, &error));
    assert_int_equal(rename(below(state->root, "k"), below(state->root, "by-hand")), 0);
    CHECK_OK(file_store_head(lent, "by-hand", &object, &error));
    CHECK_OK(file_store_copy(lent, &(struct file_copy_request){.source_key = "by-hand", .key = "k"}, &object, &error));
    file_store_return(lent);
    check_blocks(state, "k");
}

/* ------------------------------------------------------------------------------------------------ publishing */

TEST_WITH(state, what_was_cancelled_during_its_flush_is_not_published)
{
    struct file_object object;
    struct http_body body = memory_body("new", 3);
    CHECK_OK(put_text(state, "k", "old", nonce_a, NULL));
    cancel_at(STEP_FLUSH, 1);
    CHECK_IS(put(state, &body, &object), OS_ERR_CANCELLED);
    check_nothing_done(state);
    put_blocks(state, "source");
    cancel_at(STEP_FLUSH, 1);
    CHECK_IS(copy(state, "source"), OS_ERR_CANCELLED);
    check_nothing_done(state);
}

TEST_WITH(state, what_is_published_is_done_although_it_was_cancelled)
{
    struct file_object object;
    struct http_body body = memory_body("new", 3);
    CHECK_OK(put_text(state, "k", "old", nonce_a, NULL));
    cancel_at(STEP_RENAME, 1);
    CHECK_OK(put(state, &body, &object));
    assert_int_equal(atomic_load(&cancelled), 1);
    assert_string_equal(object.nonce, nonce_b);
    check_head(state, "k", "new", nonce_b);
    assert_int_equal(rows(state, "k"), 1);
    assert_int_equal(temps(state), 0);
}

/* ------------------------------------------------------------------------------------------------ uploads */

static const char upload_key[] = "upload";

static void begin(struct state *state, char *ret_id)
{
    cancel_at(STEP_NONE, 0);
    CHECK_OK(file_upload_create(state->store, upload_key, NULL, ret_id, &error));
}

static os_code write_part(struct state *state, const char *id, const char *source, struct file_part *ret)
{
    struct file_part_place place = {id, 1, 0};
    struct http_body body = memory_body(blocks(), BLOCKS * FILE_BLOCK);
    struct file_part_source from = {.key = source};
    struct file_store *lent = lend(state);
    os_code code = source == NULL ? file_upload_part(lent, upload_key, &place, &body, ret, &error)
                                  : file_upload_part_copy(lent, upload_key, &place, &from, ret, &error);
    file_store_return(lent);
    return code;
}

static bool count_part(void *context, const struct file_part *part)
{
    (void)part;
    ++*(int *)context;
    return true;
}

static int parts_of(struct state *state, const char *id)
{
    int count = 0;
    bool more = false;
    CHECK_OK(file_upload_parts(state->store, &(struct file_part_range){.key = upload_key, .id = id, .most = 10},
                               count_part, &count, &more, &error));
    return count;
}

/* Read once a block: of the part that is copied; else only of what the upload remembers. */
static void check_parts_end(struct state *state, const char *source)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    begin(state, id);
    for (int number = 1; number < BLOCKS; number++) {
        cancel_at(STEP_DIGEST, number);
        CHECK_IS(write_part(state, id, source, &part), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_DIGEST], number);
        assert_int_equal(parts_of(state, id), 0);
    }
    cancel_at(STEP_NONE, 0);
    CHECK_OK(write_part(state, id, source, &part));
    assert_int_equal(parts_of(state, id), 1);
}

TEST_WITH(state, a_part_ends_at_its_next_block_and_is_not_entered)
{
    check_parts_end(state, NULL);
}

TEST_WITH(state, a_part_that_is_copied_ends_at_its_next_block_and_is_not_entered)
{
    put_blocks(state, "source");
    check_parts_end(state, "source");
}

static os_code complete(struct state *state, const char *id, const struct file_part *part)
{
    struct file_part_name name = {1, part->etag};
    struct file_completion *completion = NULL;
    struct file_object object;
    struct file_store *lent = lend(state);
    os_code code = file_upload_check(lent, upload_key, id, &name, 1, &completion, &error);
    if (code == OS_OK) {
        code = file_upload_complete(completion, &object, &error);
        file_completion_free(completion);
    }
    file_store_return(lent);
    return code;
}

TEST_WITH(state, a_complete_that_was_cancelled_leaves_its_upload_open)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    begin(state, id);
    CHECK_OK(write_part(state, id, NULL, &part));
    for (int number = 1; number <= 2; number++) { /* the flush of its check, and that of its end */
        cancel_at(STEP_FLUSH, number);
        CHECK_IS(complete(state, id, &part), OS_ERR_CANCELLED);
        assert_int_equal(led.counts[STEP_FLUSH], number);
        check_absent(state, upload_key);
        assert_int_equal(rows(state, upload_key), 0);
        assert_int_equal(parts_of(state, id), 1);
    }
    cancel_at(STEP_RENAME, 1);
    CHECK_OK(complete(state, id, &part));
    struct file_object object;
    CHECK_OK(file_store_head(state->store, upload_key, &object, &error));
    assert_int_equal(object.length, BLOCKS * FILE_BLOCK);
}
