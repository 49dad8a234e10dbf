/* SPDX-License-Identifier: Apache-2.0 */
/* The words for operations, events, verdicts and leases, as they stand in a file and in sentences. */
#include "history/history.h"

#include <string.h>

static const char *const operation_names[] = {
    [HISTORY_PUT_IF_ABSENT] = "put_if_absent",     [HISTORY_PUT_IF_MATCH] = "put_if_match",
    [HISTORY_COPY_IF_ABSENT] = "copy_if_absent",   [HISTORY_COPY_IF_MATCH] = "copy_if_match",
    [HISTORY_DELETE_IF_MATCH] = "delete_if_match", [HISTORY_READ] = "read",
};
static const char *const event_names[] = {
    [HISTORY_PAUSE] = "pause", [HISTORY_KILL] = "kill",         [HISTORY_START] = "start",
    [HISTORY_SLOW] = "slow",   [HISTORY_LATE] = "late",         [HISTORY_LOST_REPLY] = "lost_reply",
    [HISTORY_5XX] = "5xx",     [HISTORY_THROTTLE] = "throttle",
};
static const char *const verdict_names[] = {
    [OS_COMMITTED] = "committed",
    [OS_CONFLICT] = "conflict",
    [OS_NOT_EXECUTED] = "not executed",
    [OS_UNKNOWN] = "unknown",
};
static const char *const lease_names[] = {
    [HISTORY_LEASE_WAITS] = "waits",       [HISTORY_LEASE_HELD] = "held",     [HISTORY_LEASE_UNTIL] = "until",
    [HISTORY_LEASE_LOST] = "lost",         [HISTORY_LEASE_LET_GO] = "let_go", [HISTORY_LEASE_KILLED] = "killed",
    [HISTORY_LEASE_RELEASED] = "released", [HISTORY_LEASE_PAUSED] = "paused", [HISTORY_LEASE_RESUMED] = "resumed",
};

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *name_of(const char *const *names, size_t count, size_t index)
{
    return index < count && names[index] != NULL ? names[index] : "?";
}

/* 0: no such name; no table has a word there. */
static size_t index_of(const char *const *names, size_t count, const char *name)
{
    for (size_t i = 1; i < count; i++)
        if (names[i] != NULL && strcmp(names[i], name) == 0)
            return i;
    return 0;
}

const char *history_operation_name(enum history_operation operation)
{
    return name_of(operation_names, COUNT(operation_names), (size_t)operation);
}

const char *history_event_name(enum history_event_kind kind)
{
    return name_of(event_names, COUNT(event_names), (size_t)kind);
}

const char *history_verdict_name(os_verdict verdict)
{
    return name_of(verdict_names, COUNT(verdict_names), (size_t)verdict);
}

const char *history_lease_name(enum history_lease_kind kind)
{
    return name_of(lease_names, COUNT(lease_names), (size_t)kind);
}

bool history_operation_of(const char *name, enum history_operation *ret)
{
    size_t index = index_of(operation_names, COUNT(operation_names), name);

    if (index != 0)
        *ret = (enum history_operation)index;
    return index != 0;
}

bool history_event_of(const char *name, enum history_event_kind *ret)
{
    size_t index = index_of(event_names, COUNT(event_names), name);

    if (index != 0)
        *ret = (enum history_event_kind)index;
    return index != 0;
}

bool history_verdict_of(const char *name, os_verdict *ret)
{
    size_t index = index_of(verdict_names, COUNT(verdict_names), name);

    if (index != 0)
        *ret = (os_verdict)index;
    return index != 0;
}

bool history_lease_of(const char *name, enum history_lease_kind *ret)
{
    size_t index = index_of(lease_names, COUNT(lease_names), name);

    if (index != 0)
        *ret = (enum history_lease_kind)index;
    return index != 0;
}
