/* SPDX-License-Identifier: Apache-2.0 */
/* Which item of a schema an answer is about, in words. */
#include "base/text.h"
#include "dynamo/answer.h"

#include <stdio.h>
#include <string.h>

enum { SHOWN_KEY = 140, SHOWN_SORT = 60, SORT_SIZE = SHOWN_SORT + 48 };

/* " (etag "abc")"; "" where the key has one part. */
static void describe_sort_key(const struct dynamo_about *about, char ret[SORT_SIZE])
{
    const char *value = about->schema->keys > 1 ? item_text_of(about->key, 1) : NULL;
    ret[0] = '\0';
    if (value != NULL)
        snprintf(ret, SORT_SIZE, " (%s %.*s%s)", about->schema->attributes[1].name, ANSWER_CUT(value, SHOWN_SORT));
}

struct answer_of answer_about(const char *operation, const struct dynamo_about *about, bool writes)
{
    struct answer_of of = {.operation = operation,
                           .writes = writes,
                           .where = about->where,
                           .command = {&about->schema->words, about->table, about->reach}};
    if (about->key == NULL)
        return of;
    const char *key = item_text_of(about->key, 0);
    char sort[SORT_SIZE];
    describe_sort_key(about, sort);
    snprintf(of.item, sizeof(of.item), "%s \"%.*s%s\"%s", about->schema->words.subject, ANSWER_CUT(key, SHOWN_KEY),
             sort);
    return of;
}
