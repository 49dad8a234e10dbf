/* SPDX-License-Identifier: Apache-2.0 */
/* Equal values have equal texts, whatever they were written as. */
#include "attribute/canonical.h"

#include "attribute/value.h"
#include "case_reading.h"
#include "support/failing_functions.h"
#include "support/test.h"

static const struct canonical_case {
    const char *name;
    const char *value;
    const char *canonical;
} cases[] = {
    {"a number", "{'N':'-01.50e1'}", "{'N':'-15'}"},
    {"a fraction", "{'N':'5e-3'}", "{'N':'0.005'}"},
    {"a text", "{'S':'1.0'}", "{'S':'1.0'}"},
    {"bytes", "{'B':'AQ=='}", "{'B':'AQ=='}"},
    {"a truth", "{'BOOL':false}", "{'BOOL':false}"},
    {"nothing", "{'NULL':true}", "{'NULL':true}"},
    {"texts", "{'SS':['b','a','B']}", "{'SS':['B','a','b']}"},
    {"numbers", "{'NS':['10','9.0','-1']}", "{'NS':['-1','9','10']}"},
    {"binaries", "{'BS':['/w==','AA==']}", "{'BS':['AA==','/w==']}"},
    {"a list keeps its order", "{'L':[{'N':'2.0'},{'N':'01'}]}", "{'L':[{'N':'2'},{'N':'1'}]}"},
    {"a map", "{'M':{'b':{'L':[{'NS':['2','1']}]},'a':{'N':'1e0'}}}",
     "{'M':{'b':{'L':[{'NS':['1','2']}]},'a':{'N':'1'}}}"},
};

TEST_ROWS(cases, a_value_is_written_in_one_way)
{
    json_t *value = case_json(row->value);
    json_t *wanted = case_json(row->canonical);
    json_t *canonical = value_canonical(value);
    assert_true(json_equal(canonical, wanted));
    assert_true(value_equal(canonical, value));
    json_decref(value);
    json_decref(wanted);
    json_decref(canonical);
}

TEST_ROWS(cases, a_value_is_written_whole_or_not_at_all_without_memory)
{
    json_t *value = case_json(row->value);
    json_t *wanted = case_json(row->canonical);
    alloc_failed = true;
    for (size_t number = 0; alloc_failed; number++) {
        alloc_fail_from(number, 1000);
        json_set_alloc_funcs(failing_malloc, free);
        json_t *canonical = value_canonical(value);
        json_set_alloc_funcs(malloc, free);
        alloc_fail_none();
        assert_true(canonical == NULL || json_equal(canonical, wanted));
        assert_true(canonical != NULL || alloc_failed);
        json_decref(canonical);
    }
    json_decref(value);
    json_decref(wanted);
}
