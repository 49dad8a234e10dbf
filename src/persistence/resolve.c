/* SPDX-License-Identifier: Apache-2.0 */
/* W9: what came of a write, by its ticket: one look. */
#include "base/error.h"
#include "persistence/writing.h"

#include <stdlib.h>

struct resolving {
    struct written written;
    json_t *root; /* of the ticket */
    struct rows_get gets[2];
};

static void drop_resolving(struct persistence *call)
{
    struct resolving *resolving = call->work;
    written_free(&resolving->written);
    json_decref(resolving->root);
}

static enum steps_next end_resolving(struct persistence *call)
{
    const struct resolving *resolving = call->work;
    os_document_result *ret = call->arguments->ret_results;
    if (ret->verdict == OS_UNKNOWN)
        writing_add_ticket(call, &resolving->written, ret);
    call->error = ret->error;
    return persistence_over(call, ret->error.code);
}

static enum steps_next was_found(struct persistence *call)
{
    const struct resolving *resolving = call->work;
    struct row_call *of = &call->set.calls[0];
    os_document_result *ret = call->arguments->ret_results;
    os_error none;
    error_clear(&none);
    if (of->error.code == OS_OK && of->answer.outcome == TABLE_OK)
        writing_judge(&call->store, &resolving->written, of->answer.items.items, &none, ret);
    else
        writing_say_unseen(&resolving->written, &of->error, ret);
    return end_resolving(call);
}

static os_code begin_resolving(struct persistence *call)
{
    os_code code = persistence_begin(call);
    if (code == OS_OK && call->arguments->ticket == NULL)
        code = error_set(&call->error, OS_ERR_ARGUMENT, "There is no ticket: it is NULL.");
    if (code != OS_OK)
        return code;
    struct resolving *resolving = calloc(1, sizeof(*resolving));
    struct row_call *calls = persistence_calls(call, 1, "look at a document");
    call->work = resolving;
    if (resolving == NULL || calls == NULL)
        return error_no_memory(&call->error);
    call->drop = drop_resolving;
    code = writing_read_ticket(call, call->arguments->ticket, &resolving->written, &resolving->root, &call->error);
    if (code == OS_OK)
        writing_make_look(&call->store, &resolving->written, resolving->gets, &calls[0].request);
    return code;
}

enum steps_next persistence_resolve(struct persistence *call)
{
    os_code code = begin_resolving(call);
    return code == OS_OK ? persistence_ask(call, was_found) : persistence_over(call, code);
}
