/* SPDX-License-Identifier: Apache-2.0 */
#include "store/proxied.h"

#include "http/proxy.h"

bool store_is_proxied(const struct endpoint *endpoint)
{
    return !endpoint->loopback && http_goes_through_proxy(endpoint->scheme, endpoint->host);
}
