/* SPDX-License-Identifier: Apache-2.0 */
#include "local/unshared.h"

#include "base/fd.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static pthread_once_t registered = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of all below; held for no system call but fork */
static struct unshared *list;
static unsigned long fork_count;

static void before_fork(void)
{
    (void)pthread_mutex_lock(&mutex);
    fork_count++;
}

static void in_parent(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    for (struct unshared *each = list; each != NULL; each = each->next) {
        (void)close(each->fd);
        each->fd = -1;
    }
    list = NULL;
    (void)pthread_mutex_unlock(&mutex);
}

static void register_handlers(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child); /* without memory for it a child keeps its copies */
}

static unsigned long forks_so_far(void)
{
    (void)pthread_mutex_lock(&mutex);
    unsigned long count = fork_count;
    (void)pthread_mutex_unlock(&mutex);
    return count;
}

/* False: a child was forked since, which has a copy of the descriptor and does not know it. */
static bool unshared_enter(struct unshared *unshared, unsigned long forks_before)
{
    (void)pthread_mutex_lock(&mutex);
    bool alone = fork_count == forks_before;
    if (alone) {
        unshared->previous = NULL;
        unshared->next = list;
        if (list != NULL)
            list->previous = unshared;
        list = unshared;
    }
    (void)pthread_mutex_unlock(&mutex);
    return alone;
}

bool unshared_open(struct unshared *ret, int folder, const char *name, int flags, unsigned mode)
{
    (void)pthread_once(&registered, register_handlers);
    for (;;) {
        unsigned long forks_before = forks_so_far();
        ret->fd = fd_openat(folder, name, flags, mode);
        if (ret->fd < 0 || unshared_enter(ret, forks_before))
            return ret->fd >= 0;
        (void)close(ret->fd); /* not locked yet, so the child's copy is of no matter */
    }
}

void unshared_close(struct unshared *unshared)
{
    (void)pthread_mutex_lock(&mutex);
    if (unshared->previous != NULL)
        unshared->previous->next = unshared->next;
    else
        list = unshared->next;
    if (unshared->next != NULL)
        unshared->next->previous = unshared->previous;
    (void)pthread_mutex_unlock(&mutex);
    (void)close(unshared->fd);
    unshared->fd = -1;
}
