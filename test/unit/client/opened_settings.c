/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/client/opened_settings.h"

#include <string.h>

os_options s3_options(void)
{
    os_options options = OS_OPTIONS_INIT;
    options.store_url = "s3://bucket/prefix";
    options.ledger_url = "dynamodb://records";
    options.access_key_id = "id";
    options.secret_access_key = "secret-of-the-test";
    options.no_environment = 1;
    return options;
}

os_code open_settings(const os_options *options, struct opened *ret)
{
    memset(ret, 0, sizeof(*ret));
    return settings_new(options, &ret->settings, &ret->store_keys, &ret->ledger_keys, &ret->error);
}

void close_settings(struct opened *opened)
{
    settings_free(&opened->settings);
    credentials_free(opened->store_keys);
    credentials_free(opened->ledger_keys);
}
