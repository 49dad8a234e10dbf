/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pattern, a zero byte, and a key. What matches begins with the pattern's literal text; ** matches every key, and each
 * key matches itself when a backslash stands before each of its bytes that is special.
 */
#include "fuzz.h"

#include "common/glob.h"

#include <stdlib.h>
#include <string.h>

static void check_own_pattern(const char *text, size_t length)
{
    char *pattern = malloc(2 * length + 1);
    struct usage usage = {0};
    struct glob glob;
    size_t at = 0;

    if (pattern == NULL)
        abort();
    for (size_t i = 0; i < length; i++) {
        if (strchr("*?[\\", text[i]) != NULL)
            pattern[at++] = '\\';
        pattern[at++] = text[i];
    }
    pattern[at] = '\0';
    FUZZ_CHECK(!glob_is_pattern(pattern));
    if (glob_open(pattern, &glob, &usage)) {
        FUZZ_CHECK(glob_matches(&glob, text) && strcmp(glob.literal, text) == 0);
        glob_close(&glob);
    } else {
        FUZZ_CHECK(length > GLOB_TOKENS_MAX);
    }
    free(pattern);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *zero = size == 0 ? NULL : memchr(data, '\0', size);
    size_t length = zero == NULL ? size : (size_t)(zero - data);
    char *pattern = fuzz_string(data, length);
    char *text = fuzz_string(zero == NULL ? data : zero + 1, zero == NULL ? 0 : size - length - 1);
    struct usage usage = {0};
    struct glob glob;
    struct glob all;

    if (glob_open(pattern, &glob, &usage)) {
        FUZZ_CHECK(glob.folder_length <= strlen(glob.literal));
        if (glob_matches(&glob, text))
            FUZZ_CHECK(strncmp(text, glob.literal, strlen(glob.literal)) == 0);
        glob_close(&glob);
    } else {
        FUZZ_CHECK(usage.message[0] != '\0');
    }
    FUZZ_CHECK(glob_open("**", &all, &usage) && glob_matches(&all, text));
    glob_close(&all);
    check_own_pattern(text, strlen(text));
    free(pattern);
    free(text);
    return 0;
}
