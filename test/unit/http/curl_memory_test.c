/* SPDX-License-Identifier: Apache-2.0 */
/* libcurl runs out of memory, once: the request that meets it may fail, and those after it are answered. 7.88 kept an
 * entry of a socket that it had no memory for, and divided by nothing when the next socket had the same number. */
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

enum { NEVER = -1, REQUESTS = 3 };

static int left_until_failure = NEVER;
static bool has_failed;

static bool fails_now(void)
{
    if (left_until_failure < 0 || left_until_failure-- > 0)
        return false;
    has_failed = true;
    return true;
}

static void *failing_malloc(size_t size)
{
    return fails_now() ? NULL : malloc(size);
}

static void *failing_calloc(size_t count, size_t size)
{
    return fails_now() ? NULL : calloc(count, size);
}

static void *failing_realloc(void *old, size_t size)
{
    return fails_now() ? NULL : realloc(old, size);
}

static char *failing_strdup(const char *from)
{
    return fails_now() ? NULL : strdup(from);
}

/* False: nothing was allocated so late. */
static bool try_without(int allocation, struct http_server *server)
{
    struct http_engine *engine = probe_engine(2, NULL);
    has_failed = false;
    left_until_failure = allocation;
    for (int i = 0; i < REQUESTS; i++) {
        struct probe probe;
        bool failed_before = has_failed;
        probe_get(engine, &probe, http_server_host(server), "/k");
        if (failed_before || !has_failed)
            assert_int_equal(probe.code, OS_OK);
        probe_free(&probe);
    }
    left_until_failure = NEVER;
    http_engine_free(engine);
    return has_failed;
}

TEST(any_allocation_of_libcurls_may_fail_once)
{
    int count = 0;
    assert_int_equal(curl_global_init_mem(CURL_GLOBAL_DEFAULT, failing_malloc, free, failing_realloc, failing_strdup,
                                          failing_calloc),
                     CURLE_OK);
    struct http_server *server = http_server_start(NULL);
    while (try_without(count, server))
        count++;
    assert_in_range(count, 20, 5000);
    http_server_stop(server);
    curl_global_cleanup();
}
