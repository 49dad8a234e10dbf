/* SPDX-License-Identifier: Apache-2.0 */
/* The files of shipped/, which OscommitEmbed.cmake puts into the library. */
#ifndef OSCOMMIT_PROFILE_SHIPPED_H
#define OSCOMMIT_PROFILE_SHIPPED_H

#include <stddef.h>

struct profile_asset {
    const char *data; /* with a NUL behind it */
    size_t length;
    const char *sha256; /* base64 */
};

struct profile_shipped {
    const char *name; /* of its file, without ".json" */
    const struct profile_asset *asset;
};
extern const struct profile_shipped profile_shipped[]; /* ends with a NULL name */

#endif
