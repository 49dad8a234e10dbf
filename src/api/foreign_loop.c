/* SPDX-License-Identifier: Apache-2.0 */
/* A client without an I/O thread: the caller's event loop moves it on. */
#include "base/error.h"
#include "client/client.h"

int os_client_fd(const os_client *client)
{
    return client->settings.foreign_loop ? loop_fd(client->loop) : -1;
}

os_code os_client_step(os_client *client, os_error *err)
{
    error_clear(err);
    if (client_is_forked(client))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The client was opened before fork(); a step here would disturb the process that opened it.");
    if (!client->settings.foreign_loop)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The client has an I/O thread of its own, which does its steps. Open it with foreign_loop.");
    if (client_is_inside(client))
        return error_set(err, OS_ERR_ARGUMENT,
                         "os_client_step was called within a callback of the same client. Step after it has returned.");
    loop_step(client->loop);
    return OS_OK;
}

int64_t os_client_timeout_ms(const os_client *client)
{
    uint64_t due_ms = client->settings.foreign_loop ? loop_due_ms(client->loop) : UINT64_MAX;
    return due_ms <= INT64_MAX ? (int64_t)due_ms : -1;
}
