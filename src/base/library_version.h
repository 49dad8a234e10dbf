/* SPDX-License-Identifier: Apache-2.0 */
/* Of which version the libraries below this one are. Each folder that uses one has a function that says so of it. */
#ifndef OSCOMMIT_BASE_LIBRARY_VERSION_H
#define OSCOMMIT_BASE_LIBRARY_VERSION_H

#include <stddef.h>

/* Static strings. */
struct library_version {
    const char *built;   /* of the header that this was compiled with */
    const char *running; /* of the library that is linked now */
};

/* As text for a person: both, where they differ, as that may be why something fails here and nowhere else. */
void library_version_describe(struct library_version version, char *ret, size_t ret_size);

struct library_version openssl_library_version(void);

#endif
