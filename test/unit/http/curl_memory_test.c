/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl runs out of memory: the requests that meet it may fail, and those after it are answered. 7.88 kept an entry of a
 * socket that it had no memory for, and divided by nothing when the next socket had the same number. */
#include "support/failing_functions.h"
#include "unit/http/fixture.h"

#include <curl/curl.h>

enum { CONNECTIONS = 2, REQUESTS = 3 /* one waits for a connection */ };

/* At the same time. */
static void get_all(struct http_engine *engine, const char *host, int count)
{
    struct probe probes[REQUESTS];
    for (int i = 0; i < count; i++) {
        probe_init(&probes[i], "GET", host, "/k", NULL, 0);
        probe_start(engine, &probes[i]);
    }
    for (int i = 0; i < count; i++) {
        probe_wait(engine, &probes[i]);
        assert_int_not_equal(probes[i].code, OS_ERR_DEADLINE);
        if (probes[i].code == OS_OK || !alloc_failed)
            assert_int_equal(probes[i].status, 200);
        probe_free(&probes[i]);
    }
}

struct shortage {
    bool beside_kept; /* a connection that is kept; else on the first one */
    size_t in_a_row;
};

/* False: nothing was allocated so late. */
static bool try_without(size_t allocation, const struct shortage *shortage, struct http_server *server)
{
    struct fixture fixture = {.server = server, .engine = probe_engine(CONNECTIONS, NULL)};
    if (shortage->beside_kept)
        fixture_warm_up(&fixture);
    alloc_fail_from(allocation, shortage->in_a_row);
    if (shortage->beside_kept)
        get_all(fixture.engine, http_server_host(server), REQUESTS);
    else
        for (int i = 0; i < REQUESTS; i++)
            get_all(fixture.engine, http_server_host(server), 1);
    alloc_fail_none();
    fixture_warm_up(&fixture); /* answered */
    http_engine_free(fixture.engine);
    return alloc_failed;
}

static void check_each(bool beside_kept, size_t in_a_row)
{
    const struct shortage shortage = {beside_kept, in_a_row};
    size_t count = 0;
    assert_int_equal(curl_global_init_mem(CURL_GLOBAL_DEFAULT, failing_malloc, free, failing_realloc, failing_strdup,
                                          failing_calloc),
                     CURLE_OK);
    struct http_server *server = http_server_start(NULL);
    while (try_without(count, &shortage, server))
        count++;
    assert_in_range(count, 20, 5000);
    http_server_stop(server);
    curl_global_cleanup();
}

TEST(any_allocation_of_libcurls_may_fail)
{
    check_each(false, 1);
}

TEST(also_beside_a_connection_that_is_kept)
{
    check_each(true, 1);
}

/* Also those that would have put it in order. */
TEST(and_all_for_a_while)
{
    check_each(false, 4);
    check_each(true, 4);
    check_each(true, 40);
}
