/* SPDX-License-Identifier: Apache-2.0 */
#include "history/words.h"

#include "history/history.h"

#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>

void words_time(uint64_t us, const char *otherwise, char ret[WORDS_TIME])
{
    if (us == HISTORY_NEVER)
        (void)snprintf(ret, WORDS_TIME, "%s", otherwise);
    else
        (void)snprintf(ret, WORDS_TIME, "%" PRIu64 ".%06" PRIu64 " s", us / 1000000, us % 1000000);
}

/* Bytes of a UTF-8 character, by its first one; 0: no character begins so. */
static size_t utf8_length(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xc2 && first < 0xf5)
        return first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    return 0;
}

void words_mend_utf8(char *text)
{
    while (*text != '\0') {
        size_t length = utf8_length((unsigned char)*text);
        size_t have = length > 0 ? 1 : 0;
        while (have > 0 && have < length && ((unsigned char)text[have] & 0xc0) == 0x80)
            have++;
        if (have == 0 || have < length) {
            *text = '?';
            have = 1;
        }
        text += have;
    }
}
