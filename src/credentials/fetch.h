/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One HTTP request at a time, waited for, on a thread that may block: what the sources of keys ask their services with.
 * An engine of its own, so that it has the bounds, the TLS and the sentences of every other request.
 */
#ifndef OSCOMMIT_CREDENTIALS_FETCH_H
#define OSCOMMIT_CREDENTIALS_FETCH_H

#include "base/http_message.h"
#include "http/engine.h"
#include "oscommit.h"

#include <pthread.h>
#include <stdbool.h>

/* Zeroed before fetcher_init. One thread at a time fetches. */
struct fetcher {
    struct http_engine_options options; /* borrowed */
    struct http_engine *engine;         /* made with the first request */
    uint64_t deadline_monotonic_ms;     /* of all that is fetched; 0: none */
    pthread_mutex_t mutex;
    bool stopped;
    int stop_fd; /* readable once it was stopped */
};

os_code fetcher_init(struct fetcher *fetcher, const struct http_engine_options *options, os_error *err);
void fetcher_close(struct fetcher *fetcher);
/* Ends the request under way, and refuses others. Any thread. */
void fetcher_stop(struct fetcher *fetcher);
bool fetcher_is_stopped(struct fetcher *fetcher);
/* Waits, where nothing but a stop ends it. False: it was stopped. */
bool fetcher_pause(struct fetcher *fetcher, uint64_t delay_ms);

struct fetch {
    struct http_request *request;
    uint64_t timeout_ms;
    bool direct;         /* through no proxy: it is a machine's own service */
    const char *service; /* who is asked, for sentences: "STS at https://sts..." */
};
/* OS_OK: an answer came, whatever it says; `ret` is made here, and freed by the caller in any case, which
 * wipes its body. Else what the
 * transport says, in a sentence that names the service. */
os_code fetcher_ask(struct fetcher *fetcher, const struct fetch *fetch, struct http_response *ret, os_error *err);

/* Sets scheme, host, path and query of a request from "http[s]://host[:port][/path][?query]". False for anything else,
 * also with blanks or control characters, or a user. */
enum fetch_origin { FETCH_BAD_URL, FETCH_LOOPBACK, FETCH_PLAIN, FETCH_TLS, FETCH_NO_MEMORY };
enum fetch_origin fetch_set_url(struct http_request *request, struct text url);

#endif
