/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store's locks: a write holds its key's lock from the moment it is admitted until it is done, and a HEAD
 * holds it shared. So a HEAD that shows a time past a fence has waited for every write that was admitted before, which
 * makes the expiry of an attempt (R2, E7) exact here although processes may be stopped at any instant. MinIO does
 * the like with an open write of a key (E8). The kernel drops the locks of a dead process,
 * and a child that it has forked keeps none (unshared.h). How they are waited for is the
 * business of who takes them.
 */
#ifndef OSCOMMIT_LOCAL_FILE_LOCK_H
#define OSCOMMIT_LOCAL_FILE_LOCK_H

#include "local/unshared.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILE_LOCK_COUNT = 256 };

struct file_locks;

/* One that is held. Stays where it is until it is dropped. */
struct file_lock {
    struct unshared file;
};

/* ROOT/.oscommit must be there (file_store_open has seen it). */
os_code file_locks_open(const char *root, struct file_locks **ret, os_error *err);
void file_locks_close(struct file_locks *locks);

/* Keys share FILE_LOCK_COUNT locks: nobody may hold two. */
size_t file_lock_number(const char *key);

/* Takes the lock of `key`, until file_lock_drop. Never waits: *ret_taken is false where others have it. */
os_code file_lock_try(struct file_locks *locks, const char *key, bool exclusive, struct file_lock *ret, bool *ret_taken,
                      os_error *err);
os_code file_lock_late(const char *key, os_error *err); /* OS_ERR_DEADLINE: others have had it for too long */
void file_lock_drop(struct file_lock *lock);            /* also where a forked child has a copy of the descriptor */

/* Takes the bytes [offset, offset + length) of an open file against everybody else, until file_lock_range_drop, which
 * lets go of all ranges and leaves the file open; `length` 0: to the end, wherever that will be. `key` is for the
 * sentence. Waits until `deadline_monotonic_ms` (OS_ERR_DEADLINE) or until *cancelled is non-zero (OS_ERR_CANCELLED).
 */
os_code file_lock_range(int fd, uint64_t offset, uint64_t length, const char *key, uint64_t deadline_monotonic_ms,
                        const _Atomic int *cancelled, os_error *err);
void file_lock_range_drop(int fd);

#endif
