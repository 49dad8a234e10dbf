/* SPDX-License-Identifier: Apache-2.0 */
#include "verdict.h"

enum status status_of_verdict(os_verdict verdict)
{
    switch (verdict) {
    case OS_COMMITTED: return STATUS_DONE;
    case OS_CONFLICT: return STATUS_CONFLICT;
    case OS_NOT_EXECUTED: return STATUS_NOT_EXECUTED;
    case OS_UNKNOWN: break;
    }
    return STATUS_UNKNOWN;
}

enum status status_of_read(os_code code)
{
    switch (code) {
    case OS_OK: return STATUS_DONE;
    case OS_ERR_CONFIG: return STATUS_USAGE;
    default: return STATUS_NOT_EXECUTED;
    }
}

/* Plain writes carry no nonce and no record, so a lost answer cannot be looked up later: these codes say that the
 * request may have reached the service. */
enum status status_of_write(os_code code)
{
    return code == OS_ERR_UNDECIDED ? STATUS_UNKNOWN : status_of_read(code);
}

const char *status_name(enum status status)
{
    switch (status) {
    case STATUS_DONE: return "done";
    case STATUS_NOT_EXECUTED: return "not executed";
    case STATUS_USAGE: return "bad usage";
    case STATUS_CONFLICT: return "conflict";
    case STATUS_UNKNOWN: break;
    }
    return "unknown";
}
