/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/fetch.h"

#include "aws/endpoint.h"
#include "base/error.h"
#include "base/fd.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

enum { FETCH_ANSWER_MAX = 256 << 10, FETCH_URL_MAX = 4096, FETCH_ORIGIN_SIZE = 320 };

os_code fetcher_init(struct fetcher *fetcher, const struct http_engine_options *options, os_error *err)
{
    fetcher->options = *options;
    fetcher->stop_fd = fd_above_standard(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    if (fetcher->stop_fd < 0)
        return error_set(err, OS_ERR_IO, "No descriptor could be opened: %s.", strerror(errno));
    if (pthread_mutex_init(&fetcher->mutex, NULL) != 0) {
        (void)close(fetcher->stop_fd);
        return error_no_memory(err);
    }
    return OS_OK;
}

void fetcher_close(struct fetcher *fetcher)
{
    http_engine_free(fetcher->engine);
    (void)close(fetcher->stop_fd);
    pthread_mutex_destroy(&fetcher->mutex);
    memset(fetcher, 0, sizeof(*fetcher));
}

void fetcher_stop(struct fetcher *fetcher)
{
    const uint64_t one = 1;
    pthread_mutex_lock(&fetcher->mutex);
    fetcher->stopped = true;
    if (fetcher->engine != NULL)
        http_engine_wakeup(fetcher->engine);
    (void)!write(fetcher->stop_fd, &one, sizeof(one)); /* once is enough: it cannot be full */
    pthread_mutex_unlock(&fetcher->mutex);
}

bool fetcher_is_stopped(struct fetcher *fetcher)
{
    pthread_mutex_lock(&fetcher->mutex);
    bool stopped = fetcher->stopped;
    pthread_mutex_unlock(&fetcher->mutex);
    return stopped;
}

bool fetcher_pause(struct fetcher *fetcher, uint64_t delay_ms)
{
    struct pollfd stop = {.fd = fetcher->stop_fd, .events = POLLIN};
    uint64_t until_ms = clock_monotonic_ms() + delay_ms;
    for (uint64_t now_ms = until_ms - delay_ms; now_ms < until_ms; now_ms = clock_monotonic_ms())
        if (poll(&stop, 1, (int)(until_ms - now_ms)) > 0)
            return false;
    return !fetcher_is_stopped(fetcher);
}

/* ------------------------------------------------------------------------------------------------ asking */

struct asked {
    bool done;
    os_code code;
    char message[256];
    struct http_response *response;
};

static void fetch_done(void *context, const struct http_result *result)
{
    struct asked *asked = context;
    asked->done = true;
    asked->code = result->code;
    (void)TEXT_COPY_STR_CUT(result->message, asked->message);
    if (result->code == OS_OK && !http_response_copy(result->response, asked->response))
        asked->code = OS_ERR_NO_MEMORY;
}

static os_code make_engine(struct fetcher *fetcher, os_error *err)
{
    struct http_engine *engine = NULL;
    if (fetcher->engine != NULL)
        return OS_OK;
    os_code code = http_engine_new(&fetcher->options, &engine, err);
    pthread_mutex_lock(&fetcher->mutex);
    fetcher->engine = engine;
    pthread_mutex_unlock(&fetcher->mutex);
    return code;
}

static os_code fetch_failed(const struct fetch *fetch, const struct asked *asked, os_error *err)
{
    if (asked->code == OS_ERR_NO_MEMORY)
        return error_no_memory(err);
    return error_set(err, asked->code, "%s could not be asked: %s.", fetch->service, asked->message);
}

static uint64_t deadline_of(const struct fetcher *fetcher, const struct fetch *fetch)
{
    uint64_t own_ms = clock_monotonic_ms() + fetch->timeout_ms;
    uint64_t all_ms = fetcher->deadline_monotonic_ms;
    return all_ms != 0 && all_ms < own_ms ? all_ms : own_ms;
}

os_code fetcher_ask(struct fetcher *fetcher, const struct fetch *fetch, struct http_response *ret, os_error *err)
{
    struct asked asked = {.response = ret};
    uint64_t id = 0;
    http_response_init(ret, FETCH_ANSWER_MAX);
    ret->body.secret = true;
    os_code code = make_engine(fetcher, err);
    if (code != OS_OK)
        return code;
    struct http_start start = {
        .request = fetch->request,
        .deadline_monotonic_ms = deadline_of(fetcher, fetch),
        .body_max = FETCH_ANSWER_MAX,
        .loopback = fetch->direct,
        .secret = true,
        .done = fetch_done,
        .done_context = &asked,
    };
    code = http_engine_start(fetcher->engine, &start, &id, err);
    while (code == OS_OK && !asked.done)
        if (fetcher_is_stopped(fetcher))
            http_engine_cancel(fetcher->engine, id);
        else
            http_engine_poll(fetcher->engine, fetch->timeout_ms);
    return code == OS_OK && asked.code != OS_OK ? fetch_failed(fetch, &asked, err) : code;
}

/* ------------------------------------------------------------------------------------------------ URLs */

/* "http://host:port" of a URL; the rest begins with '/' or '?', or is empty. */
static bool split_origin(struct text url, struct text *ret_origin, struct text *ret_rest)
{
    struct text rest = url;
    struct text scheme;
    if (!text_take_until(&rest, ':', &scheme) || !text_take_str(&rest, "//"))
        return false;
    size_t len = 0;
    while (len < rest.len && rest.p[len] != '/' && rest.p[len] != '?')
        len++;
    *ret_origin = text_of(url.p, (size_t)(rest.p - url.p) + len);
    *ret_rest = text_of(rest.p + len, rest.len - len);
    return true;
}

enum fetch_origin fetch_set_url(struct http_request *request, struct text url)
{
    struct text origin;
    struct text rest;
    char origin_str[FETCH_ORIGIN_SIZE];
    struct endpoint endpoint;
    if (url.len > FETCH_URL_MAX || !text_is_visible(url) || memchr(url.p, '#', url.len) != NULL ||
        !split_origin(url, &origin, &rest) || !text_copy(origin, origin_str, sizeof(origin_str)) ||
        endpoint_parse("credentials", origin_str, "none", &endpoint, NULL) != OS_OK)
        return FETCH_BAD_URL;
    struct text path = rest;
    bool has_query = text_take_until(&rest, '?', &path);
    bool ok = http_request_set_origin(request, endpoint.scheme, endpoint.host) &&
              (path.len > 0 ? buf_add(&request->path, path.p, path.len) : buf_add_char(&request->path, '/')) &&
              (!has_query || buf_add(&request->query, rest.p, rest.len));
    if (!ok)
        return FETCH_NO_MEMORY;
    if (endpoint.loopback)
        return FETCH_LOOPBACK;
    return strcmp(endpoint.scheme, "https") == 0 ? FETCH_TLS : FETCH_PLAIN;
}
