/* SPDX-License-Identifier: Apache-2.0 */
/* A line of a manifest. It is refused, or has a key and a verdict that a manifest knows; and it is the same each time. */
#include "fuzz.h"

#include "common/manifest.h"

#include <stdlib.h>
#include <string.h>

static bool is_same_text(const char *a, const char *b)
{
    return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *line = fuzz_copy(data, size);
    struct manifest_entry first = {.key = NULL};
    struct manifest_entry second = {.key = NULL};
    bool good = manifest_parse(line, size, &first);

    FUZZ_CHECK(manifest_parse(line, size, &second) == good);
    FUZZ_CHECK(good == (first.key != NULL) && good == (first.verdict != NULL));
    FUZZ_CHECK(!good || (first.key[0] != '\0' && strlen(first.verdict) <= strlen("not executed")));
    FUZZ_CHECK(is_same_text(first.key, second.key) && is_same_text(first.verdict, second.verdict));
    FUZZ_CHECK(is_same_text(first.etag, second.etag) && is_same_text(first.ticket, second.ticket));
    FUZZ_CHECK(first.length == second.length && first.mtime_ns == second.mtime_ns);
    manifest_entry_clear(&first);
    manifest_entry_clear(&second);
    free(line);
    return 0;
}
