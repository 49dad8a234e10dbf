/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an embedded client did while the disk was recorded, call by call, and what its callers were told: so what may
 * stand at each key when the power failed at an instant. Versions are numbers: 0 is nothing, any other a text that is
 * made from the number.
 */
#ifndef OSCOMMIT_TEST_POWERLOSS_STORY_H
#define OSCOMMIT_TEST_POWERLOSS_STORY_H

#include "disk_log.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>

enum { STORY_ROUNDS = 2, STORY_ROUND_KEYS = 11, STORY_KEYS = STORY_ROUNDS * STORY_ROUND_KEYS };
enum { STORY_PART_SIZE = 5 << 20, STORY_TEXT_MAX = STORY_PART_SIZE + 70000 };
extern const char *const story_keys[STORY_KEYS];

/* NULL: err says why. `stage_above` as in os_options. */
os_client *story_client(const char *root, uint64_t stage_above, os_error *err);

/* Everything, from os_init on. False: something was not as in peace; a sentence was printed. */
bool story_run(const char *root, enum disk_lie lie); /* the disk lies after os_init */
size_t story_init_end(void);                         /* os_init had returned */

/* Whether `version` may stand at key number `key` after `instant` changes. */
bool story_allows(size_t instant, int key, int version);
/* Neither name of an object that was being renamed. */
bool story_lost_a_rename(size_t instant, const int versions[STORY_KEYS]);
void story_describe(size_t instant, char *ret, size_t size); /* the call under way, or "" */

void story_text(int version, const char **ret, size_t *ret_length);
void story_content_type(int version, char *ret, size_t size);

#endif
