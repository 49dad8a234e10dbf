/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of oscommit_document.h. */
#include "persistence/persistence.h"

void os_documents_free(os_documents *documents)
{
    if (documents != NULL)
        persistence_documents_free(documents);
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
        .store = store, .writes = writes, .count = count, .call = call, .ret_results = ret};
    return persistence_call(client, &arguments, persistence_write, err);
}

os_verdict os_document_resolve(os_client *client, const os_document_store *store, const char *ticket,
                               const os_call *call, os_document_result *ret, os_error *err)
{
    const struct persistence_arguments arguments = {.store = store, .ticket = ticket, .call = call, .ret_results = ret};
    os_code code = persistence_call(client, &arguments, persistence_resolve, err);
    return code == OS_OK ? OS_COMMITTED : ret != NULL && ret->verdict != 0 ? ret->verdict : OS_UNKNOWN;
}
