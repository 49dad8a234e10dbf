/* SPDX-License-Identifier: Apache-2.0 */
#include "report/strings.h"

#include <assert.h>
#include <stdlib.h>

struct report_strings {
    size_t most;
    size_t count;
    size_t slots; /* a power of two, at least twice `most` */
    const char **text;
    uint32_t *slot; /* a number, or 0: free */
};

struct report_strings *report_strings_new(size_t most)
{
    struct report_strings *strings;
    size_t slots = 16;

    if (most >= UINT32_MAX / 4)
        return NULL;
    while (slots < 2 * (most + 1))
        slots *= 2;
    strings = calloc(1, sizeof(*strings));
    if (strings == NULL)
        return NULL;
    *strings = (struct report_strings){.most = most + 1, .count = 1, .slots = slots};
    strings->text = calloc(most + 1, sizeof(*strings->text));
    strings->slot = calloc(slots, sizeof(*strings->slot));
    if (strings->text == NULL || strings->slot == NULL) {
        report_strings_free(strings);
        return NULL;
    }
    strings->text[0] = "";
    return strings;
}

void report_strings_free(struct report_strings *strings)
{
    if (strings != NULL) {
        free(strings->text);
        free(strings->slot);
        free(strings);
    }
}

uint32_t report_strings_number(struct report_strings *strings, const char *text)
{
    size_t at;

    if (text == NULL || text[0] == '\0')
        return 0;
    at = (size_t)(((uint64_t)(uintptr_t)text * 0x9E3779B97F4A7C15U) >> 20) & (strings->slots - 1);
    while (strings->slot[at] != 0) {
        if (strings->text[strings->slot[at]] == text)
            return strings->slot[at];
        at = (at + 1) & (strings->slots - 1);
    }
    assert(strings->count < strings->most);
    strings->text[strings->count] = text;
    strings->slot[at] = (uint32_t)strings->count;
    return (uint32_t)strings->count++;
}

size_t report_strings_count(const struct report_strings *strings)
{
    return strings->count;
}

const char *report_strings_at(const struct report_strings *strings, size_t number)
{
    return strings->text[number];
}
