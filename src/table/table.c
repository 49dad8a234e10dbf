/* SPDX-License-Identifier: Apache-2.0 */
/* What every table needs. */
#include "table/table.h"

#include "base/error.h"

uint64_t table_try_deadline(const struct table_request *request)
{
    struct clock_reading now;
    clock_read(&now);
    uint64_t deadline_ms = request->deadline_monotonic_ms;
    bool sooner =
        request->try_ms != 0 &&
        (deadline_ms == 0 || (now.monotonic_ms < deadline_ms && request->try_ms < deadline_ms - now.monotonic_ms));
    return sooner ? now.monotonic_ms + request->try_ms : deadline_ms;
}

void table_add_hint(const struct table *table, os_error *err)
{
    error_add(err, table->hint);
}
