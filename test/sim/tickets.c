/* SPDX-License-Identifier: Apache-2.0 */
/* Tickets: a worker's own, which any process settles, and those that somebody has written who can read the table. */
#include "sim/frame.h"
#include "sim/network.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PURPOSE_VOUCH = 300, PURPOSE_LIE, FORGED_DEADLINE_MS = 4000 };

/* ------------------------------------------------------------------------------------------------ one's own */

/* Half of them patiently, as the owner of the ticket; at the end all. */
static os_verdict ask(struct worker *worker, struct frame *frame, const char *ticket, bool patient)
{
    os_resolve_options options = OS_RESOLVE_OPTIONS_INIT;
    options.abort_upload = 1;
    return patient ? os_settle(worker->client, ticket, &options, &frame->call, &frame->result, &frame->error)
                   : os_resolve(worker->client, ticket, &frame->call, &frame->result, &frame->error);
}

static void settle(struct worker *worker, struct truth *truth, bool last, uint64_t deadline_ms)
{
    const struct faults *faults = &worker->world->faults;
    bool patient = last || fault_number(faults, PURPOSE_VOUCH, worker->process->call, 0, 1) == 0;
    struct frame frame;
    frame_begin(worker, &frame, deadline_ms);
    frame.verdict = ask(worker, &frame, truth->ticket, patient);
    if (frame.result.final != (frame.verdict != OS_UNKNOWN) && frame.result.ask_again_ms > 0)
        world_fail(worker->world, "A ticket of %s is settled for good, and to be asked of again.", truth->key);
    if (frame.verdict == OS_COMMITTED)
        snprintf(truth->told, sizeof(truth->told), "%s", frame.result.etag);
    os_result_clear(&frame.result);
    frame_end(&frame, "os_resolve");
    world_trace(worker->world, "lane %u: the %s of lane %u is settled as %s (%s)", worker->process->lane, truth->key,
                truth->lane, os_verdict_name(frame.verdict), frame.error.message);
    if (frame.verdict == OS_UNKNOWN)
        return;
    /* Not executed at first, and a conflict when somebody else has written meanwhile: both say the same of the write.
     */
    if (truth->settled != OS_UNKNOWN && (truth->settled == OS_COMMITTED) != (frame.verdict == OS_COMMITTED)) {
        world_fail(worker->world, "A ticket of %s was settled as %s, and as %s.", truth->key,
                   os_verdict_name(truth->settled), os_verdict_name(frame.verdict));
    }
    if (truth->settled != OS_UNKNOWN)
        return;
    truth->settled = frame.verdict;
    truth->settled_us = frame_now_us(worker);
}

void action_resolve(struct worker *worker, bool all, uint64_t deadline_ms)
{
    for (size_t i = 0; i < worker->world->truth_count; i++) {
        struct truth *truth = &worker->world->truths[i];
        if (truth->ticket != NULL && truth->settled == OS_UNKNOWN) {
            settle(worker, truth, all, deadline_ms);
            if (!all)
                return;
        }
    }
}

/* ------------------------------------------------------------------------------------------------ written by others */

enum lie { LIE_NONE, LIE_REFUSED, LIE_DEAD, LIE_DEAD_BEFORE, LIE_DEAD_REFUSED, LIE_NATIVE, LIE_LATE_DATE, LIES };

static int set(json_t *ticket, const char *name, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return json_object_set_new(ticket, name, json_string(digits));
}

static void lie_about(json_t *ticket, const struct fake_dynamo_record *record, enum lie lie)
{
    const uint64_t long_ago_s = WORLD_EPOCH_S - 1000;
    bool dead = lie == LIE_DEAD || lie == LIE_DEAD_BEFORE || lie == LIE_DEAD_REFUSED || lie == LIE_NATIVE;
    if (dead) {
        set(ticket, "d0", long_ago_s);
        set(ticket, "fence", long_ago_s + 10);
        set(ticket, "margin", 0);
    }
    if (lie == LIE_DEAD_BEFORE)
        set(ticket, "generation", record->generation - 1);
    if (lie == LIE_REFUSED || lie == LIE_DEAD_REFUSED)
        json_object_set_new(ticket, "not_applied", json_true());
    if (lie == LIE_NATIVE)
        json_object_set_new(ticket, "native", json_true());
    if (lie == LIE_LATE_DATE && record->fence[0] != '\0')
        set(ticket, "d0", strtoull(record->fence, NULL, 10) - 1);
}

static json_t *place(void)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s, s:s}", "store", "s3", "endpoint", NETWORK_S3, "bucket",
                     NETWORK_BUCKET, "prefix", "", "ledger", "dynamodb", "ledger_endpoint", NETWORK_DYNAMO,
                     "ledger_region", NETWORK_REGION, "table", NETWORK_TABLE, "record_prefix", "");
}

/* What everybody knows, and what the record says. NULL: no memory. */
static char *forge(const struct fake_dynamo_record *record, enum lie lie)
{
    bool complete = record->upload[0] != '\0';
    json_t *ticket =
        json_pack("{s:i, s:o, s:s, s:s, s:s, s:i, s:s, s:s, s:b, s:b}", "oscommit_ticket", 2, "place", place(), "key",
                  record->path, "expected_etag", record->etag, "our_etag", "", "operation", complete ? 4 : 1, "nonce",
                  record->nonce, "saw", record->saw, "not_applied", 0, "versioned", 1);
    if (ticket == NULL)
        return NULL;
    set(ticket, "generation", record->generation);
    set(ticket, "timeout_ms", record->timeout_ms);
    set(ticket, "ttl", record->ttl_s);
    set(ticket, "margin", 2);
    set(ticket, "d0", record->fence[0] != '\0' ? strtoull(record->fence, NULL, 10) - 8 : WORLD_EPOCH_S);
    if (record->fence[0] != '\0')
        json_object_set_new(ticket, "fence", json_string(record->fence));
    if (complete)
        json_object_set_new(ticket, "upload", json_string(record->upload));
    lie_about(ticket, record, lie);
    char *text = json_dumps(ticket, JSON_COMPACT);
    json_decref(ticket);
    return text;
}

/* A record under which something may still be written, and whose writer nobody has heard of yet: its nonce is not the
 * object's. */
static bool is_promising(struct worker *worker, const struct fake_dynamo_record *record)
{
    struct frame frame;
    os_object object = OS_OBJECT_INIT;
    uint64_t now_s = world_s3_ms(worker->world, worker->process->call) / 1000;
    if (record->timeout_ms == 0 || (record->fence[0] != '\0' && strtoull(record->fence, NULL, 10) <= now_s))
        return false;
    char path[64];
    char nonce[64];
    snprintf(path, sizeof(path), "%s", record->path);
    snprintf(nonce, sizeof(nonce), "%s", record->nonce);
    frame_begin(worker, &frame, FORGED_DEADLINE_MS);
    os_code code = os_head(worker->client, path, &frame.call, &object, &frame.error);
    frame_end(&frame, "os_head");
    return code == OS_ERR_NOT_FOUND || (code == OS_OK && strcmp(object.nonce, nonce) != 0);
}

/* Copied, as the record may be gone while the object is looked at. NULL: no memory. */
static char *forge_one(struct worker *worker, enum lie lie, uint32_t *ret_key)
{
    const struct world *world = worker->world;
    for (size_t i = 0; i < fake_dynamo_record_count(world->dynamo); i++) {
        struct fake_dynamo_record record = fake_dynamo_record_at(world->dynamo, i);
        char *ticket = forge(&record, lie);
        *ret_key = (uint32_t)strtoul(record.path + strcspn(record.path, "0123456789"), NULL, 10);
        if (ticket != NULL && is_promising(worker, &record))
            return ticket;
        free(ticket);
    }
    return NULL;
}

bool action_forged(struct worker *worker, uint32_t *ret_key)
{
    struct world *world = worker->world;
    enum lie lie = (enum lie)fault_number(&world->faults, PURPOSE_LIE, worker->process->call, 0, LIES - 1);
    char *ticket = forge_one(worker, lie, ret_key);
    struct frame frame;
    if (ticket == NULL)
        return false;
    frame_begin(worker, &frame, FORGED_DEADLINE_MS);
    frame.verdict = os_resolve(worker->client, ticket, &frame.call, &frame.result, &frame.error);
    os_result_clear(&frame.result);
    frame_end(&frame, "os_resolve");
    world_trace(world, "lane %u: a forged ticket (%d) is settled as %s (%s)", worker->process->lane, (int)lie,
                os_verdict_name(frame.verdict), frame.error.message);
    free(ticket);
    return true;
}
