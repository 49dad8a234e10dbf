/* SPDX-License-Identifier: Apache-2.0 */
#include "table/dynamo_preparing.h"

#include "base/error.h"

void preparing_begin(struct dynamo_preparing *preparing, bool creates)
{
    preparing->creates = creates;
    preparing->step = creates ? PREPARING_CREATE : PREPARING_DESCRIBE;
}

static void preparing_next(struct dynamo_preparing *preparing, enum preparing_step step)
{
    preparing->step = step;
    dynamo_call_send(preparing->call);
}

static void wait_and_ask_again(struct dynamo_preparing *preparing, enum preparing_step step, os_error *err)
{
    preparing->step = step;
    if (retry_before(preparing->retry, preparing->call->deadline_monotonic_ms))
        return;
    error_set(err, OS_ERR_DEADLINE, "The %s did not become ACTIVE before the deadline; check it again later.",
              preparing->where);
    preparing->preparer->finish(preparing, TABLE_REFUSED);
}

/* ------------------------------------------------------------------------------------------------ answers */

static void end_unless_repeated(struct dynamo_preparing *preparing, enum table_outcome outcome,
                                const struct dynamo_error *detail)
{
    if (!dynamo_call_repeats(preparing->call, detail))
        preparing->preparer->finish(preparing, outcome);
}

static void described(struct dynamo_preparing *preparing, const struct preparing_found *found, os_error *err)
{
    if (preparing->creates && !(found->exists && found->is_active)) {
        wait_and_ask_again(preparing, PREPARING_DESCRIBE, err);
    } else if (!found->exists) {
        preparing->preparer->say_missing(preparing, err);
        preparing->preparer->finish(preparing, TABLE_REFUSED);
    } else {
        preparing_next(preparing,
                       preparing->creates && found->may_expire ? PREPARING_UPDATE_TTL : PREPARING_DESCRIBE_TTL);
    }
}

static void read_table(struct dynamo_preparing *preparing, const struct http_response *response, bool *ret_foreign,
                       os_error *err)
{
    struct dynamo_error detail;
    struct preparing_found found = {.exists = false};
    enum table_outcome outcome = preparing->preparer->read_table(preparing, response, &found, &detail, err);
    *ret_foreign = detail.foreign;
    if (outcome == TABLE_OK)
        described(preparing, &found, err);
    else
        end_unless_repeated(preparing, outcome, &detail);
}

static void read_ttl(struct dynamo_preparing *preparing, const struct http_response *response, bool *ret_foreign,
                     os_error *err)
{
    char status[DYNAMO_TTL_STATUS_SIZE] = "";
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE] = "";
    struct dynamo_error detail;
    enum table_outcome outcome = preparing->preparer->read_ttl(preparing, response, status, attribute, &detail, err);
    *ret_foreign = detail.foreign;
    bool no_api = outcome == TABLE_REFUSED && err->code == OS_ERR_UNSUPPORTED;
    if (outcome != TABLE_OK && !no_api) {
        end_unless_repeated(preparing, outcome, &detail);
        return;
    }
    os_code code = preparing->preparer->judge(preparing, no_api ? NULL : status, attribute, err);
    preparing->preparer->finish(preparing, code == OS_OK ? TABLE_OK : TABLE_REFUSED);
}

/* A time of signing that was refused comes as THROTTLED, too: it is mended first. */
static void read_done(struct dynamo_preparing *preparing, const struct http_response *response, bool *ret_foreign,
                      os_error *err)
{
    struct dynamo_error detail;
    bool is_of_ttl = preparing->step == PREPARING_UPDATE_TTL;
    enum table_outcome outcome = preparing->preparer->read_done(preparing, response, &detail, err);
    *ret_foreign = detail.foreign;
    if (outcome == TABLE_OK || (is_of_ttl && err->code == OS_ERR_UNSUPPORTED))
        preparing_next(preparing, is_of_ttl ? PREPARING_DESCRIBE_TTL : PREPARING_DESCRIBE);
    else if (outcome != TABLE_THROTTLED)
        end_unless_repeated(preparing, outcome, &detail);
    else if (!dynamo_call_repeats(preparing->call, &detail))
        wait_and_ask_again(preparing, preparing->step, err);
}

void preparing_answered(struct dynamo_preparing *preparing, const struct http_response *response, bool *ret_foreign,
                        os_error *err)
{
    switch (preparing->step) {
    case PREPARING_CREATE:
    case PREPARING_UPDATE_TTL: read_done(preparing, response, ret_foreign, err); return;
    case PREPARING_DESCRIBE_TTL: read_ttl(preparing, response, ret_foreign, err); return;
    case PREPARING_DESCRIBE: break;
    }
    read_table(preparing, response, ret_foreign, err);
}
