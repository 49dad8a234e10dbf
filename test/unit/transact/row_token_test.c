/* SPDX-License-Identifier: Apache-2.0 */
/* X1, X6: tokens, and whose they are. */
#include "transact/row_token.h"

#include "support/test.h"

#include <string.h>

#define OWN  "0123456789abcdef0123456789abcdef"
#define READ "fedcba9876543210fedcba9876543210"

/* The linker puts these in front (test/CMakeLists.txt). */
static bool is_out_of_order;
bool __real_random_bytes(void *ret, size_t len);
bool __wrap_random_bytes(void *ret, size_t len);
bool __wrap_random_bytes(void *ret, size_t len)
{
    return !is_out_of_order && __real_random_bytes(ret, len);
}
bool __real_sha256_hex(const void *data, size_t len, char *ret);
bool __wrap_sha256_hex(const void *data, size_t len, char *ret);
bool __wrap_sha256_hex(const void *data, size_t len, char *ret)
{
    return !is_out_of_order && __real_sha256_hex(data, len, ret);
}

TEST(each_token_is_another_and_has_one_fence)
{
    char a[ROW_TOKEN_SIZE];
    char b[ROW_TOKEN_SIZE];
    char fence[ROW_TOKEN_SIZE];
    char again[ROW_TOKEN_SIZE];
    assert_true(row_token_make(a) && row_token_make(b));
    assert_true(row_token_is(a) && row_token_is(b) && strcmp(a, b) != 0);
    assert_true(row_token_fence(a, fence) && row_token_fence(a, again));
    assert_true(row_token_is(fence) && strcmp(fence, a) != 0);
    assert_string_equal(fence, again);
    assert_true(row_token_fence(b, again) && strcmp(fence, again) != 0);
}

TEST(without_random_bits_or_a_digest_there_is_no_token)
{
    char token[ROW_TOKEN_SIZE];
    is_out_of_order = true;
    bool is_made = row_token_make(token);
    bool is_fenced = row_token_fence(OWN, token);
    is_out_of_order = false;
    assert_false(is_made);
    assert_false(is_fenced);
}

static const struct {
    const char *name;
    bool is_token;
} texts[] = {
    {OWN, true},
    {"", false},
    {"0123456789abcdef0123456789abcde", false},
    {OWN "0", false},
    {"0123456789abcdef0123456789abcdeg", false},
    {"0123456789ABCDEF0123456789ABCDEF", false},
    {" 123456789abcdef0123456789abcdef", false},
};

TEST_ROWS(texts, a_token_has_32_hex_digits)
{
    assert_int_equal(row_token_is(row->name), row->is_token);
    assert_false(row_token_is(NULL));
}

static const struct {
    const char *name; /* the value of the attribute; NULL: it has none */
    const char *read_token;
    enum transaction_token whose;
} values[] = {
    {NULL, READ, TRANSACTION_NONE},
    {"{\"S\":\"" OWN "\"}", READ, TRANSACTION_OURS},
    {"{\"S\":\"ffffffffffffffffffffffffffffffff\"}", READ, TRANSACTION_FENCE},
    {"{\"S\":\"" READ "\"}", READ, TRANSACTION_READ},
    {"{\"S\":\"" READ "\"}", NULL, TRANSACTION_OTHER},
    {"{\"S\":\"\"}", READ, TRANSACTION_OTHER},
    /* Another program's attribute of this name. */
    {"{\"N\":\"7\"}", READ, TRANSACTION_NONE},
    {"{\"BOOL\":true}", READ, TRANSACTION_NONE},
};

/* Either of the two, with nothing in place of the other. */
TEST_ROWS(values, a_row_shows_whose_its_tokens_are)
{
    static const struct row_tokens tokens = {OWN, "ffffffffffffffffffffffffffffffff"};
    const struct row_mark mark = {.read_token = row->read_token};
    const char *const attributes[] = {ROW_TOKEN, ROW_BEFORE};
    for (size_t i = 0; i < 2; i++) {
        struct transaction_row seen = {.seen = TRANSACTION_UNSEEN};
        json_t *item = json_object();
        if (row->name != NULL)
            assert_int_equal(json_object_set_new(item, attributes[i], json_loads(row->name, 0, NULL)), 0);
        row_see(&mark, &tokens, item, &seen);
        json_decref(item);
        assert_int_equal(seen.seen, TRANSACTION_THERE);
        assert_int_equal(i == 0 ? seen.token : seen.before, row->whose);
        assert_int_equal(i == 0 ? seen.before : seen.token, TRANSACTION_NONE);
    }
}

TEST(a_row_that_is_not_there_has_no_tokens)
{
    static const struct row_tokens tokens = {OWN, READ};
    const struct row_mark mark = {.read_token = NULL};
    struct transaction_row seen = {.seen = TRANSACTION_UNSEEN};
    row_see(&mark, &tokens, NULL, &seen);
    assert_int_equal(seen.seen, TRANSACTION_ABSENT);
    assert_true(seen.token == TRANSACTION_NONE && seen.before == TRANSACTION_NONE);
}
