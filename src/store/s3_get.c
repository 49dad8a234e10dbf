/* SPDX-License-Identifier: Apache-2.0 */
#include "store/s3_get.h"

#include "base/error.h"

/* Before a byte is given on: a caller's function cannot give it back. */
os_code s3_store_get_approve(void *context, const struct http_response *response)
{
    struct s3_store_get *get = context;
    const struct store_request *wanted = get->request;
    if (response->status < 200 || response->status > 299)
        return OS_OK;
    if (*get->marks != STORE_MARKS_NONE && s3_mark_of(response) == S3_MARK_NONE) {
        get->doubted = *get->marks == STORE_MARKS_UNKNOWN;
        return OS_ERR_NETWORK; /* E9: another's bytes, or perhaps */
    }
    s3_store_get_free(get);
    os_code code = s3_read_begin(&get->check, wanted->key, response, wanted->offset, wanted->count, &get->refused);
    if (get->no_sum)
        s3_read_skip_sum(&get->check);
    return code;
}

int s3_store_get_take(void *context, const void *data, size_t length)
{
    struct s3_store_get *get = context;
    s3_read_add(&get->check, data, length);
    return get->request->sink(get->request->sink_context, data, length);
}

/* It is told at once, and not asked for again: the store would give the same. */
static void s3_get_refuse(const struct s3_store_get *get, struct store_answer *answer)
{
    answer->complete = true;
    answer->code = get->refused.code;
    answer->error = get->refused;
    error_service(&answer->error, answer->status, NULL, answer->service.request_id);
}

void s3_store_get_end(struct s3_store_get *get, struct store_answer *answer)
{
    const struct s3_read_check *check = &get->check;
    if (get->refused.code == OS_OK && check->begun && answer->code == OS_OK)
        (void)s3_read_end(&get->check, get->request->key, &get->refused);
    if (get->refused.code != OS_OK)
        s3_get_refuse(get, answer);
    else if (answer->code == OS_OK && !check->has_length)
        answer->object.length = check->received;
}

void s3_store_get_free(struct s3_store_get *get)
{
    s3_read_free(&get->check);
}
