/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/check.h"

#include "case_reading.h"
#include "support/test.h"
#include "value_cases.h"

#include <string.h>

static const struct path attribute_a = {&(const struct path_step){.name = "a"}, 1};

TEST_ROWS(value_cases, a_value_is_checked_and_measured)
{
    os_error err = {.code = OS_OK};
    json_t *value = case_json(row->name);
    os_code code = value_check(value, &attribute_a, &err);
    assert_int_equal(code, row->fault == NULL ? OS_OK : OS_ERR_ARGUMENT);
    assert_string_equal(err.message, row->fault == NULL ? "" : row->fault);
    if (code == OS_OK) {
        assert_int_equal(value_size(value), row->size);
        assert_true(value_equal(value, value));
    }
    json_decref(value);
}

/* What one equals is found by its text in no other; two rows say the same number nowhere. */
TEST(no_two_values_of_the_cases_are_equal)
{
    for (size_t i = 0; i < sizeof(value_cases) / sizeof(value_cases[0]); i++)
        for (size_t j = 0; j < i; j++) {
            if (value_cases[i].fault != NULL || value_cases[j].fault != NULL)
                continue;
            json_t *a = case_json(value_cases[i].name);
            json_t *b = case_json(value_cases[j].name);
            if (value_equal(a, b))
                fail_msg("%s equals %s", value_cases[i].name, value_cases[j].name);
            json_decref(a);
            json_decref(b);
        }
}

TEST(the_path_of_a_fault_begins_where_the_value_stands)
{
    os_error err;
    struct case_path at;
    json_t *value = case_json("{'L':[{'M':{'x y':{'S':1}}}]}");
    assert_int_equal(value_check(value, case_path("owner.names[3]", &at), &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "owner.names[3][0].x y: S, N and B"));
    json_decref(value);
}

TEST(lists_and_maps_nest_as_deep_as_an_item_allows)
{
    for (int maps = 0; maps < 2; maps++) {
        json_t *deepest = case_nested(VALUE_LEVELS_MAX, maps == 1);
        json_t *deeper = case_nested(VALUE_LEVELS_MAX + 1, maps == 1);
        json_t *far_deeper = case_nested(1000, maps == 1);
        os_error err;
        assert_int_equal(value_check(deepest, &attribute_a, &err), OS_OK);
        assert_int_equal(value_check(deeper, &attribute_a, &err), OS_ERR_ARGUMENT);
        assert_non_null(strstr(err.message, ": lists and maps nest deeper than the 32 levels of an item."));
        assert_int_equal(value_check(far_deeper, &attribute_a, &err), OS_ERR_ARGUMENT);
        json_decref(deepest);
        json_decref(deeper);
        json_decref(far_deeper);
    }
}

TEST(a_value_that_would_stand_deep_in_an_item_nests_less)
{
    struct case_path at;
    json_t *deepest = case_nested(VALUE_LEVELS_MAX - 2, false);
    json_t *deeper = case_nested(VALUE_LEVELS_MAX - 1, false);
    assert_int_equal(value_check(deepest, case_path("a.b[0]", &at), NULL), OS_OK);
    assert_int_equal(value_check(deeper, case_path("a.b[0]", &at), NULL), OS_ERR_ARGUMENT);
    json_decref(deepest);
    json_decref(deeper);
}

TEST(a_set_at_the_deepest_place_is_checked_too)
{
    struct path_step steps[PATH_STEPS_MAX];
    json_t *set = case_json("{'NS':['1','x']}");
    os_error err;
    for (size_t i = 0; i < PATH_STEPS_MAX; i++)
        steps[i] = (struct path_step){.name = "a"};
    assert_int_equal(value_check(set, &(struct path){steps, PATH_STEPS_MAX}, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "a.a[1]: the number \"x\""));
    json_decref(set);
}

TEST(a_value_stands_at_a_path_that_there_can_be)
{
    os_error err;
    const struct path_step none = {.name = ""};
    json_t *value = case_json("{'S':'x'}");
    assert_int_equal(value_check(value, &(struct path){&none, 1}, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "1 to 65535 bytes"));
    json_decref(value);
}

static void item_is(const char *text, os_code code, const char *message)
{
    os_error err = {.code = OS_OK};
    json_t *item = case_json(text);
    assert_int_equal(item_check(item, &err), code);
    assert_string_equal(err.message, message);
    json_decref(item);
}

TEST(an_item_is_an_object_of_values_with_names)
{
    item_is("{}", OS_OK, "");
    item_is("{'a':{'S':'x'},'b c':{'N':'1'}}", OS_OK, "");
    item_is("[]", OS_ERR_ARGUMENT, "The item is not a JSON object of attributes.");
    item_is("{'':{'S':'x'}}", OS_ERR_ARGUMENT, "\"\": the name of an attribute has 1 to 65535 bytes.");
    item_is("{'a':{'S':'x'},'b':{'NULL':false}}", OS_ERR_ARGUMENT, "b: a NULL is true.");
    item_is("{'a':'x'}", OS_ERR_ARGUMENT, "a: " TYPE);
    assert_int_equal(item_check(NULL, NULL), OS_ERR_ARGUMENT);
}

/* {NAME: {"S": text}} with so many bytes of each. */
static json_t *item_of(size_t name_len, size_t text_len)
{
    char *name = calloc(1, name_len + 1);
    char *text = malloc(text_len > 0 ? text_len : 1);
    assert_true(name != NULL && text != NULL);
    memset(name, 'n', name_len);
    memset(text, 't', text_len);
    json_t *item = json_pack("{s:{s:s%}}", name, "S", text, text_len);
    assert_non_null(item);
    free(name);
    free(text);
    return item;
}

TEST(an_item_may_have_409600_bytes)
{
    os_error err;
    json_t *largest = item_of(10, 409590);
    json_t *larger = item_of(10, 409591);
    assert_int_equal(item_size(largest), 409600);
    assert_int_equal(item_check(largest, &err), OS_OK);
    assert_int_equal(item_check(larger, &err), OS_ERR_TOO_LARGE);
    assert_string_equal(err.message,
                        "The item has 409601 bytes, names and values together; DynamoDB takes at most 409600. "
                        "Keep large values in objects.");
    json_decref(largest);
    json_decref(larger);
}

TEST(a_name_has_at_most_65535_bytes_and_a_long_one_is_cut_in_the_sentence)
{
    os_error err;
    json_t *longest = item_of(65535, 1);
    json_t *longer = item_of(65536, 1);
    assert_int_equal(item_check(longest, &err), OS_OK);
    assert_int_equal(item_check(longer, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "nnn...: the name of an attribute has 1 to 65535 bytes."));
    json_decref(longest);
    json_decref(longer);
}

/* Every comparison of a large set with all others would take minutes. */
TEST(large_sets_are_checked_and_compared_at_once)
{
    enum { COUNT = 60000 };
    json_t *up = json_array();
    json_t *down = json_array();
    for (int i = 0; i < COUNT; i++) {
        assert_int_equal(json_array_append_new(up, json_sprintf("%d", i)), 0);
        assert_int_equal(json_array_append_new(down, json_sprintf("%d", COUNT - 1 - i)), 0);
    }
    json_t *a = json_pack("{s:o}", "NS", up);
    json_t *b = json_pack("{s:o}", "NS", down);
    assert_int_equal(value_check(a, &attribute_a, NULL), OS_OK);
    assert_true(value_equal(a, b));
    assert_int_equal(json_array_set_new(down, COUNT - 1, json_string("-1")), 0);
    assert_false(value_equal(a, b));
    json_decref(a);
    json_decref(b);
}
