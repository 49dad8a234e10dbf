/* SPDX-License-Identifier: Apache-2.0 */
/* Documents listed, page after page: each is given before the next is asked for. */
#include "persistence/call.h"

#include "base/error.h"
#include "document/document_list.h"

#include <stdlib.h>

struct listing {
    struct document_list list;
    struct rows_list request;
    json_t *start_key; /* own */
    struct rows_page page;
    size_t unreadable;
};

static void drop_listing(struct persistence *call)
{
    struct listing *listing = call->work;
    document_list_free(&listing->list);
    json_decref(listing->start_key);
    rows_page_free(&listing->page);
}

static void make_request(struct persistence *call)
{
    struct listing *listing = call->work;
    const struct document_list *list = &listing->list;
    listing->request =
        (struct rows_list){.table = &call->store.table, .paths = list->paths, .path_count = DOCUMENT_LIST_PATHS};
    if (list->partition != NULL) {
        listing->request.partition = list->partition;
        listing->request.sort = (struct rows_range){.test = CONDITION_BEGINS_WITH, .value = list->prefix};
    } else {
        listing->request.filter = (struct condition){.terms = &list->filter, .count = 1};
    }
}

/* ------------------------------------------------------------------------------------------------ giving */

static enum os_document_kind kind_of(const struct document_entry *entry)
{
    return entry->key.kind == DOCUMENT_REPORTED  ? OS_DOCUMENT_REPORTED
           : entry->key.kind == DOCUMENT_DESIRED ? OS_DOCUMENT_DESIRED
                                                 : OS_DOCUMENT_BOTH;
}

/* The texts are ends of strings that have a NUL behind them. */
static os_code give_item(struct persistence *call, const json_t *item)
{
    struct listing *listing = call->work;
    struct document_entry entry;
    os_code code = document_entry_read(item, call->store.spelling, &entry, &call->error);
    if (code == OS_ERR_PROTOCOL)
        listing->unreadable++;
    if (code != OS_OK || entry.key.kind == 0)
        return code == OS_ERR_PROTOCOL ? OS_OK : code;
    const os_document_entry give = {.size = sizeof(give),
                                    .id = entry.key.id.p,
                                    .name = entry.key.name.p,
                                    .kind = kind_of(&entry),
                                    .version = entry.mark.version,
                                    .timestamp_ns = entry.timestamp_ns,
                                    .client_token = entry.mark.client_token.len > 0 ? entry.mark.client_token.p : NULL};
    if (call->arguments->each(call->arguments->each_context, &give) == 0)
        return OS_OK;
    return error_set(&call->error, OS_ERR_STOPPED, "The caller's callback stopped the list.");
}

static enum steps_next ask_for_page(struct persistence *call);

static enum steps_next end_listing(struct persistence *call)
{
    const struct listing *listing = call->work;
    if (listing->unreadable == 0)
        return persistence_over(call, OS_OK);
    return persistence_over(call, error_set(&call->error, OS_ERR_PROTOCOL,
                                            "%zu more items of table %.255s are no documents of this spelling.",
                                            listing->unreadable, call->store.table.name));
}

static enum steps_next give_page(struct persistence *call)
{
    struct listing *listing = call->work;
    os_code code = OS_OK;
    for (size_t i = 0; i < json_array_size(listing->page.items) && code == OS_OK; i++)
        code = give_item(call, json_array_get(listing->page.items, i));
    if (code != OS_OK)
        return persistence_over(call, code);
    json_decref(listing->start_key);
    listing->start_key = listing->page.last_key;
    listing->page.last_key = NULL;
    rows_page_free(&listing->page);
    return listing->start_key != NULL ? ask_for_page(call) : end_listing(call);
}

/* ------------------------------------------------------------------------------------------------ asking */

static enum steps_next page_is_there(struct persistence *call)
{
    struct listing *listing = call->work;
    struct row_call *of = &call->set.calls[0];
    if (of->error.code != OS_OK) {
        call->error = of->error;
        return persistence_over(call, call->error.code);
    }
    listing->page = of->answer.page;
    of->answer.page = (struct rows_page){.items = NULL};
    call->step = give_page;
    return STEPS_BLOCK;
}

static enum steps_next ask_for_page(struct persistence *call)
{
    struct listing *listing = call->work;
    struct row_call *calls = persistence_calls(call, 1, "list of documents");
    if (calls == NULL)
        return persistence_over(call, error_no_memory(&call->error));
    listing->request.start_key = listing->start_key;
    calls[0].request = (struct row_request){.verb = ROW_LIST, .list = &listing->request};
    return persistence_ask(call, page_is_there);
}

static os_code make_listing(struct persistence *call)
{
    const char *id = call->arguments->id;
    struct listing *listing = calloc(1, sizeof(*listing));
    if (listing == NULL)
        return error_no_memory(&call->error);
    call->work = listing;
    call->drop = drop_listing;
    return id != NULL ? document_list_of_id(text_from(id), call->store.spelling, &listing->list, &call->error)
                      : document_list_of_all(call->store.spelling, &listing->list, &call->error);
}

enum steps_next persistence_list(struct persistence *call)
{
    os_code code = persistence_begin(call);
    if (code == OS_OK && call->arguments->each == NULL)
        code = error_set(&call->error, OS_ERR_ARGUMENT, "There is no function that takes the documents: it is NULL.");
    if (code == OS_OK)
        code = make_listing(call);
    if (code != OS_OK)
        return persistence_over(call, code);
    make_request(call);
    return ask_for_page(call);
}
