/* SPDX-License-Identifier: Apache-2.0 */
/* Folders and prefixes as a whole: cp --recursive and sync. Each file or object is one call with its own verdict. */
#ifndef OSCOMMIT_TOOL_MANY_H
#define OSCOMMIT_TOOL_MANY_H

#include "common/batch.h"
#include "common/glob.h"
#include "common/headers.h"
#include "common/manifest.h"

struct many {
    struct location from; /* in a store; its key is the prefix, empty or with a slash at its end */
    struct glob glob;     /* which objects below it; no tokens: all */
    struct location to;   /* the same */
    const char *folder_name;
    int folder; /* of a file system; -1: none */
    struct batch_items items;
    struct manifest manifest;
    struct headers headers;
    uint64_t fencing;
    bool same_is_done; /* sync: what is there with the same bytes need not be written, and nothing is replaced */
};

/* Does the operand name objects by a pattern? */
bool many_is_pattern(const struct options *options, const char *operand);

/* The two operands, of which one at least is in a store. `sync`: as struct many.same_is_done says. */
enum status many_run(const struct options *options, bool sync);

/* --------------------------------------------------------------------------------- for the files of the three directions */

/* The key of an item below `at`, in new memory; NULL without any. */
char *many_key(const struct location *at, const struct batch_item *item);

/* The work of a batch whose context is the struct many. */
enum status many_up(struct batch *batch, const struct batch_item *item);
enum status many_inside(struct batch *batch, const struct batch_item *item);
enum status many_down(struct batch *batch, const struct batch_item *item);

/* ------------------------------------------------------------------------------------------------- one guarded write */

struct many_write {
    struct batch *batch;
    const struct batch_item *item;
    char *key; /* of the object that is written */
    char *url;
    int fd; /* of the file that it is made of; -1: of a copy */
    uint64_t file_length;
    const char *source; /* key of a copy's source */
    /* For the manifest: of what was sent. */
    uint64_t length;
    int64_t mtime_ns;
    const char *old_ticket; /* of an earlier run, while it is not settled */
};

/* What earlier runs say of it first, then the write, and what it came to; prints and notes that. */
enum status many_write(struct many_write *write);

/* What was not even begun: `error` says why. */
enum status many_refuse(struct batch *batch, const char *url, enum status status, const os_error *error);

/* There with the same bytes, so that nothing was written. */
enum status many_unchanged(struct batch *batch, const char *url, const char *etag);

#endif
