/* SPDX-License-Identifier: Apache-2.0 */
#include "common/glob.h"

#include <stdlib.h>
#include <string.h>

enum kind { KIND_LETTER, KIND_ANY, KIND_SET, KIND_STAR, KIND_TEXT, KIND_PARTS };

struct glob_token {
    enum kind kind;
    uint32_t letter; /* LETTER */
    const char *set; /* SET: behind its "[" and "!", in the copy of the pattern */
    bool is_negated;
};

/* One character, or one byte of what is no UTF-8, which then stands for none. */
static uint32_t next_letter(const char **at)
{
    static const unsigned char leads[] = {0x00, 0xc0, 0xe0, 0xf0};
    unsigned char first = (unsigned char)**at;
    int more = first < 0xc0 ? 0 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : 0;
    uint32_t letter = more == 0 ? first : (uint32_t)(first ^ leads[more]);

    for (int i = 1; i <= more; i++) {
        unsigned char byte = (unsigned char)(*at)[i];
        if ((byte & 0xc0) != 0x80) {
            (*at)++;
            return 0x110000U + first;
        }
        letter = letter << 6 | (byte & 0x3f);
    }
    *at += more + 1;
    return more == 0 && first >= 0x80 ? 0x110000U + first : letter;
}

/* A character of a set; false at its end. */
static bool next_of_set(const char **at, const char *start, uint32_t *ret)
{
    if (**at == ']' && *at != start)
        return false;
    if (**at == '\\')
        (*at)++;
    *ret = next_letter(at);
    return true;
}

static bool next_range(const char **at, const char *start, uint32_t *ret_first, uint32_t *ret_last)
{
    if (!next_of_set(at, start, ret_first))
        return false;
    *ret_last = *ret_first;
    if ((*at)[0] == '-' && (*at)[1] != ']') {
        (*at)++;
        return next_of_set(at, start, ret_last);
    }
    return true;
}

static bool set_has(const struct glob_token *token, uint32_t letter)
{
    const char *at = token->set;
    uint32_t first;
    uint32_t last;
    bool found = false;

    while (!found && next_range(&at, token->set, &first, &last))
        found = first <= letter && letter <= last;
    return letter != '/' && found != token->is_negated;
}

bool glob_is_pattern(const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '*' || *text == '?' || *text == '[')
            return true;
        if (*text == '\\' && text[1] != '\0')
            text++;
    }
    return false;
}

/* Behind the "[". */
static bool read_set(const char **at, struct glob_token *token, struct usage *usage)
{
    const char *start;
    uint32_t first;
    uint32_t last;

    token->kind = KIND_SET;
    token->is_negated = **at == '!' || **at == '^';
    if (token->is_negated)
        (*at)++;
    start = *at;
    token->set = start;
    for (const char *end = start; *end != ']' || end == start; end++) {
        if (*end == '\\')
            end++;
        if (*end == '\0')
            return usage_refuse(usage, "The pattern has a [ without its ]; \\[ is a bracket of the name.");
    }
    while (next_range(at, start, &first, &last))
        if (first > last)
            return usage_refuse(usage, "The pattern has a range in brackets whose end is before its beginning.");
    (*at)++;
    return true;
}

static void read_stars(const char **at, bool is_part_start, struct glob_token *token)
{
    token->kind = KIND_STAR;
    (*at)++;
    if (**at != '*')
        return;
    token->kind = KIND_TEXT;
    while (**at == '*')
        (*at)++;
    if (is_part_start && **at == '/') {
        token->kind = KIND_PARTS;
        (*at)++;
    }
}

static bool read_token(const char **at, bool is_part_start, struct glob_token *token, struct usage *usage)
{
    switch (**at) {
    case '*': read_stars(at, is_part_start, token); return true;
    case '?':
        token->kind = KIND_ANY;
        (*at)++;
        return true;
    case '[': (*at)++; return read_set(at, token, usage);
    case '\\':
        (*at)++;
        if (**at == '\0')
            return usage_refuse(usage, "The pattern ends with a backslash; \\\\ is one of the name.");
        break;
    default: break;
    }
    token->kind = KIND_LETTER;
    token->letter = next_letter(at);
    return true;
}

static bool read_tokens(const char *copy, struct glob *ret, struct usage *usage)
{
    const char *at = copy;

    while (*at != '\0') {
        bool is_part_start = at == copy || at[-1] == '/';
        if (ret->count == GLOB_TOKENS_MAX)
            return usage_refuse(usage, "The pattern is too long: it has more than %d characters.", GLOB_TOKENS_MAX);
        if (!read_token(&at, is_part_start, &ret->tokens[ret->count], usage))
            return false;
        ret->count++;
    }
    return true;
}

static void cut_literal(const char *pattern, struct glob *ret)
{
    size_t length = 0;

    for (; *pattern != '\0' && *pattern != '*' && *pattern != '?' && *pattern != '['; pattern++) {
        if (*pattern == '\\')
            pattern++;
        ret->literal[length++] = *pattern;
        if (*pattern == '/')
            ret->folder_length = length;
    }
    ret->literal[length] = '\0';
}

bool glob_open(const char *pattern, struct glob *ret, struct usage *usage)
{
    struct glob glob = {.tokens = calloc(GLOB_TOKENS_MAX, sizeof(*glob.tokens)), .literal = strdup(pattern)};

    glob.copy = strdup(pattern);
    if (glob.tokens == NULL || glob.literal == NULL || glob.copy == NULL) {
        glob_close(&glob);
        return usage_refuse(usage, "There is not enough memory for the pattern.");
    }
    if (!read_tokens(glob.copy, &glob, usage)) {
        glob_close(&glob);
        return false;
    }
    cut_literal(pattern, &glob);
    *ret = glob;
    return true;
}

void glob_close(struct glob *glob)
{
    free(glob->tokens);
    free(glob->literal);
    free(glob->copy);
    *glob = (struct glob){.tokens = NULL};
}

/* Which tokens may be the next to match. */
struct states {
    bool at[GLOB_TOKENS_MAX + 1];
};

/* And those behind it, where it may stand for nothing. */
static void enter(const struct glob *glob, size_t token, struct states *states)
{
    while (true) {
        states->at[token] = true;
        if (token == glob->count || glob->tokens[token].kind < KIND_STAR)
            return;
        token++;
    }
}

static void advance(const struct glob *glob, size_t token, uint32_t letter, struct states *next)
{
    const struct glob_token *of = &glob->tokens[token];

    switch (of->kind) {
    case KIND_LETTER:
        if (letter == of->letter)
            enter(glob, token + 1, next);
        return;
    case KIND_ANY:
        if (letter != '/')
            enter(glob, token + 1, next);
        return;
    case KIND_SET:
        if (set_has(of, letter))
            enter(glob, token + 1, next);
        return;
    case KIND_STAR:
        if (letter != '/')
            enter(glob, token, next);
        return;
    case KIND_TEXT: enter(glob, token, next); return;
    case KIND_PARTS: break;
    }
    next->at[token] = true; /* within a part: what follows begins behind a slash */
    if (letter == '/')
        enter(glob, token + 1, next);
}

bool glob_matches(const struct glob *glob, const char *text)
{
    struct states now = {.at = {false}};
    bool any = true;

    enter(glob, 0, &now);
    while (any && *text != '\0') {
        struct states next = {.at = {false}};
        uint32_t letter = next_letter(&text);
        any = false;
        for (size_t i = 0; i < glob->count; i++)
            if (now.at[i])
                advance(glob, i, letter, &next);
        for (size_t i = 0; i <= glob->count && !any; i++)
            any = next.at[i];
        now = next;
    }
    return any && now.at[glob->count];
}
