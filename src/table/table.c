/* SPDX-License-Identifier: Apache-2.0 */
/* What every table needs. */
#include "table/table.h"

#include "base/error.h"

uint64_t table_try_deadline(uint64_t deadline_monotonic_ms, uint64_t try_ms)
{
    struct clock_reading now;
    clock_read(&now);
    bool sooner = try_ms != 0 && (deadline_monotonic_ms == 0 || (now.monotonic_ms < deadline_monotonic_ms &&
                                                                 try_ms < deadline_monotonic_ms - now.monotonic_ms));
    return sooner ? now.monotonic_ms + try_ms : deadline_monotonic_ms;
}

const char *table_verb_name(enum table_verb verb)
{
    switch (verb) {
    case TABLE_REPLACE:
    case TABLE_PUT: return "PutItem";
    case TABLE_UPDATE: return "UpdateItem";
    case TABLE_DELETE: return "DeleteItem";
    case TABLE_GET: return "GetItem";
    case TABLE_LIST: return "Scan";
    case TABLE_CREATE: return "CreateTable";
    case TABLE_CHECK: break;
    }
    return "DescribeTable";
}

void table_add_hint(const struct table *table, os_error *err)
{
    error_add(err, table->hint);
}
