/* SPDX-License-Identifier: Apache-2.0 */
/* What the public header has on credentials. */
#include "plain/explain.h"

os_code os_credentials_explain(os_client *client, int of_ledger, const os_call *call, os_credentials_source_fn each,
                               void *context, os_credentials_info *ret, os_error *err)
{
    const struct explain_arguments arguments = {
        .of_ledger = of_ledger, .call = call, .each = each, .context = context, .ret = ret};
    return client_perform(client, explain_credentials, &arguments, err);
}
