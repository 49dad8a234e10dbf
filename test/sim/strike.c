/* SPDX-License-Identifier: Apache-2.0 */
/* What meets a process at its requests: it stops, its clock is set, it dies. */
#include "sim/network.h"
#include "sim/worker.h"

enum { MS = 1000, SECOND = 1000000 };
enum { PURPOSE_STOP = 8, PURPOSE_JUMP, PURPOSE_HALF };

/* Between R6's look at the clocks and the first byte nothing but the store's expiry guards a process that stops: where
 * the store has none, a stop there is short. */
static uint64_t stop_us(struct process *process, uint64_t occasion, bool after)
{
    const struct world *world = process->world;
    uint64_t how = fault_number(&world->faults, PURPOSE_STOP, occasion, 0, 9);
    uint64_t most_ms = how < 5 ? 3000 : how < 9 ? 40000 : 900000;
    if (!world->store_expires && !after && world->books == NULL)
        most_ms = 10000;
    return fault_number(&world->faults, PURPOSE_STOP + 50, occasion, 1, most_ms) * MS;
}

static bool is_attempt(enum network_request request)
{
    return request == NETWORK_ATTEMPT || request == NETWORK_ROWS;
}

/* X5 bears a clock that is wrong by a minute. */
static void jump(struct process *process, uint64_t occasion)
{
    const struct faults *faults = &process->world->faults;
    if (process->world->books != NULL) {
        process->clocks.realtime_base_us = worker_realtime_us(faults, PURPOSE_JUMP, occasion);
        return;
    }
    uint64_t by_s = fault_number(faults, PURPOSE_JUMP, occasion, 0, 4000);
    process->clocks.realtime_base_us += by_s * SECOND;
    process->clocks.realtime_base_us -= UINT64_C(2000) * SECOND;
}

static void stop(struct process *process, uint64_t for_us, bool suspended)
{
    world_trace(process->world, "lane %u %s for %llu ms", process->lane, suspended ? "suspended" : "stops",
                (unsigned long long)for_us / MS);
    process_stop(process, for_us, suspended);
    task_wait(NULL, process->world->schedule.now_us);
}

void network_strike_tail(struct process *process, uint64_t occasion)
{
    if (fault_strikes(&process->world->faults, FAULT_TAIL_STOP, occasion))
        stop(process, stop_us(process, occasion, false), false);
}

void network_strike_process(struct process *process, uint64_t occasion, enum network_request request, bool after)
{
    struct world *world = process->world;
    struct faults *faults = &world->faults;
    if ((request == NETWORK_LEDGER || request == NETWORK_ROWS) && after && fault_strikes(faults, FAULT_HOLD, occasion))
        stop(process, fault_number(faults, PURPOSE_STOP, occasion, 3000, 90000) * MS, false);
    bool is_after = fault_number(faults, PURPOSE_HALF, occasion, 0, 1) == 1;
    if (is_after != after)
        return;
    if (!after && occasion == process->stopped_before)
        return; /* its deadline passed meanwhile, so another request has that number: else this would go on for ever */
    if (fault_strikes(faults, FAULT_JUMP, occasion))
        jump(process, occasion);
    bool suspended = fault_strikes(faults, FAULT_SUSPEND, occasion);
    if (suspended || fault_strikes(faults, FAULT_PAUSE, occasion)) {
        if (!after)
            process->stopped_before = occasion;
        stop(process, stop_us(process, occasion, after), suspended);
    }
    if ((is_attempt(request) && fault_strikes(faults, FAULT_ATTEMPT_DEATH, occasion)) ||
        fault_strikes(faults, FAULT_DEATH, occasion)) {
        world_trace(world, "lane %u dies", process->lane);
        process_kill(process);
    }
}
