/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/words.h"

#include <string.h>

static bool is_space(char c)
{
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

/* In quotes: false when they are not closed. */
static bool take_quoted(const char **from, char **to, char quote)
{
    const char *at = *from;
    for (; *at != '\0' && *at != quote; at++) {
        if (quote == '"' && *at == '\\' && (at[1] == '"' || at[1] == '\\'))
            at++;
        *(*to)++ = *at;
    }
    *from = *at == quote ? at + 1 : at;
    return *at == quote;
}

/* Writes never overtake reads. */
static bool take_word(const char **from, char **to)
{
    while (**from != '\0' && !is_space(**from)) {
        char c = *(*from)++;
        if (c == '\'' || c == '"') {
            if (!take_quoted(from, to, c))
                return false;
        } else if (c == '\\') {
            if (**from == '\0')
                return false;
            *(*to)++ = *(*from)++;
        } else {
            *(*to)++ = c;
        }
    }
    return true;
}

bool words_split(char *line, char **words, size_t max)
{
    const char *from = line;
    char *to = line;
    size_t count = 0;
    for (;;) {
        while (is_space(*from))
            from++;
        if (*from == '\0')
            break;
        if (count == max)
            return false;
        words[count++] = to;
        if (!take_word(&from, &to))
            return false;
        bool more = *from != '\0';
        from += more ? 1 : 0;
        *to++ = '\0';
        if (!more)
            break;
    }
    words[count] = NULL;
    return count > 0;
}
