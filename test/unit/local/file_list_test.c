/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_store.h"

#include "file_state.h"

static void put(struct state *state, const char *key)
{
    CHECK_OK(put_text(state, key, key, "n", NULL));
}

struct listed {
    char text[4096];
    size_t count;
    size_t stop_at;
};

static bool list_one(void *context, const char *key, bool is_prefix, const struct file_object *object)
{
    struct listed *listed = context;
    size_t len = strlen(listed->text);
    assert_int_equal(is_prefix, object == NULL);
    if (object != NULL) {
        char etag[MD5_ETAG_SIZE];
        etag_of(key, strlen(key), etag);
        assert_string_equal(object->etag, etag);
        assert_string_equal(object->nonce, "n");
    }
    (void)snprintf(listed->text + len, sizeof(listed->text) - len, "%s%s ", is_prefix ? "+" : "", key);
    return ++listed->count != listed->stop_at;
}

static void check_list(struct state *state, const char *prefix, const char *delimiter, const char *start_after,
                       uint64_t max_keys, const char *expected)
{
    struct listed listed = {.count = 0};
    CHECK_OK(
        file_store_list(state->store,
                        &(struct file_list_range){
                            .prefix = prefix, .delimiter = delimiter, .start_after = start_after, .max_keys = max_keys},
                        list_one, &listed, &error));
    assert_string_equal(listed.text, expected);
}

TEST_WITH(state, keys_come_in_the_order_of_their_bytes)
{
    check_list(state, NULL, NULL, NULL, 0, "");
    /* '-' and '.' stand before '/', '0' behind it; upper case before lower; UTF-8 behind all of ASCII. */
    static const char *const keys[] = {"a/b", "a.b",     "a-",   "a0",         "a/B",          "b",
                                       "B",   "a/b.c/d", "a/b0", "\xc3\xa4/x", "\xe2\x82\xac", "z/y/x/w"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        put(state, keys[i]);
    check_list(state, NULL, NULL, NULL, 0, "B a- a.b a/B a/b a/b.c/d a/b0 a0 b z/y/x/w \xc3\xa4/x \xe2\x82\xac ");
    check_list(state, "", "", "", 0, "B a- a.b a/B a/b a/b.c/d a/b0 a0 b z/y/x/w \xc3\xa4/x \xe2\x82\xac ");
}

TEST_WITH(state, a_prefix_is_bytes_not_folders)
{
    static const char *const keys[] = {"log", "log/1", "logs/1", "logs/2/3", "lot"};
    put(state, "log2");
    for (size_t i = 1; i < 5; i++)
        put(state, keys[i]);
    check_list(state, "log", NULL, NULL, 0, "log/1 log2 logs/1 logs/2/3 ");
    check_list(state, "logs/", NULL, NULL, 0, "logs/1 logs/2/3 ");
    check_list(state, "logs/2", NULL, NULL, 0, "logs/2/3 ");
    check_list(state, "logs/2/3", NULL, NULL, 0, "logs/2/3 ");
    check_list(state, "logs/2/3/4", NULL, NULL, 0, "");
    check_list(state, "x", NULL, NULL, 0, "");
    check_list(state, "../", NULL, NULL, 0, "");
    check_list(state, ".oscommit", NULL, NULL, 0, "");
}

TEST_WITH(state, a_delimiter_rolls_keys_up)
{
    static const char *const keys[] = {"a/1", "a/2", "a/b/3", "a-x", "b", "c/d/e/f", "c/g"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        put(state, keys[i]);
    check_list(state, NULL, "/", NULL, 0, "a-x +a/ b +c/ ");
    check_list(state, "a/", "/", NULL, 0, "a/1 a/2 +a/b/ ");
    check_list(state, "a", "/", NULL, 0, "a-x +a/ ");
    check_list(state, "c/", "/", NULL, 0, "+c/d/ c/g ");
    check_list(state, NULL, "-", NULL, 0, "+a- a/1 a/2 a/b/3 b c/d/e/f c/g ");
    check_list(state, "c", "/e/", NULL, 0, "+c/d/e/ c/g ");
    check_list(state, NULL, "/b", NULL, 0, "a-x a/1 a/2 +a/b b c/d/e/f c/g ");
    assert_int_equal(mkdir(below(state->root, "empty"), 0700), 0); /* no key, no prefix */
    check_list(state, "e", "/", NULL, 0, "");
}

TEST_WITH(state, a_list_goes_on_where_it_was_left)
{
    static const char *const keys[] = {"a/1", "a/2", "a/b/3", "a-x", "b", "c/d/e/f", "c/g"};
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
        put(state, keys[i]);
    check_list(state, NULL, NULL, "a/1", 0, "a/2 a/b/3 b c/d/e/f c/g ");
    check_list(state, NULL, NULL, "a/2", 2, "a/b/3 b ");
    check_list(state, NULL, NULL, "a/", 1, "a/1 ");
    check_list(state, NULL, NULL, "a0", 1, "b ");
    check_list(state, NULL, NULL, "c/g", 0, "");
    check_list(state, "a/", NULL, "zzz", 0, "");
    check_list(state, "c/", NULL, "a", 0, "c/d/e/f c/g ");
    check_list(state, NULL, "/", NULL, 2, "a-x +a/ ");
    check_list(state, NULL, "/", "a/", 0, "b +c/ "); /* what was given last is not given again */
    check_list(state, NULL, "/", "a/1", 1, "+a/ ");  /* some key of it is still to come */
    check_list(state, NULL, "/", "c/g", 0, "");
    struct listed listed = {.stop_at = 3};
    CHECK_IS(file_store_list(state->store, &(struct file_list_range){0}, list_one, &listed, &error), OS_ERR_STOPPED);
    assert_string_equal(listed.text, "a-x a/1 a/2 ");
}

static bool list_plain(void *context, const char *key, bool is_prefix, const struct file_object *object)
{
    char *text = context;
    assert_false(is_prefix);
    (void)snprintf(text + strlen(text), 512 - strlen(text), "%s(%llu)%s ", key, (unsigned long long)object->length,
                   object->nonce);
    return true;
}

TEST_WITH(state, what_is_no_object_is_passed_over_what_was_put_by_hand_is_not)
{
    char text[512] = "";
    put(state, "k");
    write_plain(below(state->root, "by-hand"), "12345");
    write_plain(below(state->root, "not\xffutf8"), "12345");
    assert_int_equal(symlink("/etc/passwd", below(state->root, "link")), 0);
    assert_int_equal(symlink("/etc", below(state->root, "links")), 0);
    assert_int_equal(mkfifo(below(state->root, "fifo"), 0600), 0);
    CHECK_OK(file_store_list(state->store, &(struct file_list_range){0}, list_plain, text, &error));
    assert_string_equal(text, "by-hand(5) k(1)n ");
}

static bool remove_while_listed(void *context, const char *key, bool is_prefix, const struct file_object *object)
{
    struct state *state = context;
    (void)is_prefix;
    (void)object;
    os_error ignored;
    assert_string_equal(key, "a");
    assert_int_equal(file_store_delete(state->store, "b", &ignored), OS_OK);
    assert_int_equal(file_store_delete(state->store, "c/d", &ignored), OS_OK);
    return true;
}

TEST_WITH(state, what_goes_while_it_is_listed_is_no_error)
{
    put(state, "a");
    put(state, "b");
    put(state, "c/d");
    CHECK_OK(file_store_list(state->store, &(struct file_list_range){0}, remove_while_listed, state, &error));
}

static bool count_keys(void *context, const char *key, bool is_prefix, const struct file_object *object)
{
    struct listed *listed = context;
    (void)is_prefix;
    (void)object;
    assert_true(strcmp(listed->text, key) < 0);
    (void)snprintf(listed->text, sizeof(listed->text), "%s", key);
    listed->count++;
    return true;
}

TEST_WITH(state, the_deepest_tree_and_a_wide_folder_are_listed)
{
    struct listed listed = {.count = 0};
    char deep[1025];
    for (size_t i = 0; i < 1024; i++)
        deep[i] = i % 2 == 0 ? 'x' : '/';
    deep[1023] = '\0';
    put(state, deep);
    assert_int_equal(mkdir(below(state->root, "wide"), 0700), 0);
    for (int i = 0; i < 500; i++) {
        char name[32];
        (void)snprintf(name, sizeof(name), "wide/%d", i);
        write_plain(below(state->root, name), "");
    }
    CHECK_OK(file_store_list(state->store, &(struct file_list_range){0}, count_keys, &listed, &error));
    assert_int_equal(listed.count, 501);
    assert_string_equal(listed.text, deep);
}
