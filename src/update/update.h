/* SPDX-License-Identifier: Apache-2.0 */
/* os_update, from its arguments to its verdict. */
#ifndef OSCOMMIT_UPDATE_UPDATE_H
#define OSCOMMIT_UPDATE_UPDATE_H

#include "oscommit.h"

/* As the caller gave them; nothing is checked yet. */
struct update_arguments {
    const char *key;
    os_transform_fn transform;
    void *context;
    const os_update_options *options;
    const os_call *call;
};

/* Blocks. `ret` and `err` may be NULL. */
os_verdict update_run(os_client *client, const struct update_arguments *arguments, os_result *ret, os_error *err);

#endif
