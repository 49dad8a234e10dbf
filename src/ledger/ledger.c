/* SPDX-License-Identifier: Apache-2.0 */
/* What every ledger needs. */
#include "ledger/ledger.h"

#include "base/error.h"

uint64_t ledger_try_deadline(const struct ledger_request *request)
{
    struct clock_reading now;
    clock_read(&now);
    uint64_t deadline_ms = request->deadline_monotonic_ms;
    bool sooner =
        request->try_ms != 0 &&
        (deadline_ms == 0 || (now.monotonic_ms < deadline_ms && request->try_ms < deadline_ms - now.monotonic_ms));
    return sooner ? now.monotonic_ms + request->try_ms : deadline_ms;
}

void ledger_add_hint(const struct ledger *ledger, os_error *err)
{
    error_add(err, ledger->hint);
}
