/* SPDX-License-Identifier: Apache-2.0 */
/* What the flags of a write store with the object: content headers, metadata, tags. */
#ifndef OSCOMMIT_TOOL_HEADERS_H
#define OSCOMMIT_TOOL_HEADERS_H

#include "cli/options.h"
#include "oscommit.h"

struct headers {
    os_put_options options;
    os_metadata metadata[METADATA_MAX];
    os_metadata tags[TAGS_MAX];
    char *names[METADATA_MAX + TAGS_MAX]; /* owned: "name=value" with the "=" made a NUL */
    size_t count;
};

/* Borrows the rest from the options. False: no memory. */
bool headers_fill(struct headers *headers, const struct options *options);
void headers_clear(struct headers *headers);

#endif
