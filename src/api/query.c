/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans, as functions of oscommit_model.h. */
#include "transact/query.h"
#include "api/say.h"

static os_code make(os_txn *txn, const os_model *model, const os_query_options *options, bool is_scan, os_query **ret,
                    os_error *err)
{
    os_error own;
    os_code code = say_begin(txn, &own);
    if (ret != NULL)
        *ret = NULL;
    if (code == OS_OK)
        code = query_new(txn, model, options, is_scan, ret, &own);
    return say(txn, code, &own, err);
}

os_code os_txn_query(os_txn *txn, const os_model *model, const os_query_options *options, os_query **ret, os_error *err)
{
    return make(txn, model, options, false, ret, err);
}

os_code os_txn_scan(os_txn *txn, const os_model *model, const os_query_options *options, os_query **ret, os_error *err)
{
    return make(txn, model, options, true, ret, err);
}

static os_code check(const os_query *query, os_error *err)
{
    error_clear(err);
    return query != NULL ? OS_OK : error_set(err, OS_ERR_ARGUMENT, "There is no query and no scan: it is NULL.");
}

os_code os_query_filter(os_query *query, const char *field, const char *operation, const char *json, os_error *err)
{
    os_error own;
    os_code code = check(query, &own);
    if (code == OS_OK)
        code = query_plan_filter(&query->plan, field, operation, json, &own);
    return say(query != NULL ? query->txn : NULL, code, &own, err);
}

os_code os_query_fetch(os_query *query, size_t count, const char *token, os_row **ret, size_t *ret_count,
                       const char **ret_token, os_error *err)
{
    const struct query_wanted wanted = {
        .count = count, .token = token, .rows = ret, .ret_count = ret_count, .ret_token = ret_token};
    os_error own;
    os_code code = check(query, &own);
    if (ret_token != NULL)
        *ret_token = NULL;
    if (code == OS_OK)
        code = query_fetch(query, &wanted, &own);
    return say(query != NULL ? query->txn : NULL, code, &own, err);
}

/* What the caller's own function has said is no failure of the transaction, unless the caller passes it on. */
os_code os_query_run(os_query *query, size_t count, os_row_fn each, void *context, os_error *err)
{
    struct query_showing showing = {.count = count, .each = each, .context = context};
    os_error own;
    os_code code = check(query, &own);
    if (code == OS_OK)
        code = query_run(query, &showing, &own);
    if (!showing.has_ended)
        return say(query != NULL ? query->txn : NULL, code, &own, err);
    if (err != NULL)
        *err = own;
    return code;
}
