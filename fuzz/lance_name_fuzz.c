/* SPDX-License-Identifier: Apache-2.0 */
/* A name below the versions of a Lance table: a manifest has one name, and what is staged lies in the same folder. */
#include "fuzz.h"

#include "lance/manifest_name.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    char name[LANCE_NAME_SIZE];
    uint64_t version = 0;
    enum lance_name_kind kind = lance_name_read(text_of(text, size), &version);

    FUZZ_CHECK((kind == LANCE_NAME_OTHER) == (version == 0));
    if (kind == LANCE_NAME_MANIFEST || kind == LANCE_NAME_STAGED) {
        lance_name_manifest(version, name);
        FUZZ_CHECK(size >= strlen(name) && memcmp(text, name, strlen(name)) == 0);
        FUZZ_CHECK((size == strlen(name)) == (kind == LANCE_NAME_MANIFEST));
        FUZZ_CHECK(memchr(text, '/', size) == NULL && size < LANCE_STAGED_MAX);
    }
    free(text);
    return 0;
}
