/* SPDX-License-Identifier: Apache-2.0 */
#include "support/guard_trace_words.h"

#include "support/guard_trace.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void words_cut(struct words *words, const char *line)
{
    memset(words, 0, sizeof(*words));
    const char *arrow = strstr(line, " ->");
    size_t len = arrow ? (size_t)(arrow - line) : strlen(line);
    assert_true(len < sizeof(words->text));
    memcpy(words->text, line, len);
    for (char *save = NULL, *word = strtok_r(words->text, " ", &save); word; word = strtok_r(NULL, " ", &save)) {
        assert_true(words->count < WORDS_MAX);
        words->word[words->count++] = word;
    }
}

const char *words_peek(const struct words *words)
{
    return words->next < words->count ? words->word[words->next] : "";
}

const char *words_take(struct words *words)
{
    const char *word = words_peek(words);
    if (words->next < words->count)
        words->next++;
    return word;
}

bool words_take_word(struct words *words, const char *word)
{
    bool is = strcmp(words_peek(words), word) == 0;
    if (is)
        words->next++;
    return is;
}

/* NAME=VALUE: the value, or NULL. */
const char *words_take_value(struct words *words, const char *name)
{
    const char *word = words_peek(words);
    size_t len = strlen(name);
    if (strncmp(word, name, len) != 0 || word[len] != '=')
        return NULL;
    words->next++;
    return word + len + 1;
}

uint64_t words_number(const char *digits)
{
    char *end;
    uint64_t value = strtoull(digits, &end, 10);
    if (end == digits || *end != '\0')
        fail_msg("not a number: %s", digits);
    return value;
}

bool words_take_number(struct words *words, const char *name, uint64_t *ret)
{
    const char *value = words_take_value(words, name);
    if (value)
        *ret = words_number(value);
    return value != NULL;
}

void words_set_text(char *ret, size_t ret_size, const char *from)
{
    assert_true(strlen(from) < ret_size);
    memset(ret, 0, ret_size);
    memcpy(ret, from, strlen(from));
}

void words_set_etag(char *ret, size_t ret_size, const char *bare)
{
    char quoted[VERSION_ETAG_SIZE];
    bool star = strcmp(bare, "*") == 0;
    assert_true(snprintf(quoted, sizeof(quoted), star ? "%s" : "\"%s\"", bare) < (int)sizeof(quoted));
    words_set_text(ret, ret_size, quoted);
}

void words_set_nonce(char *ret, const char *name)
{
    const char *nonce = strcmp(name, "us") == 0 ? GUARD_TRACE_NONCE : name;
    if (strcmp(name, "whole") == 0)
        nonce = GUARD_TRACE_WHOLE;
    words_set_text(ret, RECORD_NONCE_SIZE, strcmp(name, "-") == 0 ? "" : nonce);
}
