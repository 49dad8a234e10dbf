/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of items; what is there was asked of DynamoDB Local. */
#include "attribute/projection.h"

#include "case_reading.h"
#include "support/failing_functions.h"
#include "support/test.h"

enum { PATHS = 3 };

static const char item[] = "{'p':{'S':'x'},'l':{'L':[{'S':'a'},{'M':{'u':{'S':'1'},'v':{'S':'2'}}},{'S':'c'}]},"
                           "'m':{'M':{'k':{'S':'1'},'n':{'L':[{'M':{'z':{'N':'1'}}}]}}},'s':{'SS':['a','b']}}";

static const struct projection_case {
    const char *name;
    const char *paths[PATHS];
    const char *parts; /* NULL: refused */
} cases[] = {
    {"everything", {NULL}, item},
    {"an attribute", {"p"}, "{'p':{'S':'x'}}"},
    {"none that is there", {"zz"}, "{}"},
    {"an element", {"l[2]"}, "{'l':{'L':[{'S':'c'}]}}"},
    {"elements in their order", {"l[2]", "l[0]"}, "{'l':{'L':[{'S':'a'},{'S':'c'}]}}"},
    {"a part of an element", {"l[2]", "l[1].v"}, "{'l':{'L':[{'M':{'v':{'S':'2'}}},{'S':'c'}]}}"},
    {"two of a map", {"m.k", "m.zz", "p"}, "{'p':{'S':'x'},'m':{'M':{'k':{'S':'1'}}}}"},
    {"none of a map", {"m.zz"}, "{}"},
    {"none of a list", {"l[7]"}, "{}"},
    {"none of an element", {"l[1].zz"}, "{}"},
    {"a name in a text", {"l[0].a"}, "{}"},
    {"an index in a map", {"m[0]"}, "{}"},
    {"an index in a set", {"s[0]"}, "{}"},
    {"deep", {"m.n[0].z"}, "{'m':{'M':{'n':{'L':[{'M':{'z':{'N':'1'}}}]}}}}"},
    {"names that begin alike", {"m", "mm"}, "{'m':{'M':{'k':{'S':'1'},'n':{'L':[{'M':{'z':{'N':'1'}}}]}}}}"},
    {"one twice", {"p", "p"}, NULL},
    {"one through the other", {"m.k", "m"}, NULL},
    {"a list and a map", {"m.k", "m[0]"}, NULL},
    {"an index alone", {"[0]"}, NULL},
};

struct read_paths {
    struct case_path of[PATHS];
    struct path paths[PATHS];
    size_t count;
};

static void read_paths(const struct projection_case *row, struct read_paths *ret)
{
    for (ret->count = 0; ret->count < PATHS && row->paths[ret->count] != NULL; ret->count++)
        ret->paths[ret->count] = *case_path(row->paths[ret->count], &ret->of[ret->count]);
}

TEST_ROWS(cases, parts_of_an_item_are_those_that_were_asked_for)
{
    struct read_paths read;
    os_error error;
    json_t *whole = case_json(item);
    json_t *wanted = case_json(row->parts);
    read_paths(row, &read);
    os_code code = projection_check(read.paths, read.count, &error);
    assert_int_equal(code, wanted != NULL ? OS_OK : OS_ERR_ARGUMENT);
    json_t *parts = code == OS_OK ? projection_of(whole, read.paths, read.count) : NULL;
    assert_true(code != OS_OK || json_equal(parts, wanted));
    json_decref(parts);
    json_decref(whole);
    json_decref(wanted);
}

TEST_ROWS(cases, all_parts_or_none_without_memory)
{
    struct read_paths read;
    json_t *whole = case_json(item);
    json_t *wanted = case_json(row->parts);
    read_paths(row, &read);
    alloc_failed = wanted != NULL;
    for (size_t number = 0; alloc_failed; number++) {
        alloc_fail_from(number, 1000);
        json_set_alloc_funcs(failing_malloc, free);
        json_t *parts = projection_of(whole, read.paths, read.count);
        json_set_alloc_funcs(malloc, free);
        alloc_fail_none();
        assert_true(parts != NULL ? json_equal(parts, wanted) : alloc_failed);
        json_decref(parts);
    }
    json_decref(whole);
    json_decref(wanted);
}
