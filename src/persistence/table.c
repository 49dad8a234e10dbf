/* SPDX-License-Identifier: Apache-2.0 */
/* The table of documents: made, and looked at. */
#include "persistence/call.h"

#include "base/error.h"
#include "rows/definition.h"

static enum steps_next table_is_told(struct persistence *call)
{
    call->error = call->set.calls[0].error;
    return persistence_over(call, call->error.code);
}

static enum steps_next ask_of_table(struct persistence *call, enum row_verb verb, const char *name)
{
    static const struct rows_definition definition = {
        .keys = {.partition = {DOCUMENT_PARTITION, VALUE_S}, .sort = {DOCUMENT_SORT, VALUE_S}}, .allows_more = true};
    os_code code = persistence_begin(call);
    if (code != OS_OK)
        return persistence_over(call, code);
    struct row_call *calls = persistence_calls(call, 1, name);
    if (calls == NULL)
        return persistence_over(call, error_no_memory(&call->error));
    calls[0].request = (struct row_request){.verb = verb, .table = call->store.table.name, .definition = &definition};
    return persistence_ask(call, table_is_told);
}

enum steps_next persistence_create(struct persistence *call)
{
    return ask_of_table(call, ROW_CREATE, "creation of the table");
}

enum steps_next persistence_check(struct persistence *call)
{
    return ask_of_table(call, ROW_CHECK, "check of the table");
}
