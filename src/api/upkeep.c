/* SPDX-License-Identifier: Apache-2.0 */
/* What the public header has for the upkeep of a store: garbage collection and probing. */
#include "gc/gc.h"
#include "probe/probe.h"

os_code os_gc(os_client *client, const os_gc_options *options, const os_call *call, os_garbage_fn each, void *context,
              os_gc_result *ret, os_error *err)
{
    const struct gc_arguments gc = {.options = options, .call = call, .each = each, .context = context, .ret = ret};
    return gc_run(client, &gc, err);
}

os_code os_store_probe(os_client *client, const os_probe_options *options, const os_call *call, char **ret_profile,
                       os_error *err)
{
    const struct probe_arguments probe = {.options = options, .call = call, .ret_profile = ret_profile};
    return probe_store(client, &probe, err);
}
