/* SPDX-License-Identifier: Apache-2.0 */
#include "world.h"

#include "link.h"
#include "model.h"
#include "oracle.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool consequences_only;

_Static_assert(sizeof(struct world) % 8 == 0, "packed by words");

enum { MONOTONIC_BASE_MS = 100000, BOOTTIME_BASE_MS = 200000, REALTIME_BASE_MS = 500 };

bool violation_counts(const char *name)
{
    bool in_the_world = strcmp(name, RULE_BROKEN) != 0 && strcmp(name, BLOCKED) != 0;
    return !(consequences_only && !in_the_world) && !(config->only && strcmp(name, config->only) != 0);
}

/* ------------------------------------------------------------------------------------------------ names */

static const char *const etags[ETAG_COUNT] = {
    [ETAG_NONE] = RECORD_ETAG_CREATE,
    [ETAG_A] = "\"a\"",
    [ETAG_B] = "\"b\"",
    [ETAG_C] = "\"c\"",
    [ETAG_D] = "\"dddddddddddddddddddddddddddddddd\"", /* of one request, by its form (N1) */
};

const char *etag_text(uint8_t etag)
{
    assert(etag < ETAG_COUNT);
    return etags[etag];
}

uint8_t etag_number(const char *text)
{
    for (uint8_t i = 0; i < ETAG_COUNT; i++)
        if (strcmp(text, etags[i]) == 0)
            return i;
    fprintf(stderr, "explore: nobody made the ETag %s\n", text);
    exit(2);
}

void own_nonce(const struct world *world, unsigned w, char ret[RECORD_NONCE_SIZE])
{
    nonce_text(w + 1, config->calls[w].operation == GUARD_COMPLETE ? 0 : world->writers[w].number, ret);
}

/* Formed as the real ones are: "f1...", the first's, "a1...", A's first guard's. */
void nonce_text(unsigned maker, unsigned guard, char ret[RECORD_NONCE_SIZE])
{
    memset(ret, '0', RECORD_NONCE_SIZE - 1);
    ret[RECORD_NONCE_SIZE - 1] = '\0';
    ret[0] = maker == MAKER_FIRST ? 'f' : (char)('a' + maker - 1);
    ret[1] = (char)('1' + guard);
}

uint8_t nonce_code(const char *nonce)
{
    if (nonce[0] == '\0')
        return 0;
    unsigned maker = nonce[0] == 'f' ? MAKER_FIRST : (unsigned)(nonce[0] - 'a') + 1;
    return (uint8_t)(1 + maker * GUARDS + (unsigned)(nonce[1] - '1'));
}

void nonce_of_code(uint8_t code, char ret[RECORD_NONCE_SIZE])
{
    memset(ret, 0, RECORD_NONCE_SIZE);
    if (code > 0)
        nonce_text((code - 1U) / GUARDS, (code - 1U) % GUARDS, ret);
}

uint8_t object_nonce_code(const struct object *object)
{
    char nonce[RECORD_NONCE_SIZE];
    if (!object->exists || !object->has_nonce)
        return 0;
    nonce_text(object->maker, object->guard, nonce);
    return nonce_code(nonce);
}

void object_version_of(const struct object *object, struct object_version *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (!object->exists)
        return;
    ret->exists = true;
    ret->last_modified_s = object->modified_s;
    strcpy(ret->etag, etag_text(object->etag));
    if (object->has_nonce)
        nonce_text(object->maker, object->guard, ret->nonce);
    nonce_of_code(object->replaced, ret->replaced);
    if (object->version > 0)
        ret->version_id[0] = (char)('0' + object->version);
}

/* Without versions, and of those from before they were kept, there is one at a time: "null". */
static void forget_null_version(struct world *world)
{
    uint8_t kept = 0;
    for (uint8_t i = 0; i < world->history_count; i++)
        if (world->history[i].version > 0)
            world->history[kept++] = world->history[i];
    memset(&world->history[kept], 0, sizeof(world->history[0]) * (size_t)(world->history_count - kept));
    world->history_count = kept;
}

void world_keep_version(struct world *world)
{
    if (world->keeps_versions)
        world->object.version = ++world->versions;
    else
        forget_null_version(world);
    bool kept = world->keeps_versions || (config->versioned_late && world->object.exists);
    if (!kept)
        return;
    if (world->history_count == VERSIONS) {
        fprintf(stderr, "explore: more than %d versions\n", (int)VERSIONS);
        exit(2);
    }
    world->history[world->history_count++] = world->object;
}

/* ------------------------------------------------------------------------------------------------ time */

uint32_t world_date(const struct world *world)
{
    return (uint32_t)(world->s3_ms / 1000);
}

struct clock_reading world_clocks(const struct world *world, unsigned w)
{
    const struct writer *writer = &world->writers[w];
    int64_t now = (int64_t)world->s3_ms;
    return (struct clock_reading){
        .monotonic_ms = (uint64_t)(now + MONOTONIC_BASE_MS - writer->monotonic_lag_ms),
        .boottime_ms = (uint64_t)(now + BOOTTIME_BASE_MS - writer->boottime_lag_ms),
        .realtime_ms = (uint64_t)(now + REALTIME_BASE_MS - writer->realtime_lag_ms),
    };
}

/* ------------------------------------------------------------------------------------------------ beginnings */

bool call_is_native(unsigned w)
{
    return config->native && !config->calls[w].by_record;
}

bool call_has_condition(unsigned w)
{
    return config->headers && !config->calls[w].bare;
}

bool call_is_promised(unsigned w)
{
    return config->forward_only && !config->calls[w].unpromised && config->calls[w].operation != GUARD_DELETE;
}

void settings_of(unsigned w, struct guard_settings *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->length_s = config->length_s ? config->length_s : 1;
    ret->work_s = config->by_operation ? 0 : config->allowance_s ? config->allowance_s : 1;
    ret->source_unpinned = config->source_unpinned;
    ret->minimum_rate = 1;
    ret->stalled_body_s = config->stalled_s == STALLED_FOR_EVER ? GUARD_STALLED_BODY_FOR_EVER : config->stalled_s;
    ret->late_segment_s = config->late_segment_s;
    ret->margin_s = config->margin_s ? config->margin_s : 1;
    ret->timeout_ms = 1000; /* T6 raises it */
    ret->commit_ms = 1;
    ret->max_clock_skew_rate = 2;
    ret->ttl_s = GUARD_EVIDENCE_S;
    ret->recheck_after_ms = config->recheck_ms ? config->recheck_ms : 500;
    ret->answer_409 = config->answer_409;
    ret->fences = !config->no_fences;
    ret->release_always = config->release_always;
    ret->etag_known = config->etag_known;
    ret->native = call_is_native(w);
    ret->native_writers = config->native && !ret->native;
    ret->modified_tells = config->native;
    ret->versioned = config->versions_known;
    ret->forward_only = call_is_promised(w);
}

void world_init(struct world *world)
{
    memset(world, 0, sizeof(*world));
    world->s3_ms = START_S * 1000;
    memcpy(world->budget, config->budget, sizeof(world->budget));
    world->keeps_versions = config->versioned;
    for (unsigned w = 0; w < WRITERS; w++)
        if (config->calls[w].kind == CALL_NONE)
            world->writers[w].state = WRITER_DONE;
    if (config->base != ETAG_NONE) {
        world->object.exists = 1;
        world->object.etag = config->base;
        world->object.modified_s = config->base_fresh ? START_S : START_S - (config->base_old ? LONG_AGO_S : 100);
        world->object.has_nonce = config->base_nonce;
        world_keep_version(world);
    }
}

bool world_holds(uint8_t expected, const struct object *object)
{
    return expected == ETAG_NONE ? !object->exists : object->exists && object->etag == expected;
}

struct flight *world_new_flight(struct world *world, enum flight_kind kind, unsigned w)
{
    for (unsigned i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &world->flights[i];
        if (flight->kind != FLIGHT_NONE)
            continue;
        flight->kind = (uint8_t)kind;
        flight->writer = (uint8_t)w;
        flight->guard = world->writers[w].number;
        return flight;
    }
    fprintf(stderr, "explore: more than %d requests are under way at once\n", (int)FLIGHTS);
    exit(2);
}

/* ------------------------------------------------------------------------------------------------ canonical form */

bool flight_writes(const struct flight *flight)
{
    return flight->kind == FLIGHT_PUT || flight->kind == FLIGHT_SEND || flight->kind == FLIGHT_ABORT;
}

bool complete_is_admitted(const struct world *world, const struct flight *send)
{
    const struct upload *upload = &world->uploads[send->writer];
    uint32_t allowance_s = config->allowance_s ? config->allowance_s : 1;
    return upload->state == UPLOAD_IS_ABORTED && send->sent_s <= upload->aborted_s &&
           world_date(world) <= upload->aborted_s + allowance_s;
}

/* A copy of an attempt that nobody waits for and that the store would no longer take is as good as none. */
static bool attempt_is_over(const struct world *world, const struct flight *flight)
{
    if (flight->awaited)
        return false;
    const struct upload *upload = &world->uploads[flight->writer];
    if (config->calls[flight->writer].operation == GUARD_COMPLETE && upload->state != UPLOAD_IS_OPEN &&
        !complete_is_admitted(world, flight))
        return true;
    if (config->never_expires)
        return false;
    return link_is_over(world, flight);
}

/* Without deletions by TTL a row stays, and its generation only grows: a late PutItem on an absent row, or on a
 * generation that is over, is never applied. */
static bool put_is_over(const struct world *world, const struct flight *flight)
{
    const struct row *row = &world->rows[flight->row];
    if (flight->awaited || world->budget[BUDGET_TTL] > 0 || !row->present)
        return false;
    return flight->condition.kind == RECORD_IF_ABSENT || flight->condition.seen.generation < row->record.generation;
}

static int flight_order(const void *a, const void *b)
{
    const struct flight *x = a;
    const struct flight *y = b;
    if ((x->kind == FLIGHT_NONE) != (y->kind == FLIGHT_NONE))
        return x->kind == FLIGHT_NONE ? 1 : -1;
    return memcmp(x, y, sizeof(*x));
}

static void sort_flights(struct world *world)
{
    for (unsigned i = 1; i < FLIGHTS; i++) {
        for (unsigned k = i; k > 0 && world->flights[k].kind != FLIGHT_NONE; k--) {
            if (flight_order(&world->flights[k - 1], &world->flights[k]) <= 0)
                break;
            struct flight swap = world->flights[k];
            world->flights[k] = world->flights[k - 1];
            world->flights[k - 1] = swap;
        }
    }
}

/*
 * Why this is sound:
 * - the jitter's state and step decide nothing but timer_ms, and a timer may fire at any time here;
 * - a finished guard is never stepped again, and the next one inherits nothing from it; what was said of it is in
 *   `verdict` and `applied`;
 * - requests that cannot be applied any more and that nobody waits for change nothing;
 * - requests are a set: their order in the array means nothing.
 */
void world_canonical(struct world *world)
{
    for (unsigned w = 0; w < WRITERS; w++) {
        struct writer *writer = &world->writers[w];
        writer->guard.backoff.random = 0;
        writer->guard.backoff.step_ms = 0;
        if (writer->state == WRITER_RUNNING)
            continue;
        if (config->calls[w].kind == CALL_GUARD || config->calls[w].kind == CALL_FORGER) {
            memset(&writer->guard, 0, sizeof(writer->guard));
            memset(&writer->book, 0, sizeof(writer->book));
            writer->timer = 0;
        } else if (writer->state == WRITER_DONE) {
            memset(&writer->peer_seen, 0, sizeof(writer->peer_seen));
            writer->peer_clock_ms = 0;
        }
    }
    for (unsigned i = 0; i < FLIGHTS; i++) {
        struct flight *flight = &world->flights[i];
        bool over =
            (flight->kind == FLIGHT_SEND && attempt_is_over(world, flight)) ||
            (flight->kind == FLIGHT_PUT && put_is_over(world, flight)) ||
            (flight->kind == FLIGHT_ABORT && !flight->awaited && world->uploads[flight->row].state != UPLOAD_IS_OPEN);
        if (over)
            memset(flight, 0, sizeof(*flight));
    }
    sort_flights(world);
}
