/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_model.h. */
#include "api/say.h"
#include "base/error.h"
#include "base/text.h"
#include "model/model_schema_build.h"
#include "syntax/json.h"
#include "transact/end.h"
#include "transact/stage.h"
#include "transact/transact.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ models */

static os_code name_table(os_model *ret, const char *table, os_error *err)
{
    ret->table_name = strdup(table != NULL ? table : ret->model->name);
    if (ret->table_name == NULL)
        return error_no_memory(err);
    ret->table = (struct rows_table){
        .name = ret->table_name,
        .keys = {MODEL_PARTITION, ret->model->sort_key.name != NULL ? MODEL_SORT : NULL},
    };
    return OS_OK;
}

os_code os_model_parse(const char *schema, const char *table, os_model **ret, os_error *err)
{
    os_error own;
    os_code code = OS_OK;
    os_model *model = calloc(1, sizeof(*model));
    error_clear(&own);
    if (model == NULL || schema == NULL)
        code = model == NULL ? error_no_memory(&own)
                             : error_set(&own, OS_ERR_ARGUMENT, "There is no schema of a model: it is NULL.");
    if (code == OS_OK)
        code = model_read(schema, strlen(schema), &model->model, &own);
    if (code == OS_OK)
        code = name_table(model, table, &own);
    if (code != OS_OK) {
        os_model_free(model);
        model = NULL;
    }
    *ret = model;
    if (err != NULL)
        *err = own;
    return code;
}

void os_model_free(os_model *model)
{
    if (model == NULL)
        return;
    model_free(model->model);
    free(model->table_name);
    free(model);
}

/* ------------------------------------------------------------------------------------------------ tables */

os_code os_model_table_resource(const os_model *model, char **ret, os_error *err)
{
    os_error own;
    os_code code = OS_OK;
    error_clear(&own);
    if (model == NULL || ret == NULL)
        code = error_set(&own, OS_ERR_ARGUMENT, "The description of a table wants a model and a place: one is NULL.");
    if (code == OS_OK)
        code = transact_table_resource(model, ret, &own);
    if (err != NULL)
        *err = own;
    return code;
}

static os_code perform_table(os_client *client, const void *context, os_error *err)
{
    return transact_table(client, context, err);
}

static os_code ask_of_table(os_client *client, const struct transact_table *asked, os_error *err)
{
    os_error own;
    error_clear(&own);
    os_code code = client_perform(client, perform_table, asked, &own);
    if (err != NULL)
        *err = own;
    return code;
}

os_code os_model_table_create(os_client *client, const os_model *model, const os_call *call, os_error *err)
{
    const struct transact_table asked = {.model = model, .creates = true, .call = call};
    return ask_of_table(client, &asked, err);
}

os_code os_model_table_check(os_client *client, const os_model *model, const os_call *call, os_error *err)
{
    const struct transact_table asked = {.model = model, .call = call};
    return ask_of_table(client, &asked, err);
}

/* ------------------------------------------------------------------------------------------------ transactions */

struct transaction_call {
    const struct transact_arguments *arguments;
    os_verdict verdict;
};

static os_code perform_transaction(os_client *client, const void *context, os_error *err)
{
    struct transaction_call *const *call = context;
    (*call)->verdict = transact_run(client, (*call)->arguments, err);
    return err->code;
}

struct resolve_call {
    const char *ticket;
    const os_call *call;
    os_verdict verdict;
};

static os_code perform_resolve(os_client *client, const void *context, os_error *err)
{
    struct resolve_call *const *call = context;
    (*call)->verdict = transact_resolve(client, (*call)->ticket, (*call)->call, err);
    return err->code;
}

os_verdict os_transact(os_client *client, const os_txn_options *options, os_txn_fn function, void *context,
                       const os_call *call, os_txn_result *ret, os_error *err)
{
    const struct transact_arguments arguments = {
        .options = options, .function = function, .context = context, .call = call, .ret = ret};
    struct transaction_call of = {.arguments = &arguments, .verdict = OS_NOT_EXECUTED};
    struct transaction_call *address = &of;
    if (ret != NULL && ret->size == sizeof(*ret)) /* of a client that refuses the call */
        *ret = (os_txn_result){.size = sizeof(*ret), .verdict = OS_NOT_EXECUTED};
    (void)client_perform(client, perform_transaction, &address, err);
    return of.verdict;
}

void os_txn_result_clear(os_txn_result *result)
{
    if (result == NULL)
        return;
    free(result->ticket);
    *result = (os_txn_result)OS_TXN_RESULT_INIT;
}

os_verdict os_txn_resolve(os_client *client, const char *ticket, const os_call *call, os_error *err)
{
    struct resolve_call of = {.ticket = ticket, .call = call, .verdict = OS_UNKNOWN};
    struct resolve_call *address = &of;
    (void)client_perform(client, perform_resolve, &address, err);
    return of.verdict;
}

os_code os_txn_get(os_txn *txn, const os_model *model, const char *key, const os_get_options *options, os_row **ret,
                   os_error *err)
{
    const os_row_key one = {model, key};
    if (ret != NULL)
        *ret = NULL;
    return os_txn_get_many(txn, &one, 1, options, ret, err);
}

os_code os_txn_get_many(os_txn *txn, const os_row_key *keys, size_t count, const os_get_options *options, os_row **ret,
                        os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = transact_get(txn, keys, count, options, ret, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_create(os_txn *txn, const os_model *model, const char *fields, os_row **ret, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (ret != NULL)
        *ret = NULL;
    if (code == OS_OK)
        code = transact_create(txn, model, fields, ret, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_create_or_put(os_txn *txn, const os_model *model, const char *fields, const char *expected,
                             os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = transact_put(txn, model, fields, expected, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_update(os_txn *txn, const os_model *model, const char *original, const char *updated, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = transact_update(txn, model, original, updated, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_delete(os_txn *txn, os_row *row, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = transact_delete(txn, row, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_delete_key(os_txn *txn, const os_model *model, const char *key, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = transact_erase(txn, model, key, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_make_read_only(os_txn *txn, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = txn_only_read(txn, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_on_end(os_txn *txn, os_txn_end_fn function, void *context, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = txn_end_add(txn, function, context, &own);
    return say(txn, code, &own, err);
}

void os_txn_cache_rows(os_txn *txn)
{
    if (txn != NULL)
        txn->caches_rows = true;
}

os_code os_txn_stage(os_txn *txn, const os_stage *stage, const char **ret_key, os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (code == OS_OK)
        code = transact_stage(txn, stage, ret_key, &own);
    return say(txn, code, &own, err);
}
