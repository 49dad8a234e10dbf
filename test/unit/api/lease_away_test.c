/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of leases or locks that is not there: who has never had an answer from it says so after ten seconds, or at once
 * where something else answers, and names the setting. All cases wait at the same time.
 */
#include "support/address.h"
#include "support/event.h"
#include "support/http_server.h"
#include "unit/api/client_scratch.h"

#include "oscommit_lease.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

enum table_kind {
    TABLE_IS_WEB,       /* answers with a page */
    TABLE_REFUSES,      /* nobody listens */
    TABLE_IS_SILENT,    /* takes requests, and never answers */
    TABLE_TAKES_NOBODY, /* listens, and accepts no connection */
    TABLE_GOES          /* is busy, and then silent */
};

static void answer_table(void *context, const struct http_server_record *record, struct buf *scratch,
                         struct http_server_step *ret)
{
    static const char busy[] = "{\"__type\":\"com.amazonaws.dynamodb.v20120810#ThrottlingException\"}";
    atomic_int *plays = context;
    (void)record;
    buf_reset(scratch);
    if (atomic_load(plays) == TABLE_IS_SILENT) {
        *ret = (struct http_server_step){.leave = HTTP_SERVER_DRAIN};
        return;
    }
    if (atomic_load(plays) == TABLE_IS_WEB)
        buf_add_str(scratch, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 13\r\n\r\n<html></html>");
    else
        buf_add_f(scratch, "HTTP/1.1 400 Bad Request\r\nx-amzn-RequestId: A\r\nContent-Length: %zu\r\n\r\n%s",
                  strlen(busy), busy);
    if (atomic_load(plays) == TABLE_GOES)
        atomic_store(plays, TABLE_IS_SILENT);
    *ret = (struct http_server_step){.answer = buf_str(scratch)};
}

/* ------------------------------------------------------------------------------------------------ a case */

enum { LONG_MS = 120000, AT_ONCE_MS = 60000, TEN_S = 9500, LATEST_MS = 60000, TURN_MS = 13000 };

enum away_call { ACQUIRES, WAITS, ADOPTS, READS, LOCKS, READS_LOCK };

struct wanted {
    const char *name;
    enum table_kind kind;
    enum away_call call;
    os_code code;
    uint64_t least_ms;
    uint64_t most_ms;
    size_t most_requests;
    const char *says;
};

struct away {
    struct wanted wanted;
    struct http_server *server; /* NULL: at `address` */
    struct address address;
    atomic_int plays; /* enum table_kind */
    int port;
    os_client *client;
    pthread_t thread;
    os_code code;
    os_error error;
    uint64_t took_ms;
};

static void set_up(struct away *away)
{
    char host[64];
    bool nowhere = away->wanted.kind == TABLE_REFUSES || away->wanted.kind == TABLE_TAKES_NOBODY;
    atomic_store(&away->plays, (int)away->wanted.kind);
    if (!nowhere)
        away->server =
            http_server_start(&(struct http_server_options){.respond = answer_table, .respond_context = &away->plays});
    away->port = nowhere ? address_take(&away->address, 0, away->wanted.kind == TABLE_TAKES_NOBODY)
                         : http_server_port(away->server);
    snprintf(host, sizeof(host), "127.0.0.1:%d", away->port);
    away->client = scratch_services_client("127.0.0.1:1", host, NULL); /* its store is never asked */
}

static void tear_down(struct away *away)
{
    os_client_close(away->client);
    if (away->server)
        http_server_stop(away->server);
    else
        address_free(&away->address);
}

static os_code call_lock(struct away *away, const os_call *call)
{
    os_lock lock = OS_LOCK_INIT;
    os_lock_info info = OS_LOCK_INFO_INIT;
    lock.name_space = "space";
    lock.name = "n";
    lock.owner = "owner";
    lock.instance = "instance";
    if (away->wanted.call == READS_LOCK)
        return os_lock_read(away->client, &lock, call, &info, &away->error);
    return os_lock_acquire(away->client, &lock, 60, call, NULL, &away->error);
}

static os_code call_lease(struct away *away, const os_call *call)
{
    os_lease_options options = OS_LEASE_OPTIONS_INIT;
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_lease *lease = NULL;
    options.wait = away->wanted.call == WAITS;
    if (away->wanted.call == READS)
        return os_lease_read(away->client, "n", call, &info, &away->error);
    os_code code =
        away->wanted.call == ADOPTS
            ? os_lease_adopt(away->client, "n", "0123456789abcdef0123456789abcdef-1", NULL, call, &lease, &away->error)
            : os_lease_acquire(away->client, "n", &options, call, &lease, &away->error);
    assert_null(lease);
    return code;
}

static void *play(void *argument)
{
    struct away *away = argument;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = away->wanted.kind == TABLE_GOES ? TURN_MS : LONG_MS;
    uint64_t start = now_ms();
    bool locks = away->wanted.call == LOCKS || away->wanted.call == READS_LOCK;
    away->code = locks ? call_lock(away, &call) : call_lease(away, &call);
    away->took_ms = now_ms() - start;
    return NULL;
}

static void check(const struct away *away)
{
    char endpoint[128];
    print_message("%s: %s\n", away->wanted.name, away->error.message);
    snprintf(endpoint, sizeof(endpoint), "dynamodb_endpoint, which is http://127.0.0.1:%d (--dynamodb-endpoint, ",
             away->port);
    CHECK_CODE(away->code, away->wanted.code, &away->error);
    CHECK_SAYS(&away->error, away->wanted.says);
    if (away->wanted.kind != TABLE_GOES)
        CHECK_SAYS(&away->error, endpoint);
    assert_in_range(away->took_ms, away->wanted.least_ms, away->wanted.most_ms);
    if (away->server)
        assert_in_range(http_server_count(away->server), 1, away->wanted.most_requests);
}

TEST(a_table_that_was_never_there_is_given_up_with_the_name_of_its_setting)
{
    static const char gone[] = "its table has not answered for ten seconds";
    static const char other[] = "what answers at the table's address is not a table";
    static const struct wanted wanted[] = {
        {"a lease, a port that refuses", TABLE_REFUSES, ACQUIRES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, gone},
        {"a lease, a web server", TABLE_IS_WEB, ACQUIRES, OS_ERR_CONFIG, 0, AT_ONCE_MS, 3, other},
        {"a lease, a silent one", TABLE_IS_SILENT, ACQUIRES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 30, gone},
        {"a lease, one that accepts nobody", TABLE_TAKES_NOBODY, ACQUIRES, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, gone},
        {"a lease that is waited for, a port that refuses", TABLE_REFUSES, WAITS, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0,
         gone},
        {"an adoption, a port that refuses", TABLE_REFUSES, ADOPTS, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, gone},
        {"an adoption, a web server", TABLE_IS_WEB, ADOPTS, OS_ERR_CONFIG, 0, AT_ONCE_MS, 2, other},
        {"the reading of a lease, a port that refuses", TABLE_REFUSES, READS, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0,
         gone},
        {"a lock, a port that refuses", TABLE_REFUSES, LOCKS, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, gone},
        {"a lock, one that accepts nobody", TABLE_TAKES_NOBODY, LOCKS, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0, gone},
        {"the reading of a lock, a port that refuses", TABLE_REFUSES, READS_LOCK, OS_ERR_NETWORK, TEN_S, LATEST_MS, 0,
         gone},
        {"the reading of a lock, a silent one", TABLE_IS_SILENT, READS_LOCK, OS_ERR_NETWORK, TEN_S, LATEST_MS, 3, gone},
        {"the reading of a lock, a web server", TABLE_IS_WEB, READS_LOCK, OS_ERR_CONFIG, 0, AT_ONCE_MS, 2, other},
        {"a lease, one that was there", TABLE_GOES, ACQUIRES, OS_ERR_DEADLINE, TURN_MS - 100, LATEST_MS, 30,
         "deadline passed"},
        {"the reading of a lock, one that was there", TABLE_GOES, READS_LOCK, OS_ERR_DEADLINE, TURN_MS - 100, LATEST_MS,
         30, "deadline passed"},
    };
    enum { COUNT = sizeof(wanted) / sizeof(wanted[0]) };
    struct away cases[COUNT];
    for (size_t i = 0; i < COUNT; i++) {
        cases[i] = (struct away){.wanted = wanted[i]};
        set_up(&cases[i]);
    }
    for (size_t i = 0; i < COUNT; i++)
        assert_int_equal(pthread_create(&cases[i].thread, NULL, play, &cases[i]), 0);
    for (size_t i = 0; i < COUNT; i++)
        pthread_join(cases[i].thread, NULL);
    for (size_t i = 0; i < COUNT; i++)
        check(&cases[i]);
    for (size_t i = 0; i < COUNT; i++)
        tear_down(&cases[i]);
}
