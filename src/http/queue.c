/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests that wait for a connection: for each host in the order in which they came, without anything of libcurl's,
 * which takes 100 KB for each request that it has. Requests that must be quick, of guards, always find a connection
 * beside those that take as long as their bytes do.
 */
#include "http/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static bool is_origin(const struct http_host *host, const struct http_request *request)
{
    size_t scheme = strlen(request->scheme);
    return strncmp(host->origin, request->scheme, scheme) == 0 && strncmp(host->origin + scheme, "://", 3) == 0 &&
           strcmp(host->origin + scheme + 3, request->host) == 0;
}

/* A client has a few: that of its store, that of its records, those that lend credentials. */
static struct http_host *host_of(struct http_engine *engine, const struct http_request *request)
{
    struct http_host *host = engine->hosts;
    while (host != NULL && !is_origin(host, request))
        host = host->next;
    if (host != NULL)
        return host;
    host = calloc(1, sizeof(*host));
    size_t size = strlen(request->scheme) + sizeof("://") + strlen(request->host);
    if (host == NULL || (host->origin = malloc(size)) == NULL) {
        free(host);
        return NULL;
    }
    (void)snprintf(host->origin, size, "%s://%s", request->scheme, request->host);
    host->next = engine->hosts;
    engine->hosts = host;
    return host;
}

static struct http_waiting *waiting_of(const struct http_transfer *transfer)
{
    return transfer->start.bulk ? &transfer->host->bulk : &transfer->host->quick;
}

bool queue_join(struct http_transfer *transfer)
{
    transfer->host = host_of(transfer->engine, transfer->start.request);
    if (transfer->host == NULL)
        return false;
    struct http_waiting *waiting = waiting_of(transfer);
    transfer->before = waiting->last;
    transfer->behind = NULL;
    if (waiting->last != NULL)
        waiting->last->behind = transfer;
    else
        waiting->first = transfer;
    waiting->last = transfer;
    waiting->count++;
    return true;
}

void queue_leave(struct http_transfer *transfer)
{
    struct http_waiting *waiting = waiting_of(transfer);
    if (transfer->before != NULL)
        transfer->before->behind = transfer->behind;
    else
        waiting->first = transfer->behind;
    if (transfer->behind != NULL)
        transfer->behind->before = transfer->before;
    else
        waiting->last = transfer->before;
    transfer->before = NULL;
    transfer->behind = NULL;
    waiting->count--;
}

static struct http_transfer *next_of(const struct http_engine *engine, const struct http_host *host)
{
    struct http_transfer *quick = host->quick.first;
    struct http_transfer *bulk = host->bulk_running < engine->bulk_max ? host->bulk.first : NULL;
    if (host->running >= engine->max_connections)
        return NULL;
    if (quick == NULL || bulk == NULL)
        return quick != NULL ? quick : bulk;
    return quick->id < bulk->id ? quick : bulk;
}

struct http_transfer *queue_next(struct http_engine *engine)
{
    for (struct http_host *host = engine->hosts; host != NULL; host = host->next) {
        struct http_transfer *transfer = next_of(engine, host);
        if (transfer == NULL)
            continue;
        queue_leave(transfer);
        transfer->begun = true;
        host->running++;
        host->bulk_running += transfer->start.bulk;
        return transfer;
    }
    return NULL;
}

bool queue_may_begin(const struct http_engine *engine)
{
    for (const struct http_host *host = engine->hosts; host != NULL; host = host->next)
        if (next_of(engine, host) != NULL)
            return true;
    return false;
}

void queue_ended(struct http_transfer *transfer)
{
    transfer->host->running--;
    transfer->host->bulk_running -= transfer->start.bulk;
}

void queue_free(struct http_engine *engine)
{
    while (engine->hosts != NULL) {
        struct http_host *host = engine->hosts;
        engine->hosts = host->next;
        free(host->origin);
        free(host);
    }
}

bool http_engine_has_room(const struct http_engine *engine)
{
    for (const struct http_host *host = engine->hosts; host != NULL; host = host->next)
        if (host->running + host->quick.count >= engine->max_connections)
            return false;
    return true;
}
