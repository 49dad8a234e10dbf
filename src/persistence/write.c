/* SPDX-License-Identifier: Apache-2.0 */
/* Documents written: one conditional write each, or one transaction of two items. */
#include "base/error.h"
#include "persistence/mutation.h"
#include "syntax/json.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ arguments */

static os_code check_write(const struct persistence_store *store, const os_document_write *write, os_error *err)
{
    if (write->size != sizeof(*write) || write->id == NULL || write->name == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The write of a document has a wrong size, or lacks its id or its name: set it with "
                         "OS_DOCUMENT_WRITE_INIT, and both.");
    if (write->reported == NULL && write->desired == NULL)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The write of document \"%.100s\" has no model: give `reported` or "
                         "`desired`.",
                         write->name);
    if (store->models == OS_DOCUMENT_COMBINED && write->reported_version != write->desired_version)
        return error_set(err, OS_ERR_ARGUMENT,
                         "Combined models have one version: give the one that was read of document \"%.100s\" as "
                         "`reported_version` and as `desired_version`.",
                         write->name);
    return OS_OK;
}

/* NULL for no text. */
static os_code read_model(const char *text, const char *model, json_t **ret, os_error *err)
{
    *ret = text != NULL ? json_read(text, strlen(text)) : NULL;
    if (text == NULL || *ret != NULL)
        return OS_OK;
    char fault[JSON_FAULT_SIZE];
    const char *why = json_read_fault(text, strlen(text), fault);
    if (why == NULL)
        return error_no_memory(err);
    return error_set(err, OS_ERR_ARGUMENT, "The %s model is no strict JSON object: %s.", model, why);
}

/* ------------------------------------------------------------------------------------------------ items */

static os_code add_items(struct persistence *call, struct mutation *mutation, const os_document_write *write,
                         struct document_wish *wish)
{
    const json_t *reported = wish->reported;
    const json_t *desired = wish->desired;
    enum document_kind kinds[2];
    size_t count = persistence_kinds(&call->store, kinds);
    os_code code = OS_OK;
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        bool is_desired = kinds[i] == DOCUMENT_DESIRED;
        if (count == 2 && (is_desired ? desired : reported) == NULL)
            continue;
        wish->key.kind = kinds[i];
        wish->version = is_desired ? write->desired_version : write->reported_version;
        wish->reported = is_desired ? NULL : reported;
        wish->desired = kinds[i] == DOCUMENT_REPORTED ? NULL : desired;
        code = mutation_add_write(call, mutation, wish);
    }
    return code;
}

static os_code make_one(struct persistence *call, const os_document_write *write)
{
    struct mutation *mutation = NULL;
    json_t *reported = NULL;
    json_t *desired = NULL;
    struct document_wish wish = {.key = {.id = text_from(write->id), .name = text_from(write->name)},
                                 .spelling = call->store.spelling,
                                 .timestamp_ns = clock_realtime_ns(),
                                 .client_token = text_from(write->client_token != NULL ? write->client_token : "")};
    os_code code = mutations_next(call, &mutation);
    if (code == OS_OK)
        code = read_model(write->reported, "reported", &reported, &call->error);
    if (code == OS_OK)
        code = read_model(write->desired, "desired", &desired, &call->error);
    wish.reported = reported;
    wish.desired = desired;
    if (code == OS_OK)
        code = add_items(call, mutation, write, &wish);
    json_decref(reported);
    json_decref(desired);
    return persistence_about(call, code, write->id, write->name);
}

/* ------------------------------------------------------------------------------------------------ the call */

static os_code make_writes(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    os_code code = mutations_begin(call, false);
    for (size_t i = 0; i < arguments->count && code == OS_OK; i++) {
        code = check_write(&call->store, &arguments->writes[i], &call->error);
        if (code == OS_OK)
            code = make_one(call, &arguments->writes[i]);
    }
    return code;
}

enum steps_next persistence_write(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    os_code code = persistence_begin(call);
    if (code == OS_OK && arguments->count == 0)
        return persistence_over(call, OS_OK);
    if (code == OS_OK && arguments->writes == NULL)
        code = error_set(&call->error, OS_ERR_ARGUMENT, "There are no writes: they are NULL.");
    if (code == OS_OK)
        code = make_writes(call);
    return code == OS_OK ? mutations_send(call) : persistence_over(call, code);
}
