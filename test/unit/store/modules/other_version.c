/* SPDX-License-Identifier: Apache-2.0 */
/* A module of Signature V2 of another release: its table may look different behind the version. */
#include "sigv2/module.h"

static const char *const table[] = {"0.0.1-other"};

const struct sigv2_module *oscommit_sigv2_module(void)
{
    return (const struct sigv2_module *)(const void *)table;
}
