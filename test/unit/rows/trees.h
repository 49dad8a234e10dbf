/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of items of any attributes, and trees that live as long as a test. */
#ifndef OSCOMMIT_TEST_UNIT_ROWS_TREES_H
#define OSCOMMIT_TEST_UNIT_ROWS_TREES_H

#include "rows/rows.h"
#include "support/test.h"
#include "unit/attribute/case_reading.h"

#include <stdlib.h>
#include <string.h>

static const struct rows_table orders = {"orders", {"pk", "sk"}};
static const struct rows_table users = {"users", {"id", NULL}};

#define PATH(...)                                                                      \
    {                                                                                  \
        (const struct path_step[]){__VA_ARGS__},                                       \
            sizeof((const struct path_step[]){__VA_ARGS__}) / sizeof(struct path_step) \
    }

/* All that it has is freed. */
struct trees {
    json_t *list[600];
    size_t count;
    char *texts[16];
    size_t text_count;
};

static inline void trees_set_up(struct trees *trees)
{
    (void)trees;
}

static inline void trees_tear_down(struct trees *trees)
{
    while (trees->count > 0)
        json_decref(trees->list[--trees->count]);
    while (trees->text_count > 0)
        free(trees->texts[--trees->text_count]);
}

static inline json_t *keep(struct trees *trees, json_t *tree)
{
    assert_non_null(tree);
    assert_true(trees->count < sizeof(trees->list) / sizeof(trees->list[0]));
    return trees->list[trees->count++] = tree;
}

/* JSON with ' in place of ". */
static inline json_t *tree(struct trees *trees, const char *text)
{
    return keep(trees, case_json(text));
}

static inline const char *quoted(struct trees *trees, const char *text)
{
    char *copy = strdup(text);
    assert_non_null(copy);
    for (char *at = copy; *at != '\0'; at++)
        *at = *at == '\'' ? '"' : *at;
    assert_true(trees->text_count < sizeof(trees->texts) / sizeof(trees->texts[0]));
    return trees->texts[trees->text_count++] = copy;
}

#endif
