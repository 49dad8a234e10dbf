/* SPDX-License-Identifier: Apache-2.0 */
/* Short strings in fixed arrays, zero-filled to their end so that a struct can be compared and hashed as bytes. */
#ifndef OSCOMMIT_COMMIT_WORDS_H
#define OSCOMMIT_COMMIT_WORDS_H

#include <assert.h>
#include <stddef.h>
#include <string.h>

static inline void fixed_str_copy(char *ret, const char *from, size_t ret_size)
{
    size_t len = strnlen(from, ret_size);
    assert(len < ret_size);
    memset(ret, 0, ret_size);
    memcpy(ret, from, len);
}

#endif
