/* SPDX-License-Identifier: Apache-2.0 */
/* A HEAD that finds nothing: the object is missing, or its bucket is, which only one more request can tell. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

#define MARKED        "x-amz-request-id: 1\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\nContent-Length: "
#define NOTHING       MARKED "0\r\n\r\n"
#define OK            "HTTP/1.1 200 OK\r\n" NOTHING
#define NOT_FOUND     "HTTP/1.1 404 Not Found\r\n" NOTHING
#define BAD_REQUEST   "HTTP/1.1 400 Bad Request\r\n" NOTHING
#define FORBIDDEN     "HTTP/1.1 403 Forbidden\r\n" NOTHING
#define DELETED       "HTTP/1.1 404 Not Found\r\nx-amz-delete-marker: true\r\n" NOTHING
#define NO_CONTENT    "HTTP/1.1 204 No Content\r\nx-amz-request-id: 1\r\nDate: Sat, 21 Nov 2026 10:00:00 GMT\r\n\r\n"
#define IS_BUCKET(to) (strcmp((to), "/bucket") == 0 || strcmp((to), "/bucket/") == 0)

struct store {
    struct http_server *server;
    os_client *client;
    const char *object; /* the answer to its HEAD */
    const char *bucket; /* and to the bucket's */
    os_error error;
};

static void answer(void *context, const struct http_server_record *record, struct buf *scratch,
                   struct http_server_step *ret)
{
    const struct store *store = context;
    (void)scratch;
    const char *head = IS_BUCKET(record->target) ? store->bucket : store->object;
    *ret = (struct http_server_step){.answer = strcmp(record->method, "DELETE") == 0 ? NO_CONTENT : head};
}

static void store_open_with(struct store *ret, const struct scratch *scratch, const os_options *more)
{
    ret->server = http_server_start(&(struct http_server_options){.respond = answer, .respond_context = ret});
    ret->client = scratch_s3_client(scratch, http_server_host(ret->server), more);
}

static void store_open(struct store *ret, const struct scratch *scratch)
{
    store_open_with(ret, scratch, NULL);
}

static void store_close(struct store *store)
{
    os_client_close(store->client);
    http_server_stop(store->server);
}

static int no_object(void *context, const os_object *object)
{
    (void)context;
    (void)object;
    return 0;
}

static os_code head(struct store *store)
{
    os_object found = OS_OBJECT_INIT;
    return os_head(store->client, "key", NULL, &found, &store->error);
}

TEST(a_bucket_that_is_missing_is_told_from_an_object_that_is)
{
    static const struct {
        const char *object;
        const char *bucket;
        os_code code;
        size_t requests; /* of two heads; the first 403 without a body is asked once more, as other keys may help */
    } cases[] = {
        {NOT_FOUND, NOT_FOUND, OS_ERR_NO_BUCKET, 4}, {NOT_FOUND, OK, OS_ERR_NOT_FOUND, 3},
        {NOT_FOUND, FORBIDDEN, OS_ERR_NOT_FOUND, 5}, {DELETED, NOT_FOUND, OS_ERR_NOT_FOUND, 2},
        {FORBIDDEN, NOT_FOUND, OS_ERR_DENIED, 3},
    };
    struct scratch scratch;
    scratch_set_up(&scratch);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store store = {.object = cases[i].object, .bucket = cases[i].bucket};
        store_open(&store, &scratch);
        for (int twice = 0; twice < 2; twice++)
            CHECK_CODE(head(&store), cases[i].code, &store.error);
        if (cases[i].code == OS_ERR_NO_BUCKET)
            CHECK_SAYS(&store.error, "The bucket bucket does not exist");
        assert_int_equal(http_server_count(store.server), cases[i].requests);
        store_close(&store);
    }
    scratch_tear_down(&scratch);
}

/* It was met before. */
TEST(a_bucket_that_has_answered_is_not_asked_for)
{
    struct scratch scratch;
    struct store store = {.object = NOT_FOUND, .bucket = NOT_FOUND};
    scratch_set_up(&scratch);
    store_open(&store, &scratch);
    CHECK_CODE(os_delete(store.client, "other", NULL, &store.error), OS_OK, &store.error);
    CHECK_CODE(head(&store), OS_ERR_NOT_FOUND, &store.error);
    assert_int_equal(http_server_count(store.server), 2);
    store_close(&store);
    scratch_tear_down(&scratch);
}

/* An endpoint of something else: what answered, and the setting that leads there. */
TEST(another_kind_of_server_is_named_by_what_it_answers)
{
#define PAGE "Content-Type: text/html\r\nServer: nginx/1.25\r\nContent-Length: 0\r\n\r\n"
    static const struct {
        const char *answer;
        const char *says;
    } cases[] = {
        {"HTTP/1.1 200 OK\r\n" PAGE, "HTTP 200 and text/html from nginx/1.25 came without a mark"},
        {"HTTP/1.1 404 Not Found\r\n" PAGE, "HTTP 404 and text/html from nginx/1.25 came without a mark"},
        {"HTTP/1.1 400 Bad Request\r\nContent-Type: application/x-amz-json-1.0\r\nContent-Length: 2\r\n\r\n{}",
         "HTTP 400 and application/x-amz-json-1.0 came without a mark"},
        {"HTTP/1.1 200 OK\r\nContent-Type: application/xml\r\nContent-Length: 6\r\n\r\n<rss/>",
         "HTTP 200 and application/xml came without a mark"},
        {"HTTP/1.1 500 Error\r\nContent-Type: text/html\r\nContent-Length: 7\r\n\r\n<html/>",
         "with an answer that is no error of S3's, but text/html (HTTP 500)"},
    };
    struct scratch scratch;
    scratch_set_up(&scratch);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char endpoint[128];
        struct store store = {.object = cases[i].answer, .bucket = cases[i].answer};
        store_open(&store, &scratch);
        (void)snprintf(endpoint, sizeof(endpoint), "Check s3_endpoint, which is http://%s (--s3-endpoint",
                       http_server_host(store.server));
        os_call call = OS_CALL_INIT;
        call.deadline_ms = 1000;
        CHECK_CODE(os_list(store.client, NULL, &call, no_object, NULL, &store.error), OS_ERR_DEADLINE, &store.error);
        CHECK_SAYS(&store.error, cases[i].says);
        if (i + 1 < sizeof(cases) / sizeof(cases[0])) /* a 5xx may be the store's */
            CHECK_SAYS(&store.error, endpoint);
        store_close(&store);
    }
    scratch_tear_down(&scratch);
}

/* Its answer says nothing, so the sentence goes by what was asked. */
TEST(a_bad_request_without_a_reason_names_the_bucket_or_the_version_or_the_region)
{
    static const struct {
        const char *store_url;
        const char *session_token;
        const char *version_id;
        os_code code;
        const char *says;
    } cases[] = {
        {"s3://Old_Bucket", NULL, NULL, OS_ERR_REFUSED, "The usual cause is the bucket's name"},
        {"s3://Old_Bucket", "token", NULL, OS_ERR_REFUSED, "The usual cause is the bucket's name"},
        {"s3://bucket", NULL, "abc", OS_ERR_REFUSED, "no version ids such as abc"},
        {"s3://bucket", NULL, NULL, OS_ERR_REFUSED, "The usual cause is that the bucket is in another region"},
        {"s3://bucket", "token", NULL, OS_ERR_CREDENTIALS, "session token is expired"},
    };
    struct scratch scratch;
    scratch_set_up(&scratch);
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct store store = {.object = BAD_REQUEST, .bucket = BAD_REQUEST};
        os_options options = OS_OPTIONS_INIT;
        os_object found = OS_OBJECT_INIT;
        options.store_url = cases[i].store_url;
        options.session_token = cases[i].session_token;
        store_open_with(&store, &scratch, &options);
        os_code code = os_head_version(store.client, "key", cases[i].version_id, NULL, &found, &store.error);
        CHECK_CODE(code, cases[i].code, &store.error);
        CHECK_SAYS(&store.error, cases[i].says);
        store_close(&store);
    }
    scratch_tear_down(&scratch);
}
