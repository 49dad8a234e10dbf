/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/condition.h"

#include "case_reading.h"
#include "condition_cases.h"
#include "support/test.h"

#include <string.h>

struct fixture {
    struct case_condition read;
    json_t *item;
};

static void fixture_set_up(struct fixture *fixture)
{
    (void)fixture;
}

static void fixture_tear_down(struct fixture *fixture)
{
    case_condition_free(&fixture->read);
    json_decref(fixture->item);
}

TEST_ROWS_WITH(fixture, condition_cases, a_condition_says_what_the_service_says)
{
    os_error err = {.code = OS_OK};
    case_condition_read(row, &fixture->read);
    fixture->item = case_json(row->item);
    assert_int_equal(condition_check(&fixture->read.condition, &err), row->answer == REFUSED ? OS_ERR_ARGUMENT : OS_OK);
    if (row->answer == REFUSED)
        assert_memory_equal(err.message, "The condition on a ", strlen("The condition on a "));
    else
        assert_int_equal(condition_holds(&fixture->read.condition, fixture->item), row->answer == HOLDS);
}

TEST(without_terms_it_holds)
{
    const struct condition nothing = {NULL, 0};
    assert_int_equal(condition_check(&nothing, NULL), OS_OK);
    assert_true(condition_holds(&nothing, NULL));
}

static const struct condition_case bad_values[] = {
    {"of a term", REFUSED, NULL, ON_A(EQUALS, "{'N':'x'}")},
    {"of an upper bound", REFUSED, NULL, ON_A(IS_BETWEEN, ONE, "{'N':'x'}")},
};

TEST_ROWS_WITH(fixture, bad_values, a_value_that_is_none_is_refused)
{
    os_error err;
    case_condition_read(row, &fixture->read);
    assert_int_equal(condition_check(&fixture->read.condition, &err), OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "a: the number \"x\""));
}

/* However deep in the item. */
TEST(a_value_that_is_compared_has_32_levels_of_its_own)
{
    enum { LEVELS = 32 };
    struct case_path at;
    for (size_t levels = LEVELS; levels <= LEVELS + 1; levels++) {
        json_t *value = case_nested(levels, false);
        json_t *item = case_json("{'a':{'M':{'b':{'N':'1'}}}}");
        const struct condition_term term = {*case_path("a.b", &at), CONDITION_DIFFERS, value, NULL, false};
        const struct condition condition = {&term, 1};
        assert_int_equal(condition_check(&condition, NULL), levels == LEVELS ? OS_OK : OS_ERR_ARGUMENT);
        assert_true(condition_holds(&condition, item));
        json_decref(value);
        json_decref(item);
    }
}
