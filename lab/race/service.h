/* SPDX-License-Identifier: Apache-2.0 */
/* Where the services of a race are. */
#ifndef OSCOMMIT_LAB_RACE_SERVICE_H
#define OSCOMMIT_LAB_RACE_SERVICE_H

#include "cli/options.h"
#include "proxy/proxy.h"

#include <stdbool.h>

/* Where a service is, and how its processes are led there. */
struct race_service {
    bool wanted;   /* the ledger of a race may be a file */
    bool direct;   /* the process is told the proxy's address; else the service's, and the proxy as HTTP proxy */
    char url[320]; /* with http://, as a process is told it where it is not direct */
    struct proxy_target target;
};

/* "https://host:8000/": false for anything with a path or a user, or without a host. */
bool race_service_parse(const char *url, struct race_service *ret);

/* The store, or the ledger in DynamoDB, by the same settings as race_net_find. */
bool race_service_find(const struct options *options, bool ledger, struct race_service *ret, struct usage *usage);

#endif
