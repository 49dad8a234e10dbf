/* SPDX-License-Identifier: Apache-2.0 */
/* Differences between what the library computes and what a service says, as they are printed. */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_RANDOM_REPORT_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_RANDOM_REPORT_H

#include "attribute/change.h"
#include "attribute/condition.h"

#include <stdint.h>

/* What was asked, for json_decref. */
json_t *report_condition(const struct condition *condition);
json_t *report_changes(const struct change *changes, size_t count);
json_t *report_paths(const struct path *paths, size_t count);

/* Takes `asked`; each of the four may be NULL. */
void report_difference(uint64_t seed, const char *what, const json_t *item, json_t *asked, const json_t *ours,
                       const json_t *theirs, const char *sentence);
/* Fails the test if there were some since the last call. */
void assert_no_differences(void);

#endif
