/* SPDX-License-Identifier: Apache-2.0 */
/* A metrics file, as an earlier run left it. It is refused, or written and read again as the same; and it can be added to. */
#include "fuzz.h"

#include "cli/metrics.h"

#include <stdlib.h>
#include <string.h>

static char *written_text(const struct metrics *metrics)
{
    char *text = NULL;
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        abort();
    metrics_write(out, metrics);
    if (fclose(out) != 0)
        abort();
    return text;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_string(data, size);
    struct metrics metrics = {.list = NULL};
    struct metrics again = {.list = NULL};

    if (metrics_read(text, &metrics)) {
        char *written = written_text(&metrics);
        char *copy = strdup(written);
        FUZZ_CHECK(copy != NULL && metrics_read(copy, &again) && again.count == metrics.count);
        free(copy);
        copy = written_text(&again);
        FUZZ_CHECK(strcmp(copy, written) == 0);
        FUZZ_CHECK(metrics_merge(&again, &metrics) && again.count == metrics.count);
        free(copy);
        free(written);
    } else {
        FUZZ_CHECK(metrics.list == NULL);
    }
    metrics_clear(&again);
    metrics_clear(&metrics);
    free(text);
    return 0;
}
