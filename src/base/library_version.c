/* SPDX-License-Identifier: Apache-2.0 */
#include "base/library_version.h"

#include <openssl/crypto.h>
#include <openssl/opensslv.h>
#include <stdio.h>
#include <string.h>

void library_version_describe(struct library_version version, char *ret, size_t ret_size)
{
    if (strcmp(version.built, version.running) == 0)
        (void)snprintf(ret, ret_size, "%s", version.running);
    else
        (void)snprintf(ret, ret_size, "%s (built with %s)", version.running, version.built);
}

struct library_version openssl_library_version(void)
{
    return (struct library_version){OPENSSL_VERSION_TEXT, OpenSSL_version(OPENSSL_VERSION)};
}
