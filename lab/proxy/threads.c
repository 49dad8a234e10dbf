/* SPDX-License-Identifier: Apache-2.0 */
/* What the threads of a proxy share: how many there are, what is held, and the connections. */
#include "proxy/core.h"

#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <time.h>

uint64_t proxy_now_us(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000 + (uint64_t)now.tv_nsec / 1000;
}

bool proxy_start_thread(struct proxy *proxy, void *(*body)(void *context), void *context)
{
    pthread_t thread;
    pthread_attr_t attributes;
    sigset_t all;
    sigset_t before;
    bool good;

    (void)pthread_mutex_lock(&proxy->mutex);
    proxy->threads++;
    (void)pthread_mutex_unlock(&proxy->mutex);
    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &before);
    (void)pthread_attr_init(&attributes);
    (void)pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    good = pthread_create(&thread, &attributes, body, context) == 0;
    (void)pthread_attr_destroy(&attributes);
    (void)pthread_sigmask(SIG_SETMASK, &before, NULL);
    if (!good)
        proxy_thread_ends(proxy);
    return good;
}

void proxy_thread_ends(struct proxy *proxy)
{
    (void)pthread_mutex_lock(&proxy->mutex);
    proxy->threads--;
    (void)pthread_cond_broadcast(&proxy->changed);
    (void)pthread_mutex_unlock(&proxy->mutex);
}

void proxy_held(struct proxy *proxy, int change)
{
    (void)pthread_mutex_lock(&proxy->mutex);
    proxy->held = (unsigned)((int)proxy->held + change);
    (void)pthread_cond_broadcast(&proxy->changed);
    (void)pthread_mutex_unlock(&proxy->mutex);
}

struct timespec proxy_time_after(uint32_t ms)
{
    uint64_t at_us = proxy_now_us() + (uint64_t)ms * 1000;

    return (struct timespec){.tv_sec = (time_t)(at_us / 1000000), .tv_nsec = (long)(at_us % 1000000) * 1000};
}

void proxy_hold(struct proxy *proxy, uint32_t hold_ms)
{
    struct timespec until = proxy_time_after(hold_ms);

    (void)pthread_mutex_lock(&proxy->mutex);
    while (!proxy->draining && !proxy->stopping &&
           pthread_cond_timedwait(&proxy->changed, &proxy->mutex, &until) != ETIMEDOUT) {
    }
    (void)pthread_mutex_unlock(&proxy->mutex);
}

void proxy_link(struct proxy *proxy, struct proxy_connection *connection)
{
    (void)pthread_mutex_lock(&proxy->mutex);
    connection->linked = true;
    connection->next = proxy->first;
    if (proxy->first != NULL)
        proxy->first->previous = connection;
    proxy->first = connection;
    (void)pthread_mutex_unlock(&proxy->mutex);
}

void proxy_unlink(struct proxy_connection *connection)
{
    struct proxy *proxy = connection->proxy;

    (void)pthread_mutex_lock(&proxy->mutex);
    if (connection->linked && connection->previous != NULL)
        connection->previous->next = connection->next;
    else if (connection->linked)
        proxy->first = connection->next;
    if (connection->linked && connection->next != NULL)
        connection->next->previous = connection->previous;
    connection->linked = false;
    (void)pthread_mutex_unlock(&proxy->mutex);
}

void proxy_note_server(struct proxy_connection *connection, int fd)
{
    struct proxy *proxy = connection->proxy;

    (void)pthread_mutex_lock(&proxy->mutex);
    connection->server_fd = fd;
    if (proxy->stopping && connection->linked && fd >= 0)
        (void)shutdown(fd, SHUT_RDWR);
    (void)pthread_mutex_unlock(&proxy->mutex);
}
