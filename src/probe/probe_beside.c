/* SPDX-License-Identifier: Apache-2.0 */
/* The question that takes over a minute, asked while the races run. */
#include "probe/probe.h"

#include <stdio.h>
#include <string.h>

static void probe_beside_ask(void *context)
{
    struct probe_beside *beside = context;
    probe_ask_stalled(&beside->probe);
}

void probe_beside_begin(const struct probe *probe, struct probe_beside *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (probe->options.no_held_body || os_cancel_new(&ret->cancel) != OS_OK)
        return;
    ret->probe = (struct probe){.client = probe->client, .options = probe->options, .call = probe->call};
    ret->probe.call.cancel = ret->cancel; /* the caller's own ends the probe, and that ends this */
    ret->probe.deadline_ms = probe->deadline_ms;
    ret->probe.profile = &ret->profile;
    ret->probe.err = &ret->err;
    snprintf(ret->probe.prefix, sizeof(ret->probe.prefix), "%.*sbeside/", (int)sizeof(ret->probe.prefix) - 8,
             probe->prefix);
    ret->running = thread_start(&ret->thread, probe_beside_ask, ret);
}

static void probe_beside_join(struct probe_beside *beside, bool failed)
{
    if (failed)
        os_cancel_trigger(beside->cancel);
    thread_join(&beside->thread);
    beside->running = false;
}

void probe_beside_end(struct probe *probe, struct probe_beside *beside, bool failed)
{
    beside->ran = beside->running;
    if (beside->running)
        probe_beside_join(beside, failed);
    os_cancel_free(beside->cancel);
    beside->cancel = NULL;
    if (!beside->ran)
        return;
    probe->profile->stalled_body = beside->profile.stalled_body;
    probe->profile->stalled_body_s = beside->profile.stalled_body_s;
}

void probe_beside_clean(const struct probe *probe, struct probe_beside *beside)
{
    if (!beside->ran)
        return;
    beside->probe.code = OS_OK;
    beside->probe.cleaning = true;
    beside->probe.deadline_ms = probe->deadline_ms;
    probe_clean(&beside->probe);
}
