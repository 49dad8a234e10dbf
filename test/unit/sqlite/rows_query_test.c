/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans: which items, in which order, in which pages. */
#include "rows_state.h"

/* s and x of the items that a query gave, as "1 2 3". Takes `items`. */
static const char *sorts_of(json_t *items)
{
    static char text[512];
    size_t index;
    json_t *item;
    text[0] = '\0';
    json_array_foreach(items, index, item)
    {
        size_t len = strlen(text);
        const char *sort = json_string_value(value_inside(json_object_get(item, "s")));
        (void)snprintf(text + len, sizeof(text) - len, "%s%s", index > 0 ? " " : "", sort != NULL ? sort : "?");
    }
    json_decref(items);
    return text;
}

static void put_thing(struct state *state, const char *partition, const char *sort, const char *more)
{
    char item[512];
    (void)snprintf(item, sizeof(item), "{'p':{'S':'%s'},'s':{'N':'%s'}%s}", partition, sort, more);
    put_item(state, item);
}

static void put_things(struct state *state)
{
    static const char *const sorts[] = {"-10", "-9.5", "-1", "0", "0.5", "1", "2", "10", "100"};
    for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
        size_t turned = (i * 5) % (sizeof(sorts) / sizeof(sorts[0]));
        put_thing(state, "a", sorts[turned], ",'x':{'S':'y'}");
        put_thing(state, "b", sorts[turned], "");
    }
}

static const struct sort_case {
    const char *name;
    enum condition_test test;
    const char *value;
    const char *upper;
    const char *sorts;
} sort_cases[] = {
    {"any", 0, NULL, NULL, "-10 -9.5 -1 0 0.5 1 2 10 100"},
    {"=", CONDITION_EQUALS, "{'N':'0.50'}", NULL, "0.5"},
    {"= what is not there", CONDITION_EQUALS, "{'N':'7'}", NULL, ""},
    {"<", CONDITION_IS_BELOW, "{'N':'0'}", NULL, "-10 -9.5 -1"},
    {"<=", CONDITION_IS_AT_MOST, "{'N':'0'}", NULL, "-10 -9.5 -1 0"},
    {">", CONDITION_IS_ABOVE, "{'N':'2'}", NULL, "10 100"},
    {">=", CONDITION_IS_AT_LEAST, "{'N':'2'}", NULL, "2 10 100"},
    {"> what is not there", CONDITION_IS_ABOVE, "{'N':'3'}", NULL, "10 100"},
    {"between", CONDITION_IS_BETWEEN, "{'N':'-9.5'}", "{'N':'1'}", "-9.5 -1 0 0.5 1"},
};

TEST_ROWS_WITH(state, sort_cases, a_query_gives_what_its_sort_condition_says)
{
    static const char *const reversed_any = "100 10 2 1 0.5 0 -1 -9.5 -10";
    json_t *partition = case_json("{'S':'a'}");
    json_t *value = case_json(row->value);
    json_t *upper = case_json(row->upper);
    struct rows_list query = {.partition = partition, .sort = {row->test, value, upper}};
    put_things(state);
    assert_string_equal(sorts_of(query_all(state, query, NULL)), row->sorts);
    query.limit = 1;
    assert_string_equal(sorts_of(query_all(state, query, NULL)), row->sorts);
    query.is_descending = true;
    json_t *items = query_all(state, query, NULL);
    if (row->test == 0)
        assert_string_equal(sorts_of(json_incref(items)), reversed_any);
    query.limit = 0;
    json_t *at_once = query_all(state, query, NULL);
    assert_true(json_equal(items, at_once));
    json_decref(items);
    json_decref(at_once);
    json_decref(partition);
    json_decref(value);
    json_decref(upper);
}

TEST_WITH(state, a_query_gives_items_whole_or_in_part)
{
    json_t *partition = case_json("{'S':'a'}");
    struct case_path x;
    const struct path path = *case_path("x", &x);
    put_thing(state, "a", "1", ",'x':{'M':{'k':{'S':'v'}}},'y':{'S':'z'}");
    CHECK_ITEM(query_all(state, (struct rows_list){.partition = partition}, NULL),
               "[{'p':{'S':'a'},'s':{'N':'1'},'x':{'M':{'k':{'S':'v'}}},'y':{'S':'z'}}]");
    CHECK_ITEM(query_all(state, (struct rows_list){.partition = partition, .paths = &path, .path_count = 1}, NULL),
               "[{'x':{'M':{'k':{'S':'v'}}}}]");
    json_decref(partition);
}

/* The limit counts what was looked at: a page may be empty, and not the last. */
TEST_WITH(state, a_filter_leaves_out_after_the_limit_has_counted)
{
    struct rows_page page;
    struct case_path path;
    json_t *partition = case_json("{'S':'a'}");
    json_t *wanted = case_json("{'S':'yes'}");
    const struct condition_term term = {.path = *case_path("x", &path), .test = CONDITION_EQUALS, .value = wanted};
    const struct condition filter = {&term, 1};
    struct rows_list query = {.table = &things_table, .partition = partition, .filter = filter, .limit = 2};
    put_thing(state, "a", "1", ",'x':{'S':'no'}");
    put_thing(state, "a", "2", "");
    put_thing(state, "a", "3", ",'x':{'S':'yes'}");
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    assert_int_equal(page.scanned, 2);
    assert_int_equal(json_array_size(page.items), 0);
    CHECK_ITEM(json_incref(page.last_key), "{'p':{'S':'a'},'s':{'N':'2'}}");
    rows_page_free(&page);
    size_t pages = 0;
    assert_string_equal(sorts_of(query_all(state, query, &pages)), "3");
    assert_int_equal(pages, 2);
    json_decref(partition);
    json_decref(wanted);
}

/* As the service: nobody looks behind the limit. */
TEST_WITH(state, a_page_that_ends_at_its_limit_may_be_followed_by_nothing)
{
    size_t pages = 0;
    json_t *partition = case_json("{'S':'a'}");
    put_thing(state, "a", "1", "");
    put_thing(state, "a", "2", "");
    assert_string_equal(sorts_of(query_all(state, (struct rows_list){.partition = partition, .limit = 2}, &pages)),
                        "1 2");
    assert_int_equal(pages, 2);
    json_decref(partition);
}

/* Of partition "a", with sort keys from 1. */
static void put_large(struct state *state, int count, size_t size)
{
    char *text = calloc(1, size + 1);
    assert_non_null(text);
    memset(text, 'x', size);
    for (int i = 1; i <= count; i++) {
        char *item = NULL;
        assert_true(asprintf(&item, "{'p':{'S':'a'},'s':{'N':'%d'},'g':{'S':'G'},'h':{'S':'same'},'v':{'S':'%s'}}", i,
                             text) > 0);
        put_item(state, item);
        free(item);
    }
    free(text);
}

TEST_WITH(state, a_page_has_1_mb_at_most)
{
    struct rows_page page;
    json_t *partition = case_json("{'S':'a'}");
    put_large(state, 7, 300000);
    const struct rows_list query = {.table = &things_table, .partition = partition};
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    assert_int_equal(page.scanned, 3);
    CHECK_ITEM(json_incref(page.last_key), "{'p':{'S':'a'},'s':{'N':'3'}}");
    rows_page_free(&page);
    size_t pages = 0;
    assert_string_equal(sorts_of(query_all(state, query, &pages)), "1 2 3 4 5 6 7");
    assert_int_equal(pages, 3);
    json_decref(partition);
}

static void put_hundred(struct state *state, size_t first)
{
    struct rows_write writes[ROWS_AT_ONCE_MAX];
    struct rows_answer answers[ROWS_AT_ONCE_MAX];
    char token[ROWS_TOKEN_MAX + 1];
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        writes[i] = (struct rows_write){
            .kind = ROWS_PUT,
            .table = &things_table,
            .item = json_pack("{s{ss}s{so}}", "p", "S", "a", "s", "N", json_sprintf("%zu", first + i))};
    const struct rows_transaction transaction = {writes, ROWS_AT_ONCE_MAX, new_token(token)};
    CHECK_OUTCOME(sqlite_rows_transact(state->rows, &transaction, patient(), NOW_S, answers, &error), TABLE_OK);
    rows_answers_free(answers, ROWS_AT_ONCE_MAX);
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        json_decref((json_t *)writes[i].item);
}

TEST_WITH(state, a_page_has_4000_items_at_most)
{
    struct rows_page page;
    for (size_t i = 0; i <= ROWS_PAGE_ITEMS; i += ROWS_AT_ONCE_MAX)
        put_hundred(state, i);
    struct rows_list scan = {.table = &things_table};
    for (; scan.limit <= 5000; scan.limit += 5000) {
        CHECK_OUTCOME(sqlite_rows_list(state->rows, &scan, patient(), &page, &error), TABLE_OK);
        assert_int_equal(page.scanned, ROWS_PAGE_ITEMS);
        CHECK_ITEM(json_incref(page.last_key), "{'p':{'S':'a'},'s':{'N':'3999'}}");
        rows_page_free(&page);
    }
    assert_int_equal(count_all(state, (struct rows_list){.limit = 0}), ROWS_PAGE_ITEMS + ROWS_AT_ONCE_MAX);
}

/* The index has thirty bytes of each: all of them would fit into a page, and take long to be read. */
TEST_WITH(state, a_page_of_an_index_is_of_8_mb_of_items_at_most)
{
    struct rows_page page;
    json_t *g = case_json("{'S':'G'}");
    put_large(state, 25, 400000);
    const struct rows_list query = {.table = &things_table, BY_G, .partition = g};
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    assert_int_equal(page.scanned, 20);
    CHECK_ITEM(json_incref(page.last_key), "{'p':{'S':'a'},'s':{'N':'20'},'g':{'S':'G'},'h':{'S':'same'}}");
    rows_page_free(&page);
    assert_int_equal(count_all(state, query), 25);
    json_decref(g);
}

/* ---------------------------------------------------------------------------------------------------------- indexes */

static void put_indexed(struct state *state)
{
    put_thing(state, "a", "1", ",'g':{'S':'G'},'h':{'S':'same'},'x':{'S':'x1'},'y':{'S':'y'}");
    put_thing(state, "b", "2", ",'g':{'S':'G'},'h':{'S':'same'},'x':{'S':'x2'},'y':{'S':'y'}");
    put_thing(state, "a", "3", ",'g':{'S':'G'},'h':{'S':'other'},'y':{'S':'y'}");
    put_thing(state, "a", "4", ",'g':{'S':'G'}");
    put_thing(state, "a", "5", ",'g':{'S':'H'},'h':{'S':'same'}");
    put_thing(state, "a", "6", ",'h':{'S':'same'}");
}

TEST_WITH(state, an_index_has_the_items_that_have_its_keys)
{
    json_t *g = case_json("{'S':'G'}");
    struct rows_list query = {BY_G, .partition = g};
    put_indexed(state);
    CHECK_ITEM(query_all(state, query, NULL),
               "[{'p':{'S':'a'},'s':{'N':'3'},'g':{'S':'G'},'h':{'S':'other'}},"
               "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'h':{'S':'same'},'x':{'S':'x1'}},"
               "{'p':{'S':'b'},'s':{'N':'2'},'g':{'S':'G'},'h':{'S':'same'},'x':{'S':'x2'}}]");
    for (query.limit = 1; query.limit <= 4; query.limit++) {
        query.is_descending = false;
        assert_string_equal(sorts_of(query_all(state, query, NULL)), "3 1 2");
        query.is_descending = true;
        assert_string_equal(sorts_of(query_all(state, query, NULL)), "2 1 3");
    }
    query = (struct rows_list){ALL_G, .partition = g};
    assert_string_equal(sorts_of(query_all(state, query, NULL)), "1 3 4 2");
    assert_int_equal(count_all(state, (struct rows_list){BY_G}), 4);
    json_decref(g);
}

TEST_WITH(state, a_page_of_an_index_ends_with_the_keys_of_both)
{
    struct rows_page page;
    json_t *g = case_json("{'S':'G'}");
    put_indexed(state);
    const struct rows_list query = {.table = &things_table, BY_G, .partition = g, .limit = 2};
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    CHECK_ITEM(json_incref(page.last_key), "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'h':{'S':'same'}}");
    rows_page_free(&page);
    json_decref(g);
}

TEST_WITH(state, an_index_is_asked_by_the_beginning_of_its_sort_key)
{
    json_t *g = case_json("{'S':'G'}");
    json_t *same = case_json("{'S':'sa'}");
    struct rows_list query = {BY_G, .partition = g, .sort = {.test = CONDITION_BEGINS_WITH, .value = same}, .limit = 1};
    put_indexed(state);
    put_thing(state, "c", "7", ",'g':{'S':'G'},'h':{'S':'s'}");
    put_thing(state, "c", "8", ",'g':{'S':'G'},'h':{'S':'sb'}");
    put_thing(state, "c", "9", ",'g':{'S':'G'},'h':{'S':'sa'}");
    assert_string_equal(sorts_of(query_all(state, query, NULL)), "9 1 2");
    json_decref(g);
    json_decref(same);
}

TEST_WITH(state, a_beginning_of_the_highest_bytes_has_no_end)
{
    static const struct rows_definition bytes = {.keys = {.partition = {"p", VALUE_S}, .sort = {"s", VALUE_B}}};
    json_t *partition = case_json("{'S':'a'}");
    json_t *prefix = case_json("{'B':'//8='}");
    static const struct rows_table bytes_table = {"bytes", {"p", "s"}};
    CHECK_OK(sqlite_rows_create(state->rows, "bytes", &bytes, patient(), &error));
    static const char *const sorts[] = {"/w==", "/v8=", "//8=", "//8A", "////"};
    for (size_t i = 0; i < sizeof(sorts) / sizeof(sorts[0]); i++) {
        char item[128];
        (void)snprintf(item, sizeof(item), "{'p':{'S':'a'},'s':{'B':'%s'}}", sorts[i]);
        CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_PUT, .item = item, .table = &bytes_table}), TABLE_OK);
    }
    struct rows_list query = {
        .table = &bytes_table, .partition = partition, .sort = {.test = CONDITION_BEGINS_WITH, .value = prefix}};
    assert_string_equal(sorts_of(query_all(state, query, NULL)), "//8= //8A ////");
    json_decref(partition);
    json_decref(prefix);
}

TEST_WITH(state, an_index_follows_its_items)
{
    json_t *g = case_json("{'S':'G'}");
    json_t *h = case_json("{'S':'H'}");
    const struct rows_list of_g = {BY_G, .partition = g};
    const struct rows_list of_h = {BY_G, .partition = h};
    put_thing(state, "a", "1", ",'g':{'S':'G'},'h':{'S':'x'}");
    put_thing(state, "a", "2", ",'g':{'S':'G'},'h':{'S':'y'}");
    put_thing(state, "a", "1", ",'g':{'S':'H'},'h':{'S':'x'}");
    assert_string_equal(sorts_of(query_all(state, of_g, NULL)), "2");
    assert_string_equal(sorts_of(query_all(state, of_h, NULL)), "1");
    CHECK_OUTCOME(
        WRITE_ALL(state,
                  {.kind = ROWS_UPDATE, .item = "{'p':{'S':'a'},'s':{'N':'2'}}", .path = "h", .change = CHANGE_REMOVE},
                  {.kind = ROWS_UPDATE,
                   .item = "{'p':{'S':'b'},'s':{'N':'3'}}",
                   .path = "g",
                   .change = CHANGE_SET,
                   .value = "{'S':'G'}"},
                  {.kind = ROWS_DELETE, .item = "{'p':{'S':'a'},'s':{'N':'1'}}"}),
        TABLE_OK);
    assert_string_equal(sorts_of(query_all(state, of_g, NULL)), "");
    assert_string_equal(sorts_of(query_all(state, of_h, NULL)), "");
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_UPDATE,
                                    .item = "{'p':{'S':'b'},'s':{'N':'3'}}",
                                    .path = "h",
                                    .change = CHANGE_SET,
                                    .value = "{'S':'z'}"}),
                  TABLE_OK);
    assert_string_equal(sorts_of(query_all(state, of_g, NULL)), "3");
    json_decref(g);
    json_decref(h);
}

/* ------------------------------------------------------------------------------------------------------------ scans */

TEST_WITH(state, a_scan_gives_everything_once_in_pages_and_segments)
{
    enum { PARTITIONS = 40 };
    size_t total = 0;
    for (int i = 0; i < PARTITIONS; i++) {
        char partition[16];
        (void)snprintf(partition, sizeof(partition), "part-%d", i);
        put_thing(state, partition, "1", ",'g':{'S':'G'}");
        put_thing(state, partition, "2", "");
    }
    json_t *all = query_all(state, (struct rows_list){.limit = 7}, NULL);
    assert_int_equal(json_array_size(all), 2 * PARTITIONS);
    json_t *parts = json_array();
    for (uint32_t i = 0; i < 7; i++) {
        json_t *segment = query_all(state, (struct rows_list){.segment = i, .segments = 7, .limit = 3}, NULL);
        total += json_array_size(segment) > 0;
        assert_int_equal(json_array_extend(parts, segment), 0);
        json_decref(segment);
    }
    assert_true(total >= 4); /* of 7: what 40 partitions leave empty is chance, which is the same every time */
    assert_true(json_equal(all, parts));
    json_decref(all);
    json_decref(parts);
}

/* --------------------------------------------------------------------------------------------------------- refusals */

#define P  "{'S':'a'}"
#define AT "{'p':{'S':'a'},'s':{'N':'1'}}"

static const struct refusal {
    const char *name;
    struct rows_list index; /* its name and keys */
    const char *partition;
    const char *sort;
    const char *start;
    const char *filter; /* a path that must exist */
    const char *path;
    enum condition_test test;
    uint32_t segment;
    uint32_t segments;
    bool is_descending;
    const char *words;
} refusals[] = {
    {"no such index", .index = {.index = "by_z", .index_keys = {"g", "h"}}, .partition = P, .words = "no such index"},
    {"a partition of another type", .partition = "{'N':'1'}", .words = "of another type than the key: p"},
    {"an empty partition", .partition = "{'S':''}", .words = "of 1 to 2048 bytes"},
    {"no sort key", .index = {ALL_G}, .partition = P, .sort = P, .test = CONDITION_EQUALS,
     .words = "where the table or the index has one"},
    {"a sort key of another type", .partition = P, .sort = P, .test = CONDITION_EQUALS,
     .words = "another type than the key: s"},
    {"an empty sort key", .index = {BY_G}, .partition = P, .sort = "{'S':''}", .test = CONDITION_BEGINS_WITH,
     .words = "of 1 to 1024 bytes"},
    {"a beginning of a number", .partition = P, .sort = "{'N':'1'}", .test = CONDITION_BEGINS_WITH,
     .words = "no S or B"},
    {"another test", .partition = P, .sort = "{'N':'1'}", .test = CONDITION_DIFFERS, .words = "BETWEEN or begins_with"},
    {"a filter on a key", .partition = P, .filter = "s", .words = "says something of \"s\""},
    {"a filter on a key of the index", .index = {BY_G}, .partition = P, .filter = "h",
     .words = "says something of \"h\""},
    {"a filter on what the index lacks", .index = {BY_G}, .partition = P, .filter = "y.z",
     .words = "does not have the attribute y"},
    {"a part that the index lacks", .index = {BY_G}, .path = "y", .words = "does not have the attribute y"},
    {"segments of a query", .partition = P, .segments = 2, .words = "it has no segments"},
    {"a segment that is none", .segments = 2, .segment = 2, .words = "no segment 2 of 2"},
    {"a segment of none", .segment = 1, .words = "no segment 1 of 0"},
    {"too many segments", .segments = 1000001, .words = "1 to 1000000"},
    {"a scan turned round", .is_descending = true, .words = "no order"},
    {"a sort key of a scan", .sort = "{'N':'1'}", .test = CONDITION_EQUALS, .words = "asks nothing of the sort key"},
    {"a start in another partition", .partition = "{'S':'b'}", .start = AT, .words = "none that this Query asks for"},
    {"a start before the range", .partition = P, .sort = "{'N':'1'}", .test = CONDITION_IS_ABOVE, .start = AT,
     .words = "none that this Query asks for"},
    {"a start without index keys", .index = {BY_G}, .partition = P, .start = AT, .words = "g: the value is not"},
    {"a start with more", .partition = P, .start = "{'p':{'S':'a'},'s':{'N':'1'},'x':{'N':'1'}}",
     .words = "A page cannot begin here"},
    {"a start that is no key", .partition = P, .start = "{'p':{'S':'a'}}", .words = "s: the value is not"},
    {"a start of another type", .partition = P, .start = "{'p':{'S':'a'},'s':{'S':'1'}}",
     .words = "\"s\", the sort key of the table things (type N), is of another type"},
    {"a start of another type in an index", .index = {BY_G},
     .start = "{'p':{'S':'a'},'s':{'N':'1'},'g':{'S':'G'},'h':{'N':'1'}}", .words = "is none of the index"},
    {"keys of another index", .index = {.index = "all_g", .index_keys = {"g", "h"}}, .partition = P,
     .words =
         "The key of the index all_g is \"g\", and it was asked for by \"g\" and \"h\". Give the names that it has."},
    {"keys of an index by another name", .index = {.index = "by_g", .index_keys = {"h", "g"}}, .partition = P,
     .words = "The key of the index by_g is \"g\" and \"h\", and it was asked for by \"h\" and \"g\"."},
};

TEST_ROWS_WITH(state, refusals, what_the_service_does_not_answer_is_refused)
{
    struct rows_page page;
    struct case_path read;
    struct case_path read_filter;
    struct path path = {NULL, 0};
    struct condition_term term = {.test = CONDITION_EXISTS};
    const struct condition filter = {&term, 1};
    struct rows_list query = {
        .table = &things_table,
        .index = row->index.index,
        .index_keys = row->index.index_keys,
        .partition = case_json(row->partition),
        .sort = {.test = row->test, .value = case_json(row->sort)},
        .start_key = case_json(row->start),
        .segment = row->segment,
        .segments = row->segments,
        .is_descending = row->is_descending,
    };
    if (row->path != NULL) {
        path = *case_path(row->path, &read);
        query.paths = &path;
        query.path_count = 1;
    }
    if (row->filter != NULL) {
        term.path = *case_path(row->filter, &read_filter);
        query.filter = filter;
    }
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    assert_null(page.items);
    if (strstr(error.message, row->words) == NULL)
        fail_msg("\"%s\" is not in: %s", row->words, error.message);
    json_decref((json_t *)query.partition);
    json_decref((json_t *)query.sort.value);
    json_decref((json_t *)query.start_key);
}

TEST_WITH(state, a_filter_of_a_scan_may_ask_for_keys)
{
    struct case_path path;
    json_t *two = case_json("{'N':'2'}");
    const struct condition_term term = {.path = *case_path("s", &path), .test = CONDITION_EQUALS, .value = two};
    const struct condition filter = {&term, 1};
    put_things(state);
    assert_string_equal(sorts_of(query_all(state, (struct rows_list){.filter = filter}, NULL)), "2 2");
    json_decref(two);
}

/* A page begins where the last ended, whether that item is still there or not. */
TEST_WITH(state, a_page_begins_behind_an_item_that_is_gone)
{
    struct rows_page page;
    json_t *partition = case_json(P);
    struct rows_list query = {.table = &things_table, .partition = partition, .limit = 2};
    for (int i = 1; i <= 5; i++) {
        char sort[8];
        (void)snprintf(sort, sizeof(sort), "%d", i);
        put_thing(state, "a", sort, "");
    }
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    CHECK_OUTCOME(WRITE_ALL(state, {.kind = ROWS_DELETE, .item = "{'p':{'S':'a'},'s':{'N':'2'}}"}), TABLE_OK);
    put_thing(state, "a", "1.5", "");
    put_thing(state, "a", "2.5", "");
    json_t *start = json_incref(page.last_key);
    rows_page_free(&page);
    query.start_key = start;
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &query, patient(), &page, &error), TABLE_OK);
    assert_string_equal(sorts_of(json_incref(page.items)), "2.5 3");
    rows_page_free(&page);
    json_decref(start);
    json_decref(partition);
}

TEST_WITH(state, a_table_is_listed_by_the_keys_that_it_has)
{
    static const struct rows_table renamed = {"things", {"p", "t"}};
    struct rows_page page;
    const struct rows_list scan = {.table = &renamed};
    CHECK_OUTCOME(sqlite_rows_list(state->rows, &scan, patient(), &page, &error), TABLE_REFUSED);
    assert_int_equal(error.code, OS_ERR_ARGUMENT);
    assert_non_null(strstr(error.message, "it was asked for by \"p\" and \"t\""));
    assert_null(page.items);
}
