/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/verdict.h"

#include <errno.h>
#include <stdbool.h>

/* Nothing was applied: why not. With `sent` bad settings are no bad usage, of which nothing is ever sent. */
static enum status status_of_failure(const os_error *error, bool sent)
{
    switch (error->code) {
    case OS_ERR_CONFIG: return sent ? STATUS_NOT_EXECUTED : STATUS_USAGE;
    case OS_ERR_NOT_FOUND:
    case OS_ERR_NO_BUCKET: return STATUS_ABSENT;
    case OS_ERR_DENIED:
    case OS_ERR_CREDENTIALS: return STATUS_DENIED;
    case OS_ERR_NETWORK:
    case OS_ERR_TLS: return STATUS_UNREACHABLE;
    default: return STATUS_NOT_EXECUTED;
    }
}

/* Of a copy: its source is missing, or is another version. */
static enum status status_of_write_that_was_not(const os_result *result, const os_error *error)
{
    bool absent = error->code == OS_ERR_SOURCE && error->http_status == 404;
    bool sent = result->requests > 0 || error->http_status != 0;
    return absent ? STATUS_ABSENT : status_of_failure(error, sent);
}

enum status status_of_guarded(os_verdict verdict, const os_result *result, const os_error *error)
{
    switch (verdict) {
    case OS_COMMITTED: return STATUS_DONE;
    case OS_CONFLICT: return STATUS_CONFLICT;
    case OS_NOT_EXECUTED: return status_of_write_that_was_not(result, error);
    case OS_UNKNOWN: break;
    }
    return result->final != 0 ? STATUS_UNDECIDABLE : STATUS_UNKNOWN;
}

enum status status_of_read(const os_error *error)
{
    return error->code == OS_OK ? STATUS_DONE : status_of_failure(error, error->http_status != 0);
}

/* Plain writes carry no nonce and no record, so a lost answer cannot be looked up later: these codes say that the
 * request may have reached the service. */
enum status status_of_write(const os_error *error)
{
    return error->code == OS_ERR_UNDECIDED ? STATUS_UNKNOWN : status_of_read(error);
}

enum status status_of_lease(const os_error *error)
{
    switch (error->code) {
    case OS_ERR_CONFLICT: return STATUS_CONFLICT;
    case OS_ERR_ARGUMENT: return STATUS_USAGE;
    case OS_ERR_DEADLINE: return STATUS_UNREACHABLE; /* no answer all the time: another holder is a conflict */
    default: return status_of_read(error);
    }
}

os_code code_of_errno(int number)
{
    switch (number) {
    case EACCES:
    case EPERM:
    case EROFS: return OS_ERR_DENIED;
    case ENOSPC:
    case EDQUOT: return OS_ERR_NO_SPACE;
    case ENOMEM: return OS_ERR_NO_MEMORY;
    default: return OS_ERR_IO;
    }
}

const char *status_name(enum status status)
{
    switch (status) {
    case STATUS_DONE:
    case STATUS_OUTPUT: return "done";
    case STATUS_NOT_EXECUTED:
    case STATUS_ABSENT:
    case STATUS_UNREACHABLE:
    case STATUS_DENIED: return "not executed";
    case STATUS_USAGE: return "bad usage";
    case STATUS_CONFLICT: return "conflict";
    case STATUS_LOST: return "lost";
    case STATUS_UNKNOWN:
    case STATUS_UNDECIDABLE: break;
    }
    return "unknown";
}

const char *guarded_name(os_guard guard)
{
    switch (guard) {
    case OS_GUARD_RECORD: return "record";
    case OS_GUARD_NATIVE: return "native";
    case OS_GUARD_BOTH: return "both";
    case OS_GUARD_AUTO: break;
    }
    return "";
}
