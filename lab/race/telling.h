/* SPDX-License-Identifier: Apache-2.0 */
/* One transaction of a race, as whoever runs it tells it: the line of history/transaction_line.h, without its end. Pure. */
#ifndef OSCOMMIT_LAB_RACE_TELLING_H
#define OSCOMMIT_LAB_RACE_TELLING_H

#include "history/history.h"
#include "race/line.h"

enum { TELLING_ITEMS_MAX = 100, TELLING_TEXT_SIZE = 64 };

struct telling {
    struct history_transaction transaction;
    struct history_item item[TELLING_ITEMS_MAX];
    char text[TELLING_ITEMS_MAX][3][TELLING_TEXT_SIZE]; /* of each item its key, what was expected, and the value */
};

/* Nothing is read or written yet, and what comes of it is unknown. */
void telling_begin(struct telling *telling, uint64_t id, unsigned writer, uint64_t start_us);
/* The same again, from before it read anything. */
void telling_clear(struct telling *telling);

/* `amount` NULL: none belongs to the value. `value` "" is absence. */
void telling_read(struct telling *telling, const char *key, const char *value, const int64_t *amount);
void telling_write(struct telling *telling, const char *key, const char *expected, const char *value,
                   const int64_t *amount);

/* The line with its end, and its length; 0: no memory. */
size_t telling_format(const struct telling *telling, char ret[RACE_LINE_MAX]);

#endif
