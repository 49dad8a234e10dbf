/* SPDX-License-Identifier: Apache-2.0 */
/* Documents by their keys, in batches. */
#include "persistence/call.h"

#include "attribute/json_value.h"
#include "base/error.h"
#include "base/min.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

/* The items of all documents, in order: of separate models two for each. */
struct reading {
    size_t count;
    struct rows_get *gets;
    json_t **items; /* taken from the answers; NULL: there is none */
};

static void drop_reading(struct persistence *call)
{
    struct reading *reading = call->work;
    for (size_t i = 0; i < reading->count; i++) {
        if (reading->gets != NULL)
            json_decref((json_t *)reading->gets[i].of.key);
        if (reading->items != NULL)
            json_decref(reading->items[i]);
    }
    free(reading->gets);
    free(reading->items);
}

static void free_model(os_document_model *model)
{
    free((char *)model->json);
    free((char *)model->client_token);
}

void persistence_documents_free(os_documents *documents)
{
    for (size_t i = 0; i < documents->count; i++) {
        os_document *document = &documents->list[i];
        free((char *)document->id);
        free((char *)document->name);
        free_model(&document->reported);
        free_model(&document->desired);
    }
    free(documents->list);
    *documents = (os_documents){.count = 0};
}

/* ------------------------------------------------------------------------------------------------ asking */

static os_code make_reading(struct persistence *call, size_t count)
{
    struct reading *reading = calloc(1, sizeof(*reading));
    if (reading == NULL)
        return error_no_memory(&call->error);
    call->work = reading;
    call->drop = drop_reading;
    reading->gets = calloc(count, sizeof(*reading->gets));
    reading->items = calloc(count, sizeof(*reading->items));
    if (reading->gets == NULL || reading->items == NULL)
        return error_no_memory(&call->error);
    reading->count = count;
    return OS_OK;
}

static os_code check_key(const os_document_key *key, os_error *err)
{
    if (key->size == sizeof(*key) && key->id != NULL && key->name != NULL)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "The key of a document has a wrong size, or lacks its id or its name: set it with "
                     "OS_DOCUMENT_KEY_INIT, and both.");
}

static os_code make_gets(struct persistence *call)
{
    struct reading *reading = call->work;
    enum document_kind kinds[2];
    size_t of_each = persistence_kinds(&call->store, kinds);
    for (size_t i = 0; i < reading->count; i++) {
        const os_document_key *key = &call->arguments->keys[i / of_each];
        json_t *attributes = NULL;
        os_code code = check_key(key, &call->error);
        if (code != OS_OK)
            return code;
        const struct document_key item = {text_from(key->id), text_from(key->name), kinds[i % of_each]};
        code = document_key_attributes(&item, &attributes, &call->error);
        if (code != OS_OK)
            return persistence_about(call, code, key->id, key->name);
        reading->gets[i].of = (struct rows_key){.table = &call->store.table, .key = attributes};
    }
    return OS_OK;
}

static os_code make_calls(struct persistence *call)
{
    const struct reading *reading = call->work;
    size_t batch = call->store.max_read_batch;
    size_t count = (reading->count + batch - 1) / batch;
    struct row_call *calls = persistence_calls(call, count, "read of documents");
    if (calls == NULL)
        return error_no_memory(&call->error);
    for (size_t i = 0; i < count; i++)
        calls[i].request = (struct row_request){.verb = ROW_READ,
                                                .gets = reading->gets + i * batch,
                                                .get_count = (size_t)u64_min(batch, reading->count - i * batch)};
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ answers */

static os_code take_items(struct persistence *call)
{
    struct reading *reading = call->work;
    for (size_t i = 0; i < call->set.count; i++) {
        struct row_call *of = &call->set.calls[i];
        if (of->error.code != OS_OK) {
            call->error = of->error;
            return call->error.code;
        }
        for (size_t k = 0; k < of->request.get_count; k++) {
            reading->items[i * call->store.max_read_batch + k] = of->answer.items.items[k];
            of->answer.items.items[k] = NULL;
        }
    }
    return OS_OK;
}

/* An item has 400 KB, of which JSON may write each byte as six. */
enum { MODEL_TEXT_MAX = 6 * 400 * 1024 };

static char *json_text(const json_t *json)
{
    struct buf out;
    buf_init(&out, MODEL_TEXT_MAX);
    char *text = json_write(&out, json) ? strdup(buf_str(&out)) : NULL;
    buf_free(&out);
    return text;
}

/* A model that is null has its version all the same: who writes it needs that. */
static os_code give_model(const struct document *document, const json_t *json, os_document_model *ret, os_error *err)
{
    bool has_token = json_string_length(document->client_token) > 0;
    ret->version = document->version;
    ret->timestamp_ns = document->timestamp_ns;
    ret->json = json != NULL ? json_text(json) : NULL;
    ret->client_token = has_token ? strdup(json_string_value(document->client_token)) : NULL;
    return (ret->json != NULL || json == NULL) && (ret->client_token != NULL || !has_token) ? OS_OK
                                                                                            : error_no_memory(err);
}

/* Of an item those models that are of its kind; Go's decoder would take others, too. */
static os_code give_item(struct persistence *call, enum document_kind kind, const json_t *item, os_document *ret)
{
    struct document document;
    if (item == NULL)
        return OS_OK;
    os_code code = document_from_item(item, call->store.spelling, &document, &call->error);
    if (code != OS_OK)
        return code;
    if (kind != DOCUMENT_DESIRED)
        code = give_model(&document, document.reported, &ret->reported, &call->error);
    if (code == OS_OK && kind != DOCUMENT_REPORTED)
        code = give_model(&document, document.desired, &ret->desired, &call->error);
    document_free(&document);
    return code;
}

static os_code give_document(struct persistence *call, size_t number, os_document *ret)
{
    const struct reading *reading = call->work;
    const os_document_key *key = &call->arguments->keys[number];
    enum document_kind kinds[2];
    size_t of_each = persistence_kinds(&call->store, kinds);
    *ret = (os_document){.size = sizeof(*ret), .id = strdup(key->id), .name = strdup(key->name)};
    os_code code = ret->id != NULL && ret->name != NULL ? OS_OK : error_no_memory(&call->error);
    for (size_t i = 0; i < of_each && code == OS_OK; i++)
        code = give_item(call, kinds[i], reading->items[number * of_each + i], ret);
    return persistence_about(call, code, key->id, key->name);
}

static os_code give_documents(struct persistence *call)
{
    os_documents *ret = call->arguments->ret_documents;
    ret->list = calloc(call->arguments->count, sizeof(*ret->list));
    if (ret->list == NULL)
        return error_no_memory(&call->error);
    ret->count = call->arguments->count;
    os_code code = OS_OK;
    for (size_t i = 0; i < ret->count && code == OS_OK; i++)
        code = give_document(call, i, &ret->list[i]);
    return code;
}

static enum steps_next were_read(struct persistence *call)
{
    os_code code = take_items(call);
    if (code == OS_OK)
        code = give_documents(call);
    if (code != OS_OK)
        persistence_documents_free(call->arguments->ret_documents);
    return persistence_over(call, code);
}

enum steps_next persistence_read(struct persistence *call)
{
    const struct persistence_arguments *arguments = call->arguments;
    enum document_kind kinds[2];
    os_code code = persistence_begin(call);
    if (code != OS_OK)
        return persistence_over(call, code);
    if (arguments->ret_documents == NULL || (arguments->keys == NULL && arguments->count > 0))
        return persistence_over(call, error_set(&call->error, OS_ERR_ARGUMENT,
                                                "There is no place for the documents, or there are no keys."));
    if (arguments->count == 0)
        return persistence_over(call, OS_OK);
    code = make_reading(call, arguments->count * persistence_kinds(&call->store, kinds));
    if (code == OS_OK)
        code = make_gets(call);
    if (code == OS_OK)
        code = make_calls(call);
    return code == OS_OK ? persistence_ask(call, were_read) : persistence_over(call, code);
}
