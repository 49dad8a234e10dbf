/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON of anybody. What is read is what jansson reads of it; what is refused jansson refuses, or it is over a bound, or has a
 * raw NUL, which jansson passes over behind a word.
 */
#include "fuzz.h"

#include "syntax/json.h"

#include <string.h>

static json_t *read_by_jansson(const char *text, size_t size)
{
    json_t *root = json_loadb(text, size, JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, NULL);
    if (json_is_object(root))
        return root;
    json_decref(root);
    return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const char *text = size > 0 ? (const char *)data : "";
    json_t *found = json_read(text, size);
    bool is_other = memchr(text, '\0', size) != NULL || json_is_too_large(text, size);
    json_t *wanted = is_other ? NULL : read_by_jansson(text, size);
    FUZZ_CHECK((found == NULL) == (wanted == NULL));
    FUZZ_CHECK(found == NULL || json_equal(found, wanted));
    json_decref(found);
    json_decref(wanted);
    return 0;
}
