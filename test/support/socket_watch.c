/* SPDX-License-Identifier: Apache-2.0 */
#include "support/socket_watch.h"

#include "support/test.h"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

static _Thread_local bool on;
static _Thread_local struct socket_watch seen;

void socket_watch_begin(void)
{
    memset(&seen, 0, sizeof(seen));
    on = true;
}

void socket_watch_end(void)
{
    on = false;
}

const struct socket_watch *socket_watch(void)
{
    return &seen;
}

size_t socket_watch_sent_bytes(void)
{
    size_t bytes = 0;
    for (size_t i = 0; i < seen.sends; i++)
        bytes += seen.sent[i] > 0 ? (size_t)seen.sent[i] : 0;
    return bytes;
}

ssize_t socket_watch_last_send(void)
{
    assert_true(seen.sends > 1);
    return seen.sent[seen.sends - 1];
}

ssize_t send(int fd, const void *data, size_t length, int flags)
{
    ssize_t sent = syscall(SYS_sendto, fd, data, length, flags, NULL, 0);
    if (on && seen.sends < SOCKET_WATCH_SENDS_MAX) {
        seen.asked[seen.sends] = length;
        seen.sent[seen.sends++] = sent;
    }
    return sent;
}

int setsockopt(int fd, int level, int name, const void *value, socklen_t length)
{
    if (on && level == IPPROTO_TCP && name == TCP_USER_TIMEOUT) {
        memcpy(&seen.user_timeout_ms, value, sizeof(seen.user_timeout_ms));
        seen.user_timeout_calls++;
    }
    if (on && level == SOL_SOCKET && name == SO_LINGER) {
        const struct linger *linger = value;
        if (linger->l_onoff && seen.resets++ == 0)
            seen.sends_before_reset = seen.sends;
        seen.resets_off += !linger->l_onoff;
    }
    return (int)syscall(SYS_setsockopt, fd, level, name, value, length);
}
