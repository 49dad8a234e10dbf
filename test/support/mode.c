/* SPDX-License-Identifier: Apache-2.0 */
#include "support/mode.h"

struct mode mode_open(struct fixture *f, const char *name, os_guard guard, const char *profile)
{
    char path[512];
    struct mode mode = {.f = f};
    assert_true(fixture_proxies(f));
    os_options options = fixture_fast_options(f);
    options.guard = guard;
    options.store_profile = f->backend->name;
    if (profile) {
        fixture_file(f, "profile.json", profile, path, sizeof(path));
        options.store_profile = path;
    }
    if (guard == OS_GUARD_NATIVE)
        options.ledger_url = NULL;
    mode.client = fixture_client(&options);
    mode.key = fixture_key(f, name);
    mode.writes = (struct fault_match){.method = "PUT", .path_contains = mode.key};
    return mode;
}

void mode_close(struct mode *mode)
{
    outcome_clear(&mode->outcome);
    os_client_close(mode->client);
}

unsigned mode_add(struct mode *mode, struct fault_rule rule)
{
    rule.match = mode->writes;
    rule.times = rule.times ? rule.times : 1;
    unsigned id = fault_proxy_add(mode->f->store_proxy, &rule);
    assert_true(id > 0);
    return id;
}
