/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/change.h"

#include "attribute/check.h"
#include "case_reading.h"
#include "change_cases.h"
#include "support/test.h"

#include <string.h>

struct fixture {
    struct case_changes read;
    json_t *item;
    json_t *after;
};

static void fixture_set_up(struct fixture *fixture)
{
    (void)fixture;
}

static void fixture_tear_down(struct fixture *fixture)
{
    case_changes_free(&fixture->read);
    json_decref(fixture->item);
    json_decref(fixture->after);
}

static void read_case(const struct change_case *row, struct fixture *fixture)
{
    case_changes_read(row, &fixture->read);
    fixture->item = case_json(row->item);
}

static void assert_item_is(json_t *found, const char *text)
{
    json_t *wanted = case_json(text);
    if (!case_items_equal(found, wanted))
        fail_msg("%s, not %s", json_dumps(found, 0), text);
    json_decref(wanted);
}

TEST_ROWS_WITH(fixture, change_cases, changes_make_what_the_service_makes)
{
    os_error err = {.code = OS_OK};
    read_case(row, fixture);
    json_t *before = json_deep_copy(fixture->item);
    os_code code = changes_check(fixture->read.changes, fixture->read.count, &err);
    assert_true(code == OS_OK || code == OS_ERR_ARGUMENT);
    if (code == OS_OK)
        code = change_apply(fixture->item, fixture->read.changes, fixture->read.count, &fixture->after, &err);
    assert_int_equal(code, row->code);
    assert_int_equal(err.message[0] != '\0', code != OS_OK);
    if (row->after != NULL) {
        assert_item_is(fixture->after, row->after);
        assert_int_equal(item_check(fixture->after, &err), OS_OK);
    } else {
        assert_null(fixture->after);
    }
    assert_true(before == NULL || json_equal(before, fixture->item));
    json_decref(before);
}

TEST_WITH(fixture, no_change_leaves_the_item)
{
    fixture->item = case_json(ITEM);
    assert_int_equal(changes_check(NULL, 0, NULL), OS_OK);
    assert_int_equal(change_apply(fixture->item, NULL, 0, &fixture->after, NULL), OS_OK);
    assert_item_is(fixture->after, ITEM);
    assert_ptr_not_equal(fixture->after, fixture->item);
}

TEST_WITH(fixture, a_sentence_names_both_paths)
{
    static const struct change_case overlap = {
        .changes = {{.kind = SET, .path = "m", .value = "{'M':{}}"}, {.kind = REMOVE, .path = "m.l[0].x"}}};
    os_error err;
    read_case(&overlap, fixture);
    assert_int_equal(changes_check(fixture->read.changes, fixture->read.count, &err), OS_ERR_ARGUMENT);
    assert_string_equal(err.message,
                        "Two changes of one write overlap: m and m.l[0].x. Make one of them, or two writes.");
}

TEST_WITH(fixture, a_sentence_says_what_the_item_lacks)
{
    static const struct change_case lack = {.item = ITEM, .changes = {{.kind = SET, .path = "z.y", .value = SEVEN}}};
    os_error err;
    read_case(&lack, fixture);
    assert_int_equal(change_apply(fixture->item, fixture->read.changes, 1, &fixture->after, &err), OS_ERR_REFUSED);
    assert_string_equal(err.message, "z.y: the item has no map or list in which this could stand (DynamoDB says: \"The "
                                     "document path provided in the update expression is invalid for update\"). Set "
                                     "the map or the list first.");
}

TEST_WITH(fixture, a_change_that_makes_the_item_too_large_is_refused)
{
    static char text[ITEM_SIZE_MAX - 1];
    memset(text, 't', sizeof(text));
    const struct path_step step = {.name = "n"};
    fixture->read.count = 1;
    fixture->read.changes[0] = (struct change){{&step, 1}, CHANGE_SET, json_pack("{s:s%}", "S", text, sizeof(text))};
    assert_int_equal(change_apply(NULL, fixture->read.changes, 1, &fixture->after, NULL), OS_OK);
    json_decref(fixture->after);
    fixture->after = NULL;
    fixture->item = case_json("{'m':{'S':''}}");
    assert_int_equal(change_apply(fixture->item, fixture->read.changes, 1, &fixture->after, NULL), OS_ERR_TOO_LARGE);
    assert_null(fixture->after);
}
