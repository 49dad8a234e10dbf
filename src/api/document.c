/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_document.h. */
#include "persistence/persistence.h"

void os_documents_free(os_documents *documents)
{
    if (documents != NULL)
        persistence_documents_free(documents);
}

os_code os_documents_table_create(os_client *client, const os_document_store *store, const os_call *call, os_error *err)
{
    const struct persistence_arguments arguments = {.store = store, .call = call};
    return persistence_call(client, &arguments, persistence_create, err);
}

os_code os_documents_table_check(os_client *client, const os_document_store *store, const os_call *call, os_error *err)
{
    const struct persistence_arguments arguments = {.store = store, .call = call};
    return persistence_call(client, &arguments, persistence_check, err);
}

os_code os_documents_read(os_client *client, const os_document_store *store, const os_document_key *keys, size_t count,
                          const os_call *call, os_documents *ret, os_error *err)
{
    const struct persistence_arguments arguments = {
        .store = store, .keys = keys, .count = count, .call = call, .ret_documents = ret};
    if (ret != NULL)
        *ret = (os_documents){.count = 0};
    return persistence_call(client, &arguments, persistence_read, err);
}

os_code os_documents_write(os_client *client, const os_document_store *store, const os_document_write *writes,
                           size_t count, const os_call *call, os_document_result *ret, os_error *err)
{
    const struct persistence_arguments arguments = {
        .store = store, .writes = writes, .count = count, .call = call, .ret_results = ret, .result_count = count};
    return persistence_call(client, &arguments, persistence_write, err);
}

os_code os_documents_delete(os_client *client, const os_document_store *store, const os_document_deletion *deletions,
                            size_t count, const os_call *call, os_document_result *ret, os_error *err)
{
    const struct persistence_arguments arguments = {.store = store,
                                                    .deletions = deletions,
                                                    .count = count,
                                                    .call = call,
                                                    .ret_results = ret,
                                                    .result_count = count};
    return persistence_call(client, &arguments, persistence_delete, err);
}

os_code os_documents_list(os_client *client, const os_document_store *store, const char *id, const os_call *call,
                          os_document_fn each, void *context, os_error *err)
{
    const struct persistence_arguments arguments = {
        .store = store, .id = id, .call = call, .each = each, .each_context = context};
    return persistence_call(client, &arguments, persistence_list, err);
}

os_verdict os_document_resolve(os_client *client, const os_document_store *store, const char *ticket,
                               const os_call *call, os_document_result *ret, os_error *err)
{
    const struct persistence_arguments arguments = {
        .store = store, .is_of_ticket = true, .ticket = ticket, .call = call, .ret_results = ret, .result_count = 1};
    (void)persistence_call(client, &arguments, persistence_resolve, err);
    return ret != NULL && ret->size == sizeof(*ret) ? ret->verdict : OS_UNKNOWN;
}
