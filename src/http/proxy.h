/* SPDX-License-Identifier: Apache-2.0 */
/* Whether libcurl sends to a host through a proxy, as the environment says (libcurl's manual, "libcurl-env"). */
#ifndef OSCOMMIT_HTTP_PROXY_H
#define OSCOMMIT_HTTP_PROXY_H

#include <stdbool.h>

/* A variable that `oscommit race` sets for its writers, to the same as http_proxy. Nobody else may. */
#define HTTP_PROXY_OF_RACE "OSCOMMIT_RACE_HTTP_PROXY"

/* `host` as in the Host header. True where it cannot be told: an entry of no_proxy that is a network counts as none. */
bool http_goes_through_proxy(const char *scheme, const char *host);

#endif
