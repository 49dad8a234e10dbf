/* SPDX-License-Identifier: Apache-2.0 */
/* What is answered, whoever was asked. All of it is owned, and freed; what is all zero is fine to free, too. */
#ifndef OSCOMMIT_ROWS_ANSWER_H
#define OSCOMMIT_ROWS_ANSWER_H

#include "rows/rows.h"

/* Several items by their keys. */
struct rows_items {
    json_t *items[ROWS_AT_ONCE_MAX]; /* in the order of the keys; NULL: it is not there, or was left */
    bool left[ROWS_AT_ONCE_MAX];     /* not looked for: ask again after a pause */
    size_t left_count;               /* may be all of them */
};
void rows_items_free(struct rows_items *items);

struct rows_page {
    json_t *items;    /* an array; may be empty on a page that is not the last */
    json_t *last_key; /* where the next page starts: rows_list.start_key; NULL: this is the last one */
    size_t scanned;   /* items that were looked at, before the filter */
};
void rows_page_free(struct rows_page *page);

/* What is said of one write of a transaction. None of it is proof that the write was done: that, only the outcome of the
 * whole says. */
enum rows_verdict {
    ROWS_NOT_JUDGED = 0, /* nothing is known about this write */
    ROWS_NOT_IN_THE_WAY, /* if nothing was done, it was not because of this write */
    ROWS_CONDITION_FAILED,
    ROWS_PUT_OFF, /* another had the item under way, or there was too much to do: the whole may be sent again */
    ROWS_REFUSED  /* to send it again would not help */
};

struct rows_answer {
    enum rows_verdict verdict;
    json_t *item; /* CONDITION_FAILED: what is in the way; NULL: none came, also because there is none */
    os_code code; /* PUT_OFF, REFUSED */
    char *why;    /* PUT_OFF, REFUSED: a sentence; NULL without memory for it */
};
void rows_answers_free(struct rows_answer *answers, size_t count);

#endif
