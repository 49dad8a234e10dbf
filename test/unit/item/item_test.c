/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on items, and changes of them: what DynamoDB's expressions of the same form say. */
#include "item/item.h"

#include "support/test.h"

enum { NAME, COUNT, OWNER };

static const struct item ann = {
    .values = {[NAME] = {ITEM_STRING, "ann", 0}, [COUNT] = {ITEM_NUMBER, NULL, 7}},
};
static const struct item nothing = {.values = {{.type = ITEM_NONE}}};

static bool holds(void (*build)(struct item_condition *condition), const struct item *item)
{
    struct item_condition condition = {.count = 0};
    build(&condition);
    return item_condition_holds(&condition, item);
}

static void no_terms(struct item_condition *condition)
{
    (void)condition;
}

static void name_is_absent(struct item_condition *condition)
{
    item_require_absent(condition, NAME);
}

static void name_is_there(struct item_condition *condition)
{
    item_require_there(condition, NAME);
}

static void name_is_ann(struct item_condition *condition)
{
    item_require_text(condition, NAME, "ann");
}

static void owner_is_empty(struct item_condition *condition)
{
    item_require_text(condition, OWNER, "");
}

static void count_is_seven(struct item_condition *condition)
{
    item_require_number(condition, COUNT, 7);
}

static void name_is_seven(struct item_condition *condition)
{
    item_require_number(condition, NAME, 7);
}

static void count_is_below_seven(struct item_condition *condition)
{
    item_require_below(condition, COUNT, 7);
}

static void count_is_below_eight(struct item_condition *condition)
{
    item_require_below(condition, COUNT, 8);
}

static void name_is_below(struct item_condition *condition)
{
    item_require_below(condition, NAME, UINT64_MAX);
}

TEST(each_test_of_one_attribute)
{
    assert_true(holds(no_terms, NULL));
    assert_true(holds(name_is_absent, NULL));
    assert_true(holds(name_is_absent, &nothing));
    assert_false(holds(name_is_absent, &ann));
    assert_true(holds(name_is_there, &ann));
    assert_false(holds(name_is_there, NULL));
    assert_true(holds(name_is_ann, &ann));
    assert_false(holds(name_is_ann, NULL));
    assert_true(holds(owner_is_empty, &ann)); /* an empty text is none */
    assert_true(holds(count_is_seven, &ann));
    assert_false(holds(count_is_seven, NULL));
    assert_false(holds(name_is_seven, &ann));
}

TEST(what_is_not_a_number_is_below_nothing)
{
    assert_false(holds(count_is_below_seven, &ann));
    assert_true(holds(count_is_below_eight, &ann));
    assert_false(holds(count_is_below_eight, NULL));
    assert_false(holds(name_is_below, &ann));
}

/* A and B, or C, or D and E: with each of 32 ways in which they hold. */
TEST(one_alternative_must_hold_with_all_its_terms)
{
    for (unsigned ways = 0; ways < 32; ways++) {
        struct item_condition condition = {.count = 0};
        bool term[5];
        for (size_t i = 0; i < 5; i++) {
            term[i] = (ways >> i & 1) != 0;
            if (i == 2 || i == 3)
                item_or(&condition);
            item_require_number(&condition, COUNT, term[i] ? 7 : 8);
        }
        bool expected = (term[0] && term[1]) || term[2] || (term[3] && term[4]);
        assert_int_equal(item_condition_holds(&condition, &ann), expected);
    }
}

TEST(changes_set_add_and_remove)
{
    struct item item = ann;
    const struct item_change changes[] = {
        {COUNT, ITEM_ADD, {ITEM_NUMBER, NULL, 3}},
        {NAME, ITEM_REMOVE, {.type = ITEM_NONE}},
        {OWNER, ITEM_SET, {ITEM_STRING, "bob", 0}},
    };
    assert_true(item_change(&item, changes, 3));
    assert_int_equal(item.values[COUNT].number, 10);
    assert_int_equal(item.values[NAME].type, ITEM_NONE);
    assert_string_equal(item_text_of(&item, OWNER), "bob");
    assert_string_equal(item_text_of(&item, NAME), "");
}

TEST(a_sum_begins_with_zero_and_ends_where_numbers_do)
{
    struct item item = nothing;
    const struct item_change add = {COUNT, ITEM_ADD, {ITEM_NUMBER, NULL, UINT64_MAX}};
    assert_true(item_change(&item, &add, 1));
    assert_int_equal(item.values[COUNT].number, UINT64_MAX);
    const struct item_change one = {COUNT, ITEM_ADD, {ITEM_NUMBER, NULL, 1}};
    assert_false(item_change(&item, &one, 1));
    const struct item_change to_text = {NAME, ITEM_ADD, {ITEM_NUMBER, NULL, 1}};
    item = ann;
    assert_false(item_change(&item, &to_text, 1));
}
