/* SPDX-License-Identifier: Apache-2.0 */
#include "loop/borrow.h"

bool borrow_init(struct borrow *borrow)
{
    borrow->inside = false;
    atomic_init(&borrow->cancelled, 0);
    return monitor_init(&borrow->monitor);
}

void borrow_destroy(struct borrow *borrow)
{
    monitor_destroy(&borrow->monitor);
}

bool borrow_enter(struct borrow *borrow)
{
    monitor_enter(&borrow->monitor);
    borrow->inside = !borrow_is_cancelled(borrow);
    bool inside = borrow->inside;
    monitor_leave(&borrow->monitor);
    return inside;
}

void borrow_leave(struct borrow *borrow)
{
    monitor_enter(&borrow->monitor);
    borrow->inside = false;
    monitor_wake(&borrow->monitor);
    monitor_leave(&borrow->monitor);
}

void borrow_cancel(struct borrow *borrow)
{
    atomic_store(&borrow->cancelled, 1);
    monitor_enter(&borrow->monitor);
    while (borrow->inside)
        monitor_wait(&borrow->monitor);
    monitor_leave(&borrow->monitor);
}

bool borrow_is_cancelled(const struct borrow *borrow)
{
    return atomic_load(&borrow->cancelled) != 0;
}
