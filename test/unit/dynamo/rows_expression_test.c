/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of conditions, changes and paths: the exact text, and nothing pasted into it. */
#include "dynamo/rows_expression.h"

#include "attribute/value.h"
#include "rows.h"

struct out {
    struct trees trees;
    struct buf text;
    struct rows_substitutes substitutes;
    struct case_condition condition;
    struct case_changes changes;
};

static void out_set_up(struct out *out)
{
    buf_init(&out->text, 32 << 20);
    rows_substitutes_init(&out->substitutes);
}

static void out_tear_down(struct out *out)
{
    buf_free(&out->text);
    rows_substitutes_free(&out->substitutes);
    case_condition_free(&out->condition);
    case_changes_free(&out->changes);
    trees_tear_down(&out->trees);
}

static void assert_out(struct out *out, const char *golden)
{
    assert_int_equal(rows_add_substitutes(&out->text, &out->substitutes, NULL), OS_OK);
    assert_string_equal(buf_str(&out->text), quoted(&out->trees, golden));
}

/* ---------------------------------------------------------------------------------------------------- conditions */

static const struct condition_row {
    const char *name;
    const char *golden;
    struct condition_case read;
} condition_rows[] = {
    {"nothing", "", {.name = ""}},
    {"all comparisons",
     ",'ConditionExpression':'#n0 = :v0 AND #n1 <> :v1 OR #n2 < :v2 AND #n3 <= :v3','ExpressionAttributeNames':{'#n0':"
     "'a','#n1':'b','#n2':'c','#n3':'d'},'ExpressionAttributeValues':{':v0':{'L':[{'BOOL':true},{'NULL':true}]},':v1':{"
     "'M':{'x':{'SS':['y']}}},':v2':{'N':'3'},':v3':{'B':'YQ=='}}",
     {.terms = {{.test = CONDITION_EQUALS, .path = "a", .value = "{'L':[{'BOOL':true},{'NULL':true}]}"},
                {.test = CONDITION_DIFFERS, .path = "b", .value = "{'M':{'x':{'SS':['y']}}}"},
                {.test = CONDITION_IS_BELOW, .path = "c", .value = "{'N':'3'}", .is_alternative = true},
                {.test = CONDITION_IS_AT_MOST, .path = "d", .value = "{'B':'YQ=='}"}}}},
    {"a name that comes twice has one placeholder",
     ",'ConditionExpression':'#n0.#n1[0] > :v0 AND #n1.#n0[12].#n0 >= :v1 AND #n0 BETWEEN :v2 AND :v3',"
     "'ExpressionAttributeNames':{'#n0':'a','#n1':'b'},'ExpressionAttributeValues':{':v0':{'S':'x'},':v1':{'S':'y'},"
     "':v2':{'N':'1'},':v3':{'N':'2'}}",
     {.terms = {{.test = CONDITION_IS_ABOVE, .path = "a.b[0]", .value = "{'S':'x'}"},
                {.test = CONDITION_IS_AT_LEAST, .path = "b.a[12].a", .value = "{'S':'y'}"},
                {.test = CONDITION_IS_BETWEEN, .path = "a", .value = "{'N':'1'}", .upper = "{'N':'2'}"}}}},
    {"functions",
     ",'ConditionExpression':'begins_with(#n0, :v0) AND contains(#n0, :v1) AND attribute_exists(#n1) OR "
     "attribute_not_exists(#n2)','ExpressionAttributeNames':{'#n0':'a','#n1':'b','#n2':'c'},"
     "'ExpressionAttributeValues':{':v0':{'S':'x'},':v1':{'S':'y'}}",
     {.terms = {{.test = CONDITION_BEGINS_WITH, .path = "a", .value = "{'S':'x'}"},
                {.test = CONDITION_CONTAINS, .path = "a", .value = "{'S':'y'}"},
                {.test = CONDITION_EXISTS, .path = "b"},
                {.test = CONDITION_IS_ABSENT, .path = "c", .is_alternative = true}}}},
    {"the first begins no alternative to nothing",
     ",'ConditionExpression':'attribute_exists(#n0)','ExpressionAttributeNames':{'#n0':'a'}",
     {.terms = {{.test = CONDITION_EXISTS, .path = "a", .is_alternative = true}}}},
    {"words of the language and signs are names like others",
     ",'ConditionExpression':'attribute_exists(#n0) AND attribute_exists(#n1)','ExpressionAttributeNames':{'#n0':"
     "'a) OR size(b','#n1':'\\\"\\u0001'}",
     {.terms = {{.test = CONDITION_EXISTS, .path = "a) OR size(b"}, {.test = CONDITION_EXISTS, .path = "\"\001"}}}},
};

TEST_ROWS_WITH(out, condition_rows, a_condition_is_written)
{
    case_condition_read(&row->read, &out->condition);
    assert_int_equal(
        rows_add_condition(&out->text, "ConditionExpression", &out->condition.condition, &out->substitutes, NULL),
        OS_OK);
    assert_out(out, row->golden);
}

/* A test that only some terms have gets no value, although one is given. */
TEST_WITH(out, a_value_that_no_test_asks_for_is_not_given)
{
    const struct condition_term term = {
        .path = PATH({.name = "a"}), .test = CONDITION_EXISTS, .value = tree(&out->trees, "{'S':'x'}")};
    assert_int_equal(
        rows_add_condition(&out->text, "FilterExpression", &(struct condition){&term, 1}, &out->substitutes, NULL),
        OS_OK);
    assert_out(out, ",'FilterExpression':'attribute_exists(#n0)','ExpressionAttributeNames':{'#n0':'a'}");
}

static os_code add_terms(struct out *out, size_t count, enum condition_test test, os_error *err)
{
    static const struct path_step step = {.name = "a"};
    struct condition_term *terms = calloc(count, sizeof(*terms));
    assert_non_null(terms);
    for (size_t i = 0; i < count; i++)
        terms[i] = (struct condition_term){
            .path = {&step, 1}, .test = test, .value = keep(&out->trees, case_json("{'S':'x'}"))};
    os_code code = rows_add_condition(&out->text, "ConditionExpression", &(struct condition){terms, count},
                                      &out->substitutes, err);
    free(terms);
    return code;
}

/* DynamoDB Local 2.6.1 takes 150 and refuses 151: "operator count: 301". */
TEST_WITH(out, a_condition_has_at_most_300_operators)
{
    os_error err;
    assert_int_equal(add_terms(out, 150, CONDITION_EQUALS, &err), OS_OK);
    size_t len = out->text.len;
    assert_int_equal(add_terms(out, 151, CONDITION_EQUALS, &err), OS_ERR_TOO_LARGE);
    assert_says(err,
                "The ConditionExpression has 301 operators, each AND and OR among them; DynamoDB takes at most 300");
    assert_int_equal(out->text.len, len);
}

TEST_WITH(out, an_expression_is_at_most_4_KB_long)
{
    os_error err;
    /* "attribute_exists(#n0)" and " AND " between: 26 * 157 - 5 = 4077, and one more is 4103. Both have too many
     * operators as well. */
    assert_int_equal(add_terms(out, 157, CONDITION_EXISTS, &err), OS_ERR_TOO_LARGE);
    assert_says(err, "operators");
    assert_int_equal(add_terms(out, 158, CONDITION_EXISTS, &err), OS_ERR_TOO_LARGE);
    assert_says(err, "The ConditionExpression is longer than the 4 KB that DynamoDB takes");
    assert_string_equal(buf_str(&out->text), "");
}

TEST_WITH(out, names_and_values_have_at_most_2_MB)
{
    enum { VALUE = 256 * 1024 };
    os_error err;
    char *text = calloc(1, VALUE + 1);
    assert_non_null(text);
    memset(text, 'x', VALUE);
    const json_t *value = keep(&out->trees, json_pack("{s:s}", "S", text));
    const struct condition_term term = {.path = PATH({.name = "a"}), .test = CONDITION_EQUALS, .value = value};
    for (size_t i = 0; i < 8; i++) {
        assert_int_equal(rows_add_substitutes(&out->text, &out->substitutes, NULL), OS_OK);
        assert_int_equal(rows_add_condition(&out->text, "ConditionExpression", &(struct condition){&term, 1},
                                            &out->substitutes, &err),
                         OS_OK);
    }
    buf_reset(&out->text);
    /* Eight values are 2 MB; the name is one byte more. */
    assert_int_equal(rows_add_substitutes(&out->text, &out->substitutes, &err), OS_ERR_TOO_LARGE);
    assert_says(err, "The names and values in the expressions have 2097153 bytes; DynamoDB takes at most 2097152");
    assert_string_equal(buf_str(&out->text), "");
    free(text);
}

/* ------------------------------------------------------------------------------------------------------- changes */

static const struct change_row {
    const char *name;
    const char *golden;
    struct change_case read;
} change_rows[] = {
    {"nothing", "", {.name = ""}},
    {"one clause of each kind",
     ",'UpdateExpression':'SET #n0 = :v0, #n1.#n2 = #n1.#n2 + :v1 REMOVE #n3[2]','ExpressionAttributeNames':{'#n0':'a',"
     "'#n1':'b','#n2':'c','#n3':'d'},'ExpressionAttributeValues':{':v0':{'S':''},':v1':{'N':'-1'}}",
     {.changes = {{.kind = CHANGE_SET, .path = "a", .value = "{'S':''}"},
                  {.kind = CHANGE_REMOVE, .path = "d[2]"},
                  {.kind = CHANGE_INCREMENT, .path = "b.c", .value = "{'N':'-1'}"}}}},
    {"to sets",
     ",'UpdateExpression':'REMOVE #n0 ADD #n1 :v0 DELETE #n2 "
     ":v1','ExpressionAttributeNames':{'#n0':'a','#n1':'b','#n2':"
     "'c'},'ExpressionAttributeValues':{':v0':{'NS':['1']},':v1':{'BS':['YQ==']}}",
     {.changes = {{.kind = CHANGE_DELETE, .path = "c", .value = "{'BS':['YQ==']}"},
                  {.kind = CHANGE_ADD, .path = "b", .value = "{'NS':['1']}"},
                  {.kind = CHANGE_REMOVE, .path = "a"}}}},
};

TEST_ROWS_WITH(out, change_rows, changes_are_written)
{
    case_changes_read(&row->read, &out->changes);
    assert_int_equal(rows_add_changes(&out->text, out->changes.changes, out->changes.count, &out->substitutes, NULL),
                     OS_OK);
    assert_out(out, row->golden);
}

TEST_WITH(out, an_update_is_at_most_4_KB_long)
{
    enum { CHANGES = 300 };
    os_error err;
    struct path_step steps[CHANGES];
    struct change changes[CHANGES];
    for (size_t i = 0; i < CHANGES; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%03zu", i);
        steps[i] = (struct path_step){.name = json_string_value(keep(&out->trees, json_string(name)))};
        changes[i] =
            (struct change){.path = {&steps[i], 1}, .kind = CHANGE_SET, .value = tree(&out->trees, "{'NULL':true}")};
    }
    /* "#n0 = :v0, ": 10 * 11 + 90 * 13 + 185 * 15 + the clause's word - the last comma = 4057 */
    assert_int_equal(rows_add_changes(&out->text, changes, 285, &out->substitutes, &err), OS_OK);
    assert_int_equal(rows_add_changes(&out->text, changes, CHANGES, &out->substitutes, &err), OS_ERR_TOO_LARGE);
    assert_says(err, "The UpdateExpression is longer than the 4 KB");
}

/* --------------------------------------------------------------------------------------------------- projections */

TEST_WITH(out, paths_are_written)
{
    const struct path paths[] = {PATH({.name = "a"}, {.name = "b"}), PATH({.name = "a"}, {.name = "c"}, {.index = 7}),
                                 PATH({.name = "b"})};
    assert_int_equal(rows_add_projection(&out->text, paths, 3, &out->substitutes, NULL), OS_OK);
    assert_out(out,
               ",'ProjectionExpression':'#n0.#n1, #n0.#n2[7], #n1','ExpressionAttributeNames':{'#n0':'a','#n1':'b',"
               "'#n2':'c'}");
}

/* ---------------------------------------------------------------------------------------------------- Query's key */

static const struct range_row {
    const char *name;
    enum condition_test test;
    const char *value;
    const char *upper;
    const char *golden; /* behind the partition */
} range_rows[] = {
    {"any", 0, "{'N':'1'}", NULL, ""},
    {"=", CONDITION_EQUALS, "{'N':'1'}", NULL, " AND #n1 = :v1"},
    {"<", CONDITION_IS_BELOW, "{'N':'1'}", NULL, " AND #n1 < :v1"},
    {"<=", CONDITION_IS_AT_MOST, "{'N':'1'}", NULL, " AND #n1 <= :v1"},
    {">", CONDITION_IS_ABOVE, "{'N':'1'}", NULL, " AND #n1 > :v1"},
    {">=", CONDITION_IS_AT_LEAST, "{'N':'1'}", NULL, " AND #n1 >= :v1"},
    {"BETWEEN", CONDITION_IS_BETWEEN, "{'N':'1'}", "{'N':'2'}", " AND #n1 BETWEEN :v1 AND :v2"},
    {"begins_with", CONDITION_BEGINS_WITH, "{'S':'a'}", NULL, " AND begins_with(#n1, :v1)"},
};

TEST_ROWS_WITH(out, range_rows, a_query_asks_for_a_partition_and_a_range)
{
    char golden[512];
    const struct rows_list list = {.table = &orders,
                                   .partition = tree(&out->trees, "{'S':'p'}"),
                                   .sort = {.test = row->test,
                                            .value = tree(&out->trees, row->value),
                                            .upper = row->upper != NULL ? tree(&out->trees, row->upper) : NULL}};
    assert_int_equal(rows_add_key_condition(&out->text, &list, &out->substitutes, NULL), OS_OK);
    snprintf(golden, sizeof(golden), ",'KeyConditionExpression':'#n0 = :v0%s'", row->golden);
    assert_string_equal(buf_str(&out->text), quoted(&out->trees, golden));
}
