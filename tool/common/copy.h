/* SPDX-License-Identifier: Apache-2.0 */
/* What cp and mv share: two objects of one store. */
#ifndef OSCOMMIT_TOOL_COPY_H
#define OSCOMMIT_TOOL_COPY_H

#include "cli/location.h"

struct object_pair {
    struct location from;
    struct location to;
};

/* Both must be objects of the same store. A target that is empty or ends with a slash takes the source's last part, as
 * with `aws s3 cp`. */
bool pair_parse(const struct options *options, struct object_pair *ret, struct usage *usage);
void pair_clear(struct object_pair *pair);

/* "dir/" and "" become "dir/NAME" and "NAME"; any other key stays. `name` is a path or key. */
bool copy_complete_target(struct location *to, const char *name, struct usage *usage);

#endif
