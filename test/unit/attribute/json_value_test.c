/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/json_value.h"

#include "attribute/check.h"
#include "case_reading.h"
#include "support/test.h"

#include <string.h>

static const struct {
    const char *name; /* JSON */
    const char *value;
    const char *back; /* NULL: the same JSON */
} values[] = {
    {"[9007199254740993]", "[{'N':'9007199254740993'}]", NULL}, /* a double has no such number */
    {"[9223372036854775807]", "[{'N':'9223372036854775807'}]", NULL},
    {"[-9223372036854775808]", "[{'N':'-9223372036854775808'}]", NULL},
    {"[1.0]", "[{'N':'1'}]", "[1]"},
    {"[-0.0]", "[{'N':'0'}]", "[0]"},
    {"[0.1]", "[{'N':'0.1'}]", NULL},
    {"[0.30000000000000004]", "[{'N':'0.30000000000000004'}]", NULL},
    {"[1e19]", "[{'N':'10000000000000000000'}]", NULL},
    {"[9223372036854775808.0]", "[{'N':'9223372036854776000'}]", NULL}, /* 2^63: zeros stand behind the fewest digits */
    {"[5.684341886080802e-14]", "[{'N':'0.00000000000005684341886080802'}]", NULL}, /* 2^-44 */
    {"['']", "[{'S':''}]", NULL},
    {"['a\\u0000b']", "[{'S':'a\\u0000b'}]", NULL},
    {"[{}]", "[{'M':{}}]", NULL},
    {"[[]]", "[{'L':[]}]", NULL},
    {"[null,true,{'a':false}]", "[{'NULL':true},{'BOOL':true},{'M':{'a':{'BOOL':false}}}]", NULL},
};

TEST_ROWS(values, json_is_a_value_and_json_again)
{
    json_t *value;
    json_t *again;
    json_t *json = case_json(row->name);
    json_t *wanted = case_json(row->value);
    json_t *back = case_json(row->back != NULL ? row->back : row->name);
    assert_int_equal(value_from_json(json, "a", &value, NULL), OS_OK);
    assert_int_equal(value_check(value, &(struct path){&(struct path_step){.name = "a"}, 1}, NULL), OS_OK);
    assert_true(json_equal(value_inside(value), wanted));
    assert_int_equal(value_to_json(value, "a", &again, NULL), OS_OK);
    assert_true(json_equal(again, back));
    json_decref(json);
    json_decref(wanted);
    json_decref(back);
    json_decref(value);
    json_decref(again);
}

static const struct {
    const char *name; /* JSON */
    const char *fault;
} json_faults[] = {
    {"[1e126]", "a[0]: the number 1e+126 is too large: DynamoDB's numbers end below 1E+126."},
    {"{'b':[0,-1.5e300]}", "a.b[1]: the number -1.5e+300"},
    {"[9e-131]", "a[0]: the number 9e-131"},
    {"{'b':{'':1}}", "a.b.\"\": the name of an attribute has 1 to 65535 bytes."},
};

TEST_ROWS(json_faults, what_dynamodb_cannot_hold_is_refused_where_it_stands)
{
    os_error err;
    json_t *value = (json_t *)&err;
    json_t *json = case_json(row->name);
    assert_int_equal(value_from_json(json, "a", &value, &err), OS_ERR_ARGUMENT);
    assert_null(value);
    if (strncmp(err.message, row->fault, strlen(row->fault)) != 0)
        fail_msg("%s", err.message);
    json_decref(json);
}

static const struct {
    const char *name; /* a value */
    const char *fault;
} value_faults[] = {
    {"{'M':{'a':{'L':[{'B':'YQ=='}]}}}",
     "a.a[0]: the value is a B, a BS, an SS or an NS, and JSON has no bytes and no sets."},
    {"{'SS':['a']}", "a: the value is a B, a BS,"},
    {"{'L':[{'N':'12345678901234567890'}]}",
     "a[0]: the number 12345678901234567890 has more digits than a JSON number keeps here, and would be rounded."},
    /* 2^63 is a double, but would be written as 9223372036854776000. */
    {"{'N':'9223372036854775808'}", "a: the number 9223372036854775808 has more"},
    {"{'N':'0.1000000000000000000000000000001'}", "a: the number 0.1000"},
};

TEST_ROWS(value_faults, what_json_cannot_hold_is_refused_where_it_stands)
{
    os_error err;
    json_t *json = (json_t *)&err;
    json_t *value = case_json(row->name);
    assert_int_equal(value_to_json(value, "a", &json, &err), OS_ERR_PROTOCOL);
    assert_null(json);
    if (strncmp(err.message, row->fault, strlen(row->fault)) != 0)
        fail_msg("%s", err.message);
    json_decref(value);
}

TEST(the_name_of_a_member_has_at_most_65535_bytes)
{
    for (size_t more = 0; more < 2; more++) {
        json_t *value;
        os_error err;
        char *name = calloc(1, PATH_NAME_MAX + 2);
        assert_non_null(name);
        memset(name, 'a', PATH_NAME_MAX + more);
        json_t *json = json_pack("{s:n}", name);
        assert_int_equal(value_from_json(json, "a", &value, &err), more == 0 ? OS_OK : OS_ERR_ARGUMENT);
        if (more == 1)
            assert_non_null(strstr(err.message, "the name of an attribute has 1 to 65535 bytes."));
        else
            assert_int_equal(json_object_size(value_inside(value)), 1);
        json_decref(value);
        json_decref(json);
        free(name);
    }
}

static json_t *nested(size_t levels, bool objects)
{
    json_t *json = json_null();
    for (size_t i = 0; i < levels; i++)
        json = objects ? json_pack("{s:o}", "a", json) : json_pack("[o]", json);
    assert_non_null(json);
    return json;
}

TEST(json_nests_as_deep_as_an_item_allows)
{
    for (int objects = 0; objects < 2; objects++)
        for (size_t levels = 31; levels < 100000; levels += levels == 31 ? 1 : 50000) {
            os_error err;
            json_t *value;
            json_t *json = nested(levels, objects == 1);
            os_code code = value_from_json(json, "a", &value, &err);
            assert_int_equal(code, levels == 31 ? OS_OK : OS_ERR_ARGUMENT);
            if (code != OS_OK)
                assert_non_null(strstr(err.message, ": lists and maps nest deeper than the 32 levels of an item."));
            json_decref(value);
            json_decref(json);
        }
}
