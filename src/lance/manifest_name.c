/* SPDX-License-Identifier: Apache-2.0 */
#include "lance/manifest_name.h"

#include <stdio.h>
#include <string.h>

/* Of what pylance makes, a UUID; and of nothing that could lie elsewhere. */
static bool is_staged(struct text rest)
{
    return rest.len > 1 && rest.len < LANCE_STAGED_MAX - LANCE_NAME_SIZE && rest.p[0] == '-' && text_is_visible(rest) &&
           memchr(rest.p, '/', rest.len) == NULL;
}

enum lance_name_kind lance_name_read(struct text name, uint64_t *ret_version)
{
    struct text rest = name;
    uint64_t number = 0;
    if (!text_take_u64(&rest, &number))
        return LANCE_NAME_OTHER;
    bool is_second = name.len - rest.len == LANCE_NAME_DIGITS;
    if (!text_take_str(&rest, ".manifest"))
        return LANCE_NAME_OTHER;
    uint64_t version = is_second ? UINT64_MAX - number : number;
    if (version == 0 || (rest.len > 0 && !(is_second && is_staged(rest))))
        return LANCE_NAME_OTHER;
    *ret_version = version;
    if (rest.len > 0)
        return LANCE_NAME_STAGED;
    return is_second ? LANCE_NAME_MANIFEST : LANCE_NAME_FIRST_SCHEME;
}

void lance_name_manifest(uint64_t version, char ret[LANCE_NAME_SIZE])
{
    (void)snprintf(ret, LANCE_NAME_SIZE, "%020llu.manifest", (unsigned long long)(UINT64_MAX - version));
}
