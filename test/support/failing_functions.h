/* SPDX-License-Identifier: Apache-2.0 */
/* Allocations that fail when a test says so: one, or some in a row. */
#ifndef OSCOMMIT_TEST_FAILING_FUNCTIONS_H
#define OSCOMMIT_TEST_FAILING_FUNCTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static size_t alloc_until_failure = SIZE_MAX;
static size_t alloc_failures_left; /* in a row, then */
static bool alloc_failed;

static inline void alloc_fail_from(size_t number, size_t count)
{
    alloc_until_failure = number;
    alloc_failures_left = count;
    alloc_failed = false;
}

static inline void alloc_fail_at(size_t number)
{
    alloc_fail_from(number, 1);
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
    alloc_until_failure = --alloc_failures_left > 0 ? 0 : SIZE_MAX;
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

static inline char *failing_strdup(const char *from)
{
    return alloc_refused() ? NULL : strdup(from);
}

static inline char *failing_strndup(const char *from, size_t len)
{
    return alloc_refused() ? NULL : strndup(from, len);
}

#endif
