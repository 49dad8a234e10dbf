/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a rebuilt disk as any client would, and compares with the story. */
#ifndef OSCOMMIT_TEST_POWERLOSS_JUDGE_H
#define OSCOMMIT_TEST_POWERLOSS_JUDGE_H

#include <stdbool.h>
#include <stddef.h>

/* `root`: the store in the state after `instant` changes. False: `why` says what is not true. */
bool judge_image(const char *root, size_t instant, char *why, size_t why_size);

#endif
