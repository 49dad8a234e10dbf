/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random items, and what is asked of them: a function of the state of random_next. Few names and few values come again and
 * again, so that they meet; some are those at an edge of what DynamoDB takes, and one in fifty is over it.
 */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_RANDOM_ITEMS_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_RANDOM_ITEMS_H

#include "attribute/change.h"
#include "attribute/condition.h"
#include "attribute/type.h"

#include <stdint.h>

size_t random_below(uint64_t *state, size_t bound);

/* For json_decref, as all that is made here. */
json_t *random_value(uint64_t *state, size_t depth);
json_t *random_scalar(uint64_t *state, enum value_type type); /* S, N or B; always one that DynamoDB takes */
json_t *random_item(uint64_t *state);

enum { RANDOM_STEPS = 6, RANDOM_TERMS = 5, RANDOM_CHANGES = 4, RANDOM_PATHS = 4 };

/* The names of its steps are of the item, or static. */
struct random_path {
    struct path_step steps[RANDOM_STEPS];
    struct path path;
};
void random_path(uint64_t *state, const json_t *item, struct random_path *ret);

struct random_paths {
    struct random_path made[RANDOM_PATHS];
    struct path paths[RANDOM_PATHS];
    size_t count;
};
void random_paths(uint64_t *state, const json_t *item, struct random_paths *ret);

struct random_condition {
    struct random_path made[RANDOM_TERMS];
    struct condition_term terms[RANDOM_TERMS];
    struct condition condition;
};
void random_condition(uint64_t *state, const json_t *item, struct random_condition *ret);
void random_condition_free(struct random_condition *condition);

struct random_changes {
    struct random_path made[RANDOM_CHANGES];
    struct change changes[RANDOM_CHANGES];
    size_t count;
};
void random_changes(uint64_t *state, const json_t *item, struct random_changes *ret);
void random_changes_free(struct random_changes *changes);

#endif
