/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an object as one version: its ETag, and the bytes that this is of. */
#ifndef OSCOMMIT_UPDATE_READ_H
#define OSCOMMIT_UPDATE_READ_H

#include "update/turn.h"

struct update_reading {
    os_client *client;
    const char *key; /* the caller's */
    uint64_t max_length;
    os_cancel *cancel;
    uint64_t deadline_ms; /* on the monotonic clock */
    bool etags_are_md5;   /* or may be */
    uint64_t random;
    uint32_t requests; /* made */
};

/*
 * OS_OK, or OS_ERR_NOT_FOUND, with *ret filled, which must be empty; else why not.
 * Of an object that is being overwritten some stores give the ETag of one version and the bytes of another
 * (docs/stores.md, V6.3). A write over that ETag would undo what was never seen. So where the ETag could be an MD5 and
 * is not that of the bytes, it is read again, until it is, or the same came three times in a row: then it is no MD5.
 */
os_code update_read_version(struct update_reading *reading, struct update_version *ret, os_error *err);

#endif
