/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/worker.h"

#include "sim/holds.h"
#include "sim/leasing.h"
#include "sim/network.h"
#include "sim/plan.h"
#include "sim/trading.h"

#include <stdlib.h>
#include <string.h>

/* Two clocks of leases differ in rate by 5 % at most (docs/rules.md, section 11). */
enum { SECOND = 1000000, OPEN_TRIES = 100, FORGE_TRIES = 40, LEASE_DRIFT_PPM = 24000 };
enum { PURPOSE_CLOCKS = 300, PURPOSE_REBIRTH, PURPOSE_RANDOM, PURPOSE_DRIFT };

static uint64_t draw(const struct process *process, uint64_t purpose, uint64_t salt, uint64_t least, uint64_t most)
{
    uint64_t occasion = fault_occasion(process->lane, process->incarnation * UINT64_C(100) + salt);
    return fault_number(&process->world->faults, purpose, occasion, least, most);
}

/* ------------------------------------------------------------------------------------------------ birth */

/* Always, where leases are: a margin is for those that differ most. */
static bool clocks_of_leases(const struct world *world)
{
    return world->holds != NULL && world->defect != WORLD_CALM && !world->faults.change->without_kind[FAULT_DRIFT];
}

/* A store without expiry bears little drift: its timeouts are all that there is (README.md). */
static void set_drift(struct process *process)
{
    const struct world *world = process->world;
    int64_t most = world->store_expires ? 150000 : 20000;
    if (world->holds != NULL && most > LEASE_DRIFT_PPM)
        most = LEASE_DRIFT_PPM;
    int64_t drift_ppm = (int64_t)draw(process, PURPOSE_DRIFT, 0, 0, (uint64_t)(2 * most)) - most;
    if (world->holds != NULL)
        drift_ppm = drift_ppm < 0 ? -most : most;
    process->clocks.drift_ppm = drift_ppm;
}

uint64_t worker_realtime_us(const struct faults *faults, uint64_t purpose, uint64_t occasion)
{
    return (WORLD_EPOCH_S - 25) * SECOND + fault_number(faults, purpose, occasion, 0, UINT64_C(50) * SECOND);
}

/* X5 bears a clock that is wrong by a minute, and the table's is by half of one (E5). */
static void keep_realtime(struct process *process)
{
    const struct faults *faults = &process->world->faults;
    uint64_t occasion = fault_occasion(process->lane, process->incarnation);
    process->clocks.is_disciplined = true;
    if (faults->rate[FAULT_OFF_CLOCKS] > 0)
        process->clocks.realtime_base_us = worker_realtime_us(faults, PURPOSE_CLOCKS + 1000, occasion);
    else
        process->clocks.realtime_base_us = WORLD_EPOCH_S * SECOND;
}

/* The bases differ widely, so that no reading of one is ever taken for another's. */
static void set_clocks(struct process *process)
{
    const struct faults *faults = &process->world->faults;
    struct process_clocks *clocks = &process->clocks;
    clocks->monotonic_base_us = draw(process, PURPOSE_CLOCKS, 0, 0, 1000) * SECOND;
    clocks->boottime_base_us = clocks->monotonic_base_us + draw(process, PURPOSE_CLOCKS, 1, 0, 1000) * SECOND;
    clocks->realtime_base_us = WORLD_EPOCH_S * SECOND + draw(process, PURPOSE_CLOCKS, 2, 0, 2000) * 1000;
    if (faults->rate[FAULT_OFF_CLOCKS] > 0) {
        clocks->realtime_base_us += draw(process, PURPOSE_CLOCKS, 3, 0, 2400) * SECOND;
        clocks->realtime_base_us -= UINT64_C(1200) * SECOND;
    }
    if (faults->rate[FAULT_DRIFT] > 0 || clocks_of_leases(process->world))
        set_drift(process);
    if (process->world->books != NULL)
        keep_realtime(process);
}

static bool allocation_fails(void *context, uint64_t allocation)
{
    struct process *process = context;
    struct world *world = process->world;
    (void)allocation;
    if (world->faults.rate[FAULT_MEMORY] == 0) /* millions of occasions: spare the draws */
        return false;
    return fault_strikes(&world->faults, FAULT_MEMORY,
                         fault_occasion(process->lane, ++world->allocations[process->lane]));
}

struct rebirth {
    struct world *world;
    uint32_t lane;
    uint32_t incarnation;
    uint32_t first_call;
};

static void be_reborn(void *context, uint64_t unused)
{
    struct rebirth *rebirth = context;
    (void)unused;
    worker_start(rebirth->world, rebirth->lane, rebirth->incarnation, rebirth->first_call);
    free(rebirth);
}

static void died(struct process *process)
{
    struct world *world = process->world;
    struct worker *worker = process->owner;
    struct rebirth *rebirth = calloc(1, sizeof(*rebirth));
    if (rebirth == NULL)
        abort();
    world->deaths++;
    network_forget(process);
    holds_forget(world, process);
    *rebirth = (struct rebirth){.world = world, .lane = process->lane};
    rebirth->incarnation = process->incarnation + 1;
    rebirth->first_call = worker->next_call;
    worker_free(worker);
    process->owner = NULL;
    schedule_at(&world->schedule, world->schedule.now_us + draw(process, PURPOSE_REBIRTH, 0, 1, 30000) * 1000,
                be_reborn, rebirth, 0);
}

static struct process *new_process(struct world *world, uint32_t lane, uint32_t incarnation, uint32_t first_call)
{
    struct process *process = calloc(1, sizeof(*process));
    struct worker *worker = calloc(1, sizeof(*worker));
    if (process == NULL || worker == NULL)
        abort();
    *process = (struct process){.next = world->processes, .world = world, .lane = lane, .incarnation = incarnation};
    world->processes = process;
    process->memory = (struct memory_owner){.id = 1, .fails = allocation_fails, .context = process};
    process->random = draw(process, PURPOSE_RANDOM, 0, 0, UINT64_MAX - 1);
    process->died = died;
    process->owner = worker;
    *worker = (struct worker){.process = process, .world = world, .next_call = first_call};
    set_clocks(process);
    return process;
}

/* ------------------------------------------------------------------------------------------------ life */

static void rest(struct worker *worker, uint64_t us)
{
    (void)task_wait(NULL, worker->world->schedule.now_us + us);
}

/* Memory may be short; a while later there is some. */
static bool open_client(struct worker *worker)
{
    for (int i = 0; i < OPEN_TRIES; i++) {
        if (worker->world->books != NULL ? trading_open(worker) : action_open(worker))
            return true;
        rest(worker, SECOND);
    }
    world_fail(worker->world, "Lane %u could not open a client.", worker->process->lane);
    return false;
}

static void close_client(struct worker *worker)
{
    struct process *process = worker->process;
    leasing_end(worker);
    if (process->world->books != NULL)
        trading_close(worker);
    else
        action_close(worker);
    if (process->memory.blocks > 0) {
        world_fail(worker->world, "Lane %u closed its client and left %zu blocks of memory.", process->lane,
                   process->memory.blocks);
    }
    process->world->workers_left--;
    process->owner = NULL;
    worker_free(worker);
}

/* It lies in wait, and writes then what its forged ticket was to give free. */
static void forge(struct worker *worker, struct plan_call *call)
{
    for (int i = 0; i < FORGE_TRIES; i++) {
        uint32_t key;
        if (action_forged(worker, &key)) {
            call->key = key;
            call->kind = plan_any_write(worker->world, key);
            call->content = plan_is_forward_only(worker->world, key) ? 0 : call->content;
            return;
        }
        rest(worker, SECOND / 4);
    }
}

static void write_object(struct worker *worker, uint32_t index)
{
    struct world *world = worker->world;
    uint32_t lane = worker->process->lane;
    struct plan_call call;
    plan_call(world, lane, index, &call);
    rest(worker, leasing_think_us(worker, call.think_us));
    worker->process->call = fault_occasion(lane, index);
    if (fault_strikes(&world->faults, FAULT_FORGED, worker->process->call))
        forge(worker, &call);
    if (leasing_before(worker, &call)) {
        call.token = leasing_token(worker, call.key);
        action_call(worker, &call);
    }
    leasing_after(worker);
    if (call.resolve_after)
        action_resolve(worker, false, call.deadline_ms);
}

static void work(void *context)
{
    struct worker *worker = context;
    struct world *world = worker->world;
    uint32_t lane = worker->process->lane;
    if (open_client(worker)) {
        uint32_t count = world->books != NULL ? trading_count(world, lane) : plan_count(world, lane);
        while (worker->next_call < count) {
            uint32_t index = worker->next_call++;
            uint64_t call = fault_occasion(lane, index);
            if (fault_lacks_call(world->faults.change, call))
                continue;
            if (world->books != NULL)
                trading_call(worker, call);
            else
                write_object(worker, index);
        }
    }
    close_client(worker);
}

void worker_start(struct world *world, uint32_t lane, uint32_t incarnation, uint32_t first_call)
{
    struct process *process = new_process(world, lane, incarnation, first_call);
    task_start(process, work, process->owner, NULL);
}

/* ------------------------------------------------------------------------------------------------ the end */

static void read_at_end(void *context)
{
    struct worker *worker = context;
    struct world *world = worker->world;
    bool is_open = open_client(worker);
    if (is_open && world->books != NULL) {
        trading_final(worker);
    } else if (is_open) {
        action_resolve(worker, true, 20000); /* everything has landed: what decides does so now */
        for (uint32_t key = 0; key < world->keys; key++) {
            worker->process->call = fault_occasion(world->lanes, key);
            action_final(worker, key);
        }
        leasing_final(worker);
    }
    close_client(worker);
}

void worker_start_reader(struct world *world)
{
    world->workers_left++;
    struct process *process = new_process(world, world->lanes, 0, 0);
    process->clocks.drift_ppm = 0;
    task_start(process, read_at_end, process->owner, NULL);
}
