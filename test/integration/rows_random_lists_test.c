/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random queries and scans, as rows_random_test.c has questions about one item: the items that DynamoDB Local gives page by
 * page, and those that the library finds among the same items.
 */
#include "random_tables.h"

#include "attribute/projection.h"

enum { LISTS = 500 };

struct random_list {
    struct rows_list list;
    struct random_condition filter;
    struct random_paths paths;
    json_t *values; /* of the keys */
};

static const json_t *value_for(struct random_list *made, json_t *value)
{
    json_array_append_new(made->values, value);
    return value;
}

static void random_range(uint64_t *random, const struct many *many, struct random_list *made)
{
    static const enum condition_test tests[] = {CONDITION_EQUALS,     CONDITION_IS_BELOW,    CONDITION_IS_AT_MOST,
                                                CONDITION_IS_ABOVE,   CONDITION_IS_AT_LEAST, CONDITION_IS_BETWEEN,
                                                CONDITION_BEGINS_WITH};
    enum value_type type = made->list.index != NULL ? VALUE_N : many->sort_type;
    made->list.sort.test = tests[random_below(random, sizeof(tests) / sizeof(tests[0]))];
    made->list.sort.value = value_for(made, random_scalar(random, type));
    if (made->list.sort.test == CONDITION_IS_BETWEEN)
        made->list.sort.upper = value_for(made, random_scalar(random, type));
}

static void make_list(uint64_t *random, const struct many *many, struct random_list *ret)
{
    const json_t *item = json_array_get(many->items, random_below(random, json_array_size(many->items)));
    memset(ret, 0, sizeof(*ret));
    ret->values = json_array();
    struct rows_list *list = &ret->list;
    list->table = &many->table;
    list->limit = random_below(random, 2) == 0 ? 0 : (uint32_t)(1 + random_below(random, 7));
    if (random_below(random, 3) == 0) {
        list->index = "by-g";
        list->index_keys = (struct rows_keys){"g", "h"};
    }
    if (random_below(random, 4) > 0) {
        const json_t *partition = json_object_get(item, list->index != NULL ? "g" : "pk");
        list->partition = partition != NULL ? partition : value_for(ret, json_pack("{s:s}", "S", "none"));
        list->is_descending = random_below(random, 2) == 0;
        if (random_below(random, 3) > 0)
            random_range(random, many, ret);
    }
    if (random_below(random, 2) == 0) {
        random_condition(random, item, &ret->filter);
        list->filter = ret->filter.condition;
    }
    if (random_below(random, 3) == 0) {
        random_paths(random, item, &ret->paths);
        list->paths = ret->paths.paths;
        list->path_count = ret->paths.count;
    }
}

static void list_free(struct random_list *made)
{
    random_condition_free(&made->filter);
    json_decref(made->values);
}

static struct condition range_of(const struct random_list *made, struct path_step steps[2],
                                 struct condition_term terms[2])
{
    const struct rows_list *list = &made->list;
    const struct rows_keys *keys = rows_list_keys(list);
    steps[0] = (struct path_step){.name = keys->partition};
    steps[1] = (struct path_step){.name = keys->sort};
    terms[0] = (struct condition_term){.path = {&steps[0], 1}, .test = CONDITION_EQUALS, .value = list->partition};
    terms[1] = (struct condition_term){
        .path = {&steps[1], 1}, .test = list->sort.test, .value = list->sort.value, .upper = list->sort.upper};
    return (struct condition){terms, list->partition == NULL ? 0 : list->sort.test == 0 ? 1 : 2};
}

static json_t *report_list(const struct random_list *made)
{
    struct path_step steps[2];
    struct condition_term terms[2];
    const struct condition range = range_of(made, steps, terms);
    return json_pack("[s?,o,o,o,i,b]", made->list.index, report_condition(&range), report_condition(&made->list.filter),
                     report_paths(made->list.paths, made->list.path_count), made->list.limit, made->list.is_descending);
}

static int order_keys(const struct rows_keys *keys, const json_t *a, const json_t *b)
{
    return value_compare(json_object_get(a, keys->sort), json_object_get(b, keys->sort));
}

/* In the order of a Query; a Scan has none of its own. */
static json_t *list_here(const struct many *many, const struct random_list *made)
{
    size_t index;
    json_t *item;
    struct path_step steps[2];
    struct condition_term terms[2];
    const struct rows_list *list = &made->list;
    const struct rows_keys *keys = rows_list_keys(list);
    const struct condition range = range_of(made, steps, terms);
    json_t *found = json_array();
    json_array_foreach(many->items, index, item)
    {
        bool is_in_index = json_object_get(item, keys->partition) != NULL && json_object_get(item, keys->sort) != NULL;
        if (!is_in_index || !condition_holds(&range, item) || !condition_holds(&list->filter, item))
            continue;
        size_t at = 0;
        while (at < json_array_size(found) &&
               (order_keys(keys, json_array_get(found, at), item) > 0) == list->is_descending)
            at++;
        json_array_insert(found, at, item);
    }
    for (size_t i = 0; i < json_array_size(found); i++)
        json_array_set_new(found, i, projection_of(json_array_get(found, i), list->paths, list->path_count));
    return found;
}

static bool is_refused_list(const struct random_list *made)
{
    char code[64];
    struct plain_request plain;
    struct path_step steps[2];
    struct condition_term terms[2];
    const struct rows_list *list = &made->list;
    const struct condition range = range_of(made, steps, terms);
    plain_begin(&plain, json_pack("{s:s}", "TableName", list->table->name));
    if (list->index != NULL)
        json_object_set_new(plain.request, "IndexName", json_string(list->index));
    if (list->start_key != NULL)
        json_object_set(plain.request, "ExclusiveStartKey", (json_t *)list->start_key);
    plain_condition(&plain, "KeyConditionExpression", &range);
    plain_condition(&plain, "FilterExpression", &list->filter);
    plain_paths(&plain, list->paths, list->path_count);
    int status = ask(rows_list_operation(list), plain_end(&plain), code);
    return status == 400 && strcmp(code, "ValidationException") == 0;
}

/* What is refused is refused by SQLite too. */
static void check_refused(const struct random_list *made, const os_error *err)
{
    struct rows_page page;
    os_error own = {.code = OS_OK};
    if (!is_refused_list(made))
        report_difference(seed, "only the library refuses a list", made->list.start_key, report_list(made), NULL, NULL,
                          err->message);
    if (sqlite_rows_list(embedded, &made->list, sqlite_patience_ms(PATIENT_MS), &page, &own) != TABLE_REFUSED)
        report_difference(seed, "SQLite does not refuse a list", made->list.start_key, report_list(made), NULL, NULL,
                          err->message);
    rows_page_free(&page);
}

static void compare_lists(const struct many *many, const struct random_list *made)
{
    struct http_request request;
    struct buf body;
    os_error err = {.code = OS_OK};
    if (rows_build_list(&server.endpoint, &made->list, &request, &body, &err) != OS_OK) {
        check_refused(made, &err);
        return;
    }
    http_request_free(&request);
    buf_free(&body);
    json_t *ours = list_here(many, made);
    json_t *theirs = list_there(made->list, &err);
    bool is_ordered = made->list.partition != NULL && made->list.index == NULL;
    if (theirs == NULL || !same_items(ours, theirs, is_ordered))
        report_difference(seed, "a list", NULL, report_list(made), ours, theirs, theirs == NULL ? err.message : "");
    json_t *own = list_in_sqlite(made->list, &err);
    if (own == NULL || !same_items(ours, own, is_ordered))
        report_difference(seed, "a list of SQLite", NULL, report_list(made), ours, own, own == NULL ? err.message : "");
    json_decref(own);
    json_decref(ours);
    json_decref(theirs);
}

/* Of an item of the table, whether it is one of the list or not. */
static json_t *random_start(uint64_t *random, const struct many *many, const struct rows_list *list)
{
    const char *const names[] = {"pk", "sk", "g", "h"};
    const json_t *item = json_array_get(many->items, random_below(random, json_array_size(many->items)));
    json_t *key = json_object();
    for (size_t i = 0; i < (list->index != NULL ? 4 : 2); i++) {
        json_t *value = json_object_get(item, names[i]);
        json_object_set_new(key, names[i],
                            value != NULL ? json_incref(value) : json_pack("{s:s}", i == 2 ? "S" : "N", "1"));
    }
    return key;
}

/* At the end of a range DynamoDB Local ends no page and begins none, and refuses the key ("The provided starting key does
 * not match the range key predicate"). Nothing is said of that in the API Reference (Query, ExclusiveStartKey). */
static bool is_at_bound(const struct rows_list *list)
{
    const struct rows_range *sort = &list->sort;
    const json_t *value = json_object_get(list->start_key, rows_list_keys(list)->sort);
    return sort->test != 0 &&
           (value_equal(value, sort->value) || (sort->upper != NULL && value_equal(value, sort->upper)));
}

static void compare_start(const struct random_list *made)
{
    struct http_request request;
    struct buf body;
    struct rows_page page;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    if (rows_build_list(&server.endpoint, &made->list, &request, &body, &err) != OS_OK) {
        check_refused(made, &err);
        return;
    }
    struct http_response response = real_exchange(&server, &request, &body);
    if (rows_read_page(&response, WHERE, &made->list, &page, &detail, &err) != TABLE_OK && !is_at_bound(&made->list))
        report_difference(seed, "a start", made->list.start_key, report_list(made), NULL, NULL, err.message);
    rows_page_free(&page);
    http_response_free(&response);
    if (sqlite_rows_list(embedded, &made->list, sqlite_patience_ms(PATIENT_MS), &page, &err) != TABLE_OK)
        report_difference(seed, "a start of SQLite", made->list.start_key, report_list(made), NULL, NULL, err.message);
    rows_page_free(&page);
}

TEST(a_list_begins_where_the_library_says_so)
{
    uint64_t random = seed;
    for (size_t i = 0; i < LISTS; i++) {
        struct random_list made;
        const struct many *many = &tables[random_below(&random, TABLES)];
        make_list(&random, many, &made);
        json_t *start_key = random_start(&random, many, &made.list);
        made.list.start_key = start_key;
        compare_start(&made);
        json_decref(start_key);
        list_free(&made);
    }
    assert_no_differences();
}

TEST(pages_have_the_items_that_the_library_finds)
{
    uint64_t random = seed;
    for (size_t i = 0; i < LISTS; i++) {
        struct random_list made;
        const struct many *many = &tables[random_below(&random, TABLES)];
        make_list(&random, many, &made);
        compare_lists(many, &made);
        list_free(&made);
    }
    assert_no_differences();
}

int main(int argc, char **argv)
{
    return run_with_tables(argc, argv);
}
