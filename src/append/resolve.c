/* SPDX-License-Identifier: Apache-2.0 */
/* What became of a commit that was left unknown: the ticket is that of a guarded write, or of an entry of a log store. */
#include "append/log_store.h"

#include "base/error.h"
#include "guarded/guarded.h"

#include <stdlib.h>
#include <string.h>

static bool take_log_version(const char *whole_key, const struct append *append, uint64_t *ret_version)
{
    char *folder = append_key(append, DELTA_LOG_FOLDER, "");
    char *whole_folder = NULL;
    bool good = folder != NULL && client_object_key(append->client, folder, &whole_folder, NULL) == OS_OK;
    size_t length = good ? strlen(whole_folder) : 0;
    good = good && strncmp(whole_key, whole_folder, length) == 0 &&
           delta_log_name_read(text_from(whole_key + length), ret_version) == DELTA_LOG_COMMIT;
    free(whole_folder);
    free(folder);
    return good;
}

/* The whole key of the write stands in the ticket. */
static os_verdict resolve_guarded(struct append *append, const char *ticket)
{
    json_t *json = json_loads(ticket, JSON_REJECT_DUPLICATES, NULL);
    const char *key = json_string_value(json_object_get(json, "key"));
    uint64_t version = 0;
    os_result result = OS_RESULT_INIT;
    const os_resolve_options options = {.size = sizeof(options), .abort_upload = 1};
    const os_call call = append_rest_of_call(append);
    const struct guarded_arguments question = {
        .name = "settle", .asks = true, .patient = true, .ticket = ticket, .resolve_options = &options, .call = &call};
    os_verdict verdict = guarded_call(append->client, &question, guarded_resolve, &result, &append->error);
    if ((verdict == OS_COMMITTED || verdict == OS_UNKNOWN) && key != NULL && take_log_version(key, append, &version))
        append->result.version = (int64_t)version;
    append->result.ticket = result.ticket;
    json_decref(json);
    return verdict;
}

os_verdict append_run_resolve(os_client *client, const struct append_arguments *arguments, os_delta_result *ret,
                              os_error *err)
{
    struct append append;
    struct log_write write;
    os_verdict verdict = OS_UNKNOWN;
    if (append_begin(&append, client, arguments) == OS_OK) {
        const char *ticket = arguments->ticket != NULL ? arguments->ticket : "";
        verdict = log_store_take_ticket(ticket, &write) ? log_store_resolve(&append, &write)
                                                        : resolve_guarded(&append, ticket);
        append_end(&append);
    }
    return append_give(&append, verdict, ret, err);
}
