/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Descriptors that a forked child does not keep. flock and OFD locks belong to the open file description, which a child
 * shares until it closes its copy or calls exec: one that does neither would hold on to the lock of a parent that was
 * killed. Here the child closes its copies as it begins. Knows nothing of what is locked.
 */
#ifndef OSCOMMIT_LOCAL_UNSHARED_H
#define OSCOMMIT_LOCAL_UNSHARED_H

#include <stdbool.h>

/* Owned by the caller; stays where it is until unshared_close. */
struct unshared {
    int fd;
    struct unshared *next;
    struct unshared *previous;
};

/* As openat. False with errno. */
bool unshared_open(struct unshared *ret, int folder, const char *name, int flags, unsigned mode);
void unshared_close(struct unshared *unshared);

#endif
