/* SPDX-License-Identifier: Apache-2.0 */
/* One request at a time, waited for, and stopped from another thread; and the URLs that variables give. */
#include "credentials/fetch.h"

#include "support/event.h"
#include "unit/credentials/sources.h"

#include <pthread.h>
#include <stdio.h>

/* ------------------------------------------------------------------------------------------------ URLs */

static const struct {
    const char *name;
    const char *url;
    enum fetch_origin origin;
    const char *whole; /* of a good one, as it is sent */
} urls[] = {
    {"loopback", "http://127.0.0.1:80/a?b=c", FETCH_LOOPBACK, "http://127.0.0.1/a?b=c"},
    {"all of 127/8", "http://127.200.0.1/", FETCH_LOOPBACK, "http://127.200.0.1/"},
    {"localhost", "http://LocalHost:8080", FETCH_LOOPBACK, "http://LocalHost:8080/"},
    {"loopback of IPv6", "http://[::1]:99/x", FETCH_LOOPBACK, "http://[::1]:99/x"},
    {"loopback over TLS", "https://127.0.0.1/", FETCH_LOOPBACK, "https://127.0.0.1/"},
    {"plain", "http://169.254.170.2/v2?x", FETCH_PLAIN, "http://169.254.170.2/v2?x"},
    {"plain, a name", "http://a.example", FETCH_PLAIN, "http://a.example/"},
    {"a name that begins as loopback", "http://127.0.0.1.example/", FETCH_PLAIN, "http://127.0.0.1.example/"},
    {"TLS", "HTTPS://a.example:443/x", FETCH_TLS, "https://a.example/x"},
    {"a query without a path", "https://a.example?q=1", FETCH_TLS, "https://a.example/?q=1"},
    {"a query of two marks", "https://a.example/p?q?r", FETCH_TLS, "https://a.example/p?q?r"},
    {"an empty query", "https://a.example/p?", FETCH_TLS, "https://a.example/p"},
    {"an odd path", "https://a.example//../%2e:@!", FETCH_TLS, "https://a.example//../%2e:@!"},
    {"nothing", "", FETCH_BAD_URL, NULL},
    {"no scheme", "a.example/x", FETCH_BAD_URL, NULL},
    {"another scheme", "ftp://a.example/", FETCH_BAD_URL, NULL},
    {"a file", "file:///etc/passwd", FETCH_BAD_URL, NULL},
    {"one slash", "http:/a.example", FETCH_BAD_URL, NULL},
    {"no host", "http:///x", FETCH_BAD_URL, NULL},
    {"no host, but a port", "http://:80/x", FETCH_BAD_URL, NULL},
    {"a user", "http://127.0.0.1@evil.example/", FETCH_BAD_URL, NULL},
    {"a user and a password", "http://u:p@evil.example/", FETCH_BAD_URL, NULL},
    {"a backslash", "http://127.0.0.1\\@evil.example/", FETCH_BAD_URL, NULL},
    {"a fragment", "http://a.example/#x", FETCH_BAD_URL, NULL},
    {"a blank", "http://a.example/a b", FETCH_BAD_URL, NULL},
    {"a line end", "http://a.example/\r\nX: y", FETCH_BAD_URL, NULL},
    {"a DEL", "http://a.example/\x7f", FETCH_BAD_URL, NULL},
    {"a byte above ASCII", "http://a.example/\xc3\xa9", FETCH_BAD_URL, NULL},
    {"no port behind a colon", "http://a.example:/", FETCH_BAD_URL, NULL},
    {"port 0", "http://a.example:0/", FETCH_BAD_URL, NULL},
    {"a port above all", "http://a.example:65536/", FETCH_BAD_URL, NULL},
    {"a port of letters", "http://a.example:8o/", FETCH_BAD_URL, NULL},
    {"an open bracket", "http://[::1/", FETCH_BAD_URL, NULL},
    {"no address in brackets", "http://[a]/", FETCH_BAD_URL, NULL},
    {"a wild host", "http://*/", FETCH_BAD_URL, NULL},
};

TEST_ROWS(urls, a_url_says_where_a_request_goes_or_is_refused)
{
    struct http_request request;
    struct buf whole;
    http_request_init(&request);
    buf_init(&whole, 8192);
    assert_int_equal(fetch_set_url(&request, text_from(row->url)), row->origin);
    if (row->whole != NULL) {
        assert_true(http_request_url(&request, &whole));
        assert_string_equal(buf_str(&whole), row->whole);
    } else {
        assert_null(request.host);
        assert_int_equal(request.path.len, 0);
    }
    buf_free(&whole);
    http_request_free(&request);
}

TEST(a_url_has_an_end)
{
    enum { MOST = 4096 };
    char url[MOST + 2];
    memset(url, 'a', sizeof(url));
    memcpy(url, "http://h/", 9);
    for (size_t i = 0; i < 2; i++) {
        struct http_request request;
        http_request_init(&request);
        assert_int_equal(fetch_set_url(&request, text_of(url, MOST + i)), i == 0 ? FETCH_PLAIN : FETCH_BAD_URL);
        http_request_free(&request);
    }
    struct http_request request;
    http_request_init(&request);
    url[8] = 'a'; /* the host has no end */
    assert_int_equal(fetch_set_url(&request, text_of(url, 400)), FETCH_BAD_URL);
    http_request_free(&request);
}

/* ------------------------------------------------------------------------------------------------ asking */

static os_code ask(struct sources *sources, uint64_t timeout_ms, struct http_response *ret, os_error *err)
{
    struct http_request request;
    http_request_init(&request);
    request.method = "GET";
    assert_int_equal(fetch_set_url(&request, text_from(sources->url)), FETCH_LOOPBACK);
    const struct fetch fetch = {.request = &request, .timeout_ms = timeout_ms, .direct = true, .service = "It"};
    os_code code = fetcher_ask(&sources->fetcher, &fetch, ret, err);
    http_request_free(&request);
    return code;
}

TEST_WITH(sources, an_answer_comes_whatever_it_says)
{
    struct http_response response;
    sources_answer(sources, "404 Not Found", "nothing here");
    assert_int_equal(ask(sources, 30000, &response, &sources->error), OS_OK);
    assert_int_equal(response.status, 404);
    assert_string_equal(buf_str(&response.body), "nothing here");
    http_response_free(&response);
    sources_check_header(sources_request(sources, 0), "user-agent", "test");
}

TEST_WITH(sources, the_time_of_one_request_ends)
{
    struct http_response response;
    http_server_push(sources->server, &(struct http_server_step){.hold = true});
    assert_int_equal(ask(sources, 50, &response, &sources->error), OS_ERR_DEADLINE);
    sources_check_says(sources, "It could not be asked: ");
    http_response_free(&response);
}

TEST_WITH(sources, the_time_of_all_requests_ends)
{
    struct http_response response;
    http_server_push(sources->server, &(struct http_server_step){.hold = true});
    sources->fetcher.deadline_monotonic_ms = now_ms() + 50;
    assert_int_equal(ask(sources, 90000, &response, &sources->error), OS_ERR_DEADLINE);
    http_response_free(&response);
    assert_int_equal(ask(sources, 90000, &response, &sources->error), OS_ERR_DEADLINE);
    http_response_free(&response);
}

struct stopping {
    struct sources *sources;
    os_code code;
    os_error error;
    bool paused;
};

static void *ask_long(void *context)
{
    struct stopping *stopping = context;
    struct http_response response;
    stopping->code = ask(stopping->sources, 90000, &response, &stopping->error);
    http_response_free(&response);
    stopping->paused = fetcher_pause(&stopping->sources->fetcher, 90000);
    return NULL;
}

TEST_WITH(sources, a_stop_ends_what_is_under_way_and_refuses_the_rest)
{
    struct stopping stopping = {.sources = sources, .paused = true};
    struct http_response response;
    pthread_t thread;
    uint64_t start_ms = now_ms();
    http_server_push(sources->server, &(struct http_server_step){.hold = true});
    assert_int_equal(pthread_create(&thread, NULL, ask_long, &stopping), 0);
    assert_true(http_server_wait_held(sources->server, 1));
    assert_false(fetcher_is_stopped(&sources->fetcher));
    fetcher_stop(&sources->fetcher);
    pthread_join(thread, NULL);
    assert_int_equal(stopping.code, OS_ERR_CANCELLED);
    assert_false(stopping.paused);
    assert_true(fetcher_is_stopped(&sources->fetcher));
    assert_int_equal(ask(sources, 90000, &response, &sources->error), OS_ERR_CANCELLED);
    http_response_free(&response);
    assert_int_equal(http_server_count(sources->server), 1);
    assert_true(now_ms() - start_ms < 60000);
}

static void *pause_long(void *context)
{
    struct stopping *stopping = context;
    stopping->paused = fetcher_pause(&stopping->sources->fetcher, 90000);
    return NULL;
}

TEST_WITH(sources, a_pause_ends_with_its_time_or_with_a_stop)
{
    struct stopping stopping = {.sources = sources, .paused = true};
    pthread_t thread;
    uint64_t start_ms = now_ms();
    assert_true(fetcher_pause(&sources->fetcher, 0));
    assert_true(fetcher_pause(&sources->fetcher, 20));
    assert_true(now_ms() - start_ms >= 20);
    assert_int_equal(pthread_create(&thread, NULL, pause_long, &stopping), 0);
    fetcher_stop(&sources->fetcher);
    pthread_join(thread, NULL);
    assert_false(stopping.paused);
    assert_false(fetcher_pause(&sources->fetcher, 0));
    assert_true(now_ms() - start_ms < 60000);
}
