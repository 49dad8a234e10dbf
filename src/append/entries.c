/* SPDX-License-Identifier: Apache-2.0 */
#include "append/entries.h"

#include "base/error.h"
#include "holding/asking.h"

#include <string.h>

/* One request to the table of entries. */
struct entry_call {
    struct holding_asking asking;
    struct item item; /* its key, or all of it */
    struct item_condition condition;
    struct item_change changes[2];
    char file_name[DELTA_FILE_NAME_SIZE];
    struct log_entry entry; /* of the answer */
    bool maybe;             /* a request before the last may have been done */
};

static void take_entry(void *context, const struct item *item)
{
    struct entry_call *call = context;
    call->entry.found = true;
    call->entry.is_complete = strcmp(item_text_of(item, ENTRY_AT_COMPLETE), ENTRY_COMPLETE) == 0;
    (void)TEXT_COPY_STR_CUT(item_text_of(item, ENTRY_AT_TEMP_PATH), call->entry.temp);
}

static void begin_to_ask_again(void *context)
{
    struct entry_call *call = context;
    call->maybe = call->maybe || call->asking.outcome == TABLE_AMBIGUOUS;
    call->entry.found = false;
}

static void prepare(struct append *append, uint64_t version, enum table_verb verb, struct entry_call *ret)
{
    memset(ret, 0, sizeof(*ret));
    delta_log_name_commit(version, ret->file_name);
    ret->item.values[ENTRY_AT_TABLE_PATH] = item_text(append->table_path);
    ret->item.values[ENTRY_AT_FILE_NAME] = item_text(ret->file_name);
    ret->asking.client = append->options.log_store;
    ret->asking.request = (struct table_request){.verb = verb, .schema = &entry_schema, .item = &ret->item};
    ret->asking.repeats = ASKING_UNTIL_CLEAR;
    ret->asking.name = "request to the log store";
    ret->asking.take = take_entry;
    ret->asking.restart = begin_to_ask_again;
    ret->asking.context = ret;
}

static os_code ask(struct append *append, struct entry_call *call)
{
    os_call rest = append_rest_of_call(append);
    os_code code = asking_run(&call->asking, &rest, &append->error);
    call->maybe = call->maybe || call->asking.outcome == TABLE_AMBIGUOUS;
    return code;
}

os_code entry_read(struct append *append, uint64_t version, struct log_entry *ret)
{
    struct entry_call call;
    prepare(append, version, TABLE_GET, &call);
    os_code code = ask(append, &call);
    *ret = call.entry;
    return code;
}

/* What a refusal is worth stands in the entry: it may be that of an earlier request, whose answer was lost. */
static os_code write_entry(struct append *append, uint64_t version, struct entry_call *call, struct entry_written *ret)
{
    memset(ret, 0, sizeof(*ret));
    call->asking.request.condition = &call->condition;
    os_code code = ask(append, call);
    ret->done = code == OS_OK && call->asking.outcome == TABLE_OK;
    if (ret->done)
        return code;
    ret->maybe = call->maybe;
    ret->entry = call->entry;
    if (code == OS_OK && call->asking.outcome == TABLE_CONFLICT_BLIND)
        code = entry_read(append, version, &ret->entry);
    return code;
}

os_code entry_put(struct append *append, uint64_t version, const char *temp, bool is_complete,
                  struct entry_written *ret)
{
    struct entry_call call;
    prepare(append, version, TABLE_PUT, &call);
    call.item.values[ENTRY_AT_TEMP_PATH] = item_text(temp);
    call.item.values[ENTRY_AT_COMPLETE] = item_text(is_complete ? ENTRY_COMPLETE : ENTRY_INCOMPLETE);
    if (is_complete)
        call.item.values[ENTRY_AT_EXPIRE_TIME] = item_number(append_now_s() + ENTRY_KEPT_S);
    item_require_absent(&call.condition, ENTRY_AT_TABLE_PATH);
    item_require_absent(&call.condition, ENTRY_AT_FILE_NAME);
    os_code code = write_entry(append, version, &call, ret);
    ret->done = ret->done || (code == OS_OK && ret->entry.found && strcmp(ret->entry.temp, temp) == 0);
    return code;
}

os_code entry_complete(struct append *append, uint64_t version, const char *temp, struct entry_written *ret)
{
    struct entry_call call;
    prepare(append, version, TABLE_UPDATE, &call);
    item_require_text(&call.condition, ENTRY_AT_COMPLETE, ENTRY_INCOMPLETE);
    item_require_text(&call.condition, ENTRY_AT_TEMP_PATH, temp);
    call.changes[0] = (struct item_change){ENTRY_AT_COMPLETE, ITEM_SET, item_text(ENTRY_COMPLETE)};
    call.changes[1] = (struct item_change){ENTRY_AT_EXPIRE_TIME, ITEM_SET, item_number(append_now_s() + ENTRY_KEPT_S)};
    call.asking.request.changes = call.changes;
    call.asking.request.change_count = 2;
    os_code code = write_entry(append, version, &call, ret);
    const struct log_entry *entry = &ret->entry;
    ret->done = ret->done || (code == OS_OK && entry->found && entry->is_complete && strcmp(entry->temp, temp) == 0);
    return code;
}

/* ----------------------------------------------------------------------------------------------------------- table */

struct table_arguments {
    enum table_verb verb;
    const os_call *call;
};

static os_code ask_of_table(os_client *log_store, const void *context, os_error *err)
{
    const struct table_arguments *arguments = context;
    struct holding_asking asking = {.client = log_store,
                                    .request = {.verb = arguments->verb, .schema = &entry_schema},
                                    .name = "request to the table"};
    return asking_run(&asking, arguments->call, err);
}

os_code entry_table(os_client *log_store, enum table_verb verb, const os_call *call, os_error *err)
{
    const struct table_arguments arguments = {verb, call};
    if (log_store->ledger == NULL || log_store->ledger->is_local)
        return error_set(err, OS_ERR_CONFIG,
                         "A log store is a table of DynamoDB: set ledger_url (--ledger) to dynamodb://TABLE.");
    return client_perform(log_store, ask_of_table, &arguments, err);
}
