/* SPDX-License-Identifier: Apache-2.0 */
#include "support/address.h"

#include "support/test.h"

#include <arpa/inet.h>
#include <sys/socket.h>
#include <unistd.h>

int address_take(struct address *ret, int port, bool listens)
{
    const int on = 1;
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK), .sin_port = htons((uint16_t)port)};
    socklen_t length = sizeof(address);
    ret->socket = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_int_equal(setsockopt(ret->socket, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)), 0);
    assert_int_equal(bind(ret->socket, (struct sockaddr *)&address, sizeof(address)), 0);
    assert_int_equal(getsockname(ret->socket, (struct sockaddr *)&address, &length), 0);
    if (listens)
        assert_int_equal(listen(ret->socket, 0), 0);
    for (int i = 0; i < ADDRESS_WAITING; i++) {
        ret->waiting[i] = listens ? socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0) : -1;
        if (listens)
            (void)connect(ret->waiting[i], (struct sockaddr *)&address, sizeof(address));
    }
    return ntohs(address.sin_port);
}

void address_free(struct address *address)
{
    for (int i = 0; i < ADDRESS_WAITING; i++)
        if (address->waiting[i] >= 0)
            close(address->waiting[i]);
    close(address->socket);
}
