/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault_proxy.h"

#include "support/fault_rules.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* "host:port" or "http://host:port". */
static bool read_place(const char *url, struct proxy_place *ret)
{
    const char *start = strncmp(url, "http://", 7) == 0 ? url + 7 : url;
    const char *colon = strrchr(start, ':');
    if (colon == NULL || (size_t)(colon - start) >= sizeof(ret->host) || strcspn(colon + 1, "/") >= sizeof(ret->port))
        return false;
    snprintf(ret->host, sizeof(ret->host), "%.*s", (int)(colon - start), start);
    snprintf(ret->port, sizeof(ret->port), "%.*s", (int)strcspn(colon + 1, "/"), colon + 1);
    return true;
}

static bool start_proxy(struct fault_proxy *proxy)
{
    const struct proxy_target chosen_by_request = {0};
    proxy->proxy = proxy_open(fault_serve, proxy);
    unsigned port = proxy->proxy != NULL ? proxy_listen(proxy->proxy, 0, &chosen_by_request) : 0;
    snprintf(proxy->url, sizeof(proxy->url), "http://127.0.0.1:%u", port);
    return port != 0 && proxy_run(proxy->proxy);
}

struct fault_proxy *fault_proxy_start(const char *upstream)
{
    return fault_proxy_start_router(upstream, upstream);
}

struct fault_proxy *fault_proxy_start_router(const char *store, const char *ledger)
{
    struct fault_proxy *proxy = calloc(1, sizeof(*proxy));
    if (proxy != NULL && read_place(store, &proxy->store) && read_place(ledger, &proxy->ledger) && start_proxy(proxy))
        return proxy;
    fault_proxy_stop(proxy);
    return NULL;
}

void fault_proxy_stop(struct fault_proxy *proxy)
{
    if (proxy == NULL)
        return;
    proxy_free(proxy->proxy);
    fault_forget_all(proxy);
    free(proxy);
}

const char *fault_proxy_url(const struct fault_proxy *proxy)
{
    return proxy->url;
}
