/* SPDX-License-Identifier: Apache-2.0 */
/* The words that a profile file has for the values of its enums; the place of a word is its value. */
#ifndef OSCOMMIT_PROFILE_PROFILE_NAMES_H
#define OSCOMMIT_PROFILE_PROFILE_NAMES_H

#include <stddef.h>

struct profile_words {
    const char *word[6];
    size_t count;
};
extern const struct profile_words profile_words_condition;
extern const struct profile_words profile_words_409;
extern const struct profile_words profile_words_expiry;
extern const struct profile_words profile_words_stalled;
extern const struct profile_words profile_words_mark;
extern const struct profile_words profile_words_answer;

#endif
