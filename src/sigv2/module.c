/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/module.h"

#define SPELLED_(number) #number
#define SPELLED(number)  SPELLED_(number)

static const struct sigv2_module module = {
    .version = SPELLED(OS_VERSION_MAJOR) "." SPELLED(OS_VERSION_MINOR) "." SPELLED(OS_VERSION_PATCH),
    .start = libs3_start,
    .stop = libs3_stop,
    .head = libs3_head,
    .head_bucket = libs3_head_bucket,
    .get = libs3_get,
    .put = libs3_put,
    .copy = libs3_copy,
    .remove = libs3_delete,
    .list = libs3_list,
};

const struct sigv2_module *oscommit_sigv2_module(void)
{
    return &module;
}
