/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fails one allocation of a source file. A test includes this, then the .c file itself, so that the file's calls come
 * here; then it runs the same thing with the first, the second ... allocation failing, until none fails any more.
 */
#ifndef OSCOMMIT_TEST_FAILING_ALLOC_H
#define OSCOMMIT_TEST_FAILING_ALLOC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t alloc_until_failure = SIZE_MAX;
static bool alloc_failed;

static inline void alloc_fail_at(size_t number)
{
    alloc_until_failure = number;
    alloc_failed = false;
}

/* What comes after the tried thing gets its memory. */
static inline void alloc_fail_none(void)
{
    alloc_until_failure = SIZE_MAX;
}

static inline bool alloc_refused(void)
{
    if (alloc_until_failure == SIZE_MAX)
        return false;
    if (alloc_until_failure > 0) {
        alloc_until_failure--;
        return false;
    }
    alloc_until_failure = SIZE_MAX;
    alloc_failed = true;
    return true;
}

static inline void *failing_malloc(size_t size)
{
    return alloc_refused() ? NULL : malloc(size);
}

static inline void *failing_calloc(size_t count, size_t size)
{
    return alloc_refused() ? NULL : calloc(count, size);
}

static inline void *failing_realloc(void *old, size_t size)
{
    return alloc_refused() ? NULL : realloc(old, size);
}

static inline char *failing_strndup(const char *from, size_t len)
{
    return alloc_refused() ? NULL : strndup(from, len);
}

#undef strndup
#define malloc  failing_malloc
#define calloc  failing_calloc
#define realloc failing_realloc
#define strndup failing_strndup

#endif
