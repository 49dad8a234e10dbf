/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/suggest.h"

#include <string.h>

enum { WORD_MAX = 63, BEGINNING_MIN = 3 };

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table are enough. */
size_t suggest_distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t a_len = strnlen(a, WORD_MAX);
    size_t b_len = strnlen(b, WORD_MAX);

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *row = rows[i % 3];
        const size_t *above = rows[(i + 2) % 3];
        const size_t *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t change = above[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
            row[j] = least(change, 1 + least(above[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

void suggest_begin(struct suggestion *suggestion, const char *word)
{
    *suggestion = (struct suggestion){.word = word};
}

/* A third of the letters may be wrong; the beginning of a word is near as well. */
static bool is_near(const char *word, const char *known, size_t distance)
{
    size_t len = strnlen(word, WORD_MAX);

    return distance <= (len + 1) / 3 || (len >= BEGINNING_MIN && strncmp(known, word, len) == 0);
}

void suggest_consider(struct suggestion *suggestion, const char *known)
{
    size_t distance = suggest_distance(suggestion->word, known);
    bool is_first = suggestion->best == NULL || distance < suggestion->distance;
    /* Of two that are as near, the one with the right first letter: that is seldom mistyped. */
    bool begins_so = suggestion->best != NULL && distance == suggestion->distance &&
                     suggestion->best[0] != suggestion->word[0] && known[0] == suggestion->word[0];

    if (is_near(suggestion->word, known, distance) && (is_first || begins_so)) {
        suggestion->best = known;
        suggestion->distance = distance;
    }
}
