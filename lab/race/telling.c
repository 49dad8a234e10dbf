/* SPDX-License-Identifier: Apache-2.0 */
#include "race/telling.h"

#include "history/transaction_line.h"

#include <stdio.h>
#include <string.h>

void telling_begin(struct telling *telling, uint64_t id, unsigned writer, uint64_t start_us)
{
    telling->transaction = (struct history_transaction){.id = id,
                                                        .writer = writer,
                                                        .start_us = start_us,
                                                        .end_us = HISTORY_NEVER,
                                                        .verdict = OS_UNKNOWN,
                                                        .settled = OS_UNKNOWN,
                                                        .message = "",
                                                        .item = telling->item};
}

void telling_clear(struct telling *telling)
{
    telling->transaction.item_count = 0;
}

static void add_item(struct telling *telling, enum history_item_kind kind, const char *const texts[3],
                     const int64_t *amount)
{
    size_t index = telling->transaction.item_count;
    struct history_item *item = &telling->item[index];

    if (index == TELLING_ITEMS_MAX)
        return;
    for (size_t i = 0; i < 3; i++)
        (void)snprintf(telling->text[index][i], TELLING_TEXT_SIZE, "%s", texts[i]);
    *item = (struct history_item){.kind = kind,
                                  .key = telling->text[index][0],
                                  .expected = telling->text[index][1],
                                  .value = telling->text[index][2],
                                  .has_amount = amount != NULL,
                                  .amount = amount == NULL ? 0 : *amount};
    telling->transaction.item_count++;
}

void telling_read(struct telling *telling, const char *key, const char *value, const int64_t *amount)
{
    add_item(telling, HISTORY_ITEM_READ, (const char *const[]){key, "", value}, amount);
}

void telling_write(struct telling *telling, const char *key, const char *expected, const char *value,
                   const int64_t *amount)
{
    add_item(telling, HISTORY_ITEM_WRITE, (const char *const[]){key, expected, value}, amount);
}

size_t telling_format(const struct telling *telling, char ret[RACE_LINE_MAX])
{
    json_t *object = transaction_line_written(&telling->transaction);
    size_t len = object == NULL ? 0 : json_dumpb(object, ret, RACE_LINE_MAX - 2, JSON_COMPACT);

    json_decref(object);
    if (len == 0 || len > RACE_LINE_MAX - 2)
        return 0;
    ret[len] = '\n';
    ret[len + 1] = '\0';
    return len + 1;
}
