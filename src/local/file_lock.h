/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded store's locks: a write holds its key's lock from the moment it is admitted until it is done, and a HEAD
 * holds it shared. So a HEAD that shows a time past a fence has waited for every write that was admitted before, which
 * makes the expiry of an attempt (R2, E7) exact here although processes may be stopped at any instant. MinIO does
 * the like with an open write of a key (E8). The kernel drops the locks of a dead process.
 */
#ifndef OSCOMMIT_LOCAL_FILE_LOCK_H
#define OSCOMMIT_LOCAL_FILE_LOCK_H

#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

struct file_locks;

/* ROOT/.oscommit must be there (file_store_open has seen it). */
os_code file_locks_open(const char *root, struct file_locks **ret, os_error *err);
void file_locks_close(struct file_locks *locks);

/* Takes the lock of `key`; *ret_fd is closed by file_lock_drop. Waits until `deadline_monotonic_ms` (OS_ERR_DEADLINE)
 * or until *cancelled is non-zero (OS_ERR_CANCELLED). Keys share a few hundred locks: nobody may hold two. */
os_code file_lock_take(struct file_locks *locks, const char *key, bool exclusive, uint64_t deadline_monotonic_ms,
                       const _Atomic int *cancelled, int *ret_fd, os_error *err);
void file_lock_drop(int fd);

/* Takes the bytes [offset, offset + length) of an open file against everybody else, until the descriptor is closed;
 * `length` 0: to the end, wherever that will be. `key` is for the sentence. As file_lock_take otherwise. */
os_code file_lock_range(int fd, uint64_t offset, uint64_t length, const char *key, uint64_t deadline_monotonic_ms,
                        const _Atomic int *cancelled, os_error *err);

#endif
