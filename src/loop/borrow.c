/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/borrow.h"

bool gate_init(struct gate *gate)
{
    gate->inside = false;
    atomic_init(&gate->cancelled, 0);
    return monitor_init(&gate->monitor);
}

void gate_destroy(struct gate *gate)
{
    monitor_destroy(&gate->monitor);
}

bool gate_enter(struct gate *gate)
{
    monitor_enter(&gate->monitor);
    gate->inside = !gate_cancelled(gate);
    bool inside = gate->inside;
    monitor_leave(&gate->monitor);
    return inside;
}

void gate_leave(struct gate *gate)
{
    monitor_enter(&gate->monitor);
    gate->inside = false;
    monitor_wake(&gate->monitor);
    monitor_leave(&gate->monitor);
}

void gate_cancel(struct gate *gate)
{
    atomic_store(&gate->cancelled, 1);
    monitor_enter(&gate->monitor);
    while (gate->inside)
        monitor_wait(&gate->monitor);
    monitor_leave(&gate->monitor);
}

bool gate_cancelled(const struct gate *gate)
{
    return atomic_load(&gate->cancelled) != 0;
}
