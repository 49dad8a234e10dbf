/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of keys, as a shell has them of files: * stands for any text without a slash, ? for one character that is no
 * slash, [a-z] and [!a-z] for one of some, ** for any text, and a part that is ** alone for any number of parts, none
 * too. A backslash takes the next character as it is. Takes time in proportion to pattern and key, whatever they are.
 */
#ifndef OSCOMMIT_TOOL_GLOB_H
#define OSCOMMIT_TOOL_GLOB_H

#include "cli/usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { GLOB_TOKENS_MAX = 1024 };

struct glob_token;

struct glob {
    struct glob_token *tokens; /* NULL: no pattern */
    size_t count;
    char *copy;           /* of the pattern, which sets point into */
    char *literal;        /* what each match begins with */
    size_t folder_length; /* of that up to its last slash, and with it */
};

/* Does a name have a character of a pattern in it that no backslash is before? */
bool glob_is_pattern(const char *text);

/* False, with a sentence: a [ without its ], a range backwards, a backslash at the end, too long, or no memory. */
bool glob_open(const char *pattern, struct glob *ret, struct usage *usage);
void glob_close(struct glob *glob);

/* The whole of `text`. */
bool glob_matches(const struct glob *glob, const char *text);

#endif
