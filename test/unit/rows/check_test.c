/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused of a write, a read and a page, whoever is asked. */
#include "rows/check.h"

#include "attribute/check.h"
#include "trees.h"

#define A1 "{'pk':{'S':'a'},'sk':{'N':'1'}}"

static void assert_says(const os_error *err, const char *words)
{
    if (strstr(err->message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, err->message);
}

static void assert_refused(os_code code, const os_error *err, const char *words)
{
    assert_int_equal(code, OS_ERR_ARGUMENT);
    assert_int_equal(err->code, OS_ERR_ARGUMENT);
    assert_says(err, words);
}

/* -------------------------------------------------------------------------------------------------------- writes */

static const struct write_row {
    const char *name;
    enum rows_write_kind kind;
    struct rows_table table;
    const char *item;
    const char *says; /* NULL: it is fine */
} write_rows[] = {
    {"an item", ROWS_PUT, {"orders", {"pk", "sk"}}, "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}}", NULL},
    {"a key", ROWS_DELETE, {"orders", {"pk", "sk"}}, A1, NULL},
    {"a table without a key", ROWS_PUT, {"orders", {NULL, NULL}}, A1, "A key has one or two attributes"},
    {"a sort key without a name", ROWS_PUT, {"orders", {"pk", ""}}, A1, "A key has one or two attributes"},
    {"a name that is not UTF-8", ROWS_PUT, {"orders", {"\xff", NULL}}, A1, "A key has one or two attributes"},
    {"two attributes of one name", ROWS_PUT, {"orders", {"pk", "pk"}}, A1, "a name of its own"},
    {"an item without its sort key", ROWS_PUT, {"orders", {"pk", "sk"}}, "{'pk':{'S':'a'}}", "sk: the value is not"},
    {"an item that is none", ROWS_PUT, {"orders", {"pk", "sk"}}, "[]", "is not a JSON object of attributes"},
    {"an empty key", ROWS_PUT, {"orders", {"pk", "sk"}}, "{'pk':{'S':''},'sk':{'N':'1'}}", "of 1 to 2048 bytes"},
    {"a key of no key's type",
     ROWS_PUT,
     {"orders", {"pk", "sk"}},
     "{'pk':{'S':'a'},'sk':{'BOOL':true}}",
     "is an S, an N or a B of 1 to 1024 bytes; this one is of type BOOL"},
    {"more than the key",
     ROWS_DELETE,
     {"orders", {"pk", "sk"}},
     "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'y'}}",
     "table \"orders\" has the attribute \"pk\", the attribute \"sk\" and no other"},
    {"one key of two", ROWS_DELETE, {"users", {"pk", NULL}}, A1, "has the attribute \"pk\" and no other"},
    {"a check without a condition", ROWS_CHECK, {"orders", {"pk", "sk"}}, A1, "has no condition: give one"},
    {"another kind", (enum rows_write_kind)9, {"orders", {"pk", "sk"}}, A1, "PUT, UPDATE, DELETE or CHECK"},
};

TEST_ROWS_WITH(trees, write_rows, a_write_is_checked)
{
    os_error err;
    const struct rows_write write = {.kind = row->kind, .table = &row->table, .item = tree(trees, row->item)};
    os_code code = rows_check_write(&write, &err);
    if (row->says == NULL)
        assert_int_equal(code, OS_OK);
    else
        assert_refused(code, &err, row->says);
}

TEST_WITH(trees, a_condition_and_changes_are_checked)
{
    os_error err;
    const struct condition_term term = {
        .path = PATH({.name = "a"}), .test = CONDITION_IS_BELOW, .value = tree(trees, "{'BOOL':true}")};
    const struct change wrong = {.path = PATH({.name = "a"}), .kind = CHANGE_DELETE, .value = tree(trees, "{'S':'x'}")};
    const struct change of_key = {.path = PATH({.name = "sk"}, {.name = "x"}), .kind = CHANGE_REMOVE};
    struct rows_write write = {.kind = ROWS_DELETE, .table = &orders, .item = tree(trees, A1), .condition = {&term, 1}};
    assert_refused(rows_check_write(&write, &err), &err, "asks for an order");
    write = (struct rows_write){
        .kind = ROWS_UPDATE, .table = &orders, .item = write.item, .changes = &wrong, .change_count = 1};
    assert_refused(rows_check_write(&write, &err), &err, "a: ");
    write.changes = &of_key;
    assert_refused(rows_check_write(&write, &err), &err, "sk.x: the attributes of an item's key do not change");
    write.kind = ROWS_PUT;
    assert_refused(rows_check_write(&write, &err), &err, "Only an UPDATE has changes");
}

TEST_WITH(trees, a_check_stands_in_a_transaction)
{
    os_error err;
    const struct condition_term term = {.path = PATH({.name = "a"}), .test = CONDITION_EXISTS};
    const struct rows_write check = {
        .kind = ROWS_CHECK, .table = &orders, .item = tree(trees, A1), .condition = {&term, 1}};
    assert_int_equal(rows_check_write(&check, &err), OS_OK);
    assert_refused(rows_check_write_alone(&check, &err), &err, "stands only in a transaction");
}

TEST_WITH(trees, an_update_without_changes_stands_alone)
{
    os_error err;
    const struct condition_term term = {.path = PATH({.name = "a"}), .test = CONDITION_EXISTS};
    const struct rows_write update = {
        .kind = ROWS_UPDATE, .table = &orders, .item = tree(trees, A1), .condition = {&term, 1}};
    assert_int_equal(rows_check_write_alone(&update, &err), OS_OK);
    assert_refused(rows_check_write(&update, &err), &err, "An update in a transaction has no changes");
}

/* A list of so many numbers, each of which counts for two. */
static json_t *list_of(struct trees *trees, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        assert_int_equal(json_array_append_new(list, json_pack("{ss}", "N", "1")), 0);
    return keep(trees, json_pack("{so}", "L", list));
}

TEST_WITH(trees, what_could_not_be_read_back_is_not_written)
{
    os_error err;
    json_t *half = list_of(trees, ITEM_VALUES_MAX / 4);
    json_t *item = tree(trees, A1);
    const struct change changes[] = {{.path = PATH({.name = "x"}), .kind = CHANGE_SET, .value = half},
                                     {.path = PATH({.name = "y"}), .kind = CHANGE_SET, .value = half},
                                     {.path = PATH({.name = "z"}), .kind = CHANGE_REMOVE}};
    struct rows_write write = {
        .kind = ROWS_UPDATE, .table = &orders, .item = item, .changes = changes, .change_count = 1};
    assert_int_equal(rows_check_write(&write, &err), OS_OK);
    write.change_count = 3;
    assert_int_equal(rows_check_write(&write, &err), OS_ERR_TOO_LARGE);
    json_t *whole = keep(trees, json_copy(item));
    json_object_set(whole, "x", half);
    write = (struct rows_write){.kind = ROWS_PUT, .table = &orders, .item = whole};
    assert_int_equal(rows_check_write(&write, &err), OS_OK);
    json_object_set(whole, "y", half);
    assert_int_equal(rows_check_write(&write, &err), OS_ERR_TOO_LARGE);
    assert_says(&err, "too many values to be read back");
}

/* --------------------------------------------------------------------------------------------------------- reads */

TEST_WITH(trees, the_paths_of_a_read_are_checked)
{
    os_error err;
    const struct path paths[] = {PATH({.name = "a"}, {.name = "b"}), PATH({.name = "a"})};
    const struct path index = PATH({.index = 1});
    struct rows_get get = {.of = {&orders, tree(trees, A1)}, .paths = paths, .path_count = 2};
    struct rows_list list = {.table = &orders, .paths = paths, .path_count = 2};
    assert_refused(rows_check_get(&get, &err), &err, "overlap: a.b and a.");
    assert_refused(rows_check_list(&list, &err), &err, "overlap: a.b and a.");
    get.path_count = list.path_count = 1;
    assert_int_equal(rows_check_get(&get, &err), OS_OK);
    assert_int_equal(rows_check_list(&list, &err), OS_OK);
    get.paths = list.paths = &index;
    assert_int_equal(rows_check_get(&get, &err), OS_ERR_ARGUMENT);
    assert_int_equal(rows_check_list(&list, &err), OS_ERR_ARGUMENT);
}

static const struct range_row {
    const char *name;
    enum condition_test test;
    const char *value;
    const char *upper;
    os_code code;
} range_rows[] = {
    {"any", 0, "{'BOOL':true}", NULL, OS_OK},
    {"=", CONDITION_EQUALS, "{'N':'1'}", NULL, OS_OK},
    {">=", CONDITION_IS_AT_LEAST, "{'N':'1'}", NULL, OS_OK},
    {"BETWEEN", CONDITION_IS_BETWEEN, "{'N':'1'}", "{'N':'2'}", OS_OK},
    {"begins_with", CONDITION_BEGINS_WITH, "{'S':'a'}", NULL, OS_OK},
    {"begins_with a number", CONDITION_BEGINS_WITH, "{'N':'1'}", NULL, OS_ERR_ARGUMENT},
    {"<>", CONDITION_DIFFERS, "{'N':'1'}", NULL, OS_ERR_ARGUMENT},
    {"contains", CONDITION_CONTAINS, "{'S':'a'}", NULL, OS_ERR_ARGUMENT},
    {"exists", CONDITION_EXISTS, "{'S':'a'}", NULL, OS_ERR_ARGUMENT},
    {"is absent", CONDITION_IS_ABSENT, "{'S':'a'}", NULL, OS_ERR_ARGUMENT},
    {"an empty text", CONDITION_EQUALS, "{'S':''}", NULL, OS_ERR_ARGUMENT},
    {"no key", CONDITION_EQUALS, "{'BOOL':true}", NULL, OS_ERR_ARGUMENT},
    {"no upper bound", CONDITION_IS_BETWEEN, "{'S':'a'}", NULL, OS_ERR_ARGUMENT},
    {"an upper bound that is no key", CONDITION_IS_BETWEEN, "{'S':'a'}", "{'S':''}", OS_ERR_ARGUMENT},
    {"bounds of two types", CONDITION_IS_BETWEEN, "{'S':'a'}", "{'N':'2'}", OS_ERR_ARGUMENT},
    {"bounds in the wrong order", CONDITION_IS_BETWEEN, "{'N':'2'}", "{'N':'1'}", OS_ERR_ARGUMENT},
};

TEST_ROWS_WITH(trees, range_rows, the_range_of_a_query_is_checked)
{
    struct rows_list list = {.table = &orders,
                             .partition = tree(trees, "{'S':'p'}"),
                             .sort = {.test = row->test,
                                      .value = tree(trees, row->value),
                                      .upper = row->upper != NULL ? tree(trees, row->upper) : NULL}};
    assert_int_equal(rows_check_list(&list, NULL), row->code);
    list.table = &users; /* without a sort key */
    assert_int_equal(rows_check_list(&list, NULL), row->test != 0 ? OS_ERR_ARGUMENT : OS_OK);
}

static const struct list_row {
    const char *name;
    struct rows_list list;
    const char *partition;
    const char *start_key;
    const char *says;
} list_rows[] = {
    {"no name of an index", {.index = "a", .index_keys = {"state", NULL}}, .says = "\"a\" is not the name of an index"},
    {"no keys of an index", {.index = "by-state"}, .says = "A key has one or two attributes"},
    {"an empty partition", .partition = "{'S':''}", .says = "of 1 to 2048 bytes"},
    {"segments of a query", {.segments = 2}, .partition = "{'S':'a'}", .says = "it has no segments"},
    {"a segment of a query", {.segment = 1}, .partition = "{'S':'a'}", .says = "it has no segments"},
    {"a scan turned round", {.is_descending = true}, .says = "A Scan has no order"},
    {"a range of a scan", {.sort = {.test = CONDITION_EQUALS}}, .says = "asks nothing of the sort key"},
    {"a segment of none", {.segment = 1}, .says = "there is no segment 1 of 0"},
    {"a segment behind the last", {.segment = 4, .segments = 4}, .says = "there is no segment 4 of 4"},
    {"too many segments", {.segments = ROWS_SEGMENTS_MAX + 1}, .says = "1 to 1000000 segments"},
    {"a part of a start", .start_key = "{'pk':{'S':'a'}}", .says = "sk: the value is not"},
    {"more than a start", .start_key = "{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'S':'b'}}", .says = "cannot begin here"},
    {"a start without the index's key",
     {.index = "by-state", .index_keys = {"state", NULL}},
     .start_key = A1,
     .says = "state: the value is not"},
};

TEST_ROWS_WITH(trees, list_rows, a_page_is_checked)
{
    os_error err;
    struct rows_list list = row->list;
    list.table = &orders;
    list.partition = row->partition != NULL ? tree(trees, row->partition) : NULL;
    list.start_key = row->start_key != NULL ? tree(trees, row->start_key) : NULL;
    assert_refused(rows_check_list(&list, &err), &err, row->says);
}

TEST_WITH(trees, the_filter_of_a_query_says_nothing_of_its_key)
{
    os_error err;
    const struct condition_term filter = {.path = PATH({.name = "sk"}), .test = CONDITION_EXISTS};
    struct rows_list list = {.table = &orders, .partition = tree(trees, "{'S':'a'}"), .filter = {&filter, 1}};
    assert_refused(rows_check_list(&list, &err), &err, "says something of \"sk\", which is of the key");
    list.index = "by-state";
    list.index_keys = (struct rows_keys){"state", NULL};
    assert_int_equal(rows_check_list(&list, &err), OS_OK);
    list = (struct rows_list){.table = &orders, .filter = {&filter, 1}};
    assert_int_equal(rows_check_list(&list, &err), OS_OK);
}

TEST_WITH(trees, a_page_of_an_index_begins_at_both_keys)
{
    const struct rows_list list = {.table = &orders,
                                   .index = "by-state",
                                   .index_keys = {"state", "pk"},
                                   .start_key = tree(trees, "{'pk':{'S':'a'},'sk':{'N':'1'},'state':{'S':'x'}}")};
    assert_int_equal(rows_check_list(&list, NULL), OS_OK);
}

/* --------------------------------------------------------------------------------------------------------- names */

TEST(a_name_has_3_to_255_characters)
{
    char name[257];
    memset(name, 'a', sizeof(name));
    name[256] = '\0';
    assert_false(rows_is_name(text_from(name)));
    name[255] = '\0';
    assert_true(rows_is_name(text_from(name)));
    assert_true(rows_is_name(text_from("A.z")) && rows_is_name(text_from("_-9")));
    assert_false(rows_is_name(text_from("ab")) || rows_is_name(text_from("a b")) || rows_is_name(text_from(NULL)));
}

TEST_WITH(trees, a_key_is_named_as_it_is)
{
    char text[ROWS_KEY_TEXT_SIZE];
    assert_string_equal(rows_key_text(&orders.keys, tree(trees, A1), text), "pk \"a\", sk \"1\"");
    assert_string_equal(rows_key_text(&users.keys, tree(trees, A1), text), "id \"\"");
}
