/* SPDX-License-Identifier: Apache-2.0 */
/* The embedded store: put, head, get, copy, delete and their limits. */
#include "file_state.h"

/* ------------------------------------------------------------------------------------------- put, head, get, delete */

TEST_WITH(state, an_object_is_a_plain_file_with_the_md5_as_its_etag)
{
    struct file_object object;
    struct stat st;
    int64_t before = now_s();
    CHECK_OK(put_text(state, "dir/key", "hello", nonce_a, &object));
    assert_string_equal(object.etag, "\"5d41402abc4b2a76b9719d911017c592\"");
    assert_int_equal(object.length, 5);
    assert_string_equal(object.nonce, nonce_a);
    assert_in_range(object.last_modified_s, before, now_s());
    check_head(state, "dir/key", "hello", nonce_a);
    assert_int_equal(stat(below(state->root, "dir/key"), &st), 0);
    assert_true(S_ISREG(st.st_mode));
    assert_int_equal(st.st_mode & 07777, 0600);
    assert_int_equal(st.st_size, 5);
    assert_true(st.st_mtim.tv_sec <= now_s());
    assert_int_equal(stat(below(state->root, "dir"), &st), 0);
    assert_int_equal(st.st_mode & 07777, 0700);
    assert_int_equal(temps(state), 0);
    struct file_object again;
    CHECK_OK(file_store_head(state->store, "dir/key", &again, &error));
    assert_int_equal(again.last_modified_s, object.last_modified_s);
}

TEST_WITH(state, an_object_may_be_empty_and_have_no_nonce)
{
    struct file_object object;
    struct http_body none = {.kind = HTTP_BODY_NONE};
    CHECK_OK(file_store_put(state->store, "k", &none, NULL, &object, &error));
    assert_string_equal(object.etag, "\"d41d8cd98f00b204e9800998ecf8427e\"");
    check_head(state, "k", "", "");
    CHECK_OK(put_text(state, "k", "", NULL, NULL));
    check_head(state, "k", "", "");
}

TEST_WITH(state, a_second_put_replaces_the_first_with_all_it_had)
{
    struct file_object object;
    struct http_body body = memory_body("one", 3);
    struct file_content content = {.content_type = "text/plain", .nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    assert_string_equal(object.content_type, "text/plain");
    CHECK_OK(put_text(state, "k", "two", nonce_b, &object));
    check_head(state, "k", "two", nonce_b);
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.content_type, "");
    assert_int_equal(rows(state, "k"), 1);
    CHECK_OK(put_text(state, "k", "two", nonce_a, NULL)); /* the same bytes, another version */
    check_head(state, "k", "two", nonce_a);
    assert_int_equal(rows(state, "k"), 1);
}

TEST_WITH(state, bodies_of_every_size_round_a_block_are_whole)
{
    static const size_t sizes[] = {1, FILE_BLOCK - 1, FILE_BLOCK, FILE_BLOCK + 1, 3 * FILE_BLOCK + 17};
    char *data = malloc(4 * FILE_BLOCK);
    char *back = malloc(4 * FILE_BLOCK);
    assert_true(data != NULL && back != NULL);
    for (size_t i = 0; i < 4 * FILE_BLOCK; i++)
        data[i] = (char)(i * 2654435761u >> 13);
    int from = open(below(state->root, ".oscommit/body"), O_RDWR | O_CREAT, 0600);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        char etag[MD5_ETAG_SIZE];
        struct file_object object;
        etag_of(data, sizes[i], etag);
        struct http_body body = memory_body(data, sizes[i]);
        CHECK_OK(file_store_put(state->store, "memory", &body, NULL, &object, &error));
        assert_string_equal(object.etag, etag);
        assert_int_equal(ftruncate(from, 0), 0);
        assert_int_equal(pwrite(from, data, sizes[i], 0), sizes[i]);
        struct http_body file = {.kind = HTTP_BODY_FILE, .fd = from, .length = sizes[i]};
        CHECK_OK(file_store_put(state->store, "file", &file, NULL, &object, &error));
        assert_string_equal(object.etag, etag);
        CHECK_OK(file_store_copy(state->store,
                                 &(struct file_copy_request){.source_key = "file", .source_etag = etag, .key = "copy"},
                                 &object, &error));
        int fd = open(below(state->root, "copy"), O_RDONLY);
        assert_int_equal(read(fd, back, 4 * FILE_BLOCK), sizes[i]);
        assert_memory_equal(back, data, sizes[i]);
        close(fd);
        etag_of(back, sizes[i], etag);
        assert_string_equal(object.etag, etag);
    }
    close(from);
    free(data);
    free(back);
}

TEST_WITH(state, a_body_file_that_is_not_as_long_as_told_is_refused)
{
    struct file_object object;
    const char *path = below(state->root, ".oscommit/body");
    write_plain(path, "12345");
    int fd = open(path, O_RDONLY);
    for (uint64_t length = 0; length < 9; length++) {
        struct http_body body = {.kind = HTTP_BODY_FILE, .fd = fd, .length = length};
        CHECK_IS(file_store_put(state->store, "k", &body, NULL, &object, &error), length == 5 ? OS_OK : OS_ERR_BODY);
        assert_int_equal(temps(state), 0);
        if (length < 5)
            check_absent(state, "k");
    }
    check_head(state, "k", "12345", "");
    close(fd);
}

static int stop_at_once(void *context, const void *data, size_t length)
{
    (void)data;
    (void)length;
    ++*(int *)context;
    return 1;
}

TEST_WITH(state, a_range_is_cut_at_the_end_and_refused_behind_it)
{
    static const struct {
        uint64_t offset, count;
        const char *expected;
    } cases[] = {{0, 0, "0123456789"},
                 {0, 4, "0123"},
                 {3, 4, "3456"},
                 {9, 1, "9"},
                 {9, 5, "9"},
                 {3, 0, "3456789"},
                 {1, UINT64_MAX, "123456789"},
                 {10, 0, NULL},
                 {11, 1, NULL},
                 {UINT64_MAX, 2, NULL}};
    CHECK_OK(put_text(state, "k", "0123456789", nonce_a, NULL));
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct gathered gathered = {.len = 0};
        struct file_object object;
        os_code code =
            file_store_get(state->store, "k", &(struct file_range){.offset = cases[i].offset, .count = cases[i].count},
                           gather, &gathered, &object, &error);
        CHECK_IS(code, cases[i].expected == NULL ? OS_ERR_ARGUMENT : OS_OK);
        if (cases[i].expected != NULL) {
            assert_string_equal(gathered.data, cases[i].expected);
            assert_int_equal(object.length, 10);
        }
    }
    int calls = 0;
    struct file_object object;
    CHECK_IS(file_store_get(state->store, "k", NULL, stop_at_once, &calls, &object, &error), OS_ERR_STOPPED);
    assert_int_equal(calls, 1);
    CHECK_OK(put_text(state, "empty", "", NULL, NULL));
    CHECK_OK(
        file_store_get(state->store, "empty", &(struct file_range){.count = 7}, stop_at_once, &calls, &object, &error));
    assert_int_equal(calls, 1);
}

TEST_WITH(state, a_delete_removes_the_file_its_row_and_empty_folders)
{
    CHECK_OK(put_text(state, "a/b/c", "1", nonce_a, NULL));
    CHECK_OK(put_text(state, "a/d", "2", nonce_a, NULL));
    CHECK_OK(file_store_delete(state->store, "a/b/c", &error));
    check_absent(state, "a/b/c");
    assert_int_equal(rows(state, "a/b/c"), 0);
    assert_false(exists(below(state->root, "a/b")));
    check_head(state, "a/d", "2", nonce_a);
    CHECK_OK(file_store_delete(state->store, "a/d", &error));
    assert_int_equal(entries_of(state->root), 1);
    CHECK_OK(file_store_delete(state->store, "a/d", &error)); /* absent */
    CHECK_OK(file_store_delete(state->store, "never/was", &error));
    CHECK_OK(put_text(state, "f", "2", nonce_a, NULL));
    CHECK_OK(file_store_delete(state->store, "f/below", &error));
    check_head(state, "f", "2", nonce_a);
}

TEST_WITH(state, a_folder_is_no_object_and_no_object_is_a_folder)
{
    CHECK_OK(put_text(state, "a/b", "1", nonce_a, NULL));
    check_absent(state, "a");
    check_absent(state, "a/b/c");
    CHECK_OK(file_store_delete(state->store, "a", &error));
    CHECK_IS(put_text(state, "a", "2", nonce_b, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, "a/b/c", "2", nonce_b, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, "a/b/c/d", "2", nonce_b, NULL), OS_ERR_ARGUMENT);
    check_head(state, "a/b", "1", nonce_a);
    assert_int_equal(temps(state), 0);
    assert_int_equal(rows(state, "a"), 0);
    assert_int_equal(rows(state, "a/b/c"), 0);
    assert_int_equal(mkdir(below(state->root, "e"), 0700), 0);
    assert_int_equal(mkdir(below(state->root, "e/f"), 0700), 0);
    assert_int_equal(mkdir(below(state->root, "e/g"), 0700), 0);
    CHECK_OK(put_text(state, "e", "empty folders are in nobody's way", nonce_a, NULL));
    check_head(state, "e", "empty folders are in nobody's way", nonce_a);
}

TEST_WITH(state, every_call_refuses_a_bad_key)
{
    struct file_object object;
    struct gathered gathered = {.len = 0};
    const char *bad = "../x";
    CHECK_OK(put_text(state, "k", "1", nonce_a, NULL));
    CHECK_IS(file_store_head(state->store, bad, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_get(state->store, bad, NULL, gather, &gathered, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, bad, "x", nonce_a, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(put_text(state, ".oscommit/objects.db", "x", nonce_a, NULL), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_copy(state->store, &(struct file_copy_request){.source_key = bad, .key = "l", .nonce = nonce_a},
                             &object, &error),
             OS_ERR_ARGUMENT);
    CHECK_IS(file_store_copy(state->store, &(struct file_copy_request){.source_key = "k", .key = bad, .nonce = nonce_a},
                             &object, &error),
             OS_ERR_ARGUMENT);
    CHECK_IS(file_store_delete(state->store, bad, &error), OS_ERR_ARGUMENT);
}

TEST_WITH(state, the_longest_keys_are_stored_and_found)
{
    char wide[256];
    char deep[1025];
    memset(wide, 'w', 255);
    wide[255] = '\0';
    for (size_t i = 0; i < 1024; i++)
        deep[i] = i % 2 == 0 ? 'x' : '/';
    memcpy(deep + 1020, "xyzw", 5);
    const char *keys[] = {wide, deep};
    for (size_t i = 0; i < 2; i++) {
        CHECK_OK(put_text(state, keys[i], "1", nonce_a, NULL));
        check_head(state, keys[i], "1", nonce_a);
        CHECK_OK(file_store_delete(state->store, keys[i], &error));
    }
    assert_int_equal(strlen(deep), 1024);
    assert_int_equal(entries_of(state->root), 1);
}

/* -------------------------------------------------------------------------------------------- headers and limits */

TEST_WITH(state, headers_and_metadata_have_the_limits_of_s3)
{
    struct file_object object;
    struct http_body body = memory_body("x", 1);
    char text[2100];
    memset(text, 't', sizeof(text));
    text[255] = '\0';
    struct file_content content = {.content_type = text};
    CHECK_OK(file_store_put(state->store, "k", &body, &content, &object, &error));
    CHECK_OK(file_store_head(state->store, "k", &object, &error));
    assert_string_equal(object.content_type, text);
    text[255] = 't';
    text[256] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &content, &object, &error), OS_ERR_ARGUMENT);
    text[256] = 't';
    text[1024] = '\0';
    struct file_content four = {
        .content_encoding = text, .content_language = text, .content_disposition = text, .cache_control = text};
    os_metadata metadata[2] = {{"name", text + 1024 - 44}, {"other", text}};
    four.metadata = metadata;
    four.metadata_count = 1;
    CHECK_OK(file_store_put(state->store, "k", &body, &four, &object, &error));
    text[1024] = 't';
    text[1025] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &four, &object, &error), OS_ERR_ARGUMENT);
    text[1025] = 't';
    text[2048 - 4] = '\0';
    os_metadata most[1] = {{"name", text}};
    struct file_content big = {.metadata = most, .metadata_count = 1};
    CHECK_OK(file_store_put(state->store, "k", &body, &big, &object, &error));
    text[2048 - 4] = 't';
    text[2048 - 3] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &big, &object, &error), OS_ERR_ARGUMENT);
    os_metadata nameless[1] = {{"", "x"}};
    big.metadata = nameless;
    CHECK_IS(file_store_put(state->store, "k", &body, &big, &object, &error), OS_ERR_ARGUMENT);
    text[64] = '\0';
    struct file_content nonce = {.nonce = text};
    CHECK_OK(file_store_put(state->store, "k", &body, &nonce, &object, &error));
    check_head(state, "k", "x", text);
    text[64] = 't';
    text[65] = '\0';
    CHECK_IS(file_store_put(state->store, "k", &body, &nonce, &object, &error), OS_ERR_ARGUMENT);
    assert_int_equal(temps(state), 0);
}

static void check_replaced(struct state *state, const char *key, const char *replaced)
{
    struct file_object object;
    CHECK_OK(file_store_head(state->store, key, &object, &error));
    assert_string_equal(object.replaced, replaced);
}

TEST_WITH(state, each_write_says_what_it_replaced_and_never_what_its_source_did)
{
    struct file_object object;
    struct http_body body = memory_body("hello", 5);
    os_metadata metadata[1] = {{"colour", "red"}};
    struct file_content content = {
        .content_type = "text/x", .metadata = metadata, .metadata_count = 1, .nonce = nonce_a, .replaced = nonce_b};
    CHECK_OK(file_store_put(state->store, "from", &body, &content, &object, &error));
    assert_string_equal(object.replaced, nonce_b);
    check_replaced(state, "from", nonce_b);
    struct file_copy_request wanted = {.source_key = "from", .key = "to", .nonce = nonce_b, .replaced = nonce_a};
    CHECK_OK(file_store_copy(state->store, &wanted, &object, &error));
    check_replaced(state, "to", nonce_a);
    wanted.replaced = NULL;
    CHECK_OK(file_store_copy(state->store, &wanted, &object, &error));
    check_replaced(state, "to", "");
    check_head(state, "to", "hello", nonce_b);
    CHECK_OK(put_text(state, "from", "again", nonce_b, NULL));
    check_replaced(state, "from", "");
    char text[100];
    memset(text, 'n', sizeof(text));
    text[65] = '\0';
    wanted.replaced = content.replaced = text;
    CHECK_IS(file_store_copy(state->store, &wanted, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_put(state->store, "from", &body, &content, &object, &error), OS_ERR_ARGUMENT);
}

TEST_WITH(state, a_copy_takes_headers_and_metadata_along_and_its_own_nonce)
{
    struct file_object object;
    struct file_view from;
    struct file_view to;
    struct http_body body = memory_body("hello", 5);
    os_metadata metadata[2] = {{"colour", "red"}, {"note", ""}};
    struct file_content content = {.content_type = "text/x",
                                   .cache_control = "no-store",
                                   .metadata = metadata,
                                   .metadata_count = 2,
                                   .nonce = nonce_a};
    CHECK_OK(file_store_put(state->store, "from", &body, &content, &object, &error));
    CHECK_OK(file_store_copy(
        state->store,
        &(struct file_copy_request){.source_key = "from", .source_etag = object.etag, .key = "d/to", .nonce = nonce_b},
        &object, &error));
    assert_string_equal(object.nonce, nonce_b);
    assert_string_equal(object.content_type, "text/x");
    check_head(state, "d/to", "hello", nonce_b);
    check_head(state, "from", "hello", nonce_a);
    CHECK_OK(file_view_open(state->store, "from", &from, &error));
    CHECK_OK(file_view_open(state->store, "d/to", &to, &error));
    static const char packed[] =
        "content-type\0text/x\0cache-control\0no-store\0x-amz-meta-colour\0red\0x-amz-meta-note\0";
    assert_int_equal(from.row.headers.len, sizeof(packed));
    assert_memory_equal(from.row.headers.data, packed, sizeof(packed));
    assert_int_equal(to.row.headers.len, sizeof(packed));
    assert_memory_equal(to.row.headers.data, packed, sizeof(packed));
    file_view_close(&from);
    file_view_close(&to);
    CHECK_OK(file_store_copy(state->store,
                             &(struct file_copy_request){.source_key = "from", .key = "from", .nonce = nonce_b},
                             &object, &error)); /* onto itself */
    check_head(state, "from", "hello", nonce_b);
}

static uint64_t token_of(struct state *state, const char *key)
{
    struct file_object object;
    CHECK_OK(file_store_head(state->store, key, &object, &error));
    return object.fencing;
}

TEST_WITH(state, a_copy_has_the_token_that_it_is_given_and_no_other)
{
    struct file_object object;
    struct http_body body = memory_body("hello", 5);
    const struct file_content content = {.nonce = nonce_a, .fencing = "99"};
    struct file_copy_request wanted = {.source_key = "from", .key = "to", .nonce = nonce_b, .fencing = "7"};
    CHECK_OK(file_store_put(state->store, "from", &body, &content, &object, &error));
    CHECK_OK(file_store_copy(state->store, &wanted, &object, &error));
    assert_int_equal(object.fencing, 7);
    assert_int_equal(token_of(state, "to"), 7);
    wanted.fencing = NULL;
    CHECK_OK(file_store_copy(state->store, &wanted, &object, &error));
    assert_int_equal(token_of(state, "to"), 0);
    assert_int_equal(token_of(state, "from"), 99);
    wanted.fencing = "184467440737095516150";
    CHECK_IS(file_store_copy(state->store, &wanted, &object, &error), OS_ERR_ARGUMENT);
}

/* More entries than the library takes, each with a name of its own. */
TEST_WITH(state, a_token_needs_room_beside_the_headers)
{
    enum { ENTRIES = 133, NAME = 13 };
    struct file_object object;
    struct http_body body = memory_body("hello", 5);
    char longest[1025];
    char type[256];
    char names[ENTRIES][NAME + 1];
    os_metadata metadata[ENTRIES];
    memset(longest, 'v', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    memset(type, 't', sizeof(type) - 1);
    type[sizeof(type) - 1] = '\0';
    for (int i = 0; i < ENTRIES; i++) {
        snprintf(names[i], sizeof(names[i]), "%0*d", NAME, i);
        metadata[i] = (os_metadata){names[i], "12"};
    }
    struct file_content content = {.content_type = type,
                                   .content_encoding = longest,
                                   .content_language = longest,
                                   .content_disposition = longest,
                                   .cache_control = longest,
                                   .metadata = metadata,
                                   .metadata_count = ENTRIES,
                                   .nonce = nonce_a};
    struct file_copy_request wanted = {.source_key = "from", .key = "to", .nonce = nonce_b};
    CHECK_OK(file_store_put(state->store, "from", &body, &content, &object, &error));
    CHECK_OK(file_store_copy(state->store, &wanted, &object, &error));
    content.fencing = wanted.fencing = "7";
    CHECK_IS(file_store_put(state->store, "from", &body, &content, &object, &error), OS_ERR_ARGUMENT);
    CHECK_IS(file_store_copy(state->store, &wanted, &object, &error), OS_ERR_ARGUMENT);
    assert_int_equal(token_of(state, "to"), 0);
}

TEST_WITH(state, a_copy_of_a_missing_or_other_version_is_refused)
{
    struct file_object object;
    char nonce[100];
    CHECK_OK(put_text(state, "from", "hello", nonce_a, NULL));
    CHECK_IS(file_store_copy(state->store,
                             &(struct file_copy_request){.source_key = "none", .key = "to", .nonce = nonce_b}, &object,
                             &error),
             OS_ERR_SOURCE);
    CHECK_IS(file_store_copy(state->store,
                             &(struct file_copy_request){.source_key = "from",
                                                         .source_etag = "\"5d41402abc4b2a76b9719d911017c593\"",
                                                         .key = "to",
                                                         .nonce = nonce_b},
                             &object, &error),
             OS_ERR_SOURCE);
    assert_non_null(strstr(error.message, "5d41402abc4b2a76b9719d911017c592"));
    memset(nonce, 'n', sizeof(nonce));
    nonce[65] = '\0';
    CHECK_IS(file_store_copy(state->store,
                             &(struct file_copy_request){.source_key = "from", .key = "to", .nonce = nonce}, &object,
                             &error),
             OS_ERR_ARGUMENT);
    check_absent(state, "to");
    assert_int_equal(temps(state), 0);
}
