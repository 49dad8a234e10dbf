/* SPDX-License-Identifier: Apache-2.0 */
/* The names below `_versions/` of a Lance table. In the second scheme the newest version comes first in a list. */
#ifndef OSCOMMIT_LANCE_MANIFEST_NAME_H
#define OSCOMMIT_LANCE_MANIFEST_NAME_H

#include "base/text.h"

#define LANCE_FOLDER "_versions/"

enum { LANCE_NAME_DIGITS = 20, LANCE_NAME_SIZE = LANCE_NAME_DIGITS + sizeof(".manifest"), LANCE_STAGED_MAX = 128 };

enum lance_name_kind {
    LANCE_NAME_OTHER = 0,
    LANCE_NAME_MANIFEST,    /* 18446744073709551614.manifest: version 1 */
    LANCE_NAME_STAGED,      /* 18446744073709551614.manifest-UUID */
    LANCE_NAME_FIRST_SCHEME /* 1.manifest */
};

/* `name` is what stands behind `_versions/`. *ret_version unless it is OTHER: at least 1. */
enum lance_name_kind lance_name_read(struct text name, uint64_t *ret_version);

/* "18446744073709551614.manifest" */
void lance_name_manifest(uint64_t version, char ret[LANCE_NAME_SIZE]);

#endif
