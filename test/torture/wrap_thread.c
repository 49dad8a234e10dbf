/* SPDX-License-Identifier: Apache-2.0 */
/* Threads, their locks, and the sockets that the library makes itself, with what it watches them by. A thread that a counted one starts is counted.
 */
#include "inject.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

struct started {
    void *(*body)(void *);
    void *context;
    bool counted;
};

void *__real_malloc(size_t size);
int __real_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*body)(void *), void *context);
int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*body)(void *), void *context);

static void *run_started(void *context)
{
    struct started started = *(struct started *)context;
    free(context);
    inject_set_counted(started.counted);
    return started.body(started.context);
}

int __wrap_pthread_create(pthread_t *ret, const pthread_attr_t *attributes, void *(*body)(void *), void *context)
{
    if (inject_hits(INJECT_THREAD, "pthread_create"))
        return EAGAIN;
    struct started *started = __real_malloc(sizeof(*started));
    if (started == NULL)
        return EAGAIN;
    *started = (struct started){body, context, inject_is_counted()};
    int error = __real_pthread_create(ret, attributes, run_started, started);
    if (error != 0)
        free(started);
    return error;
}

#define WRAP(name, parameters, arguments, failed) \
    int __real_##name parameters;                 \
    int __wrap_##name parameters;                 \
    int __wrap_##name parameters                  \
    {                                             \
        if (inject_hits(INJECT_THREAD, #name)) {  \
            errno = EMFILE;                       \
            return failed;                        \
        }                                         \
        return __real_##name arguments;           \
    }

WRAP(pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes), (mutex, attributes), ENOMEM)
WRAP(pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes), (condition, attributes),
     ENOMEM)
WRAP(pthread_condattr_init, (pthread_condattr_t * attributes), (attributes), ENOMEM)
WRAP(pthread_condattr_setclock, (pthread_condattr_t * attributes, clockid_t clock), (attributes, clock), EINVAL)
WRAP(socket, (int domain, int type, int protocol), (domain, type, protocol), -1)
WRAP(setsockopt, (int fd, int level, int name, const void *value, socklen_t length), (fd, level, name, value, length),
     -1)
WRAP(epoll_create1, (int flags), (flags), -1)
WRAP(epoll_ctl, (int fd, int what, int of, struct epoll_event *event), (fd, what, of, event), -1)
WRAP(epoll_wait, (int fd, struct epoll_event *events, int most, int timeout_ms), (fd, events, most, timeout_ms), -1)
WRAP(eventfd, (unsigned count, int flags), (count, flags), -1)
WRAP(getpeername, (int fd, struct sockaddr *ret, socklen_t *length), (fd, ret, length), -1)
WRAP(getsockname, (int fd, struct sockaddr *ret, socklen_t *length), (fd, ret, length), -1)
