/* SPDX-License-Identifier: Apache-2.0 */
/* Objects with rows, as functions of oscommit_model.h. */
#include "transact/stage.h"
#include "transact/intent.h"

os_code os_stage_model(const char *table, os_model **ret, os_error *err)
{
    os_code code = os_model_parse(intent_schema, table, ret, err);
    if (code == OS_OK)
        (*ret)->is_of_intents = true;
    return code;
}

os_code os_txn_gc(os_client *client, const os_txn_gc_options *options, const os_call *call, os_txn_garbage_fn each,
                  void *context, os_txn_gc_result *ret, os_error *err)
{
    const struct stage_gc_arguments arguments = {
        .options = options, .call = call, .each = each, .context = context, .ret = ret};
    return stage_gc_run(client, &arguments, err);
}
