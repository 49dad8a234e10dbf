/* SPDX-License-Identifier: Apache-2.0 */
/* The files below a folder, and the objects below a prefix, as items of a batch. */
#ifndef OSCOMMIT_TOOL_TREE_H
#define OSCOMMIT_TOOL_TREE_H

#include "cli/location.h"
#include "common/batch.h"

enum { TREE_DEPTH_MAX = 128 };

/* Every entry below the folder but folders themselves. What cannot become an object has its refusal: symbolic links and
 * special files, names that are not UTF-8, what cannot be read. An empty folder leaves nothing. False: *err. */
bool tree_read_folder(int folder, const char *name, struct batch_items *ret, os_error *err);

/* Every object whose key lies below `prefix`, which is empty or ends with a slash. `to_files`: a name that no file below a
 * folder can have is refused. False: *err. */
bool tree_read_prefix(struct session *session, const char *prefix, bool to_files, struct batch_items *ret,
                      os_error *err);

#endif
