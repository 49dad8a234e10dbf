/* SPDX-License-Identifier: Apache-2.0 */
/* The files below a folder, and the objects below a prefix, as items of a batch. */
#ifndef OSCOMMIT_TOOL_TREE_H
#define OSCOMMIT_TOOL_TREE_H

#include "cli/location.h"
#include "common/batch.h"
#include "common/glob.h"

enum { TREE_DEPTH_MAX = 128 };

/* Every entry below the folder but folders themselves. What cannot become an object has its refusal: symbolic links and
 * special files, names that are not UTF-8, what cannot be read. An empty folder leaves nothing. False: *err. */
bool tree_read_folder(int folder, const char *name, struct batch_items *ret, os_error *err);

struct tree_wanted {
    const char *prefix;      /* empty or with a slash at its end: names are what stands behind it */
    const struct glob *glob; /* only keys that match; NULL: all below the prefix */
    bool to_files;           /* a name that no file below a folder can have is refused */
};

/* The objects of a store. False: *err. */
bool tree_read_keys(struct session *session, const struct tree_wanted *wanted, struct batch_items *ret, os_error *err);

#endif
