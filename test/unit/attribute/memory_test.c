/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out: an error, or the same answer as with memory. Never another item, never another answer. */
#include "attribute/check.h"
#include "case_reading.h"
#include "change_cases.h"
#include "support/test.h"

/* In this order: the two files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "attribute/scalar.c"
#include "attribute/change.c"
/* clang-format on */

static json_t *changed(const json_t *item, const struct case_changes *read, size_t number, size_t failures,
                       os_code *ret_code)
{
    json_t *after = NULL;
    alloc_fail_from(number, failures);
    json_set_alloc_funcs(failing_malloc, free);
    *ret_code = change_apply(item, read->changes, read->count, &after, NULL);
    json_set_alloc_funcs(malloc, free);
    alloc_fail_none();
    return after;
}

TEST_ROWS(change_cases, an_item_is_changed_without_memory_as_with_it_or_not_at_all)
{
    struct case_changes read;
    json_t *item = case_json(row->item);
    json_t *wanted = case_json(row->after);
    case_changes_read(row, &read);
    alloc_failed = changes_check(read.changes, read.count, NULL) == OS_OK;
    for (size_t number = 0; alloc_failed; number++)
        for (size_t failures = 1; failures <= 1000; failures += 999) {
            os_code code;
            json_t *after = changed(item, &read, number, failures, &code);
            if (code == OS_OK)
                assert_true(wanted != NULL && case_items_equal(after, wanted));
            else
                assert_true(after == NULL && (code == OS_ERR_NO_MEMORY || (wanted == NULL && code == row->code)));
            json_decref(after);
        }
    case_changes_free(&read);
    json_decref(item);
    json_decref(wanted);
}

TEST(a_set_is_not_said_to_be_well_formed_without_memory)
{
    struct case_path at;
    json_t *set = case_json("{'SS':['a','b','a']}");
    (void)case_path("a", &at);
    alloc_fail_at(0);
    assert_int_equal(value_check(set, &at.path, NULL), OS_ERR_NO_MEMORY);
    alloc_fail_none();
    json_decref(set);
}

TEST(sets_are_compared_without_memory)
{
    json_t *set = case_json("{'NS':['1','2']}");
    json_t *same = case_json("{'NS':['2','1.0']}");
    json_t *other = case_json("{'NS':['2','3']}");
    alloc_fail_from(0, 2);
    assert_true(value_equal(set, same));
    assert_false(value_equal(set, other));
    alloc_fail_none();
    assert_true(alloc_failed);
    json_decref(set);
    json_decref(same);
    json_decref(other);
}
