/* SPDX-License-Identifier: Apache-2.0 */
/* Whether requests to an endpoint go through a proxy of the environment. */
#ifndef OSCOMMIT_STORE_PROXIED_H
#define OSCOMMIT_STORE_PROXIED_H

#include "aws/endpoint.h"

bool store_is_proxied(const struct endpoint *endpoint); /* what is on this machine never is */

#endif
