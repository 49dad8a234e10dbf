/* SPDX-License-Identifier: Apache-2.0 */
/* Uploads in parts to the embedded store: parts in any order and again, what a Complete takes and refuses, aborts,
 * lists, what several processes and a kill leave. */
#include "local/file_upload.h"

#include "file_state.h"
#include "local/file_staging.h"

static const char key[] = "folder/object";

static void begin(struct state *state, const char *of_key, char *ret_id)
{
    struct file_content content = {.content_type = "text/x-parts", .nonce = nonce_a};
    CHECK_OK(file_upload_create(state->store, of_key, &content, ret_id, &error));
}

static struct file_part write_part(struct state *state, const char *id, uint32_t number, uint64_t offset,
                                   const char *text)
{
    struct file_part part;
    struct file_part_place place = {id, number, offset};
    struct http_body body = memory_body(text, strlen(text));
    CHECK_OK(file_upload_part(state->store, key, &place, &body, &part, &error));
    assert_int_equal(part.number, number);
    assert_int_equal(part.length, strlen(text));
    return part;
}

static os_code complete(struct state *state, const char *id, const struct file_part *parts, size_t count,
                        struct file_object *ret)
{
    struct file_part_name names[8];
    struct file_completion *completion = NULL;
    for (size_t i = 0; i < count; i++)
        names[i] = (struct file_part_name){parts[i].number, parts[i].etag};
    os_code code = file_upload_check(state->store, key, id, names, count, &completion, &error);
    if (code == OS_OK) {
        code = file_upload_complete(completion, ret, &error);
        file_completion_free(completion);
    }
    return code;
}

static size_t uploads(struct state *state)
{
    return entries_of(below(state->root, ".oscommit/uploads"));
}

static void check_bytes(struct state *state, const char *text, const char *etag)
{
    struct file_object object;
    struct gathered gathered = {.len = 0};
    CHECK_OK(file_store_get(state->store, key, NULL, gather, &gathered, &object, &error));
    assert_string_equal(gathered.data, text);
    assert_string_equal(object.etag, etag);
    assert_string_equal(object.nonce, nonce_a);
    assert_string_equal(object.content_type, "text/x-parts");
}

/* The ETags of S3: printf hello | md5sum, printf ', world' | md5sum, and the MD5 of both in binary. */
static const char *upload_path(const struct state *state, const char *id)
{
    static char path[2048];
    assert_true(snprintf(path, sizeof(path), "%s/.oscommit/uploads/%s", state->root, id) < (int)sizeof(path));
    return path;
}

TEST_WITH(state, parts_in_any_order_become_one_object)
{
    char id[FILE_ID_SIZE];
    struct file_part parts[2];
    struct file_object object;
    struct stat st;
    begin(state, key, id);
    assert_int_equal(stat(upload_path(state, id), &st), 0);
    assert_int_equal(st.st_mode & 0777, 0600);
    parts[1] = write_part(state, id, 7, 5, ", world");
    check_absent(state, key);
    parts[0] = write_part(state, id, 2, 0, "hello");
    assert_string_equal(parts[0].etag, "\"5d41402abc4b2a76b9719d911017c592\"");
    CHECK_OK(complete(state, id, parts, 2, &object));
    check_bytes(state, "hello, world", object.etag);
    char both[32];
    char etag[MD5_ETAG_SIZE];
    char expected[FILE_ETAG_SIZE];
    for (size_t i = 0; i < sizeof(both); i++) {
        unsigned value;
        assert_int_equal(sscanf(parts[i / 16].etag + 1 + 2 * (i % 16), "%2x", &value), 1);
        both[i] = (char)value;
    }
    etag_of(both, sizeof(both), etag);
    (void)snprintf(expected, sizeof(expected), "%.33s-2\"", etag);
    assert_string_equal(object.etag, expected);
    assert_int_equal(object.length, 12);
    assert_int_equal(uploads(state), 0);
    assert_int_equal(temps(state), 0);
    CHECK_IS(complete(state, id, parts, 2, &object), OS_ERR_NOT_FOUND);
    CHECK_IS(file_upload_abort(state->store, key, id, &error), OS_ERR_NOT_FOUND);
}

TEST_WITH(state, a_part_written_again_replaces_the_first_one)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    begin(state, key, id);
    struct file_part first = write_part(state, id, 1, 0, "a longer first try");
    struct file_part again = write_part(state, id, 1, 0, "short");
    CHECK_IS(complete(state, id, &first, 1, &object), OS_ERR_ARGUMENT);
    CHECK_OK(complete(state, id, &again, 1, &object));
    check_bytes(state, "short", object.etag);
}

TEST_WITH(state, a_part_that_overwrites_another_takes_its_place)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    begin(state, key, id);
    struct file_part parts[2] = {write_part(state, id, 1, 0, "01234"), write_part(state, id, 2, 5, "56789")};
    (void)write_part(state, id, 600, 4, "x");
    CHECK_IS(complete(state, id, parts, 2, &object), OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "part 1 was not uploaded"));
    parts[0] = write_part(state, id, 1, 0, "01234");
    CHECK_OK(complete(state, id, parts, 2, &object));
    check_bytes(state, "0123456789", object.etag);
}

TEST_WITH(state, a_completion_refuses_parts_that_make_no_object)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    begin(state, key, id);
    struct file_part parts[3] = {write_part(state, id, 1, 0, "one"), write_part(state, id, 2, 3, "two"),
                                 write_part(state, id, 3, 6, "three")};
    struct file_part reversed[2] = {parts[1], parts[0]};
    struct file_part gap[2] = {parts[0], parts[2]};
    struct file_part twice[2] = {parts[0], parts[0]};
    struct file_part other[1] = {parts[0]};
    other[0].number = 10001;
    CHECK_IS(complete(state, id, reversed, 2, &object), OS_ERR_ARGUMENT);
    CHECK_IS(complete(state, id, gap, 2, &object), OS_ERR_ARGUMENT);
    CHECK_IS(complete(state, id, twice, 2, &object), OS_ERR_ARGUMENT);
    CHECK_IS(complete(state, id, other, 1, &object), OS_ERR_ARGUMENT);
    CHECK_IS(complete(state, id, parts + 1, 1, &object), OS_ERR_ARGUMENT);
    CHECK_IS(complete(state, id, parts, 0, &object), OS_ERR_ARGUMENT);
    other[0].number = 4;
    CHECK_IS(complete(state, id, other, 1, &object), OS_ERR_ARGUMENT);
    check_absent(state, key);
    CHECK_OK(complete(state, id, parts, 2, &object)); /* what is not named is cut off */
    check_bytes(state, "onetwo", object.etag);
}

TEST_WITH(state, an_empty_object_has_one_empty_part)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    begin(state, key, id);
    struct file_part part = write_part(state, id, 1, 0, "");
    CHECK_OK(complete(state, id, &part, 1, &object));
    check_bytes(state, "", object.etag);
    assert_string_equal(object.etag, "\"59adb24ef3cdbe0297f05b395827453f-1\""); /* as S3 gives it */
}

TEST_WITH(state, a_part_is_copied_from_the_version_that_was_meant)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    struct file_object whole;
    struct file_part parts[2];
    struct file_part_place first = {NULL, 1, 0};
    struct file_part_place second = {NULL, 2, 4};
    CHECK_OK(put_text(state, "source", "0123456789", nonce_b, &object));
    begin(state, key, id);
    first.id = second.id = id;
    struct file_part_source source = {"source", object.etag, 2, 4};
    CHECK_OK(file_upload_part_copy(state->store, key, &first, &source, &parts[0], &error));
    source = (struct file_part_source){"source", object.etag, 0, 0};
    CHECK_OK(file_upload_part_copy(state->store, key, &second, &source, &parts[1], &error));
    assert_string_equal(parts[1].etag, object.etag);
    source.offset = 8;
    source.count = 3;
    CHECK_IS(file_upload_part_copy(state->store, key, &second, &source, &parts[1], &error), OS_ERR_SOURCE);
    source = (struct file_part_source){"source", "\"00000000000000000000000000000000\"", 0, 4};
    CHECK_IS(file_upload_part_copy(state->store, key, &second, &source, &parts[1], &error), OS_ERR_SOURCE);
    source.key = "absent";
    CHECK_IS(file_upload_part_copy(state->store, key, &second, &source, &parts[1], &error), OS_ERR_SOURCE);
    CHECK_OK(complete(state, id, parts, 2, &whole));
    check_bytes(state, "23450123456789", whole.etag);
}

TEST_WITH(state, an_aborted_upload_is_gone_even_under_a_completion)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    struct file_completion *completion = NULL;
    begin(state, key, id);
    struct file_part part = write_part(state, id, 1, 0, "text");
    struct file_part_name name = {1, part.etag};
    CHECK_IS(file_upload_abort(state->store, "other", id, &error), OS_ERR_NOT_FOUND);
    CHECK_IS(file_upload_abort(state->store, key, "../tmp", &error), OS_ERR_NOT_FOUND);
    CHECK_OK(file_upload_check(state->store, key, id, &name, 1, &completion, &error));
    CHECK_OK(file_upload_abort(state->store, key, id, &error));
    CHECK_IS(file_upload_complete(completion, &object, &error), OS_ERR_UNDECIDED); /* so would a completed one be */
    file_completion_free(completion);
    check_absent(state, key);
    assert_int_equal(uploads(state), 0);
    CHECK_OK(put_text(state, key, "next", nonce_b, NULL));
    assert_int_equal(rows(state, key), 1);
    struct file_part_place place = {id, 2, 4};
    struct http_body body = memory_body("more", 4);
    CHECK_IS(file_upload_part(state->store, key, &place, &body, &part, &error), OS_ERR_NOT_FOUND);
}

TEST_WITH(state, a_refused_completion_leaves_the_upload_open)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    struct file_completion *completion = NULL;
    begin(state, key, id);
    struct file_part part = write_part(state, id, 1, 0, "text");
    struct file_part_name name = {1, part.etag};
    CHECK_OK(put_text(state, "folder", "in the way", nonce_b, NULL));
    CHECK_OK(file_upload_check(state->store, key, id, &name, 1, &completion, &error));
    assert_int_not_equal(file_upload_complete(completion, &object, &error), OS_OK);
    file_completion_free(completion);
    CHECK_OK(file_store_delete(state->store, "folder", &error));
    CHECK_OK(complete(state, id, &part, 1, &object));
    check_bytes(state, "text", object.etag);
}

/* A row that waits for its rename must not be taken for a stale one by those who write the key meanwhile. */
TEST_WITH(state, a_row_of_an_open_upload_is_not_stale)
{
    char id[FILE_ID_SIZE];
    struct file_object object;
    begin(state, key, id);
    struct file_part part = write_part(state, id, 1, 0, "text");
    struct file_row row;
    file_row_init(&row);
    memcpy(row.id, id, sizeof(row.id));
    CHECK_OK(file_index_add(&state->store->place.index, key, &row, &error));
    CHECK_OK(put_text(state, key, "meanwhile", nonce_b, NULL));
    assert_int_equal(rows(state, key), 2);
    CHECK_OK(complete(state, id, &part, 1, &object));
    assert_int_equal(rows(state, key), 1);
}

/* ------------------------------------------------------------------------------------------------- lists, limits */

struct seen {
    char text[512];
    size_t count;
    size_t stop_at;
};

static bool see_part(void *context, const struct file_part *part)
{
    struct seen *seen = context;
    (void)snprintf(seen->text + strlen(seen->text), sizeof(seen->text) - strlen(seen->text), "%u:%llu ", part->number,
                   (unsigned long long)part->length);
    return ++seen->count != seen->stop_at;
}

TEST_WITH(state, parts_are_listed_by_number_page_by_page)
{
    char id[FILE_ID_SIZE];
    struct seen seen = {.count = 0};
    bool more = false;
    begin(state, key, id);
    struct file_part_range range = {.key = key, .id = id, .most = 2}, other = {.key = "other", .id = id, .most = 2};
    CHECK_OK(file_upload_parts(state->store, &range, see_part, &seen, &more, &error));
    assert_string_equal(seen.text, "");
    (void)write_part(state, id, 10000, 9, "end");
    (void)write_part(state, id, 3, 0, "three");
    (void)write_part(state, id, 513, 5, "2048");
    CHECK_OK(file_upload_parts(state->store, &range, see_part, &seen, &more, &error));
    assert_string_equal(seen.text, "3:5 513:4 ");
    assert_true(more);
    range.after = 513;
    CHECK_OK(file_upload_parts(state->store, &range, see_part, &seen, &more, &error));
    assert_string_equal(seen.text, "3:5 513:4 10000:3 ");
    assert_false(more);
    seen = (struct seen){.stop_at = 1};
    CHECK_IS(file_upload_parts(state->store, &range, see_part, &seen, &more, &error), OS_ERR_STOPPED);
    CHECK_IS(file_upload_parts(state->store, &other, see_part, &seen, &more, &error), OS_ERR_NOT_FOUND);
}

static bool see_upload(void *context, const char *of_key, const char *id, int64_t initiated_s)
{
    struct seen *seen = context;
    assert_int_equal(strlen(id), FILE_ID_SIZE - 1);
    assert_true(initiated_s > now_s() - 600 && initiated_s <= now_s());
    (void)snprintf(seen->text + strlen(seen->text), sizeof(seen->text) - strlen(seen->text), "%s ", of_key);
    return ++seen->count != seen->stop_at;
}

TEST_WITH(state, open_uploads_are_listed_by_key_and_prefix)
{
    char ids[4][FILE_ID_SIZE];
    struct seen seen = {.count = 0};
    struct file_upload_range range = {.prefix = "a", .most = 2};
    bool more = false;
    begin(state, "b", ids[0]);
    begin(state, "ab", ids[1]);
    begin(state, "aa", ids[2]);
    begin(state, "aa", ids[3]);
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_string_equal(seen.text, "aa aa ");
    assert_true(more);
    range.after_key = "aa";
    seen = (struct seen){.count = 0};
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_string_equal(seen.text, "ab ");
    assert_false(more);
    range.after_id = strcmp(ids[2], ids[3]) < 0 ? ids[2] : ids[3];
    seen = (struct seen){.count = 0};
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_string_equal(seen.text, "aa ab ");
    range = (struct file_upload_range){.most = 10};
    seen = (struct seen){.stop_at = 3};
    CHECK_IS(file_upload_list(state->store, &range, see_upload, &seen, &more, &error), OS_ERR_STOPPED);
    CHECK_OK(file_upload_abort(state->store, "b", ids[0], &error));
    seen = (struct seen){.count = 0};
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_string_equal(seen.text, "aa aa ab ");
}

TEST_WITH(state, numbers_and_places_have_limits)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    struct http_body body = memory_body("text", 4);
    begin(state, key, id);
    struct file_part_place places[] = {{id, 0, 0}, {id, 10001, 0}};
    for (size_t i = 0; i < 2; i++)
        CHECK_IS(file_upload_part(state->store, key, &places[i], &body, &part, &error), OS_ERR_ARGUMENT);
    struct file_part_place far = {id, 1, UINT64_MAX - 2};
    CHECK_IS(file_upload_part(state->store, key, &far, &body, &part, &error), OS_ERR_TOO_LARGE);
    CHECK_IS(file_upload_create(state->store, ".oscommit/x", NULL, id, &error), OS_ERR_ARGUMENT);
}

/* --------------------------------------------------------------------------------------- what others leave, crashes */

TEST_WITH(state, what_a_crash_leaves_can_be_listed_aborted_and_swept)
{
    char id[FILE_ID_SIZE];
    struct seen seen = {.count = 0};
    struct file_upload_range range = {.most = 10};
    bool more = false;
    int64_t later = now_s() + FILE_TEMP_AGE_S + 2;
    begin(state, key, id);
    (void)write_part(state, id, 1, 0, "text");
    file_store_close(state->store);
    CHECK_OK(file_store_open(state->root, &state->store, &error));
    staging_sweep(&state->store->place, later); /* an open upload is never swept */
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_string_equal(seen.text, "folder/object ");
    CHECK_OK(file_upload_abort(state->store, key, id, &error));
    assert_int_equal(uploads(state), 0);
    begin(state, key, id);
    assert_int_equal(unlink(upload_path(state, id)), 0); /* killed while it aborted */
    seen = (struct seen){.count = 0};
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_int_equal(seen.count, 0);
    staging_sweep(&state->store->place, later - FILE_TEMP_AGE_S - 10);
    assert_int_equal(uploads(state), 1);
    staging_sweep(&state->store->place, later);
    assert_int_equal(uploads(state), 0);
}

TEST_WITH(state, a_damaged_note_hides_its_upload)
{
    char id[FILE_ID_SIZE];
    char name[FILE_ID_SIZE + 32];
    struct file_part part;
    struct file_part_place place = {id, 1, 0};
    struct http_body body = memory_body("text", 4);
    begin(state, key, id);
    (void)snprintf(name, sizeof(name), ".oscommit/uploads/%s.about", id);
    int fd = open(below(state->root, name), O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(pwrite(fd, "X", 1, 45), 1);
    close(fd);
    CHECK_IS(file_upload_part(state->store, key, &place, &body, &part, &error), OS_ERR_NOT_FOUND);
}

/* A power failure may leave half of the note of a part. */
TEST_WITH(state, the_note_of_a_part_that_is_damaged_is_none)
{
    char id[FILE_ID_SIZE];
    char name[256];
    begin(state, key, id);
    struct file_part part = write_part(state, id, 1, 0, "bytes");
    (void)snprintf(name, sizeof(name), ".oscommit/uploads/%s.about", id);
    int fd = open(below(state->root, name), O_RDWR | O_CLOEXEC);
    off_t at = 16384 + (off_t)offsetof(struct staged_part, length); /* behind the head */
    assert_int_equal(pwrite(fd, "\6", 1, at), 1);
    close(fd);
    CHECK_IS(complete(state, id, &part, 1, &(struct file_object){.length = 0}), OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "was not uploaded"));
}

TEST_WITH(state, a_note_that_is_a_fifo_hides_its_upload_and_is_not_waited_for)
{
    char id[FILE_ID_SIZE];
    char name[FILE_ID_SIZE + 32];
    bool more = true;
    struct file_upload_range range = {.most = 10};
    struct seen seen = {.count = 0};
    begin(state, key, id);
    (void)snprintf(name, sizeof(name), ".oscommit/uploads/%s.about", id);
    const char *path = below(state->root, name);
    assert_int_equal(unlink(path) + mkfifo(path, 0600), 0);
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_int_equal(seen.count, 0);
}

TEST_WITH(state, a_part_that_is_being_written_elsewhere_is_waited_for)
{
    char id[FILE_ID_SIZE];
    struct file_part part;
    struct staging staging;
    struct file_part_place places[] = {{id, 1, 0}, {id, 2, 4}};
    struct http_body body = memory_body("text", 4);
    struct sqlite_patience limit = {.until_ms = 1}; /* long over */
    begin(state, key, id);
    CHECK_OK(staging_open(&state->store->place, key, id, &staging, NULL, &error));
    CHECK_OK(staging_lock(&state->store->place, &staging, key, 0, 4, &error));
    struct file_store *lent = file_store_lend(state->store, &limit);
    assert_non_null(lent);
    CHECK_IS(file_upload_part(lent, key, &places[0], &body, &part, &error), OS_ERR_DEADLINE);
    CHECK_OK(file_upload_part(lent, key, &places[1], &body, &part, &error));
    struct file_part_name name = {2, part.etag};
    struct file_completion *completion = NULL;
    CHECK_IS(file_upload_check(lent, key, id, &name, 1, &completion, &error), OS_ERR_DEADLINE);
    staging_close(&staging);
    CHECK_OK(file_upload_part(lent, key, &places[0], &body, &part, &error));
    file_store_return(lent);
}

TEST_WITH(state, without_a_place_for_uploads_none_can_be_begun)
{
    char id[FILE_ID_SIZE];
    struct seen seen = {.count = 0};
    struct file_upload_range range = {.most = 10};
    bool more = true;
    close(state->store->place.upload_folder);
    state->store->place.upload_folder = -1;
    assert_true(file_upload_create(state->store, key, NULL, id, &error) != OS_OK);
    CHECK_OK(file_upload_list(state->store, &range, see_upload, &seen, &more, &error));
    assert_false(more);
    CHECK_IS(file_upload_abort(state->store, key, "00000000000000000000000000000000", &error), OS_ERR_NOT_FOUND);
    CHECK_OK(put_text(state, key, "plain", nonce_a, NULL));
    check_head(state, key, "plain", nonce_a);
}
