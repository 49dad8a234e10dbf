/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The network of a race: proxies between its processes and the services, and what happens there to whose request. Each
 * lane has ports of its own, which its processes use one after another.
 */
#ifndef OSCOMMIT_TOOL_RACE_NET_H
#define OSCOMMIT_TOOL_RACE_NET_H

#include "options.h"
#include "proxy/proxy.h"
#include "race_faults.h"
#include "usage.h"

/* Where a service is, and how its processes are led there. */
struct race_service {
    bool wanted;   /* the ledger of a race may be a file */
    bool direct;   /* the process is told the proxy's address; else the service's, and the proxy as HTTP proxy */
    char url[320]; /* with http://, as a process is told it where it is not direct */
    struct proxy_target target;
};

struct race_net {
    struct proxy *proxy;
    struct race_faults *faults;
    struct race_service store;
    struct race_service ledger;
    unsigned store_port[RACE_WRITERS_MAX];
    unsigned ledger_port[RACE_WRITERS_MAX];
    unsigned any_port[RACE_WRITERS_MAX]; /* as HTTP proxy */
};

/* Finds where the services are: flags, OSCOMMIT_* and AWS_* variables, else AWS's own in the region that these name.
 * False: they do not say it, or the URL is none. */
bool race_net_find(const struct options *options, struct race_net *ret, struct usage *usage);

/* "https://host:8000/": false for anything with a path or a user, or without a host. */
bool race_net_parse(const char *url, struct race_service *ret);

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
