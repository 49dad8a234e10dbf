/* SPDX-License-Identifier: Apache-2.0 */
#include "race_content.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

void race_key_name(uint64_t index, char *ret, size_t ret_size)
{
    (void)snprintf(ret, ret_size, "key-%05" PRIu64, index);
}

size_t race_key_body(const char *id, uint64_t index, unsigned writer, char ret[RACE_CONTENT_MAX])
{
    return (size_t)snprintf(ret, RACE_CONTENT_MAX, "race %.16s key %" PRIu64 " writer %u\n", id, index, writer);
}

size_t race_counter_body(const char *id, uint64_t value, unsigned writer, uint64_t increment,
                         char ret[RACE_CONTENT_MAX])
{
    return (size_t)snprintf(ret, RACE_CONTENT_MAX, "race %.16s counter %" PRIu64 " writer %u increment %" PRIu64 "\n",
                            id, value, writer, increment);
}

/* Reads the parts and writes them again: only what race_counter_body makes is taken. */
bool race_counter_value(const char *id, const char *body, size_t len, uint64_t *ret)
{
    char text[RACE_CONTENT_MAX];
    char again[RACE_CONTENT_MAX];
    char found[RACE_ID_SIZE];
    uint64_t value;
    uint64_t increment;
    unsigned writer;

    if (len >= sizeof(text) || memchr(body, '\0', len) != NULL) {
        return false;
    }
    memcpy(text, body, len);
    text[len] = '\0';
    if (sscanf(text, "race %16s counter %19" SCNu64 " writer %9u increment %19" SCNu64, found, &value, &writer,
               &increment) != 4) {
        return false;
    }
    if (race_counter_body(id, value, writer, increment, again) != len || memcmp(again, text, len) != 0) {
        return false;
    }
    *ret = value;
    return true;
}
