/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/memory.h"

#include <string.h>

/* By the linker: calls of malloc in everything that is linked statically come to __wrap_malloc. */
void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);
char *__wrap_strdup(const char *text);
char *__wrap_strndup(const char *text, size_t most);

struct slot {
    void *block; /* NULL: free */
    struct memory_owner *owner;
};

/* An open-addressed table, by address: nothing that happens depends on its order. */
static struct {
    struct memory_owner *current;
    struct slot *slots;
    size_t mask; /* slots - 1 */
    size_t count;
} books;

struct memory_owner *memory_switch(struct memory_owner *owner)
{
    struct memory_owner *was = books.current;
    books.current = owner;
    return was;
}

static size_t place_of(const void *block)
{
    uint64_t mixed = (uint64_t)(uintptr_t)block * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 20) & books.mask;
}

static void put(void *block, struct memory_owner *owner)
{
    size_t at = place_of(block);
    while (books.slots[at].block != NULL)
        at = (at + 1) & books.mask;
    books.slots[at] = (struct slot){.block = block, .owner = owner};
}

static bool grow(void)
{
    struct slot *old = books.slots;
    size_t old_count = old ? books.mask + 1 : 0;
    size_t new_count = old ? 2 * old_count : 4096;
    struct slot *grown = __real_calloc(new_count, sizeof(*grown));
    if (grown == NULL)
        return false;
    books.slots = grown;
    books.mask = new_count - 1;
    for (size_t i = 0; i < old_count; i++)
        if (old[i].block != NULL)
            put(old[i].block, old[i].owner);
    __real_free(old);
    return true;
}

static void *note(void *block)
{
    if (block == NULL || books.current == NULL)
        return block;
    if ((books.slots == NULL || 2 * books.count > books.mask) && !grow()) {
        __real_free(block);
        return NULL;
    }
    put(block, books.current);
    books.count++;
    books.current->blocks++;
    return block;
}

/* Those behind it in its row move up, so that they are found without it. */
static void close_gap(size_t gap)
{
    for (size_t at = (gap + 1) & books.mask; books.slots[at].block != NULL; at = (at + 1) & books.mask) {
        size_t home = place_of(books.slots[at].block);
        if (((at - home) & books.mask) >= ((at - gap) & books.mask)) {
            books.slots[gap] = books.slots[at];
            books.slots[at].block = NULL;
            gap = at;
        }
    }
}

static struct memory_owner *forget(const void *block)
{
    if (block == NULL || books.slots == NULL)
        return NULL;
    size_t at = place_of(block);
    while (books.slots[at].block != NULL && books.slots[at].block != block)
        at = (at + 1) & books.mask;
    if (books.slots[at].block == NULL)
        return NULL;
    struct memory_owner *owner = books.slots[at].owner;
    books.slots[at].block = NULL;
    close_gap(at);
    books.count--;
    owner->blocks--;
    return owner;
}

static bool fails(void)
{
    struct memory_owner *owner = books.current;
    if (owner == NULL)
        return false;
    books.current = NULL;
    bool failed = owner->fails(owner->context, ++owner->allocations);
    books.current = owner;
    return failed;
}

void *__wrap_malloc(size_t size)
{
    return fails() ? NULL : note(__real_malloc(size));
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails() ? NULL : note(__real_calloc(count, size));
}

void *__wrap_realloc(void *block, size_t size)
{
    if (fails())
        return NULL;
    struct memory_owner *was = books.current;
    struct memory_owner *owner = forget(block);
    void *grown = __real_realloc(block, size);
    books.current = block != NULL ? owner : was;
    void *noted = note(grown != NULL || size == 0 ? grown : block);
    books.current = was;
    return grown != NULL ? noted : NULL;
}

void __wrap_free(void *block)
{
    (void)forget(block);
    __real_free(block);
}

char *__wrap_strndup(const char *text, size_t most)
{
    size_t length = strnlen(text, most);
    char *copy = __wrap_malloc(length + 1);
    if (copy != NULL) {
        memcpy(copy, text, length);
        copy[length] = '\0';
    }
    return copy;
}

char *__wrap_strdup(const char *text)
{
    return __wrap_strndup(text, strlen(text));
}

/* What is removed closes its gap with what stood behind it: such a place is looked at again. */
void memory_clear(struct memory_owner *owner)
{
    size_t at = 0;
    while (owner->blocks > 0) {
        void *block = books.slots[at].block;
        if (block != NULL && books.slots[at].owner == owner)
            __wrap_free(block);
        else
            at = (at + 1) & books.mask;
    }
}

void memory_end(void)
{
    __real_free(books.slots);
    books.slots = NULL;
    books.mask = 0;
    books.count = 0;
}
