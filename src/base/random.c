/* SPDX-License-Identifier: Apache-2.0 */
#include "base/random.h"

#include <errno.h>
#include <sys/random.h>

bool random_bytes(void *ret, size_t len)
{
    unsigned char *p = ret;
    while (len > 0) {
        ssize_t got = getrandom(p, len, 0);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return false;
        p += got;
        len -= (size_t)got;
    }
    return true;
}
