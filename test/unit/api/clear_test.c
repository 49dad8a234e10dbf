/* SPDX-License-Identifier: Apache-2.0 */
/* T3.10: a deletion reads the record of what it deletes beside its attempt, and releases it. Store and ledger are made up. */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"

#include <stdatomic.h>
#include <string.h>

#define ETAG  "\"9dd4e461268c8034f5c8564e155c67a6\""
#define NONCE "0123456789abcdef0123456789abcdef"
#define DATED "Date: Sat, 21 Nov 2026 10:00:00 GMT\r\nx-amz-request-id: A\r\n"

/* The record of the creation, of generation 7. */
static const char creation[] =
    "{\"Item\":{\"path\":{\"S\":\"key\"},\"etag\":{\"S\":\"*\"},\"generation\":{\"N\":\"7\"},"
    "\"timeout\":{\"N\":\"20000\"},\"ttl\":{\"N\":\"1800000000\"},"
    "\"nonce\":{\"S\":\"" NONCE "\"}}}";

#define REFUSAL          "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException\"}"
#define CONDITION_FAILED "HTTP/1.1 400 Bad Request\r\nx-amzn-RequestId: A\r\nContent-Length: 77\r\n\r\n" REFUSAL

struct services {
    struct http_server *store;
    struct http_server *ledger;
    os_client *client;
    atomic_bool deleted;
    bool holds_deletion;
    bool holds_reading;
    bool refuses_release; /* of the creation's record: it is another by then */
    bool drops_reading;   /* the connection is closed instead of an answer */
    struct event read;    /* an answer to it, or its failure, was taken */
};

static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    struct services *services = context;
    bool other = strstr(record->target, "/other") != NULL;
    bool object = other || strstr(record->target, "/key") != NULL;
    (void)scratch;
    *ret =
        (struct http_server_step){.answer = "HTTP/1.1 200 OK\r\n" DATED "ETag: " ETAG "\r\nContent-Length: 0\r\n\r\n"};
    if (strcmp(record->method, "DELETE") == 0) {
        atomic_store(&services->deleted, true);
        *ret = (struct http_server_step){.answer = "HTTP/1.1 204 No Content\r\n" DATED "\r\n",
                                         .hold = services->holds_deletion};
    } else if (object && strcmp(record->method, "HEAD") == 0) {
        ret->answer = other || atomic_load(&services->deleted)
                          ? "HTTP/1.1 404 Not Found\r\n" DATED "Content-Length: 0\r\n\r\n"
                          : "HTTP/1.1 200 OK\r\n" DATED "ETag: " ETAG "\r\nx-amz-meta-oscommit-nonce: " NONCE
                            "\r\nContent-Length: 3\r\n\r\n";
    }
}

static void answer_ledger(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    const struct services *services = context;
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    bool reads = target != NULL && strstr(target, "GetItem") != NULL;
    const char *body = reads ? creation : "{}";
    buf_reset(scratch);
    buf_add_f(scratch, "HTTP/1.1 200 OK\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s", strlen(body), body);
    *ret = (struct http_server_step){.answer = buf_str(scratch), .hold = reads && services->holds_reading};
    if (services->refuses_release && strstr(record->body, "\"generation\":{\"N\":\"8\"}") != NULL)
        ret->answer = CONDITION_FAILED;
    if (reads && services->drops_reading)
        *ret = (struct http_server_step){.leave = HTTP_SERVER_CLOSE};
}

static void note_line(void *context, os_log_level level, const char *line)
{
    struct services *services = context;
    (void)level;
    if (strncmp(line, "GetItem", strlen("GetItem")) == 0)
        event_set(&services->read);
}

static void services_start(struct services *services)
{
    os_options options = OS_OPTIONS_INIT;
    options.fences = OS_OFF; /* nothing else is asked of the store */
    options.log = note_line;
    options.log_context = services;
    options.log_level = OS_LOG_DEBUG;
    services->read = (struct event)EVENT_INIT;
    services->store =
        http_server_start(&(struct http_server_options){.respond = answer_store, .respond_context = services});
    services->ledger =
        http_server_start(&(struct http_server_options){.respond = answer_ledger, .respond_context = services});
    services->client =
        scratch_services_client(http_server_host(services->store), http_server_host(services->ledger), &options);
}

static void services_stop(struct services *services)
{
    os_client_close(services->client);
    http_server_stop(services->store);
    http_server_stop(services->ledger);
}

static void start_deletion(struct services *services, struct completions *completions)
{
    os_start start = completions_start(completions);
    os_error error;
    CHECK_CODE(os_start_delete_if_match(services->client, "key", ETAG, &start, NULL, &error), OS_OK, &error);
}

static void expect_committed(struct completions *completions)
{
    os_operation *operation = completions_wait(completions);
    if (os_operation_verdict(operation) != OS_COMMITTED)
        fail_msg("%s", os_operation_error(operation)->message);
    os_operation_free(operation);
}

static bool is_write_of_creation(struct services *services, size_t index)
{
    const struct http_server_record *record = http_server_record(services->ledger, index);
    const char *target = http_headers_get(&record->headers, "x-amz-target");
    return target != NULL && strstr(target, ".GetItem") == NULL && strstr(record->body, "\"S\":\"*\"") != NULL &&
           strstr(record->body, "\"S\":\"key\"") != NULL;
}

/* Behind the deletion's PutItem and its GetItem: the release is the next that is written there. It may be read again
 * meanwhile. */
static void expect_release_of_creation(struct services *services)
{
    size_t index = 2;
    while (!is_write_of_creation(services, index)) {
        index++;
        assert_true(http_server_wait_count(services->ledger, index + 1));
    }
    assert_non_null(strstr(http_server_record(services->ledger, index)->body, "\"N\":\"8\""));
}

TEST(the_creations_record_is_read_beside_the_deletion)
{
    struct services services = {.holds_deletion = true};
    struct completions completions = COMPLETIONS_INIT;
    services_start(&services);
    start_deletion(&services, &completions);
    assert_true(http_server_wait_held(services.store, 1));
    assert_true(http_server_wait_count(services.ledger, 2)); /* its own PutItem, and the GetItem */
    http_server_release(services.store, 1);
    expect_committed(&completions);
    assert_true(http_server_wait_count(services.ledger, 4)); /* and two releases */
    expect_release_of_creation(&services);
    services_stop(&services);
}

/* Whoever creates the key again meets no record. */
TEST(a_creation_waits_for_the_release_that_a_late_reading_holds_up)
{
    struct services services = {.holds_reading = true};
    struct completions completions = COMPLETIONS_INIT;
    struct completions again = COMPLETIONS_INIT;
    struct completions other = COMPLETIONS_INIT;
    services_start(&services);
    start_deletion(&services, &completions);
    expect_committed(&completions);
    (void)completions_create(&again, services.client, "key");
    (void)completions_create(&other, services.client,
                             "other"); /* begun later, so what does not wait was sent by then */
    expect_committed(&other);
    assert_true(http_server_wait_held(services.ledger, 1));
    http_server_release(services.ledger, 1);
    expect_committed(&again);
    expect_release_of_creation(&services);
    services_stop(&services);
}

/* What the ledger was asked to write last for the key's creations. */
static const char *last_creation(struct services *services)
{
    size_t index = http_server_count(services->ledger);
    do
        assert_true(index-- > 0);
    while (!is_write_of_creation(services, index));
    return http_server_record(services->ledger, index)->body;
}

static void create_behind_a_release(struct services *services)
{
    struct completions completions = COMPLETIONS_INIT;
    services_start(services);
    start_deletion(services, &completions);
    expect_committed(&completions);
    (void)completions_create(&completions, services->client, "key");
    assert_true(http_server_wait_held(services->ledger, 1));
    http_server_release(services->ledger, 1);
    expect_committed(&completions);
}

/* R12.11. */
TEST(a_creation_that_waited_for_a_release_begins_on_what_was_released)
{
    struct services services = {.holds_reading = true};
    create_behind_a_release(&services);
    assert_non_null(strstr(last_creation(&services), "\"generation\":{\"N\":\"9\"}"));
    services_stop(&services);
}

/* Then somebody else has written there, or nobody knows. */
TEST(a_release_that_was_not_applied_tells_nothing)
{
    struct services services = {.holds_reading = true, .refuses_release = true};
    create_behind_a_release(&services);
    assert_non_null(strstr(last_creation(&services), "attribute_not_exists"));
    assert_null(strstr(last_creation(&services), "\"generation\":{\"N\":\"9\"}"));
    services_stop(&services);
}

/* What the write does not need says nothing of it. */
TEST(a_reading_that_fails_is_not_the_trouble_of_a_deletion_without_an_answer)
{
    struct services services = {.holds_deletion = true, .drops_reading = true};
    struct completions completions = COMPLETIONS_INIT;
    services_start(&services);
    os_start start = completions_start(&completions);
    os_error error;
    os_cancel *cancel = NULL;
    os_call call = OS_CALL_INIT;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    call.cancel = cancel;
    start.call = &call;
    CHECK_CODE(os_start_delete_if_match(services.client, "key", ETAG, &start, NULL, &error), OS_OK, &error);
    assert_true(http_server_wait_held(services.store, 1));
    event_wait(&services.read);
    os_cancel_trigger(cancel);
    os_operation *operation = completions_wait(&completions);
    assert_int_equal(os_operation_verdict(operation), OS_UNKNOWN);
    assert_null(strstr(os_operation_error(operation)->message, "dynamodb"));
    os_operation_free(operation);
    os_cancel_free(cancel);
    http_server_release(services.store, 1);
    services_stop(&services);
}
