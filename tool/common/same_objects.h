/* SPDX-License-Identifier: Apache-2.0 */
/* Do two objects of a store have the same bytes? Their ETags need not say: a copy can have one of another kind. */
#ifndef OSCOMMIT_TOOL_SAME_OBJECTS_H
#define OSCOMMIT_TOOL_SAME_OBJECTS_H

#include "cli/session.h"

struct object_version {
    const char *key;
    const char *etag; /* as it was listed or found */
};

/* Reads both, if their lengths are the same, and compares their SHA-256. False: they are not, or one cannot be read, or is
 * another version by now. */
bool same_objects(const struct session *session, const struct object_version *a, const struct object_version *b);

#endif
