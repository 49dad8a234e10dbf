/* SPDX-License-Identifier: Apache-2.0 */
/* From a member that a callback is given to the struct that it is embedded in. */
#ifndef OSCOMMIT_BASE_CONTAINER_H
#define OSCOMMIT_BASE_CONTAINER_H

#include <stddef.h>

/* The comparison is never made: it only lets the compiler refuse a pointer of another type than the member's. */
#define container_of(pointer, type, member) \
    ((type *)((char *)(pointer)-offsetof(type, member) + 0 * sizeof((pointer) == &((type *)0)->member)))

#endif
