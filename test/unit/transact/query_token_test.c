/* SPDX-License-Identifier: Apache-2.0 */
/* Tokens come back from wherever a program has kept them: each goes on with the query that it is of, or is refused. */
#include "transact/query_token.h"

#include "model/model_schema_build.h"
#include "support/test.h"

#include <stdio.h>
#include <string.h>

static const char schema[] =
    "{\"title\":\"M\",\"type\":\"object\",\"properties\":{\"k\":{\"type\":\"string\"},\"a\":{\"type\":\"string\"},"
    "\"m\":{\"type\":\"string\"},\"n\":{\"type\":\"integer\"},\"o\":{\"type\":\"integer\"}},"
    "\"required\":[\"k\",\"a\",\"m\",\"n\",\"o\"],\"KEY\":[\"k\"],\"SORT_KEY\":[\"a\"],"
    "\"INDEXES\":{\"byM\":{\"KEY\":[\"m\"]}}}";

enum { CONDITIONS = 4, KEY_BYTES = 1024 };

struct question {
    const char *name;
    const char *where[CONDITIONS][3]; /* empty: a scan */
    const char *index;
    const char *table; /* NULL: "things" */
    int descending;
    int inconsistent;
    unsigned shard;
    unsigned shards;
};

static const struct question asked = {
    "as it was", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">", "7"}}};
static const struct question all = {"all", .where = {{NULL}}, .shards = 2};

struct plans {
    os_model model;
    struct query_plan plan;
    os_error err;
};

static void plans_set_up(struct plans *plans)
{
    assert_int_equal(model_read(schema, strlen(schema), &plans->model.model, &plans->err), OS_OK);
}

static void plans_tear_down(struct plans *plans)
{
    query_plan_free(&plans->plan);
    model_free(plans->model.model);
}

static struct query_plan *plan(struct plans *plans, const struct question *question)
{
    os_query_options options = OS_QUERY_OPTIONS_INIT;
    bool is_scan = question->where[0][0] == NULL;
    options.index = question->index;
    options.descending = question->descending;
    options.inconsistent = question->inconsistent;
    options.shard_index = question->shard;
    options.shard_count = question->shards;
    options.allow_lazy_filter = !is_scan;
    if (plans->plan.model != NULL)
        query_plan_free(&plans->plan);
    plans->model.table = (struct rows_table){.name = question->table != NULL ? question->table : "things",
                                             .keys = {MODEL_PARTITION, MODEL_SORT}};
    assert_int_equal(query_plan_open(&plans->model, &options, is_scan, &plans->plan, &plans->err), OS_OK);
    for (size_t i = 0; i < CONDITIONS && question->where[i][0] != NULL; i++) {
        const char *const *where = question->where[i];
        assert_int_equal(query_plan_filter(&plans->plan, where[0], where[1], where[2], &plans->err), OS_OK);
    }
    if (query_plan_build(&plans->plan, &plans->err) != OS_OK)
        fail_msg("%s: %s", question->name, plans->err.message);
    return &plans->plan;
}

static json_t *key_of(const char *json)
{
    json_t *key = json_loads(json, JSON_DECODE_ANY, NULL);
    assert_non_null(key);
    return key;
}

#define KEY "{\"_id\":{\"S\":\"p\"},\"_sk\":{\"S\":\"d\"}}"

/* For json_decref. */
static json_t *token_of(struct plans *plans, const struct question *question, const char *key_json)
{
    json_t *token;
    json_t *key = key_of(key_json);
    assert_int_equal(query_token_make(plan(plans, question), key, &token, &plans->err), OS_OK);
    json_decref(key);
    return token;
}

static void check_refused(struct plans *plans, const char *token, const char *kind, const char *fault)
{
    char sentence[sizeof(plans->err.message)];
    json_t *key = (json_t *)plans;
    snprintf(sentence, sizeof(sentence), "The token to go on with, of a %s of M, %s. Begin again, without a token.",
             kind, fault);
    assert_int_equal(query_token_read(&plans->plan, token, &key, &plans->err), OS_ERR_ARGUMENT);
    assert_int_equal(plans->err.code, OS_ERR_ARGUMENT);
    assert_string_equal(plans->err.message, sentence);
    assert_null(key);
}

static void check_taken(struct plans *plans, const char *token, const char *key_json)
{
    json_t *key;
    json_t *wanted = key_of(key_json);
    if (query_token_read(&plans->plan, token, &key, &plans->err) != OS_OK)
        fail_msg("%s", plans->err.message);
    assert_true(json_equal(key, wanted));
    json_decref(key);
    json_decref(wanted);
}

/* ------------------------------------------------------------------------------------------------ what is asked */

/* Each is another list of rows than `asked`, or in another order. */
static const struct question others[] = {
    {"another table", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">", "7"}},
     .table = "others"},
    {"another partition", .where = {{"k", "==", "\"q\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">", "7"}}},
    {"no range", .where = {{"k", "==", "\"p\""}, {"n", ">", "7"}}},
    {"a range of one end", .where = {{"k", "==", "\"p\""}, {"a", ">=", "\"c\""}, {"n", ">", "7"}}},
    {"another lower end", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"b\",\"m\"]"}, {"n", ">", "7"}}},
    {"another upper end", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"n\"]"}, {"n", ">", "7"}}},
    {"no filter", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}}},
    {"a filter on another field", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"o", ">", "7"}}},
    {"another test", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">=", "7"}}},
    {"another value", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">", "8"}}},
    {"a filter that is a range",
     .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", "between", "[7,9]"}}},
    {"one more filter",
     .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">", "7"}, {"o", ">", "7"}}},
    {"the other order", .where = {{"k", "==", "\"p\""}, {"a", "between", "[\"c\",\"m\"]"}, {"n", ">", "7"}},
     .descending = 1},
    {"an index", .where = {{"m", "==", "\"p\""}, {"n", ">", "7"}}, .index = "byM"},
};

TEST_ROWS_WITH(plans, others, a_token_is_of_one_query)
{
    json_t *token = token_of(plans, &asked, KEY);
    (void)plan(plans, row);
    check_refused(plans, json_string_value(token), "query", "is of one that asks for something else");
    (void)plan(plans, &asked);
    check_taken(plans, json_string_value(token), KEY);
    json_decref(token);
}

static const struct question other_scans[] = {
    {"the other shard", .where = {{NULL}}, .shard = 1, .shards = 2},
    {"more shards", .where = {{NULL}}, .shards = 3},
    {"all at once", .where = {{NULL}}},
    {"an index", .where = {{NULL}}, .index = "byM", .shards = 2},
};

TEST_ROWS_WITH(plans, other_scans, a_token_is_of_one_scan)
{
    json_t *token = token_of(plans, &all, KEY);
    (void)plan(plans, row);
    check_refused(plans, json_string_value(token), "scan", "is of one that asks for something else");
    json_decref(token);
}

/* Which rows come does not hang on how they are read. */
TEST_WITH(plans, a_token_goes_on_with_reads_of_the_other_consistency)
{
    struct question weaker = asked;
    json_t *token = token_of(plans, &asked, KEY);
    weaker.inconsistent = 1;
    (void)plan(plans, &weaker);
    check_taken(plans, json_string_value(token), KEY);
    json_decref(token);
}

/* ------------------------------------------------------------------------------------------------ strangers */

static const struct {
    const char *name;
    const char *token;
} no_tokens[] = {
    {"nothing", ""},
    {"half an object", "{"},
    {"a list", "[]"},
    {"a number", "7"},
    {"an empty object", "{}"},
    {"a digest that is a number", "{\"of\":7,\"after\":" KEY "}"},
    {"a digest that is null", "{\"of\":null,\"after\":" KEY "}"},
    {"no digest", "{\"after\":" KEY "}"},
    {"no key", "{\"of\":\"0\"}"},
    {"a third member", "{\"of\":\"0\",\"after\":" KEY ",\"v\":1}"},
    {"text behind it", "{\"of\":\"0\",\"after\":" KEY "}x"},
    {"a member twice", "{\"of\":\"0\",\"of\":\"0\",\"after\":" KEY "}"},
};

TEST_ROWS_WITH(plans, no_tokens, what_is_no_token_is_refused)
{
    (void)plan(plans, &asked);
    check_refused(plans, row->token, "query", "is none");
    (void)plan(plans, &all);
    check_refused(plans, row->token, "scan", "is none");
}

/* All of it is a token, but for its length. */
TEST_WITH(plans, a_token_that_is_too_long_is_refused)
{
    json_t *token = token_of(plans, &asked, KEY);
    char *text = malloc(QUERY_TOKEN_MAX + 2);
    assert_non_null(text);
    snprintf(text, QUERY_TOKEN_MAX + 2, "%*s", QUERY_TOKEN_MAX, json_string_value(token));
    check_taken(plans, text, KEY);
    snprintf(text, QUERY_TOKEN_MAX + 2, "%*s", QUERY_TOKEN_MAX + 1, json_string_value(token));
    check_refused(plans, text, "query", "is none");
    free(text);
    json_decref(token);
}

static const struct {
    const char *name;
} no_keys[] = {
    {"null"},
    {"[]"},
    {"\"p\""},
    {"{}"},
    {"{\"_id\":\"p\",\"_sk\":\"d\"}"},
    {"{\"_id\":{\"S\":7},\"_sk\":{\"S\":\"d\"}}"},
    {"{\"_id\":{\"S\":\"p\"}}"},
    {"{\"_id\":{\"S\":\"p\"},\"_sk\":{\"N\":\"1\"}}"},
    {"{\"_id\":{\"S\":\"p\"},\"_sk\":{\"S\":\"\"}}"},
    {"{\"_id\":{\"S\":\"p\"},\"_sk\":{\"S\":\"d\"},\"m\":{\"S\":\"d\"}}"},
    {"{\"_id\":{\"S\":\"q\"},\"_sk\":{\"S\":\"d\"}}"}, /* of another partition */
    {"{\"_id\":{\"S\":\"p\"},\"_sk\":{\"S\":\"b\"}}"}, /* before the range, and behind it */
    {"{\"_id\":{\"S\":\"p\"},\"_sk\":{\"S\":\"n\"}}"},
};

TEST_ROWS_WITH(plans, no_keys, a_key_that_no_page_of_these_rows_ends_with_is_refused)
{
    json_t *token = token_of(plans, &asked, row->name);
    check_refused(plans, json_string_value(token), "query", "has no key of these rows");
    json_decref(token);
}

/* ------------------------------------------------------------------------------------------------ the longest */

/* Every byte is written as six. */
TEST_WITH(plans, the_longest_key_has_room_in_a_token)
{
    char bytes[KEY_BYTES + 1];
    json_t *token;
    json_t *read;
    const struct question by_m = {"an index", .where = {{NULL}}, .index = "byM"};
    memset(bytes, '\1', KEY_BYTES);
    bytes[KEY_BYTES] = '\0';
    json_t *twice = json_sprintf("%s%s", bytes, bytes);
    json_t *key = json_pack("{s:{s:O}, s:{s:s}, s:{s:O}}", "_id", "S", twice, "_sk", "S", bytes, "m", "S", twice);
    (void)plan(plans, &by_m);
    assert_int_equal(query_token_make(&plans->plan, key, &token, &plans->err), OS_OK);
    if (query_token_read(&plans->plan, json_string_value(token), &read, &plans->err) != OS_OK)
        fail_msg("%s", plans->err.message);
    assert_true(json_equal(read, key));
    json_decref(read);
    json_decref(token);
    json_decref(key);
    json_decref(twice);
}
