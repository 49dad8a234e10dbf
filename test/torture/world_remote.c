/* SPDX-License-Identifier: Apache-2.0 */
/* S3 and DynamoDB in this process: the simulator's fakes behind two HTTP servers on loopback, whose threads are not
 * counted. Signatures are verified, by the fakes. */
#include "sim/fake_dynamo.h"
#include "sim/fake_s3.h"
#include "support/http_server.h"
#include "trial.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ACCESS_KEY "AKTORTURE"
#define SECRET_KEY "a-secret-of-the-tests"

static const struct {
    const char *name;
    enum fake_dynamo_kind kind;
} tables[] = {{"records", FAKE_DYNAMO_RECORDS},
              {"leases", FAKE_DYNAMO_LEASES},
              {"locks", FAKE_DYNAMO_LOCKS},
              {"rows", FAKE_DYNAMO_ROWS}};
enum { TABLES = sizeof(tables) / sizeof(tables[0]) };

struct services {
    pthread_mutex_t mutex; /* of the fakes */
    struct fake_s3 *s3;
    struct fake_dynamo *tables[TABLES];
    struct http_server *s3_server;
    struct http_server *dynamo_server;
    char s3_url[64];
    char dynamo_url[64];
};

static uint64_t now_ms(void)
{
    struct timespec now;
    (void)clock_gettime(CLOCK_REALTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The bytes again, from what the server made of them. */
static bool write_request(const struct http_server_record *record, struct buf *ret)
{
    buf_add_f(ret, "%s %s HTTP/1.1\r\n", record->method, record->target);
    for (size_t i = 0; i < record->headers.count; i++)
        buf_add_f(ret, "%s: %s\r\n", record->headers.list[i].name, record->headers.list[i].value);
    buf_add_str(ret, "\r\n");
    if (record->body_length > 0)
        buf_add(ret, record->body, record->body_length);
    return buf_ok(ret);
}

/* Each table is a service of its own, as the fake has one. */
static struct fake_dynamo *table_of(struct services *services, const struct http_server_record *record)
{
    for (size_t i = 1; i < TABLES; i++)
        if (record->body_length > 0 && fake_dynamo_is_asked(services->tables[i], record->body, record->body_length))
            return services->tables[i];
    return services->tables[0];
}

static void respond(struct services *services, bool is_s3, const struct http_server_record *record, struct buf *scratch,
                    struct http_server_step *ret)
{
    struct buf request;
    buf_init(&request, 4 << 20);
    scratch->len = 0;
    bool handled = write_request(record, &request);
    pthread_mutex_lock(&services->mutex);
    if (handled && is_s3)
        handled = fake_s3_handle(services->s3, request.data, request.len, now_ms(), now_ms(), false, scratch);
    else if (handled)
        handled = fake_dynamo_handle(table_of(services, record), request.data, request.len, now_ms(), scratch);
    pthread_mutex_unlock(&services->mutex);
    buf_free(&request);
    *ret = (struct http_server_step){.answer = handled ? scratch->data : NULL, .answer_length = scratch->len};
    ret->leave = handled ? HTTP_SERVER_KEEP : HTTP_SERVER_CLOSE;
}

static void respond_s3(void *context, const struct http_server_record *record, struct buf *scratch,
                       struct http_server_step *ret)
{
    respond(context, true, record, scratch, ret);
}

static void respond_dynamo(void *context, const struct http_server_record *record, struct buf *scratch,
                           struct http_server_step *ret)
{
    respond(context, false, record, scratch, ret);
}

/* Of a table alone. */
static os_options options_of_table(const struct world *world, const char *url)
{
    os_options options = world->options;
    options.store_url = NULL;
    options.s3_endpoint = NULL;
    options.ledger_url = url;
    return options;
}

static void set_options(struct world *world, const struct services *services)
{
    world->options = (os_options)OS_OPTIONS_INIT;
    world->options.store_url = "s3://bucket";
    world->options.ledger_url = "dynamodb://records";
    world->options.s3_endpoint = services->s3_url;
    world->options.dynamodb_endpoint = services->dynamo_url;
    world->options.access_key_id = ACCESS_KEY;
    world->options.secret_access_key = SECRET_KEY;
    world->options.no_environment = 1;
    world->options.timeout_ms = 500;
    world->options.max_clock_skew_rate = 2;
    world->options.length_s = 2; /* Date is cut to the second: of one, next to nothing may be left */
    world->options.allowance_s = 1;
    world->options.margin_s = 1;
    world->options.stalled_body_s = 2; /* else the next writer waits a minute for what does not arrive at once */
    world->options.connect_timeout_ms = 300;
    world->options.request_timeout_ms = 300;
    world->lease_options = options_of_table(world, "dynamodb://leases");
    world->lock_options = options_of_table(world, "dynamodb://locks");
    world->row_options = options_of_table(world, "dynamodb://rows");
}

static void start_servers(struct services *services)
{
    const struct http_server_options s3 = {.respond = respond_s3, .respond_context = services};
    const struct http_server_options dynamo = {.respond = respond_dynamo, .respond_context = services};
    services->s3_server = http_server_start(&s3);
    services->dynamo_server = http_server_start(&dynamo);
    snprintf(services->s3_url, sizeof(services->s3_url), "http://%s", http_server_host(services->s3_server));
    snprintf(services->dynamo_url, sizeof(services->dynamo_url), "http://%s",
             http_server_host(services->dynamo_server));
}

static void stop_servers(struct services *services)
{
    http_server_stop(services->s3_server);
    http_server_stop(services->dynamo_server);
}

void world_remote_renew(struct world *world)
{
    stop_servers(world->services);
    start_servers(world->services);
}

void world_remote_rest(struct world *world)
{
    struct services *services = world->services;
    struct http_server *const servers[] = {services->s3_server, services->dynamo_server};
    for (size_t i = 0; i < 2; i++)
        (void)http_server_wait_closed(servers[i], http_server_connections(servers[i]));
}

static bool make_tables(struct services *services)
{
    bool made = true;
    for (size_t i = 0; i < TABLES; i++) {
        const struct fake_dynamo_options options = {.table = tables[i].name,
                                                    .kind = tables[i].kind,
                                                    .region = "us-east-1",
                                                    .access_key = ACCESS_KEY,
                                                    .secret_key = SECRET_KEY};
        services->tables[i] = fake_dynamo_new(&options);
        made = made && services->tables[i] != NULL &&
               (tables[i].kind != FAKE_DYNAMO_ROWS ||
                fake_dynamo_make_table(services->tables[i], tables[i].name, "_id", NULL));
    }
    return made;
}

bool world_remote_start(struct world *world, const char *folder)
{
    static struct services services = {.mutex = PTHREAD_MUTEX_INITIALIZER};
    const struct fake_s3_options s3 = {
        .bucket = "bucket", .region = "us-east-1", .access_key = ACCESS_KEY, .secret_key = SECRET_KEY};
    world->name = "remote";
    world->services = &services;
    snprintf(world->root, sizeof(world->root), "%s/remote", folder);
    services.s3 = fake_s3_new(&s3);
    if (services.s3 == NULL || !make_tables(&services))
        return false;
    start_servers(&services);
    set_options(world, &services);
    return true;
}

void world_remote_stop(struct world *world)
{
    struct services *services = world->services;
    stop_servers(services);
    fake_s3_free(services->s3);
    for (size_t i = 0; i < TABLES; i++)
        fake_dynamo_free(services->tables[i]);
}
