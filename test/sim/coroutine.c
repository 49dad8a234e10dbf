/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/coroutine.h"

#include <assert.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <ucontext.h>

#if defined(__SANITIZE_ADDRESS__)
#define WITH_ASAN 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define WITH_ASAN 1
#endif
#endif

#ifdef WITH_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
enum { STACK_BYTES = 2 << 20 }; /* redzones make frames several times as large */
#else
enum { STACK_BYTES = 256 << 10 };
#endif
enum { GUARD_BYTES = 64 << 10, SPARE_MAX = 64 };

struct stack {
    char *base; /* of the usable part; GUARD_BYTES before it fault */
};

struct coroutine {
    ucontext_t context;
    struct stack stack;
    void (*run)(void *context);
    void *run_context;
    void *fake_stack; /* the sanitizer's, while it does not run */
    bool ended;
    bool dropping; /* resumed for the last time, to leave its stack for good */
};

static struct {
    struct coroutine *current;
    ucontext_t resumer;
    void *resumer_fake_stack;
    const void *resumer_stack;
    size_t resumer_stack_bytes;
    struct stack spare[SPARE_MAX];
    size_t spare_count;
} running;

static bool take_stack(struct stack *ret)
{
    if (running.spare_count > 0) {
        *ret = running.spare[--running.spare_count];
        return true;
    }
    char *base = mmap(NULL, GUARD_BYTES + STACK_BYTES, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (base == MAP_FAILED)
        return false;
    if (mprotect(base, GUARD_BYTES, PROT_NONE) != 0) {
        munmap(base, GUARD_BYTES + STACK_BYTES);
        return false;
    }
    ret->base = base + GUARD_BYTES;
    return true;
}

static void give_stack(struct stack stack)
{
#ifdef WITH_ASAN
    __asan_unpoison_memory_region(stack.base, STACK_BYTES); /* frames that never returned */
#endif
    if (running.spare_count < SPARE_MAX)
        running.spare[running.spare_count++] = stack;
    else
        munmap(stack.base - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
}

void coroutine_free_stacks(void)
{
    while (running.spare_count > 0)
        munmap(running.spare[--running.spare_count].base - GUARD_BYTES, GUARD_BYTES + STACK_BYTES);
}

/* Out of `own`; `for_good` lets the sanitizer forget its stack. */
static void leave(struct coroutine *own, bool for_good)
{
    running.current = NULL;
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(for_good ? NULL : &own->fake_stack, running.resumer_stack,
                                   running.resumer_stack_bytes);
#endif
    if (for_good) {
        setcontext(&running.resumer);
        abort(); /* setcontext does not return */
    }
    int failed = swapcontext(&own->context, &running.resumer);
    assert(failed == 0);
    (void)failed;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(own->fake_stack, &running.resumer_stack, &running.resumer_stack_bytes);
#endif
    if (own->dropping)
        leave(own, true);
}

static void begin(void)
{
    struct coroutine *own = running.current;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(NULL, &running.resumer_stack, &running.resumer_stack_bytes);
#endif
    if (!own->dropping)
        own->run(own->run_context);
    own->ended = true;
    leave(own, true);
}

/* Apart from coroutine_new, as the compiler takes getcontext for something that may return twice. */
static void make_context(struct coroutine *coroutine)
{
    int failed = getcontext(&coroutine->context);
    assert(failed == 0);
    (void)failed;
    coroutine->context.uc_stack.ss_sp = coroutine->stack.base;
    coroutine->context.uc_stack.ss_size = STACK_BYTES;
    coroutine->context.uc_link = NULL;
    makecontext(&coroutine->context, begin, 0);
}

struct coroutine *coroutine_new(void (*run)(void *context), void *context)
{
    struct coroutine *coroutine = calloc(1, sizeof(*coroutine));
    if (coroutine == NULL)
        return NULL;
    if (!take_stack(&coroutine->stack)) {
        free(coroutine);
        return NULL;
    }
    coroutine->run = run;
    coroutine->run_context = context;
    make_context(coroutine);
    return coroutine;
}

void coroutine_resume(struct coroutine *coroutine)
{
    assert(running.current == NULL && !coroutine->ended);
    running.current = coroutine;
#ifdef WITH_ASAN
    __sanitizer_start_switch_fiber(&running.resumer_fake_stack, coroutine->stack.base, STACK_BYTES);
#endif
    int failed = swapcontext(&running.resumer, &coroutine->context);
    assert(failed == 0);
    (void)failed;
#ifdef WITH_ASAN
    __sanitizer_finish_switch_fiber(running.resumer_fake_stack, NULL, NULL);
#endif
}

void coroutine_yield(void)
{
    assert(running.current != NULL);
    leave(running.current, false);
}

bool coroutine_ended(const struct coroutine *coroutine)
{
    return coroutine->ended;
}

void coroutine_free(struct coroutine *coroutine)
{
    if (coroutine == NULL)
        return;
    assert(running.current != coroutine);
    if (!coroutine->ended) {
        coroutine->dropping = true;
        coroutine_resume(coroutine);
    }
    give_stack(coroutine->stack);
    free(coroutine);
}
