/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/actions.h"

#include "sim/books.h"
#include "sim/effect.h"
#include "sim/frame.h"
#include "sim/leasing.h"
#include "sim/network.h"
#include "sim/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FINAL_DEADLINE_MS = 900000, LOOK_DEADLINE_MS = 20000, PATIENT_MS = 200000, PART_SIZE = 5 << 20 };

void worker_free(struct worker *worker)
{
    content_free(&worker->content);
    free(worker);
}

/* ------------------------------------------------------------------------------------------------ open, close */

static int give_keys(void *context, os_credentials *ret)
{
    const struct world *world = context;
    ret->access_key_id = world->access_key;
    ret->secret_access_key = world->secret_key;
    ret->session_token = world->session_token;
    return 0;
}

/* Of "...: guard ended by R13.D, a new one starts": no result tells of those. */
static void count_restart(struct world *world, const char *line)
{
    static const char before[] = "guard ended by ";
    const char *rule = strstr(line, before);
    if (rule == NULL)
        return;
    rule += strlen(before);
    size_t length = strcspn(rule, ",");
    for (size_t i = 0; i < WORLD_RULES_MAX && length < sizeof(world->restarts[0].rule); i++) {
        struct restarts *restarts = &world->restarts[i];
        if (restarts->count == 0)
            memcpy(restarts->rule, rule, length);
        if (strlen(restarts->rule) == length && strncmp(restarts->rule, rule, length) == 0) {
            restarts->count++;
            return;
        }
    }
}

/* Of "...: the upload upload+7/&= could not be aborted, ..." or "... was not aborted, because only the ticket says whose
 * it is ...". */
static void note_given_up(struct world *world, const char *line)
{
    static const char before[] = "the upload upload+";
    const char *number = strstr(line, before);
    size_t upload = number != NULL ? (size_t)strtoull(number + strlen(before), NULL, 10) : 0;
    bool stays = strstr(line, "could not be aborted") != NULL || strstr(line, "was not aborted") != NULL;
    if (upload > 0 && upload <= world->upload_count && stays)
        world->uploads[upload - 1].given_up = true;
}

static void log_line(void *context, os_log_level level, const char *line)
{
    const struct worker *worker = context;
    (void)level;
    struct memory_owner *library = memory_switch(NULL);
    count_restart(worker->world, line);
    note_given_up(worker->world, line);
    world_trace(worker->world, "    lane %u: %s", worker->process->lane, line);
    memory_switch(library);
}

/* `profile`: room for a path. */
static void give_settings(const struct world *world, char *profile, size_t size, os_options *options)
{
    const struct fleet *fleet = &world->fleet;
    options->timeout_ms = fleet->timeout_ms;
    options->max_clock_skew_rate = fleet->skew_rate;
    options->ttl_s = fleet->ttl_s;
    options->length_s = fleet->length_s;
    options->allowance_s = fleet->allowance_s;
    options->margin_s = fleet->margin_s;
    options->release = fleet->release;
    options->fences = fleet->fences;
    options->condition_headers = fleet->condition_headers;
    options->guard = fleet->guard;
    options->stage_above = fleet->stage_above;
    options->parts_at_once = fleet->parts_at_once;
    options->stalled_body_s = fleet->stalled_body_s;
    options->minimum_rate = 1024;
    if (plan_is_staged(world))
        options->part_size = PART_SIZE;
    if (fleet->profiled) {
        snprintf(profile, size, "/proc/self/fd/%d", world->profile_fd);
        options->store_profile = profile;
    }
}

/* What every client of the process is given. */
static os_options options_of(struct worker *worker)
{
    os_options options = OS_OPTIONS_INIT;
    options.dynamodb_endpoint = "http://" NETWORK_DYNAMO;
    options.dynamodb_region = NETWORK_REGION;
    options.credentials = give_keys;
    options.credentials_context = worker->world;
    options.no_environment = 1;
    options.log = log_line;
    options.log_context = worker;
    options.log_level = worker->world->trace ? OS_LOG_DEBUG : OS_LOG_INFO;
    return options;
}

static bool open_with(struct worker *worker, const os_options *options, os_client **ret)
{
    os_error error;
    frame_enter(worker);
    os_code code = os_client_open(options, ret, &error);
    frame_leave();
    if (code != OS_OK && code != OS_ERR_NO_MEMORY)
        world_fail(worker->world, "A client could not be opened: %s", error.message);
    return code == OS_OK;
}

bool action_open(struct worker *worker)
{
    char profile[32];
    char prefix[16];
    os_options options = options_of(worker);
    options.store_url = "s3://" NETWORK_BUCKET;
    options.ledger_url = "dynamodb://" NETWORK_TABLE;
    options.s3_endpoint = "http://" NETWORK_S3;
    options.s3_region = NETWORK_REGION;
    options.s3_addressing = OS_ADDRESSING_PATH;
    give_settings(worker->world, profile, sizeof(profile), &options);
    if (plan_promised_prefix(worker->world, worker->process->lane, prefix))
        options.forward_only_prefix = prefix;
    return open_with(worker, &options, &worker->client);
}

bool action_open_leases(struct worker *worker)
{
    os_options options = options_of(worker);
    options.ledger_url = "dynamodb://" NETWORK_LEASES;
    return open_with(worker, &options, &worker->lease_client);
}

/* AWS's own endpoint is taken for one that remembers ClientRequestTokens, and no other. */
bool action_open_rows(struct worker *worker)
{
    os_options options = options_of(worker);
    options.ledger_url = "dynamodb://" NETWORK_TABLE;
    if (worker->world->books->believed)
        options.dynamodb_endpoint = NULL;
    if (worker->world->books->is_patient)
        options.request_timeout_ms = PATIENT_MS;
    return open_with(worker, &options, &worker->client);
}

static void close_one(struct worker *worker, os_client **client)
{
    frame_enter(worker);
    os_client_close(*client);
    frame_leave();
    *client = NULL;
}

void action_close(struct worker *worker)
{
    close_one(worker, &worker->client);
}

void action_close_leases(struct worker *worker)
{
    close_one(worker, &worker->lease_client);
}

/* ------------------------------------------------------------------------------------------------ reads */

/* What stands there, in the caller's eyes. False: that could not be found out. */
static bool look(struct worker *worker, uint32_t key, uint64_t deadline_ms)
{
    struct frame frame;
    char name[16];
    os_object object = OS_OBJECT_INIT;
    world_key_name(key, name);
    struct truth *truth = world_truth(worker->world, worker->process->lane, worker->process->call, HISTORY_READ, name);
    frame_begin(worker, &frame, deadline_ms);
    os_code code = os_head(worker->client, name, &frame.call, &object, &frame.error);
    frame_end(&frame, "os_head");
    truth->end_us = frame_now_us(worker);
    truth->code = code;
    if (code != OS_OK && code != OS_ERR_NOT_FOUND)
        return false;
    truth->returned = true;
    truth->verdict = OS_COMMITTED;
    truth->settled = OS_COMMITTED;
    snprintf(truth->value, sizeof(truth->value), "%s", code == OS_OK ? object.etag : "");
    memcpy(worker->seen[key], truth->value, WORLD_ETAG_SIZE);
    return true;
}

/* ------------------------------------------------------------------------------------------------ writes */

static struct truth *note_write(struct worker *worker, enum history_operation operation, uint32_t key,
                                const char *expected)
{
    char name[16];
    world_key_name(key, name);
    struct truth *truth = world_truth(worker->world, worker->process->lane, worker->process->call, operation, name);
    snprintf(truth->expected, sizeof(truth->expected), "%s", expected);
    return truth;
}

static void note_way(const os_result *result, struct truth *truth)
{
    static const char *const guards[] = {
        [OS_GUARD_RECORD] = "record", [OS_GUARD_NATIVE] = "native", [OS_GUARD_BOTH] = "both"};
    bool known = result->guard == OS_GUARD_RECORD || result->guard == OS_GUARD_NATIVE || result->guard == OS_GUARD_BOTH;
    if (known && result->request[0] != '\0')
        snprintf(truth->way, sizeof(truth->way), "%.23s, %s", result->request, guards[result->guard]);
}

static void note_verdict(struct frame *frame, struct truth *truth)
{
    struct world *world = frame->worker->world;
    truth->returned = true;
    truth->by_result = true;
    truth->end_us = world->schedule.now_us;
    truth->verdict = frame->verdict;
    if (world->defect == WORLD_PLANTED && truth->verdict == OS_UNKNOWN && truth->operation == HISTORY_PUT_IF_ABSENT)
        truth->verdict = OS_COMMITTED;
    truth->settled = truth->verdict;
    truth->code = frame->error.code;
    truth->guards = frame->result.guards;
    truth->attempts = frame->result.attempts;
    truth->requests = frame->result.requests;
    truth->waited_ms = frame->result.waited_ms;
    truth->generation = frame->result.generation;
    truth->took_over = frame->result.took_over != 0;
    note_way(&frame->result, truth);
    if (frame->verdict == OS_COMMITTED)
        snprintf(truth->told, sizeof(truth->told), "%s", frame->result.etag);
    snprintf(truth->rule, sizeof(truth->rule), "%s", frame->result.rule);
    truth->ticket = frame->result.ticket != NULL ? strdup(frame->result.ticket) : NULL;
    frame_enter(frame->worker);
    os_result_clear(&frame->result);
    frame_leave();
    world_trace(world, "lane %u: %s of %s is %s by %s (%s)", truth->lane,
                truth->operation == HISTORY_DELETE_IF_MATCH ? "delete" : "write", truth->key,
                os_verdict_name(truth->verdict), truth->rule, frame->error.message);
}

/* Of a write of `key`. */
static void begin_write(struct worker *worker, struct frame *ret, const struct plan_call *call)
{
    bool promised = plan_promises_by_call(worker->world, worker->process->lane, call->key);
    frame_begin(worker, ret, call->deadline_ms);
    ret->call.forward_only = promised ? OS_ON : OS_AUTO;
}

static void put(struct worker *worker, const struct plan_call *call, const char *expected)
{
    char name[16];
    struct frame frame;
    content_make(&worker->content, worker->process->lane, worker->process->call, call);
    world_key_name(call->key, name);
    bool absent = expected[0] == '\0';
    struct truth *truth =
        note_write(worker, absent ? HISTORY_PUT_IF_ABSENT : HISTORY_PUT_IF_MATCH, call->key, expected);
    os_body body = content_body(&worker->content, call->stream);
    os_put_options options = OS_PUT_OPTIONS_INIT;
    options.fencing = truth->token = call->token;
    begin_write(worker, &frame, call);
    frame.verdict =
        absent ? os_put_if_absent(worker->client, name, &body, &options, &frame.call, &frame.result, &frame.error)
               : os_put_if_match(worker->client, name, truth->expected, &body, &options, &frame.call, &frame.result,
                                 &frame.error);
    frame_end(&frame, "os_put_if_...");
    note_verdict(&frame, truth);
}

static void copy(struct worker *worker, const struct plan_call *call)
{
    char name[16];
    char source[16];
    struct frame frame;
    world_key_name(call->key, name);
    world_key_name(call->source, source);
    bool absent = worker->seen[call->key][0] == '\0' || plan_is_create_once(worker->world, call->key);
    struct truth *truth = note_write(worker, absent ? HISTORY_COPY_IF_ABSENT : HISTORY_COPY_IF_MATCH, call->key,
                                     absent ? "" : worker->seen[call->key]);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.source_etag = call->content == 0 ? worker->seen[call->source] : NULL;
    begin_write(worker, &frame, call);
    frame.verdict =
        absent ? os_copy_if_not_exists(worker->client, source, name, &options, &frame.call, &frame.result, &frame.error)
               : os_copy_if_match(worker->client, source, name, truth->expected, &options, &frame.call, &frame.result,
                                  &frame.error);
    frame_end(&frame, "os_copy_if_...");
    note_verdict(&frame, truth);
}

/* What became of the source is told by the error alone. */
static void note_delete_of_rename(const struct frame *frame, struct truth *truth, const struct truth *copied)
{
    const char *message = frame->error.message;
    truth->returned = true;
    truth->end_us = copied->end_us;
    truth->code = frame->error.code;
    if (copied->verdict != OS_COMMITTED)
        truth->verdict = OS_NOT_EXECUTED;
    else if (frame->error.code == OS_OK)
        truth->verdict = OS_COMMITTED;
    else if (strstr(message, "no longer the version") != NULL)
        truth->verdict = OS_CONFLICT;
    else
        truth->verdict = strstr(message, "is not known") != NULL ? OS_UNKNOWN : OS_NOT_EXECUTED;
    truth->settled = truth->verdict;
}

static void rename_key(struct worker *worker, const struct plan_call *call)
{
    char name[16];
    char source[16];
    struct frame frame;
    world_key_name(call->key, name);
    world_key_name(call->source, source);
    struct truth *copied = note_write(worker, HISTORY_COPY_IF_ABSENT, call->key, "");
    struct truth *deleted = note_write(worker, HISTORY_DELETE_IF_MATCH, call->source, worker->seen[call->source]);
    os_copy_options options = OS_COPY_OPTIONS_INIT;
    options.source_etag = deleted->expected;
    frame_begin(worker, &frame, call->deadline_ms); /* no promise: it would be of the source as well (N4.5) */
    frame.verdict =
        os_rename_if_not_exists(worker->client, source, name, &options, &frame.call, &frame.result, &frame.error);
    frame_end(&frame, "os_rename_if_not_exists");
    note_verdict(&frame, copied);
    note_delete_of_rename(&frame, deleted, copied);
}

static void delete_key(struct worker *worker, const struct plan_call *call)
{
    char name[16];
    struct frame frame;
    world_key_name(call->key, name);
    struct truth *truth = note_write(worker, HISTORY_DELETE_IF_MATCH, call->key, worker->seen[call->key]);
    frame_begin(worker, &frame, call->deadline_ms);
    frame.verdict = os_delete_if_match(worker->client, name, truth->expected, &frame.call, &frame.result, &frame.error);
    frame_end(&frame, "os_delete_if_match");
    note_verdict(&frame, truth);
}

struct counting {
    struct worker *worker;
    const struct plan_call *call;
    struct truth *truth;
};

/* One more than is there. What the truth says of the last run counts, as for the caller. */
static int add_one(void *context, const os_current *current, os_body *ret)
{
    const struct counting *counting = context;
    struct worker *worker = counting->worker;
    struct truth *truth = counting->truth;
    struct memory_owner *library = memory_switch(NULL);
    content_count(&worker->content, worker->process->lane, worker->process->call, counting->call,
                  strtoull(current->data, NULL, 10) + 1);
    truth->operation = current->exists ? HISTORY_PUT_IF_MATCH : HISTORY_PUT_IF_ABSENT;
    snprintf(truth->expected, sizeof(truth->expected), "%s", current->etag);
    world_trace(worker->world, "lane %u: round %u of its update of %s makes %s", worker->process->lane, current->round,
                truth->key, worker->content.text);
    *ret = content_body(&worker->content, false);
    memory_switch(library);
    return 0;
}

static void count(struct worker *worker, const struct plan_call *call)
{
    char name[16];
    struct frame frame;
    world_key_name(call->key, name);
    struct truth *truth = note_write(worker, HISTORY_PUT_IF_ABSENT, call->key, "");
    struct counting counting = {.worker = worker, .call = call, .truth = truth};
    os_put_options put_options = OS_PUT_OPTIONS_INIT;
    os_update_options options = OS_UPDATE_OPTIONS_INIT;
    put_options.fencing = truth->token = call->token;
    options.put = &put_options;
    truth->by_update = true;
    begin_write(worker, &frame, call);
    frame.verdict =
        os_update(worker->client, name, add_one, &counting, &options, &frame.call, &frame.result, &frame.error);
    frame_end(&frame, "os_update");
    truth->lost = frame.result.conflicts;
    note_verdict(&frame, truth);
}

static bool looks_first(enum plan_kind kind)
{
    return kind != PLAN_CREATE && kind != PLAN_STALE && kind != PLAN_RENAME && kind != PLAN_COUNT;
}

void action_call(struct worker *worker, const struct plan_call *call)
{
    struct world *world = worker->world;
    bool needs_source = call->kind == PLAN_COPY || call->kind == PLAN_RENAME;
    if (looks_first(call->kind) && !look(worker, call->key, LOOK_DEADLINE_MS))
        return;
    if (needs_source && (!look(worker, call->source, LOOK_DEADLINE_MS) || worker->seen[call->source][0] == '\0'))
        return;
    if (fault_strikes(&world->faults, FAULT_CANCEL, worker->process->call))
        frame_cancel_later(worker, call->cancel_after_us);
    switch (call->kind) {
    case PLAN_CREATE: put(worker, call, ""); break;
    case PLAN_UPDATE:
    case PLAN_STALE: put(worker, call, worker->seen[call->key]); break;
    case PLAN_COPY: copy(worker, call); break;
    case PLAN_RENAME: rename_key(worker, call); break;
    case PLAN_DELETE:
        if (worker->seen[call->key][0] != '\0')
            delete_key(worker, call);
        break;
    case PLAN_COUNT: count(worker, call); break;
    case PLAN_READ: break;
    }
    frame_forget_cancel(worker); /* where no call was made after all */
}

/* ------------------------------------------------------------------------------------------------ the end */

/* L10: one whose token is older than the object's is held back, also if it has seen the newest version. */
static void write_late(struct worker *worker, uint32_t key, uint64_t newest)
{
    struct world *world = worker->world;
    struct plan_call call = {.key = key, .deadline_ms = FINAL_DEADLINE_MS, .token = newest - 1};
    worker->process->call = fault_occasion(world->lanes, WORLD_KEYS_MAX + key);
    if (plan_is_counter(world, key))
        count(worker, &call);
    else
        put(worker, &call, worker->seen[key]);
    const struct truth *truth = &world->truths[world->truth_count - 1];
    if (truth->verdict != OS_CONFLICT)
        world_fail(world, "A write of %s with a token that is older than the object's is %s by %s.", truth->key,
                   os_verdict_name(truth->verdict), truth->rule);
    worker->process->call = fault_occasion(world->lanes, key);
}

void action_final(struct worker *worker, uint32_t key)
{
    struct world *world = worker->world;
    struct plan_call call = {.key = key, .deadline_ms = FINAL_DEADLINE_MS};
    if (!look(worker, key, FINAL_DEADLINE_MS)) {
        world_fail(world, "Without any fault left, key %u could not be read.", key);
        return;
    }
    if (plan_is_create_once(world, key) && worker->seen[key][0] != '\0')
        return;
    uint64_t newest = effect_token(world, key);
    if (newest > 1)
        write_late(worker, key, newest);
    call.token = newest;
    if (plan_is_counter(world, key))
        count(worker, &call);
    else
        put(worker, &call, worker->seen[key]);
    const struct truth *truth = &world->truths[world->truth_count - 1];
    if (truth->verdict != OS_COMMITTED) {
        world_fail(world, "Without any fault or rival left, a write of %s is %s by %s.", truth->key,
                   os_verdict_name(truth->verdict), truth->rule);
    }
}
