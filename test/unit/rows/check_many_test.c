/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused of several items at once, whoever is asked. */
#include "rows/check.h"

#include "attribute/value.h"
#include "trees.h"

#include <stdio.h>

enum { MANY = ROWS_AT_ONCE_MAX + 1 };

static void assert_refused(os_code code, const os_error *err, const char *words)
{
    assert_int_equal(code, OS_ERR_ARGUMENT);
    if (strstr(err->message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, err->message);
}

/* "key 0", "key 1" ... of users. */
static const json_t *user(struct trees *trees, size_t number)
{
    char name[32];
    snprintf(name, sizeof(name), "key %zu", number);
    return keep(trees, json_pack("{s:{s:s}}", "id", "S", name));
}

TEST_WITH(trees, a_read_names_1_to_100_items_and_none_twice)
{
    os_error err;
    struct rows_key keys[MANY];
    struct rows_get gets[MANY];
    for (size_t i = 0; i < MANY; i++) {
        keys[i] = (struct rows_key){&users, user(trees, i)};
        gets[i] = (struct rows_get){.of = keys[i]};
    }
    assert_int_equal(rows_check_keys(keys, MANY - 1, &err), OS_OK);
    assert_int_equal(rows_check_gets(gets, MANY - 1, &err), OS_OK);
    assert_refused(rows_check_keys(keys, MANY, &err), &err, "names 1 to 100 items, and this one would name 101");
    assert_refused(rows_check_gets(gets, MANY, &err), &err, "names 1 to 100 items, and this one would name 101");
    assert_refused(rows_check_keys(keys, 0, &err), &err, "would name 0");
    assert_refused(rows_check_gets(gets, 0, &err), &err, "would name 0");
    keys[7].key = gets[7].of.key = keys[3].key;
    assert_refused(rows_check_keys(keys, MANY - 1, &err), &err,
                   "A read of several items names the item id \"key 3\" of table \"users\" twice");
    assert_refused(rows_check_gets(gets, MANY - 1, &err), &err, "the item id \"key 3\" of table \"users\" twice");
    keys[7].key = gets[7].of.key = tree(trees, "{'x':{'S':'a'}}");
    assert_refused(rows_check_keys(keys, MANY - 1, &err), &err, "id: the value is not");
    assert_refused(rows_check_gets(gets, MANY - 1, &err), &err, "id: the value is not");
}

TEST_WITH(trees, an_item_of_another_table_is_another)
{
    static const struct rows_table archive = {"archive", {"pk", "sk"}};
    const struct rows_key keys[] = {{&orders, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")},
                                    {&archive, tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}")},
                                    {&orders, tree(trees, "{'sk':{'N':'1.0'},'pk':{'S':'a'}}")}};
    os_error err;
    assert_int_equal(rows_check_keys(keys, 2, &err), OS_OK);
    assert_refused(rows_check_keys(keys, 3, &err), &err, "the item pk \"a\", sk \"1.0\" of table \"orders\" twice");
}

/* -------------------------------------------------------------------------------------------------- transactions */

TEST_WITH(trees, a_transaction_names_1_to_100_items)
{
    os_error err;
    struct rows_write writes[MANY];
    for (size_t i = 0; i < MANY; i++)
        writes[i] = (struct rows_write){.kind = ROWS_DELETE, .table = &users, .item = user(trees, i)};
    struct rows_transaction transaction = {writes, MANY - 1, "token"};
    assert_int_equal(rows_check_transaction(&transaction, &err), OS_OK);
    assert_int_equal(rows_check_together(&transaction, &err), OS_OK);
    transaction.count = MANY;
    assert_refused(rows_check_transaction(&transaction, &err), &err,
                   "A transaction names 1 to 100 items, and this one would name 101");
    transaction.count = 0;
    assert_refused(rows_check_transaction(&transaction, &err), &err, "would name 0");
}

TEST_WITH(trees, no_item_of_a_transaction_comes_twice_or_comes_back)
{
    os_error err;
    struct rows_write writes[] = {
        {.kind = ROWS_PUT, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}}")},
        {.kind = ROWS_DELETE, .table = &orders, .item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1e0'}}")}};
    const struct rows_transaction transaction = {writes, 2, "token"};
    assert_refused(rows_check_together(&transaction, &err), &err,
                   "A transaction names the item pk \"a\", sk \"1e0\" of table \"orders\" twice");
    writes[1].item = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'10'}}");
    assert_int_equal(rows_check_together(&transaction, &err), OS_OK);
    writes[1].returns_item = true;
    assert_refused(rows_check_transaction(&transaction, &err), &err, "A transaction returns no items");
}

static const struct token_row {
    const char *name;
    const char *token;
    os_code code;
} token_rows[] = {
    {"one", "x", OS_OK},
    {"36", "0123456789abcdef0123456789abcdef0123", OS_OK},
    {"none", NULL, OS_ERR_ARGUMENT},
    {"an empty one", "", OS_ERR_ARGUMENT},
    {"37", "0123456789abcdef0123456789abcdef01234", OS_ERR_ARGUMENT},
    {"a blank", "a b", OS_ERR_ARGUMENT},
    {"no ASCII", "\xc3\xa4", OS_ERR_ARGUMENT},
};

TEST_ROWS_WITH(trees, token_rows, a_token_has_1_to_36_visible_characters)
{
    const struct rows_write write = {.kind = ROWS_DELETE, .table = &users, .item = user(trees, 0)};
    assert_int_equal(rows_check_transaction(&(struct rows_transaction){&write, 1, row->token}, NULL), row->code);
}

TEST(a_transaction_has_at_most_4_MB)
{
    os_error err;
    assert_int_equal(rows_check_size(ROWS_TRANSACTION_SIZE_MAX, &err), OS_OK);
    assert_int_equal(rows_check_size(ROWS_TRANSACTION_SIZE_MAX + 1, &err), OS_ERR_TOO_LARGE);
    assert_non_null(strstr(err.message, "have 4194305 bytes together"));
}

TEST_WITH(trees, the_items_of_a_transaction_are_counted)
{
    os_error err;
    struct rows_write writes[11];
    char *text = calloc(1, 390 * 1024 + 1);
    assert_non_null(text);
    memset(text, 'x', 390 * 1024);
    for (size_t i = 0; i < 11; i++) {
        json_t *item = keep(trees, json_copy((json_t *)user(trees, i)));
        assert_int_equal(json_object_set_new(item, "x", json_pack("{s:s}", "S", text)), 0);
        writes[i] = (struct rows_write){.kind = ROWS_PUT, .table = &users, .item = item};
    }
    free(text);
    assert_int_equal(rows_check_together(&(struct rows_transaction){writes, 10, "token"}, &err), OS_OK);
    assert_int_equal(rows_check_together(&(struct rows_transaction){writes, 11, "token"}, &err), OS_ERR_TOO_LARGE);
}
