/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/keys.h"

#include "support/test.h"

#include <string.h>

static const struct keys_text whole = {
    .access_key_id = {"id", 2}, .secret_access_key = {"HUSH", 4}, .session_token = {"tok", 3}, .expires_s = 9};

static void check(const struct keys *keys, const char *id, const char *token, int64_t expires_s)
{
    assert_true(keys_are_there(keys));
    assert_string_equal(keys->access_key_id, id);
    assert_string_equal(keys->secret_access_key, "HUSH");
    assert_string_equal(keys->session_token != NULL ? keys->session_token : "none", token);
    assert_int_equal(keys->expires_s, expires_s);
}

TEST(keys_are_copied_over_those_before_and_lent)
{
    struct keys keys = {0};
    struct keys other = {0};
    os_error err;
    assert_false(keys_are_there(&keys));
    assert_int_equal(keys_take(&whole, &keys, &err), OS_OK);
    check(&keys, "id", "tok", 9);
    assert_int_equal(keys_copy(&keys, &other, &err), OS_OK);
    assert_ptr_not_equal(other.access_key_id, keys.access_key_id);
    struct sigv4_keys lent = keys_lend(&keys);
    assert_ptr_equal(lent.access_key_id, keys.access_key_id);
    assert_ptr_equal(lent.secret_access_key, keys.secret_access_key);
    assert_ptr_equal(lent.session_token, keys.session_token);
    const struct keys_text plain = {.access_key_id = {"id2", 3}, .secret_access_key = {"HUSH", 4}};
    assert_int_equal(keys_take(&plain, &keys, &err), OS_OK);
    check(&keys, "id2", "none", 0);
    check(&other, "id", "tok", 9);
    keys_free(&keys);
    keys_free(&keys);
    assert_false(keys_are_there(&keys));
    keys_free(&other);
}

static const struct {
    const char *name;
    size_t part;
    const char *text;
    size_t len;
    const char *words;
} bad[] = {
    {"a blank in the id", 0, "HU SH", 5, "The access key id contains a blank"},
    {"a line end in the secret", 1, "HUSH\n", 5, "The secret access key contains a blank"},
    {"a NUL in the token", 2, "HU\0SH", 5, "The session token contains a blank"},
    {"a DEL in the token", 2, "HUSH\x7f", 5, "The session token contains a blank"},
    {"too long an id", 0, NULL, SIGV4_ACCESS_KEY_ID_MAX + 1, "The access key id has 256 bytes; at most 255"},
    {"too long a secret", 1, NULL, SIGV4_SECRET_MAX + 1, "The secret access key has 508 bytes; at most 507"},
    {"too long a token", 2, NULL, SIGV4_SESSION_TOKEN_MAX + 1, "The session token has 14337 bytes; at most 14336"},
};

TEST_ROWS(bad, what_cannot_be_sent_leaves_the_keys_as_they_were)
{
    struct keys keys = {0};
    os_error err;
    assert_int_equal(keys_take(&whole, &keys, &err), OS_OK);
    char *text = malloc(row->len);
    assert_non_null(text);
    memset(text, 'k', row->len);
    if (row->text != NULL)
        memcpy(text, row->text, row->len);
    struct keys_text from = whole;
    struct text *const parts[] = {&from.access_key_id, &from.secret_access_key, &from.session_token};
    *parts[row->part] = text_of(text, row->len);
    assert_int_equal(keys_take(&from, &keys, &err), OS_ERR_CREDENTIALS);
    assert_non_null(strstr(err.message, row->words));
    assert_null(strstr(err.message, "HU"));
    check(&keys, "id", "tok", 9);
    keys_free(&keys);
    free(text);
}

/* A token may have any other byte: nobody but AWS knows what is in it. */
TEST(other_bytes_are_taken)
{
    struct keys keys = {0};
    os_error err;
    struct keys_text from = whole;
    from.session_token = text_of("\x80\xff/+=!~", 7);
    assert_int_equal(keys_take(&from, &keys, &err), OS_OK);
    assert_string_equal(keys.session_token, "\x80\xff/+=!~");
    keys_free(&keys);
}

TEST(a_string_is_wiped_and_forgotten)
{
    char *string = strdup("HUSH");
    keys_wipe(&string);
    assert_null(string);
    keys_wipe(&string);
    assert_null(string);
}
