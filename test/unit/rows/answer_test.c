/* SPDX-License-Identifier: Apache-2.0 */
/* What was answered is given up whole, and may be given up again. */
#include "rows/answer.h"

#include "support/test.h"

#include <stdlib.h>
#include <string.h>

static json_t *counted; /* each holder has a reference */

TEST(what_was_answered_is_freed_once)
{
    struct rows_items items = {.left = {true}, .left_count = 1};
    struct rows_answer answers[2] = {{.verdict = ROWS_CONDITION_FAILED}, {.verdict = ROWS_REFUSED}};
    counted = json_object();
    assert_non_null(counted);
    items.items[ROWS_AT_ONCE_MAX - 1] = json_incref(counted);
    struct rows_page page = {.items = json_incref(counted), .last_key = json_incref(counted), .scanned = 7};
    answers[0].item = json_incref(counted);
    answers[1].why = strdup("because");
    for (int again = 0; again < 2; again++) {
        rows_items_free(&items);
        rows_page_free(&page);
        rows_answers_free(answers, 2);
    }
    assert_int_equal(counted->refcount, 1);
    assert_true(items.left_count == 0 && !items.left[0] && page.scanned == 0);
    assert_int_equal(answers[0].verdict, ROWS_NOT_JUDGED);
    json_decref(counted);
}
