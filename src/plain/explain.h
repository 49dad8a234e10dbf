/* SPDX-License-Identifier: Apache-2.0 */
/* Where the keys of a client come from, told to a person. */
#ifndef OSCOMMIT_PLAIN_EXPLAIN_H
#define OSCOMMIT_PLAIN_EXPLAIN_H

#include "client/client.h"

struct explain_arguments {
    int of_ledger;
    const os_call *call;
    os_credentials_source_fn each;
    void *context;
    os_credentials_info *ret;
};
os_code explain_credentials(os_client *client, const void *arguments, os_error *err); /* a client_perform_fn */

#endif
