/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glibc has arc4random_buf since 2.36, and the static expat that was built with it asks for it. With one of its own the
 * library runs with the glibc of older systems, too. It is not exported.
 */
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

void arc4random_buf(void *bytes, size_t len);

void arc4random_buf(void *bytes, size_t len)
{
    enum { MOST_AT_ONCE = 256 };
    unsigned char *at = bytes;

    while (len > 0) {
        size_t now = len < MOST_AT_ONCE ? len : MOST_AT_ONCE;
        if (getentropy(at, now) != 0)
            abort(); /* as glibc does: there is no value that says so */
        at += now;
        len -= now;
    }
}
