/* SPDX-License-Identifier: Apache-2.0 */
/* The probe's own objects: made under new names, read, and removed at the end whatever happened in between. */
#include "base/error.h"
#include "probe/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { AT_ONCE = 32, CLEAN_TRIES = 4 };

/* Before the request is made: what is not remembered would stay. */
static struct probe_trace *new_trace(struct probe *probe)
{
    if (probe->trace_count == probe->trace_cap) {
        size_t cap = probe->trace_cap ? 2 * probe->trace_cap : 256;
        struct probe_trace *grown = realloc(probe->traces, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        probe->traces = grown;
        probe->trace_cap = cap;
    }
    struct probe_trace *trace = &probe->traces[probe->trace_count];
    memset(trace, 0, sizeof(*trace));
    return trace;
}

static void remember(struct probe *probe, const char *key, const char *upload_id)
{
    struct probe_trace *trace = new_trace(probe);
    if (trace == NULL || (trace->key = strdup(key)) == NULL ||
        (upload_id && (trace->upload_id = strdup(upload_id)) == NULL)) {
        if (trace)
            free(trace->key);
        probe_fail(probe, OS_ERR_NO_MEMORY, "There is not enough memory to go on; free some and call again.");
        return;
    }
    probe->trace_count++;
}

void probe_new_key(struct probe *probe, char *ret)
{
    size_t len = strlen(probe->prefix);
    memcpy(ret, probe->prefix, len);
    snprintf(ret + len, PROBE_KEY_SIZE - len, "%06u", probe->serial++);
    remember(probe, ret, NULL);
}

void probe_note_upload(struct probe *probe, const char *key, const char *upload_id)
{
    remember(probe, key, upload_id);
}

void probe_upload_done(struct probe *probe, const char *upload_id)
{
    for (size_t i = probe->trace_count; i-- > 0;) {
        struct probe_trace *trace = &probe->traces[i];
        if (trace->upload_id && strcmp(trace->upload_id, upload_id) == 0)
            trace->gone = true;
    }
}

void probe_new_body(struct probe *probe, char *ret)
{
    snprintf(ret, PROBE_TEXT_SIZE, "oscommit probe %.16s %u.", probe->prefix + strlen(probe->prefix) - 17,
             probe->serial++);
}

bool probe_put(struct probe *probe, struct probe_object *objects, size_t count)
{
    struct probe_ask *asks = calloc(count, sizeof(*asks));
    size_t left = count;
    if (asks == NULL)
        probe_fail(probe, OS_ERR_NO_MEMORY, "There is not enough memory to go on; free some and call again.");
    for (size_t i = 0; i < count; i++)
        objects[i].etag[0] = '\0';
    for (int tries = 0; left > 0 && tries < EVIDENCE_WANTED && probe->code == OS_OK; tries++) {
        size_t sent = 0;
        for (size_t i = 0; i < count; i++) {
            struct probe_object *object = &objects[i];
            struct http_body body = {.kind = HTTP_BODY_MEMORY, .data = object->body, .length = strlen(object->body)};
            if (object->etag[0] == '\0')
                asks[sent++] = (struct probe_ask){.request = {.verb = STORE_PUT, .key = object->key, .body = body}};
        }
        if (!probe_run(probe, asks, sent))
            break;
        for (size_t i = 0, next = 0; i < count; i++) {
            if (objects[i].etag[0] != '\0')
                continue;
            const struct probe_answer *answer = &asks[next++].answer;
            if (probe_succeeded(answer) && answer->object.etag[0]) {
                memcpy(objects[i].etag, answer->object.etag, sizeof(objects[i].etag));
                left--;
            }
        }
    }
    free(asks);
    return probe->code == OS_OK && left == 0;
}

bool probe_new_objects(struct probe *probe, struct probe_object *objects, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        probe_new_key(probe, objects[i].key);
        probe_new_body(probe, objects[i].body);
    }
    return probe_put(probe, objects, count);
}

/* ------------------------------------------------------------------------------------------------ reading */

struct sunk {
    char *text;
    size_t len;
};

static int sink(void *context, const void *data, size_t length)
{
    struct sunk *sunk = context;
    size_t room = PROBE_TEXT_SIZE - 1 - sunk->len;
    size_t take = length < room ? length : room;
    memcpy(sunk->text + sunk->len, data, take);
    sunk->len += take;
    sunk->text[sunk->len] = '\0';
    return 0;
}

static bool read_once(struct probe *probe, struct probe_read *reads, struct probe_ask *asks, struct sunk *sunk,
                      size_t count)
{
    size_t sent = 0;
    for (size_t i = 0; i < count; i++) {
        if (reads[i].known)
            continue;
        reads[i].text[0] = '\0';
        sunk[sent] = (struct sunk){.text = reads[i].text};
        asks[sent] = (struct probe_ask){
            .request = {.verb = STORE_GET, .key = reads[i].key, .sink = sink, .sink_context = &sunk[sent]}};
        sent++;
    }
    if (sent > 0 && !probe_run(probe, asks, sent))
        return false;
    for (size_t i = 0, next = 0; i < count; i++) {
        if (reads[i].known)
            continue;
        const struct probe_answer *answer = &asks[next++].answer;
        reads[i].there = probe_succeeded(answer);
        reads[i].known = reads[i].there || (answer->complete && answer->status == 404);
    }
    return true;
}

bool probe_read(struct probe *probe, struct probe_read *reads, size_t count)
{
    struct probe_ask *asks = calloc(count, sizeof(*asks));
    struct sunk *sunk = calloc(count, sizeof(*sunk));
    if (asks == NULL || sunk == NULL)
        probe_fail(probe, OS_ERR_NO_MEMORY, "There is not enough memory to go on; free some and call again.");
    for (size_t i = 0; i < count; i++)
        reads[i].known = false;
    for (int tries = 0; tries < EVIDENCE_WANTED && probe->code == OS_OK; tries++)
        if (!read_once(probe, reads, asks, sunk, count))
            break;
    free(asks);
    free(sunk);
    return probe->code == OS_OK;
}

/* ------------------------------------------------------------------------------------------------ cleaning */

static struct store_request removal_of(const struct probe_trace *trace)
{
    struct store_request request = {.verb = STORE_DELETE, .key = trace->key};
    if (trace->upload_id) {
        request.verb = STORE_ABORT_UPLOAD;
        request.upload.id = trace->upload_id;
    }
    return request;
}

/* At most AT_ONCE of those that are left; 0: none is. */
static size_t clean_some(struct probe *probe, size_t *at, bool uploads)
{
    struct probe_ask asks[AT_ONCE];
    struct probe_trace *traces[AT_ONCE];
    size_t count = 0;
    for (; *at < probe->trace_count && count < AT_ONCE; *at += 1) {
        struct probe_trace *trace = &probe->traces[*at];
        if (trace->gone || (trace->upload_id != NULL) != uploads)
            continue;
        asks[count] = (struct probe_ask){.request = removal_of(trace)};
        traces[count++] = trace;
    }
    if (count == 0 || !probe_run(probe, asks, count))
        return 0;
    for (size_t i = 0; i < count; i++) {
        const struct probe_answer *answer = &asks[i].answer;
        traces[i]->gone = probe_succeeded(answer) || (answer->complete && answer->status == 404);
    }
    return count;
}

static size_t count_left(const struct probe *probe)
{
    size_t left = 0;
    for (size_t i = 0; probe->may_have_written && i < probe->trace_count; i++)
        left += probe->traces[i].gone ? 0 : 1;
    return left;
}

/* Uploads first: one that is completed meanwhile leaves an object, which is removed after it. */
void probe_clean(struct probe *probe)
{
    for (int tries = 0; tries < CLEAN_TRIES && probe->code == OS_OK && count_left(probe) > 0; tries++) {
        for (int uploads = 1; uploads >= 0; uploads--) {
            size_t at = 0;
            while (clean_some(probe, &at, uploads == 1) > 0)
                ;
        }
    }
    size_t left = count_left(probe);
    if (left > 0)
        log_line(&probe->client->log, OS_LOG_WARN,
                 "The probe could not remove %zu of its objects or uploads below %s: remove them.", left,
                 probe->prefix);
    for (size_t i = 0; i < probe->trace_count; i++) {
        free(probe->traces[i].key);
        free(probe->traces[i].upload_id);
    }
    free(probe->traces);
}
