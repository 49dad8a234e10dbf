/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/world.h"

#include "sim/books.h"
#include "sim/calm.h"
#include "sim/engine.h"
#include "sim/holds.h"
#include "sim/kind.h"
#include "sim/network.h"
#include "sim/oracle.h"
#include "sim/plan.h"
#include "sim/trading.h"
#include "sim/worker.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SECOND = 1000000, EVENTS_MAX = 3000000, LONGEST_S = 200000 };
enum { PURPOSE_SPREAD = 400, PURPOSE_SWEEP };

/* ------------------------------------------------------------------------------------------------ words */

void world_fail(struct world *world, const char *format, ...)
{
    char sentence[512];
    va_list args;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    world_trace(world, "FAILURE: %s", sentence);
    if (world->failure_count < WORLD_FAILURES_MAX)
        memcpy(world->failures[world->failure_count++], sentence, sizeof(sentence));
}

void world_trace(struct world *world, const char *format, ...)
{
    if (world->trace == NULL)
        return;
    va_list args;
    va_start(args, format);
    fprintf(world->trace, "%12.6f  ", (double)(world->schedule.now_us - WORLD_BEGIN_US) / SECOND);
    vfprintf(world->trace, format, args);
    fputc('\n', world->trace);
    va_end(args);
}

/* FNV-1a, a word at a time. */
void world_digest(struct world *world, const void *data, size_t length)
{
    const unsigned char *bytes = data;
    uint64_t hash = world->digest ^ length;
    while (length > 0) {
        uint64_t word = 0;
        size_t step = length < sizeof(word) ? length : sizeof(word);
        memcpy(&word, bytes, step);
        hash = (hash ^ word) * UINT64_C(0x100000001b3);
        hash ^= hash >> 29;
        bytes += step;
        length -= step;
    }
    world->digest = hash;
}

void world_key_name(uint32_t key, char *ret)
{
    snprintf(ret, 16, "key-%u", key);
}

/* ------------------------------------------------------------------------------------------------ time, keys */

/* E5: the front ends of the store agree within the margin. */
uint64_t world_s3_ms(const struct world *world, uint64_t occasion)
{
    uint64_t ms = WORLD_EPOCH_S * 1000 + world->schedule.now_us / 1000;
    if (world->faults.rate[FAULT_SPREAD] > 0)
        ms += fault_number(&world->faults, PURPOSE_SPREAD, occasion, 0, world->fleet.margin_s * UINT64_C(1000));
    return ms;
}

/* E5: the table's clock and the store's agree within 30 s. */
uint64_t world_table_ms(const struct world *world)
{
    return WORLD_EPOCH_S * 1000 + world->schedule.now_us / 1000 + (uint64_t)world->table_offset_ms;
}

static void name_keys(struct world *world)
{
    snprintf(world->access_key, sizeof(world->access_key), "AKIASIM%u", world->key_number);
    snprintf(world->secret_key, sizeof(world->secret_key), "secret-of-the-simulator-%u", world->key_number);
    snprintf(world->session_token, sizeof(world->session_token), "token-%u", world->key_number);
}

bool world_rotate(struct world *world)
{
    world->key_number++;
    name_keys(world);
    return fake_s3_rotate(world->s3, world->access_key, world->secret_key, world->session_token) &&
           fake_dynamo_rotate(world->dynamo, world->access_key, world->secret_key, world->session_token) &&
           (world->leases == NULL ||
            fake_dynamo_rotate(world->leases, world->access_key, world->secret_key, world->session_token));
}

bool world_ask_ledger(struct world *world, const struct process *process, const struct buf *request, bool copy,
                      struct buf *ret_answer)
{
    bool of_leases = world->leases != NULL && fake_dynamo_is_asked(world->leases, buf_str(request), request->len);
    struct fake_dynamo *table = of_leases ? world->leases : world->dynamo;
    bool done = fake_dynamo_handle(table, buf_str(request), request->len, world_table_ms(world), ret_answer);
    if (of_leases)
        holds_note(world, process, copy);
    return done;
}

struct truth *world_truth(struct world *world, uint32_t lane, uint64_t call, enum history_operation operation,
                          const char *key)
{
    if (world->truth_count == WORLD_CALLS_MAX)
        abort();
    struct truth *truth = &world->truths[world->truth_count++];
    *truth = (struct truth){.lane = lane, .call = call, .operation = operation, .verdict = OS_UNKNOWN};
    truth->settled = OS_UNKNOWN;
    truth->start_us = world->schedule.now_us;
    snprintf(truth->key, sizeof(truth->key), "%s", key);
    return truth;
}

/* ------------------------------------------------------------------------------------------------ life */

static bool make_leases(struct world *world, struct fake_dynamo_options options)
{
    if (!plan_has_leases(world))
        return true;
    options.table = NETWORK_LEASES;
    options.kind = FAKE_DYNAMO_LEASES;
    world->leases = fake_dynamo_new(&options);
    bool made = holds_make(world) && world->leases != NULL;
    if (made) {
        world->holds->names = plan_lease_names(world);
        world->holds->asks_stopped = plan_asks_stopped(world);
    }
    return made;
}

static bool make_rows(struct world *world)
{
    return fake_dynamo_make_table(world->dynamo, BOOKS_TABLE_OF_ACCOUNTS, "_id", NULL) &&
           fake_dynamo_make_table(world->dynamo, BOOKS_TABLE_OF_NOTES, "_id", NULL);
}

static bool make_services(struct world *world)
{
    const uint32_t *rate = world->faults.rate;
    struct fake_s3_options s3;
    name_keys(world);
    kind_of_store(world, &s3);
    s3.bucket = NETWORK_BUCKET;
    s3.region = NETWORK_REGION;
    s3.access_key = world->access_key;
    s3.secret_key = world->secret_key;
    s3.session_token = world->session_token;
    struct fake_dynamo_options dynamo = {
        .table = NETWORK_TABLE,
        .region = NETWORK_REGION,
        .access_key = world->access_key,
        .secret_key = world->secret_key,
        .session_token = world->session_token,
        .no_old_on_failure = rate[FAULT_NO_OLD] > 0,
        .no_crc32 = rate[FAULT_NO_CRC] > 0,
        .page_most = world->page_most,
        .kind = world->books != NULL ? FAKE_DYNAMO_ROWS : FAKE_DYNAMO_RECORDS,
        .forgets_tokens = rate[FAULT_FORGETS] > 0,
    };
    world->s3 = fake_s3_new(&s3);
    world->dynamo = fake_dynamo_new(&dynamo);
    world->profile_fd = world->fleet.profiled ? kind_write_profile(&s3, world->unmarked) : -1;
    return make_leases(world, dynamo) && world->s3 != NULL && world->dynamo != NULL &&
           (!world->fleet.profiled || world->profile_fd >= 0) && (world->books == NULL || make_rows(world));
}

static bool sweep_table(struct world *world, struct fake_dynamo *table, uint64_t occasion)
{
    size_t count = fake_dynamo_expired_count(table, world_table_ms(world));
    if (count == 0 || !fault_strikes(&world->faults, FAULT_TTL, occasion))
        return false;
    size_t index = (size_t)fault_number(&world->faults, PURPOSE_SWEEP, occasion, 0, count - 1);
    world_trace(world, "TTL removes one of %zu expired %s", count, table == world->dynamo ? "records" : "leases");
    fake_dynamo_expire(table, world_table_ms(world), index);
    return true;
}

/* The tables' own process, which removes what TTL allows, at any time after it does. */
static void sweep(void *context, uint64_t unused)
{
    struct world *world = context;
    (void)unused;
    uint64_t occasion = ++world->sweeps;
    if (world->faults.stopped || world->workers_left == 0)
        return;
    (void)sweep_table(world, world->dynamo, occasion);
    if (world->leases != NULL && sweep_table(world, world->leases, fault_occasion(1, occasion)))
        holds_note(world, NULL, false);
    schedule_at(&world->schedule, world->schedule.now_us + UINT64_C(20) * SECOND, sweep, world, 0);
}

static bool bounded_step(struct world *world)
{
    if (world->schedule.ran > EVENTS_MAX || world->schedule.now_us > UINT64_C(1) * LONGEST_S * SECOND) {
        world_fail(world, "The run does not end: %llu events in %llu s.", (unsigned long long)world->schedule.ran,
                   (unsigned long long)(world->schedule.now_us / SECOND));
        return false;
    }
    bool stepped = schedule_step(&world->schedule);
    if (world->holds != NULL)
        holds_watch(world);
    return stepped;
}

static void run(struct world *world)
{
    for (uint32_t lane = 0; lane < world->lanes; lane++) {
        world->workers_left++;
        worker_start(world, lane, 0, 0);
    }
    schedule_at(&world->schedule, WORLD_BEGIN_US, sweep, world, 0);
    if (world->books != NULL)
        trading_start_foreigner(world);
    while ((world->workers_left > 0 || world->in_flight > 0) && bounded_step(world))
        continue;
    if (world->workers_left > 0 || world->in_flight > 0) {
        world_fail(world, "%u lanes never came to their end.", world->workers_left);
        return;
    }
    world->faults.stopped = true; /* liveness: from here on everything must go well */
    worker_start_reader(world);
    while ((world->workers_left > 0 || world->in_flight > 0) && bounded_step(world))
        continue;
    if (world->workers_left > 0)
        world_fail(world, "Without any fault left, a call never came to its end.");
    oracle_judge(world);
}

static void digest_end(struct world *world)
{
    uint64_t ends[3] = {fake_s3_digest(world->s3), fake_dynamo_digest(world->dynamo), world->schedule.now_us};
    world_digest(world, ends, sizeof(ends));
    if (world->leases != NULL) {
        uint64_t end = fake_dynamo_digest(world->leases);
        world_digest(world, &end, sizeof(end));
    }
    if (world->books != NULL)
        books_digest(world);
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *truth = &world->truths[i];
        uint64_t facts[6] = {truth->call,    truth->start_us, truth->end_us,
                             truth->verdict, truth->settled,  (uint64_t)truth->operation};
        world_digest(world, facts, sizeof(facts));
    }
}

bool world_run(struct world *world, uint64_t seed, const struct fault_change *change, enum world_defect defect,
               FILE *trace)
{
    *world = (struct world){.seed = seed, .defect = defect, .trace = trace, .digest = seed, .profile_fd = -1};
    schedule_init(&world->schedule, seed);
    world->schedule.now_us = WORLD_BEGIN_US;
    world->truths = calloc(WORLD_CALLS_MAX, sizeof(*world->truths));
    bool made = faults_init(&world->faults, seed, change) && world->truths != NULL;
    if (world->faults.rate[FAULT_OFF_CLOCKS] > 0 || world->faults.rate[FAULT_JUMP] > 0)
        world->faults.rate[FAULT_FOREIGN_DATE] = 0; /* the first Date is held against REALTIME (E10) */
    if (defect == WORLD_CALM)
        calm_faults(&world->faults);
    world->unmarked = made && (world->faults.rate[FAULT_UNMARKED] > 0 || defect == WORLD_UNMARKED_STORE);
    world->store_expires = made && world->faults.rate[FAULT_NEVER_EXPIRES] == 0;
    if (made && (defect == WORLD_TRANSACTIONS || defect == WORLD_ROWS_TWICE))
        made = books_make(world);
    if (made)
        plan_world(world);
    if (!made || !make_services(world)) {
        world_fail(world, "Memory was too short to make the world.");
        return false;
    }
    run(world);
    digest_end(world);
    return world->failure_count == 0;
}

void world_free(struct world *world)
{
    while (world->processes != NULL) {
        struct process *process = world->processes;
        world->processes = process->next;
        engine_free_all(process);
        free(process->owner);
        process_free(process);
    }
    for (size_t i = 0; i < world->truth_count; i++)
        free(world->truths[i].ticket);
    free(world->truths);
    free(world->uploads);
    if (world->profile_fd >= 0)
        close(world->profile_fd);
    faults_free(&world->faults);
    schedule_free(&world->schedule);
    fake_s3_free(world->s3);
    fake_dynamo_free(world->dynamo);
    fake_dynamo_free(world->leases);
    holds_free(world);
    books_free(world);
}
