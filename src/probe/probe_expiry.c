/* SPDX-License-Identifier: Apache-2.0 */
/* Does a signature that is over keep a write out (E7), and when is that looked at: with the headers, or at the end of
 * the body as well? */
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

enum {
    EXPIRY_LIVE_S = 60,
    EXPIRY_LENGTH_S = 3,
    EXPIRY_STALLED_S = GUARD_STALLED_BODY_S + 1,
    EXPIRY_OVER_S =
        4 /* between the end of a signature and what comes after it: more than clocks of front ends differ */
};

/* S3 time now: the Date of a request that is made for it. False: the store has none. */
static bool ask_time(struct probe *probe, uint64_t *ret_s)
{
    struct probe_ask ask = {.request = {.verb = STORE_HEAD_BUCKET}};
    os_error err;
    return probe_run(probe, &ask, 1) && client_store_time(probe->client, ret_s, &err) == OS_OK;
}

enum lateness { LIVE, EXPIRED, HELD, HELD_IN_THE_MIDST, STALLED };

/* Some stores read a small body whole before they look at anything, and stream a larger one: what is held back is a
 * whole small body, or all of a large one but its beginning. */
enum { EXPIRY_LARGE_BODY = 2 << 20, EXPIRY_BEGINNING = 64 << 10 };

static void probe_expiry_lengthen(struct probe_write *write, char *large)
{
    size_t len = strlen(write->body);
    memset(large, ' ', EXPIRY_LARGE_BODY);
    memcpy(large, write->body, len);
    write->ask.request.body.data = large;
    write->ask.request.body.length = EXPIRY_LARGE_BODY;
    write->ask.request.body.held_from = EXPIRY_BEGINNING;
}

static uint64_t hold_s(enum lateness lateness)
{
    return lateness == STALLED ? EXPIRY_STALLED_S : EXPIRY_LENGTH_S + EXPIRY_OVER_S;
}

static void probe_expiry_sign(struct probe_write *writes, enum lateness lateness, uint64_t date_s)
{
    struct clock_reading now;
    clock_read(&now);
    for (size_t i = 0; i < EVIDENCE_WANTED; i++) {
        struct probe_ask *ask = &writes[i].ask;
        ask->presigned = true;
        ask->sign_s = lateness == EXPIRED ? date_s - EXPIRY_LENGTH_S - EXPIRY_OVER_S : date_s;
        ask->length_s = lateness == LIVE ? EXPIRY_LIVE_S : EXPIRY_LENGTH_S;
        if (lateness >= HELD)
            ask->request.body.held_until_monotonic_ms = now.monotonic_ms + 1000 * hold_s(lateness);
    }
}

/* EVIDENCE_WANTED writes of that kind; false: the probe has ended. */
static bool ask_some(struct probe *probe, enum profile_request kind, enum lateness lateness, char *large,
                     struct evidence_tally *tally)
{
    struct probe_write writes[EVIDENCE_WANTED];
    struct probe_object before[EVIDENCE_WANTED];
    bool has_before = kind == PROFILE_DELETE;
    uint64_t date_s;
    memset(writes, 0, sizeof(writes));
    if (has_before && !probe_new_objects(probe, before, EVIDENCE_WANTED))
        return false;
    for (size_t i = 0; i < EVIDENCE_WANTED; i++)
        if (has_before)
            memcpy(writes[i].key, before[i].key, sizeof(writes[i].key));
        else
            probe_new_key(probe, writes[i].key);
    if (!probe_writes_prepare(probe, writes, EVIDENCE_WANTED, kind) || !ask_time(probe, &date_s))
        return false;
    for (size_t i = 0; large && i < EVIDENCE_WANTED; i++)
        probe_expiry_lengthen(&writes[i], large + i * EXPIRY_LARGE_BODY);
    probe_expiry_sign(writes, lateness, date_s);
    return probe_writes_judge(probe, writes, EVIDENCE_WANTED, has_before ? before : NULL, tally);
}

static void probe_expiry_ask_case(struct probe *probe, enum profile_request kind, enum lateness lateness, char *large,
                                  struct evidence_tally *tally)
{
    struct evidence_tally all = {0};
    while (probe->code == OS_OK && !evidence_settled(&all))
        if (!ask_some(probe, kind, lateness, large, &all))
            return;
    *tally = all;
}

/* Every kind must say the same: a fence that a COPY climbs over is none. */
static enum profile_expiry ask_kind(struct probe *probe, enum profile_request kind)
{
    struct evidence_tally live = {0}, expired = {0};
    probe_expiry_ask_case(probe, kind, LIVE, NULL, &live);
    probe_expiry_ask_case(probe, kind, EXPIRED, NULL, &expired);
    return evidence_expiry(&live, &expired);
}

static bool is_refused_late(struct probe *probe)
{
    struct evidence_tally small = {0}, large = {0};
    char *bodies = malloc((size_t)EVIDENCE_WANTED * EXPIRY_LARGE_BODY);
    if (bodies == NULL)
        return false;
    probe_expiry_ask_case(probe, PROFILE_PUT, HELD_IN_THE_MIDST, bodies, &large);
    free(bodies);
    if (evidence_of(&large) != EVIDENCE_HELD)
        return false;
    probe_expiry_ask_case(probe, PROFILE_PUT, HELD, NULL, &small);
    return evidence_of(&small) == EVIDENCE_HELD;
}

void probe_ask_stalled(struct probe *probe)
{
    struct evidence_tally stalled = {0};
    char *bodies = malloc((size_t)EVIDENCE_WANTED * EXPIRY_LARGE_BODY);
    if (bodies && ask_some(probe, PROFILE_PUT, STALLED, bodies, &stalled))
        probe->profile->stalled_body = evidence_stalled(&stalled);
    if (probe->profile->stalled_body == PROFILE_STALLED_CLOSED)
        probe->profile->stalled_body_s = GUARD_STALLED_BODY_S;
    free(bodies);
}

void probe_ask_expiry(struct probe *probe)
{
    static const enum profile_request others[] = {PROFILE_COPY, PROFILE_DELETE, PROFILE_COMPLETE};
    enum profile_expiry expiry = ask_kind(probe, PROFILE_PUT);
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        if (others[i] == PROFILE_COMPLETE && probe->profile->uploads != PROFILE_YES)
            continue;
        expiry = evidence_expiry_of_both(expiry, ask_kind(probe, others[i]));
    }
    if (expiry == PROFILE_EXPIRY_START && !probe->options.no_held_body && is_refused_late(probe))
        expiry = PROFILE_EXPIRY_END;
    probe->profile->expiry = expiry;
}
