/* SPDX-License-Identifier: Apache-2.0 */
/* Documents deleted: one conditional deletion each, or one transaction of two items. */
#include "base/error.h"
#include "persistence/mutation.h"

static os_code check_deletion(const struct persistence_store *store, const os_document_deletion *deletion,
                              os_error *err)
{
    bool has_both = deletion->reported != 0 && deletion->desired != 0;
    if (deletion->size != sizeof(*deletion) || deletion->id == NULL || deletion->name == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The deletion of a document has a wrong size, or lacks its id or its name: set it with "
                         "OS_DOCUMENT_DELETION_INIT, and both.");
    if (deletion->reported == 0 && deletion->desired == 0)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The deletion of document \"%.100s\" has no model: set `reported` or `desired`.",
                         deletion->name);
    if (store->models == OS_DOCUMENT_COMBINED && (!has_both || deletion->reported_version != deletion->desired_version))
        return error_set(
            err, OS_ERR_ARGUMENT,
            "Combined models are deleted together, at one version: set `reported` and `desired` of document "
            "\"%.100s\", and both versions.",
            deletion->name);
    return OS_OK;
}

static os_code add_items(struct persistence *call, struct mutation *mutation, const os_document_deletion *deletion)
{
    enum document_kind kinds[2];
    size_t count = persistence_kinds(&call->store, kinds);
    os_code code = OS_OK;
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        bool is_desired = kinds[i] == DOCUMENT_DESIRED;
        const struct document_key key = {text_from(deletion->id), text_from(deletion->name), kinds[i]};
        if (is_desired ? deletion->desired : deletion->reported)
            code = mutation_add_deletion(call, mutation, &key,
                                         is_desired ? deletion->desired_version : deletion->reported_version);
    }
    return code;
}

static os_code make_deletions(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    os_code code = mutations_begin(call, true);
    for (size_t i = 0; i < arguments->count && code == OS_OK; i++) {
        struct mutation *mutation = NULL;
        code = check_deletion(&call->store, &arguments->deletions[i], &call->error);
        if (code == OS_OK)
            code = mutations_next(call, &mutation);
        if (code == OS_OK)
            code = add_items(call, mutation, &arguments->deletions[i]);
        if (mutation != NULL)
            code = persistence_about(call, code, arguments->deletions[i].id, arguments->deletions[i].name);
    }
    return code;
}

static os_code check_promise(const struct persistence *call, os_error *err)
{
    if (!call->store.keeps_all)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "A deletion is refused: keeps_all of the store promises that no document of table %.255s is ever "
                     "deleted. Delete without the promise, and let nobody write under it.",
                     call->store.table.name);
}

enum steps_next persistence_delete(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    os_code code = persistence_begin(call);
    if (code == OS_OK && arguments->count == 0)
        return persistence_over(call, OS_OK);
    if (code == OS_OK && arguments->deletions == NULL)
        code = error_set(&call->error, OS_ERR_ARGUMENT, "There are no deletions: they are NULL.");
    if (code == OS_OK)
        code = check_promise(call, &call->error);
    if (code == OS_OK)
        code = make_deletions(call);
    return code == OS_OK ? mutations_send(call) : persistence_over(call, code);
}
