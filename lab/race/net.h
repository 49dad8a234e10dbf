/* SPDX-License-Identifier: Apache-2.0 */
/* The network of a race: proxies between its processes and the services. Each lane has ports of its own, which its
 * processes use one after another. */
#ifndef OSCOMMIT_LAB_RACE_NET_H
#define OSCOMMIT_LAB_RACE_NET_H

#include "cli/options.h"
#include "cli/usage.h"
#include "race/faults.h"
#include "race/service.h"

struct race_net {
    struct proxy *proxy;
    struct race_faults *faults;
    bool of_leases; /* then only the ledger is wanted */
    struct race_service store;
    struct race_service ledger;
    unsigned store_port[RACE_WRITERS_MAX];
    unsigned ledger_port[RACE_WRITERS_MAX];
    unsigned any_port[RACE_WRITERS_MAX]; /* as HTTP proxy */
};

/* Finds where the services are: flags, OSCOMMIT_* and AWS_* variables, else AWS's own in the region that these name.
 * False: they do not say it, or the URL is none. */
bool race_net_find(const struct options *options, struct race_net *ret, struct usage *usage);

/* Opens the ports. False: `usage` has the sentence. race_net_close is fine afterwards. */
bool race_net_open(struct race_net *net, struct race_faults *faults, unsigned writers, const char *ca_file,
                   struct usage *usage);
void race_net_drain(struct race_net *net); /* whatever is held has been delivered when it returns */
void race_net_close(struct race_net *net);

/* The environment of a lane's process, malloc'ed with its strings; NULL: no memory. */
char **race_net_environment(const struct race_net *net, unsigned lane);
void race_net_free_environment(char **environment);

/* The URL that a lane's process is given for the service; false: none. */
bool race_net_url(const struct race_net *net, unsigned lane, bool ledger, char *ret, size_t ret_size);

#endif
