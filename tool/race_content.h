/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys and bodies of a race. Each body names its writer, and each increment its own number, so that no two writes have
 * the same bytes: equal bytes have equal ETags, and would hide a lost update. Pure.
 */
#ifndef OSCOMMIT_TOOL_RACE_CONTENT_H
#define OSCOMMIT_TOOL_RACE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { RACE_CONTENT_MAX = 160, RACE_ID_SIZE = 17 };

/* `key` behind the race's prefix ("race-<id>/"): "key-00017" and "counter". */
void race_key_name(uint64_t index, char *ret, size_t ret_size);
#define RACE_COUNTER_NAME "counter"

size_t race_key_body(const char *id, uint64_t index, unsigned writer, char ret[RACE_CONTENT_MAX]);

/* The counter after `value` increments, of which this is the `increment`th of `writer`. */
size_t race_counter_body(const char *id, uint64_t value, unsigned writer, uint64_t increment,
                         char ret[RACE_CONTENT_MAX]);
bool race_counter_value(const char *id, const char *body, size_t len, uint64_t *ret);

#endif
