/* SPDX-License-Identifier: Apache-2.0 */
/* A libcurl that cannot wait: the calls to curl_multi_poll are led through this file (--wrap), and each one fails. */
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <curl/curl.h>

enum { TURN_MS = 300, REST_MS = 10 };

static unsigned asked;

CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd fds[], unsigned count, int timeout_ms, int *ret);
CURLMcode __wrap_curl_multi_poll(CURLM *multi, struct curl_waitfd fds[], unsigned count, int timeout_ms, int *ret)
{
    (void)multi, (void)fds, (void)count, (void)timeout_ms, (void)ret;
    asked++;
    return CURLM_OUT_OF_MEMORY;
}

TEST(it_is_not_asked_again_and_again)
{
    struct http_engine *engine = probe_engine(1, NULL);
    uint64_t began_ms = probe_now_ms();
    asked = 0;
    http_engine_poll(engine, TURN_MS);
    assert_in_range(asked, 1, TURN_MS / REST_MS + 1);
    assert_true(probe_now_ms() - began_ms >= TURN_MS);
    http_engine_free(engine);
}

TEST(requests_are_answered_all_the_same)
{
    struct http_server *server = http_server_start(NULL);
    struct http_engine *engine = probe_engine(1, NULL);
    struct probe probe;
    asked = 0;
    probe_get(engine, &probe, http_server_host(server), "/k");
    assert_int_equal(probe.code, OS_OK);
    assert_int_equal(probe.status, 200);
    assert_true(asked > 0);
    probe_free(&probe);
    http_engine_free(engine);
    http_server_stop(server);
}
