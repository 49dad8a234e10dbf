/* SPDX-License-Identifier: Apache-2.0 */
/* "FIRST-[LAST]" of get --range, LAST included, as in HTTP. */
#ifndef OSCOMMIT_TOOL_RANGE_H
#define OSCOMMIT_TOOL_RANGE_H

#include "cli/usage.h"

#include <stdbool.h>
#include <stdint.h>

bool range_parse(const char *text, uint64_t *ret_offset, uint64_t *ret_count,
                 struct usage *usage); /* count 0: to the end */

#endif
