/* SPDX-License-Identifier: Apache-2.0 */
#include "document/document_list.h"

#include "attribute/type.h"

void document_list_free(struct document_list *list)
{
    json_decref(list->partition);
    json_decref(list->prefix);
    *list = (struct document_list){.partition = NULL};
}

/* The version of the other spelling too: by it such a document is known. */
static void add_paths(enum document_spelling spelling, struct document_list *list)
{
    const struct document_names *names = document_names(spelling);
    const struct path_step *steps[DOCUMENT_LIST_PATHS] = {
        &document_key_steps[0], &document_key_steps[1], &names->version,
        &names->timestamp,      &names->client_token,   &document_names(document_spelling_other(spelling))->version};
    for (size_t i = 0; i < DOCUMENT_LIST_PATHS; i++)
        list->paths[i] = (struct path){steps[i], 1};
}

static os_code add_prefix(const char *prefix, struct document_list *list, os_error *err)
{
    list->prefix = value_of_type(VALUE_S, json_string(prefix));
    return list->prefix != NULL ? OS_OK : error_no_memory(err);
}

os_code document_list_of_id(struct text id, enum document_spelling spelling, struct document_list *ret, os_error *err)
{
    *ret = (struct document_list){.partition = NULL};
    os_code code = document_key_partition(id, &ret->partition, err);
    if (code == OS_OK)
        code = add_prefix(DOCUMENT_SORT_PREFIX, ret, err);
    if (code == OS_OK)
        add_paths(spelling, ret);
    else
        document_list_free(ret);
    return code;
}

os_code document_list_of_all(enum document_spelling spelling, struct document_list *ret, os_error *err)
{
    *ret = (struct document_list){.partition = NULL};
    os_code code = add_prefix(DOCUMENT_PARTITION_PREFIX, ret, err);
    if (code != OS_OK)
        return code;
    add_paths(spelling, ret);
    ret->filter = (struct condition_term){
        .path = {&document_key_steps[0], 1}, .test = CONDITION_BEGINS_WITH, .value = ret->prefix};
    return OS_OK;
}

os_code document_entry_read(const json_t *item, enum document_spelling spelling, struct document_entry *ret,
                            os_error *err)
{
    *ret = (struct document_entry){.timestamp_ns = 0};
    if (!document_key_read(item, &ret->key))
        return OS_OK;
    os_code code = document_mark_read(item, spelling, &ret->mark, err);
    return code == OS_OK ? document_timestamp_read(item, spelling, &ret->timestamp_ns, err) : code;
}
