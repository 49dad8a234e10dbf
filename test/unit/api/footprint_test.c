/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a thousand creates in flight take of memory, and of allocations: all of them wait for one connection to a store,
 * and for one to a ledger. What libcurl allocates is counted apart.
 */
#include "support/http_server.h"
#include "unit/api/client_scratch.h"
#include "unit/api/completions.h"

#include <curl/curl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum { OPERATIONS = 1000, FOOTPRINT_MOST = 16 << 10 };

#define DATE "Date: Sat, 21 Nov 2026 18:00:00 GMT\r\nx-amz-request-id: A\r\n"

/* ------------------------------------------------------------------------------------------------ the allocator */

struct tally {
    atomic_long bytes; /* alive */
    atomic_long peak;
    atomic_long allocations;
};
static struct tally ours;
static struct tally of_curl;
static struct tally of_servers;
static _Thread_local bool is_server;

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *old, size_t size);
extern void __libc_free(void *block);

static void tally_change(struct tally *tally, long more)
{
    long bytes = atomic_fetch_add(&tally->bytes, more) + more;
    long peak = atomic_load(&tally->peak);
    while (bytes > peak && !atomic_compare_exchange_weak(&tally->peak, &peak, bytes))
        ;
}

static struct tally *tally_of_thread(void)
{
    return is_server ? &of_servers : &ours;
}

static void *tally_block(struct tally *tally, void *block)
{
    atomic_fetch_add(&tally->allocations, 1);
    tally_change(tally, (long)malloc_usable_size(block));
    return block;
}

static void *tally_realloc(struct tally *tally, void *old, size_t size)
{
    long before = (long)malloc_usable_size(old);
    void *block = __libc_realloc(old, size);
    if (block == NULL)
        return NULL;
    tally_change(tally, -before);
    return tally_block(tally, block);
}

static void tally_free(struct tally *tally, void *block)
{
    tally_change(tally, -(long)malloc_usable_size(block));
    __libc_free(block);
}

__attribute__((visibility("default"))) void *malloc(size_t size)
{
    return tally_block(tally_of_thread(), __libc_malloc(size));
}

__attribute__((visibility("default"))) void *calloc(size_t count, size_t size)
{
    return tally_block(tally_of_thread(), __libc_calloc(count, size));
}

__attribute__((visibility("default"))) void *realloc(void *old, size_t size)
{
    return tally_realloc(tally_of_thread(), old, size);
}

__attribute__((visibility("default"))) void free(void *block)
{
    tally_free(tally_of_thread(), block);
}

static void *malloc_of_curl(size_t size)
{
    return tally_block(&of_curl, __libc_malloc(size));
}

static void *calloc_of_curl(size_t count, size_t size)
{
    return tally_block(&of_curl, __libc_calloc(count, size));
}

static void *realloc_of_curl(void *old, size_t size)
{
    return tally_realloc(&of_curl, old, size);
}

static void free_of_curl(void *block)
{
    tally_free(&of_curl, block);
}

static char *strdup_of_curl(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc_of_curl(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

/* ------------------------------------------------------------------------------------------------ the services */

struct services {
    struct scratch scratch;
    struct http_server *store;
    struct http_server *ledger;
    atomic_bool held; /* the first HEAD was */
};

static void answer_store(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    struct services *services = context;
    is_server = true;
    bool head = strcmp(record->method, "HEAD") == 0 && strncmp(record->target, "/bucket/k", strlen("/bucket/k")) == 0;
    (void)scratch;
    ret->answer = head ? "HTTP/1.1 404 Not Found\r\n" DATE "Content-Length: 0\r\n\r\n"
                       : "HTTP/1.1 200 OK\r\n" DATE "ETag: \"there\"\r\nContent-Length: 0\r\n\r\n";
    ret->hold = head && !atomic_exchange(&services->held, true);
}

static void answer_ledger(void *context, const struct http_server_record *record, struct buf *scratch,
                          struct http_server_step *ret)
{
    (void)context;
    (void)record;
    (void)scratch;
    is_server = true;
    ret->answer = "HTTP/1.1 200 OK\r\nx-amzn-RequestId: A\r\nContent-Length: 2\r\n\r\n{}";
}

static void services_set_up(struct services *services)
{
    assert_int_equal(curl_global_init_mem(CURL_GLOBAL_DEFAULT, malloc_of_curl, free_of_curl, realloc_of_curl,
                                          strdup_of_curl, calloc_of_curl),
                     CURLE_OK);
    scratch_set_up(&services->scratch);
    services->store =
        http_server_start(&(struct http_server_options){.respond = answer_store, .respond_context = services});
    services->ledger =
        http_server_start(&(struct http_server_options){.respond = answer_ledger, .respond_context = services});
}

static void services_tear_down(struct services *services)
{
    http_server_stop(services->store);
    http_server_stop(services->ledger);
    scratch_tear_down(&services->scratch);
    curl_global_cleanup();
}

static os_client *services_client(const struct services *services)
{
    char ledger[64];
    os_options options = OS_OPTIONS_INIT;
    snprintf(ledger, sizeof(ledger), "http://%s", http_server_host(services->ledger));
    options.ledger_url = "dynamodb://table";
    options.dynamodb_endpoint = ledger;
    options.fences = OS_ON;
    options.max_connections = 1;
    options.max_in_flight = 2 * OPERATIONS;
    return scratch_s3_client(&services->scratch, http_server_host(services->store), &options);
}

/* ------------------------------------------------------------------------------------------------ the operations */

struct creates {
    struct event told;
    unsigned committed;
};

static void note_created(void *context, os_operation *operation)
{
    struct creates *creates = context;
    creates->committed += os_operation_verdict(operation) == OS_COMMITTED;
    os_operation_free(operation);
    event_set(&creates->told);
}

static void start_create(os_client *client, struct creates *creates, unsigned number, os_cancel *cancel)
{
    char key[32];
    os_call call = OS_CALL_INIT;
    os_start start = OS_START_INIT;
    os_body body = OS_BODY_MEMORY("new", 3);
    os_error error;
    snprintf(key, sizeof(key), "k%u", number);
    call.deadline_ms = 3600 * 1000;
    call.cancel = cancel;
    start.call = &call;
    start.complete = note_created;
    start.context = creates;
    CHECK_CODE(os_start_put_if_absent(client, key, &body, NULL, &start, NULL, &error), OS_OK, &error);
}

/* One that is cancelled ends at once; what was started before it has begun by then. */
static void wait_until_begun(os_client *client)
{
    struct creates last = {.told = EVENT_INIT};
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    os_cancel_trigger(cancel);
    start_create(client, &last, OPERATIONS, cancel);
    event_wait(&last.told);
    os_cancel_free(cancel);
}

struct before {
    long bytes;
    long allocations;
};

static struct before now_of(struct tally *tally)
{
    return (struct before){atomic_load(&tally->bytes), atomic_load(&tally->allocations)};
}

static long report(const char *whose, struct tally *tally, const struct before *before)
{
    long bytes = (atomic_load(&tally->peak) - before->bytes) / OPERATIONS;
    long allocations = (atomic_load(&tally->allocations) - before->allocations) / OPERATIONS;
    print_message("%s: %ld bytes, %ld allocations an operation\n", whose, bytes, allocations);
    return bytes;
}

TEST_WITH(services, an_operation_in_flight_takes_sixteen_kilobytes_at_most)
{
    struct creates creates = {.told = EVENT_INIT};
    os_client *client = services_client(services);
    start_create(client, &creates, 0, NULL);
    assert_true(http_server_wait_held(services->store, 1));
    const struct before ours_before = now_of(&ours);
    const struct before curl_before = now_of(&of_curl);
    for (unsigned i = 1; i < OPERATIONS; i++)
        start_create(client, &creates, i, NULL);
    wait_until_begun(client);
    http_server_release(services->store, 1);
    for (unsigned i = 0; i < OPERATIONS; i++)
        event_wait(&creates.told);
    assert_int_equal(creates.committed, OPERATIONS);
    (void)report("libcurl", &of_curl, &curl_before);
    assert_in_range(report("oscommit", &ours, &ours_before), sizeof(os_result), FOOTPRINT_MOST);
    os_client_close(client);
}
