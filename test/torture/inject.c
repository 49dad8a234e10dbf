/* SPDX-License-Identifier: Apache-2.0 */
#include "inject.h"

#include <errno.h>
#include <stdatomic.h>

const char *const inject_kind_names[INJECT_KINDS] = {"memory", "file", "done", "sqlite", "vfs", "curl", "thread"};

static const char *const file_variants[] = {"EIO", "ENOSPC", "EMFILE", "EINTR", "EDQUOT", "ENOMEM", "EACCES", "short"};
static const char *const done_variants[] = {"EIO", "ENOENT"};
static const char *const sqlite_variants[] = {"SQLITE_IOERR", "SQLITE_BUSY", "SQLITE_FULL", "SQLITE_NOMEM"};
static const char *const vfs_variants[] = {"SQLITE_IOERR", "SQLITE_FULL", "SQLITE_BUSY", "SQLITE_IOERR_NOMEM"};
static const char *const one_variant[] = {"failed"};

static const struct {
    const char *const *names;
    int count;
} variants[INJECT_KINDS] = {
    [INJECT_MEMORY] = {one_variant, 1},     [INJECT_FILE] = {file_variants, 8}, [INJECT_DONE] = {done_variants, 2},
    [INJECT_SQLITE] = {sqlite_variants, 4}, [INJECT_VFS] = {vfs_variants, 4},   [INJECT_CURL] = {one_variant, 1},
    [INJECT_THREAD] = {one_variant, 1},
};

/* os_client_open has no deadline, and waits ten seconds for a database that stays busy: there it is let go. A call
 * gives up at its deadline. */
enum { BUSY_HITS_MAX = 25 };

static bool is_busy(enum inject_kind kind, int variant)
{
    return (kind == INJECT_SQLITE && variant == 1) || (kind == INJECT_VFS && variant == 2);
}

static struct inject_plan plan_now;
static atomic_long seen[INJECT_KINDS];
static atomic_bool armed;
static atomic_int hits;
static atomic_bool opening;
static _Atomic(const char *) first_call;
static _Thread_local bool counted;

int inject_variants(enum inject_kind kind)
{
    return variants[kind].count;
}

const char *inject_variant_name(enum inject_kind kind, int variant)
{
    return variants[kind].names[variant];
}

bool inject_is_passing(enum inject_kind kind, int variant)
{
    return kind == INJECT_FILE && (variant == 3 || variant == 7);
}

void inject_set_opening(bool value)
{
    atomic_store(&opening, value);
}

void inject_begin(const struct inject_plan *plan)
{
    plan_now = *plan;
    for (int kind = 0; kind < INJECT_KINDS; kind++)
        atomic_store(&seen[kind], 0);
    atomic_store(&hits, 0);
    atomic_store(&first_call, NULL);
    counted = true;
    atomic_store(&armed, true);
}

void inject_pause(bool pause)
{
    atomic_store(&armed, !pause);
}

bool inject_end(void)
{
    atomic_store(&armed, false);
    counted = false;
    return atomic_load(&hits) > 0;
}

const char *inject_call(void)
{
    const char *call = atomic_load(&first_call);
    return call == NULL ? "" : call;
}

long inject_count(enum inject_kind kind)
{
    return atomic_load(&seen[kind]);
}

bool inject_hits(enum inject_kind kind, const char *call)
{
    if (!counted || !atomic_load(&armed))
        return false;
    long number = atomic_fetch_add(&seen[kind], 1);
    bool waits = atomic_load(&opening) || kind == INJECT_VFS;
    bool let_go = waits && is_busy(kind, plan_now.variant) && atomic_load(&hits) >= BUSY_HITS_MAX;
    if (kind != plan_now.kind || let_go || (plan_now.forever ? number < plan_now.number : number != plan_now.number))
        return false;
    if (atomic_fetch_add(&hits, 1) == 0)
        atomic_store(&first_call, call);
    return true;
}

bool inject_is_counted(void)
{
    return counted;
}

void inject_set_counted(bool value)
{
    counted = value;
}

int inject_variant(void)
{
    return plan_now.variant;
}
