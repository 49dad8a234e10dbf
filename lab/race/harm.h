/* SPDX-License-Identifier: Apache-2.0 */
/* What happens at the proxies of a race, and to whose request. */
#ifndef OSCOMMIT_LAB_RACE_HARM_H
#define OSCOMMIT_LAB_RACE_HARM_H

#include "race/net.h"

struct proxy_hooks race_harm_hooks(struct race_net *net);

#endif
