/* SPDX-License-Identifier: Apache-2.0 */
/* What may happen next in a world. A choice is a number, of its kind and three arguments. */
#ifndef OSCOMMIT_MODEL_CHOICES_H
#define OSCOMMIT_MODEL_CHOICES_H

#include <assert.h>
#include <stddef.h>
#include <stdint.h>

enum { CHOICES_MAX = 256 };

struct choices {
    uint32_t list[CHOICES_MAX];
    size_t count;
};

static inline uint32_t choice_make(unsigned kind, unsigned a, unsigned b, unsigned c)
{
    return (uint32_t)kind << 24 | a << 16 | b << 8 | c;
}

static inline unsigned choice_kind_of(uint32_t choice)
{
    return choice >> 24;
}

/* a, b, c: arguments 0, 1, 2 */
static inline unsigned choice_arg(uint32_t choice, unsigned i)
{
    return choice >> (16 - 8 * i) & 0xff;
}

static inline void choices_add(struct choices *choices, unsigned kind, unsigned a, unsigned b, unsigned c)
{
    assert(choices->count < CHOICES_MAX);
    choices->list[choices->count++] = choice_make(kind, a, b, c);
}

#endif
