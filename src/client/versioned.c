/* SPDX-License-Identifier: Apache-2.0 */
/* Structs that start with their size: what an older or newer caller gives, read by this release. */
#include "client/settings.h"

#include "base/error.h"

#include <string.h>

os_code versioned_copy(const void *from, void *ret, size_t ret_size, const char *name, os_error *err)
{
    memset(ret, 0, ret_size);
    memcpy(ret, &ret_size, sizeof(ret_size));
    if (from == NULL)
        return OS_OK;
    size_t size;
    memcpy(&size, from, sizeof(size));
    if (size < sizeof(size) || size > 64 * 1024)
        return error_set(err, OS_ERR_ARGUMENT, "%s.size is %zu; set it to sizeof(%s) (the ..._INIT macro does).", name,
                         size, name);
    const unsigned char *bytes = from;
    for (size_t i = ret_size; i < size; i++) {
        if (bytes[i] != 0)
            return error_set(
                err, OS_ERR_ARGUMENT,
                "%s sets a field that this release (%s) of the library does not know; update the library, or "
                "leave the field zero.",
                name, os_version());
    }
    memcpy(ret, from, size < ret_size ? size : ret_size);
    memcpy(ret, &ret_size, sizeof(ret_size));
    return OS_OK;
}

size_t versioned_size(const void *theirs, size_t size)
{
    size_t known;
    memcpy(&known, theirs, sizeof(known));
    return known != 0 && known < size ? known : size;
}

void versioned_give(const void *ours, size_t size, void *ret)
{
    size_t given = versioned_size(ret, size);
    memcpy(ret, ours, given);
    memcpy(ret, &given, sizeof(given));
}
