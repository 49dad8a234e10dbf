/* SPDX-License-Identifier: Apache-2.0 */
#include "support/name_service.h"

#include <dlfcn.h>
#include <netdb.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

typedef int (*look_up_fn)(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **ret);

static atomic_uint to_fail; /* libcurl looks names up on threads of its own */
static atomic_uint failed;

void name_service_fail(unsigned count)
{
    atomic_store(&to_fail, count);
}

unsigned name_service_failures(void)
{
    return atomic_load(&failed);
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the next two */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static bool holds;

static void set_holds(bool value)
{
    pthread_mutex_lock(&mutex);
    holds = value;
    pthread_cond_broadcast(&changed);
    pthread_mutex_unlock(&mutex);
}

void name_service_hold(void)
{
    set_holds(true);
}

void name_service_go_on(void)
{
    set_holds(false);
}

static void wait_while_held(void)
{
    pthread_mutex_lock(&mutex);
    while (holds)
        pthread_cond_wait(&changed, &mutex);
    pthread_mutex_unlock(&mutex);
}

static bool must_fail(void)
{
    unsigned left = atomic_load(&to_fail);
    while (left > 0) {
        if (atomic_compare_exchange_weak(&to_fail, &left, left - 1)) {
            atomic_fetch_add(&failed, 1);
            return true;
        }
    }
    return false;
}

static bool is_ours(const char *node)
{
    static const char ending[] = ".test";
    size_t length = node != NULL ? strlen(node) : 0;
    size_t tail = sizeof(ending) - 1;
    return length > tail && strcmp(node + length - tail, ending) == 0;
}

int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints, struct addrinfo **ret)
{
    look_up_fn libc;
    void *symbol = dlsym(RTLD_NEXT, "getaddrinfo");
    memcpy(&libc, &symbol, sizeof(libc)); /* ISO C has no cast from an object to a function */
    if (!is_ours(node))
        return libc(node, service, hints, ret);
    wait_while_held();
    if (must_fail())
        return EAI_NONAME;
    struct addrinfo only_v4 = hints != NULL ? *hints : (struct addrinfo){0};
    only_v4.ai_family = AF_INET;
    return libc("127.0.0.1", service, &only_v4, ret);
}
