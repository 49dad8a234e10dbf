/* SPDX-License-Identifier: Apache-2.0 */
#include "race/net.h"

#include "race/harm.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

bool race_net_find(const struct options *options, struct race_net *ret, struct usage *usage)
{
    const char *ledger = options_text(options, OPTION_LEDGER);

    if (!race_service_find(options, false, &ret->store, usage))
        return false;
    if (ledger == NULL || strncmp(ledger, "dynamo", 6) != 0)
        return true;
    return race_service_find(options, true, &ret->ledger, usage);
}

/* ------------------------------------------------------------------------------------------------ ports */

static bool open_lane(struct race_net *net, unsigned lane)
{
    struct proxy_target any = {.tls = net->store.target.tls, .ledger_tls = net->ledger.target.tls};
    bool indirect = (net->store.wanted && !net->store.direct) || (net->ledger.wanted && !net->ledger.direct);

    if (net->store.direct)
        net->store_port[lane] = proxy_listen(net->proxy, lane, &net->store.target);
    if (net->ledger.wanted && net->ledger.direct)
        net->ledger_port[lane] = proxy_listen(net->proxy, lane, &net->ledger.target);
    if (indirect)
        net->any_port[lane] = proxy_listen(net->proxy, lane, &any);
    return (!net->store.wanted || !net->store.direct || net->store_port[lane] != 0) &&
           (!net->ledger.wanted || !net->ledger.direct || net->ledger_port[lane] != 0) &&
           (!indirect || net->any_port[lane] != 0);
}

bool race_net_open(struct race_net *net, struct race_faults *faults, unsigned writers, const char *ca_file,
                   struct usage *usage)
{
    struct proxy_hooks hooks = race_harm_hooks(net);

    net->faults = faults;
    net->proxy = proxy_new(&hooks, ca_file);
    if (net->proxy == NULL) {
        return usage_refuse(usage,
                            "The faults' proxy could not be made: there is not enough memory, or the CA file \"%s\" "
                            "cannot be used.",
                            ca_file == NULL ? "" : ca_file);
    }
    for (unsigned i = 0; i < writers; i++)
        if (!open_lane(net, i))
            return usage_refuse(usage, "The faults' proxy could not open its ports on loopback: %s.", strerror(errno));
    return proxy_run(net->proxy) || usage_refuse(usage, "The faults' proxy could not be started: %s.", strerror(errno));
}

void race_net_drain(struct race_net *net)
{
    if (net->proxy != NULL)
        proxy_drain(net->proxy);
}

void race_net_close(struct race_net *net)
{
    proxy_free(net->proxy);
    net->proxy = NULL;
}

/* ------------------------------------------------------------------------------------------------ processes */

bool race_net_url(const struct race_net *net, unsigned lane, bool ledger, char *ret, size_t ret_size)
{
    const struct race_service *service = ledger ? &net->ledger : &net->store;

    if (net->proxy == NULL || !service->wanted)
        return false;
    if (service->direct)
        (void)snprintf(ret, ret_size, "http://127.0.0.1:%u", (ledger ? net->ledger_port : net->store_port)[lane]);
    else
        (void)snprintf(ret, ret_size, "%s", service->url);
    return true;
}

static bool is_of_proxies(const char *entry)
{
    static const char *const names[] = {"http_proxy", "https_proxy", "all_proxy", "no_proxy"};
    size_t len = strcspn(entry, "=");

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strlen(names[i]) == len && strncasecmp(entry, names[i], len) == 0)
            return true;
    return false;
}

static bool add_variable(char **list, size_t *used, const char *name, unsigned port)
{
    if (asprintf(&list[*used], "%s=http://127.0.0.1:%u", name, port) < 0) {
        list[*used] = NULL;
        return false;
    }
    *used += 1;
    return true;
}

char **race_net_environment(const struct race_net *net, unsigned lane)
{
    bool indirect = net->proxy != NULL && net->any_port[lane] != 0;
    size_t count = 0;
    size_t used = 0;
    char **ret;
    bool good;

    while (environ[count] != NULL)
        count++;
    ret = calloc(count + 3, sizeof(ret[0]));
    good = ret != NULL;
    for (size_t i = 0; i < count && good; i++) {
        if (!indirect || !is_of_proxies(environ[i])) {
            ret[used] = strdup(environ[i]);
            good = ret[used] != NULL;
            used++;
        }
    }
    if (good && indirect) {
        good = add_variable(ret, &used, "http_proxy", net->any_port[lane]) &&
               add_variable(ret, &used, "OSCOMMIT_RACE_HTTP_PROXY", net->any_port[lane]); /* src/http/proxy.h */
    }
    if (!good) {
        race_net_free_environment(ret);
        return NULL;
    }
    return ret;
}

void race_net_free_environment(char **environment)
{
    for (size_t i = 0; environment != NULL && environment[i] != NULL; i++)
        free(environment[i]);
    free(environment);
}
