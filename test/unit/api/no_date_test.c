/* SPDX-License-Identifier: Apache-2.0 */
/* A store, or a proxy before it, whose answers have no Date: there is no S3 time, and it is said soon. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <string.h>

enum { REQUESTS_MOST = 6, LEFT_OUT_ONCE = 1 };

struct store {
    unsigned left_out;  /* answers without a Date to come */
    unsigned key_heads; /* so far */
    unsigned puts;
};

static void answer(void *context, const struct http_server_record *record, struct buf *scratch,
                   struct http_server_step *ret)
{
    struct store *store = context;
    bool bucket = strcmp(record->target, "/bucket") == 0 || strcmp(record->target, "/bucket/") == 0;
    bool put = strcmp(record->method, "PUT") == 0;
    bool dated = bucket || put || store->left_out == 0;
    buf_reset(scratch);
    store->puts += put;
    store->key_heads += !bucket && !put;
    if (!dated && store->left_out > 0)
        store->left_out--;
    assert_true(buf_add_f(scratch, "HTTP/1.1 %s\r\nx-amz-request-id: A\r\n%s%sContent-Length: 0\r\n\r\n",
                          bucket || put ? "200 OK" : "404 Not Found",
                          dated ? "Date: Sat, 21 Nov 2026 18:00:00 GMT\r\n" : "", put ? "ETag: \"e\"\r\n" : ""));
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

static os_verdict create(const struct scratch *scratch, struct store *store, os_error *err)
{
    os_options more = OS_OPTIONS_INIT;
    more.fences = OS_OFF;
    struct http_server *server =
        http_server_start(&(struct http_server_options){.respond = answer, .respond_context = store});
    os_client *client = scratch_s3_client(scratch, http_server_host(server), &more);
    os_body body = OS_BODY_MEMORY("x", 1);
    os_call call = OS_CALL_INIT;
    call.deadline_ms = 60000;
    os_verdict verdict = os_put_if_absent(client, "k", &body, NULL, &call, NULL, err);
    os_client_close(client);
    http_server_stop(server);
    return verdict;
}

TEST_WITH(scratch, a_store_without_a_date_is_told_after_the_second_answer)
{
    struct store store = {.left_out = 1000};
    os_error error;
    assert_int_equal(create(scratch, &store, &error), OS_NOT_EXECUTED);
    CHECK_CODE(error.code, OS_ERR_PROTOCOL, &error);
    CHECK_SAYS(&error, "without a Date header");
    CHECK_SAYS(&error, "proxy");
    assert_int_equal(store.puts, 0);
    assert_in_range(store.key_heads, 1, REQUESTS_MOST);
}

TEST_WITH(scratch, one_answer_without_a_date_is_asked_again)
{
    struct store store = {.left_out = LEFT_OUT_ONCE};
    os_error error;
    assert_int_equal(create(scratch, &store, &error), OS_COMMITTED);
    assert_int_equal(store.puts, 1);
}
