/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a lock: one request each. */
#include "inject.h"
#include "trial.h"

#include <string.h>

enum { DURATION_S = 1000, MORE_S = 50 };

static os_lock lock_of(const struct trial *trial, const char *owner)
{
    os_lock lock = OS_LOCK_INIT;
    lock.name_space = "torture";
    lock.name = trial->key;
    lock.owner = owner;
    lock.instance = owner;
    return lock;
}

static const char ours[] = "ours";
static const char another[] = "another";

static bool look(struct trial *trial, os_client *calm, os_lock_info *ret)
{
    os_lock lock = lock_of(trial, ours);
    os_error err;
    *ret = (os_lock_info)OS_LOCK_INFO_INIT;
    if (os_lock_read(calm, &lock, NULL, ret, &err) != OS_OK)
        return trial_blame(trial, "the lock cannot be read by an undisturbed client: %s", err.message);
    return true;
}

static bool is_same(const os_lock_info *left, const os_lock_info *right)
{
    return left->held == right->held && strcmp(left->owner, right->owner) == 0 &&
           strcmp(left->instance, right->instance) == 0 && left->duration_s == right->duration_s &&
           left->expiry_s == right->expiry_s;
}

static bool prepare_with(struct trial *trial, os_client *calm, const char *owner)
{
    os_lock lock = lock_of(trial, owner);
    os_error err;
    if (os_lock_acquire(calm, &lock, DURATION_S, NULL, NULL, &err) != OS_OK)
        return trial_blame(trial, "the trial could not be prepared: %s", err.message);
    return look(trial, calm, &trial->lock_before);
}

static bool prepare_none(os_client *calm, struct trial *trial)
{
    return look(trial, calm, &trial->lock_before);
}

static bool prepare_ours(os_client *calm, struct trial *trial)
{
    return prepare_with(trial, calm, ours);
}

static bool prepare_another(os_client *calm, struct trial *trial)
{
    return prepare_with(trial, calm, another);
}

/* --------------------------------------------------------------------------------------------------------- calls */

static void acquire(os_client *client, struct trial *trial)
{
    os_lock lock = lock_of(trial, ours);
    trial->given_lock = (os_lock_info)OS_LOCK_INFO_INIT;
    inject_pause(false);
    trial->code = os_lock_acquire(client, &lock, DURATION_S, &trial->call, &trial->given_lock, &trial->err);
}

static void renew(os_client *client, struct trial *trial)
{
    os_lock lock = lock_of(trial, ours);
    trial->given_lock = (os_lock_info)OS_LOCK_INFO_INIT;
    inject_pause(false);
    trial->code = os_lock_renew(client, &lock, MORE_S, &trial->call, &trial->given_lock, &trial->err);
}

static void release(os_client *client, struct trial *trial)
{
    os_lock lock = lock_of(trial, ours);
    trial->given_lock = (os_lock_info)OS_LOCK_INFO_INIT;
    inject_pause(false);
    trial->code = os_lock_release(client, &lock, &trial->call, &trial->given_lock, &trial->err);
}

static void read_it(os_client *client, struct trial *trial)
{
    os_lock lock = lock_of(trial, ours);
    trial->given_lock = (os_lock_info)OS_LOCK_INFO_INIT;
    inject_pause(false);
    trial->code = os_lock_read(client, &lock, &trial->call, &trial->given_lock, &trial->err);
}

/* -------------------------------------------------------------------------------------------------------- checks */

/* No answer, or one that says nothing: the sentence says so. */
static bool may_be_done(const struct trial *trial)
{
    return strstr(trial->err.message, "is not known") != NULL;
}

static bool lie(struct trial *trial)
{
    return trial_blame(trial, "told %s (%s), but the lock is of \"%s\", for %llu s until %lld, after %llu until %lld",
                       os_code_name(trial->code), trial->err.message, trial->lock_after.owner,
                       (unsigned long long)trial->lock_after.duration_s, (long long)trial->lock_after.expiry_s,
                       (unsigned long long)trial->lock_before.duration_s, (long long)trial->lock_before.expiry_s);
}

static bool check(struct trial *trial, os_client *calm, bool (*is_done)(const struct trial *trial))
{
    if (!look(trial, calm, &trial->lock_after))
        return false;
    bool is_as_before = is_same(&trial->lock_before, &trial->lock_after);
    if (trial->code == OS_OK)
        return is_done(trial) ? true : lie(trial);
    if (trial->code == OS_ERR_CONFLICT && strcmp(trial->lock_before.owner, another) != 0)
        return trial_blame(trial, "told of another holder, and there is none");
    return is_as_before || (may_be_done(trial) && is_done(trial)) ? true : lie(trial);
}

static bool is_what_was_given(const struct trial *trial)
{
    return trial->code != OS_OK || is_same(&trial->given_lock, &trial->lock_after);
}

static bool is_acquired(const struct trial *trial)
{
    const os_lock_info *after = &trial->lock_after;
    return after->held && strcmp(after->owner, ours) == 0 && strcmp(after->instance, ours) == 0 &&
           after->duration_s == DURATION_S && is_what_was_given(trial);
}

static bool is_renewed(const struct trial *trial)
{
    os_lock_info once = trial->lock_before;
    once.duration_s += MORE_S;
    once.expiry_s += MORE_S;
    return is_same(&once, &trial->lock_after) && is_what_was_given(trial);
}

static bool is_released(const struct trial *trial)
{
    return !trial->lock_after.held;
}

static bool is_read(const struct trial *trial)
{
    return is_same(&trial->lock_before, &trial->lock_after) && is_what_was_given(trial);
}

static bool check_acquired(os_client *calm, struct trial *trial)
{
    return check(trial, calm, is_acquired);
}

/* Of a renewal that may have been added the caller is told just that. */
static bool check_renewed(os_client *calm, struct trial *trial)
{
    if (!check(trial, calm, is_renewed))
        return false;
    return trial->code == OS_OK || trial->code == OS_ERR_UNDECIDED || is_same(&trial->lock_before, &trial->lock_after)
               ? true
               : lie(trial);
}

static bool check_released(os_client *calm, struct trial *trial)
{
    return check(trial, calm, is_released);
}

/* What another holds is told as such, and stays. */
static bool check_of_another(os_client *calm, struct trial *trial)
{
    if (!look(trial, calm, &trial->lock_after))
        return false;
    bool told = trial->code != OS_ERR_CONFLICT || is_same(&trial->given_lock, &trial->lock_before);
    return trial->code != OS_OK && told && is_same(&trial->lock_before, &trial->lock_after) ? true : lie(trial);
}

static bool check_read(os_client *calm, struct trial *trial)
{
    return check(trial, calm, is_read);
}

/* Later it is as it was found; and whoever has it can release it, for the next. */
static bool settle(os_client *calm, struct trial *trial)
{
    os_lock_info now;
    os_error err;
    if (!look(trial, calm, &now))
        return false;
    if (!is_same(&now, &trial->lock_after))
        return trial_blame(trial, "told %s, and the lock changed later", os_code_name(trial->code));
    os_lock holder = lock_of(trial, now.held ? now.owner : ours);
    os_lock next = lock_of(trial, "the next");
    if (os_lock_release(calm, &holder, NULL, NULL, &err) != OS_OK ||
        os_lock_acquire(calm, &next, DURATION_S, NULL, NULL, &err) != OS_OK)
        return trial_blame(trial, "the next holder was told: %s", err.message);
    return true;
}

#define LOCK .kind = SCENARIO_LOCK, .settle = settle, .calm_at_first = true
static const struct scenario scenarios[] = {
    {LOCK, .name = "lock_acquire", .prepare = prepare_none, .run = acquire, .check = check_acquired},
    {LOCK, .name = "lock_acquire_of_held", .wanted = OS_ERR_CONFLICT, .prepare = prepare_another, .run = acquire,
     .check = check_of_another},
    {LOCK, .name = "lock_renew", .prepare = prepare_ours, .run = renew, .check = check_renewed},
    {LOCK, .name = "lock_release", .prepare = prepare_ours, .run = release, .check = check_released},
    {LOCK, .name = "lock_release_of_held", .wanted = OS_ERR_CONFLICT, .prepare = prepare_another, .run = release,
     .check = check_of_another},
    {LOCK, .name = "lock_read", .prepare = prepare_another, .run = read_it, .check = check_read},
};
const struct scenarios lock_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
