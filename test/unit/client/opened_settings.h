/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that were made of options, without a client. */
#ifndef OSCOMMIT_TEST_CLIENT_OPENED_SETTINGS_H
#define OSCOMMIT_TEST_CLIENT_OPENED_SETTINGS_H

#include "client/settings.h"

struct opened {
    struct settings settings;
    struct credentials *store_keys;
    struct credentials *ledger_keys;
    os_error error;
};

os_options s3_options(void); /* of an S3 bucket with a table, at AWS's own endpoint, without the environment */
os_code open_settings(const os_options *options, struct opened *ret);
void close_settings(struct opened *opened); /* also after a refusal */

#endif
