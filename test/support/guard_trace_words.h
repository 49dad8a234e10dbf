/* SPDX-License-Identifier: Apache-2.0 */
/* The words of one line of a trace (guard_trace.h). What cannot be read fails the test. */
#ifndef OSCOMMIT_TEST_GUARD_TRACE_WORDS_H
#define OSCOMMIT_TEST_GUARD_TRACE_WORDS_H

#include "support/guard_trace_text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WORDS_MAX = 32 };

struct words {
    char text[TRACE_TEXT_SIZE];
    const char *word[WORDS_MAX];
    size_t count;
    size_t next;
};

void words_cut(struct words *words, const char *line);
const char *words_peek(const struct words *words);
const char *words_take(struct words *words);
bool words_take_word(struct words *words, const char *word);
const char *words_take_value(struct words *words, const char *name);
uint64_t words_number(const char *digits);
bool words_take_number(struct words *words, const char *name, uint64_t *ret);
void words_set_text(char *ret, size_t ret_size, const char *from);
void words_set_etag(char *ret, size_t ret_size, const char *bare);
void words_set_nonce(char *ret, const char *name);

#endif
