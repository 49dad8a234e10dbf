/* SPDX-License-Identifier: Apache-2.0 */
#include "rows/answer.h"

#include <stdlib.h>

void rows_items_free(struct rows_items *items)
{
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        json_decref(items->items[i]);
    *items = (struct rows_items){.left_count = 0};
}

void rows_page_free(struct rows_page *page)
{
    json_decref(page->items);
    json_decref(page->last_key);
    *page = (struct rows_page){.items = NULL};
}

void rows_answers_free(struct rows_answer *answers, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        json_decref(answers[i].item);
        free(answers[i].why);
        answers[i] = (struct rows_answer){.verdict = ROWS_NOT_JUDGED};
    }
}
