/* SPDX-License-Identifier: Apache-2.0 */
/* What is said of one of many. */
#include "cli/clean.h"
#include "cli/streams.h"
#include "common/many.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *many_key(const struct location *at, const struct batch_item *item)
{
    size_t size = strlen(at->key) + strlen(item->name) + 1;
    char *key = malloc(size);

    if (key != NULL)
        (void)snprintf(key, size, "%s%s", at->key, item->name);
    return key;
}

enum status many_refuse(struct batch *batch, const char *url, enum status status, const os_error *error)
{
    batch_lock(batch);
    (void)output_outcome(&batch->session->output, url, status, error);
    if (status == STATUS_CONFLICT)
        batch->counts.conflicts++;
    else if (status == STATUS_UNKNOWN || status == STATUS_UNDECIDABLE)
        batch->counts.unknown++;
    else
        batch->counts.failed++;
    batch_unlock(batch);
    return status;
}

enum status many_unchanged(struct batch *batch, const char *url, const char *etag)
{
    struct output *output = &batch->session->output;
    struct json_line line;

    batch_lock(batch);
    progress_end(&output->progress);
    batch->counts.unchanged++;
    if (output->json) {
        output_json_begin(output, &line, url, "unchanged");
        json_line_text(&line, "etag", etag);
        (void)output_json_print(output, &line);
    } else if (!output->quiet) {
        (void)fputs("unchanged ", stdout);
        clean_print(stdout, url);
        (void)fputs(" etag ", stdout);
        clean_print(stdout, etag);
        (void)fputc('\n', stdout);
        (void)streams_flush();
    }
    batch_unlock(batch);
    return STATUS_DONE;
}
