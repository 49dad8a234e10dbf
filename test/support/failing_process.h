/* SPDX-License-Identifier: Apache-2.0 */
/* One allocation of the whole process fails when a test says so, the libraries' own included. In one file of a program. */
#ifndef OSCOMMIT_TEST_FAILING_PROCESS_H
#define OSCOMMIT_TEST_FAILING_PROCESS_H

#include <errno.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

static atomic_long allocations_left = -1; /* negative: none fails */
static atomic_bool has_failed;

/* glibc's own, under the names that it keeps for programs that put theirs in front. */
extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);

static bool refused(void)
{
    if (atomic_load(&allocations_left) < 0 || atomic_fetch_sub(&allocations_left, 1) != 0)
        return false;
    atomic_store(&has_failed, true);
    errno = ENOMEM; /* POSIX; glibc asserts it where a thread's storage was refused */
    return true;
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return refused() ? NULL : __libc_malloc(size);
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return refused() ? NULL : __libc_calloc(count, size);
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    return refused() ? NULL : __libc_realloc(old, size);
}

#endif
