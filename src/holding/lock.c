/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items and conditions are those of LockServiceCentral's locker-dynamodb (its README, "Behavior"): `expiry < now` is
 * judged within the condition, with the wall clock of whoever asks.
 */
#include "holding/lock.h"

#include "base/container.h"
#include "base/error.h"
#include "base/text.h"
#include "client/inside.h"
#include "holding/asking.h"
#include "holding/listing.h"

#include <stdio.h>
#include <string.h>

enum { PART_MAX = 255, KEY_MAX = 2 * PART_MAX + 1, DURATION_MOST_S = 365 * 86400 };

static const struct item_attribute attributes[LOCK_ATTRIBUTES] = {
    [LOCK_AT_ID] = {"lockId", ITEM_STRING, ITEM_REQUIRED, KEY_MAX},
    [LOCK_AT_NAMESPACE] = {"namespace", ITEM_STRING, ITEM_REQUIRED, PART_MAX},
    [LOCK_AT_NAME] = {"lockName", ITEM_STRING, ITEM_REQUIRED, PART_MAX},
    [LOCK_AT_OWNER] = {"owner", ITEM_STRING, ITEM_REQUIRED, PART_MAX},
    [LOCK_AT_INSTANCE] = {"instanceId", ITEM_STRING, ITEM_REQUIRED, PART_MAX},
    [LOCK_AT_DURATION] = {"leaseDuration", ITEM_NUMBER, ITEM_REQUIRED, 0},
    [LOCK_AT_EXPIRY] = {"expiry", ITEM_NUMBER, ITEM_REQUIRED, 0},
};
_Static_assert(sizeof(attributes) / sizeof(attributes[0]) <= ITEM_ATTRIBUTES_MAX, "a lock fits into an item");

const struct item_schema lock_schema = {
    .kind = ITEM_LOCKS,
    .what = "lock",
    .subject = "lock",
    .mend = "Find out who else writes to the table. When nobody holds or awaits this lock, delete the item.",
    .flag = " --locks",
    .sweep = "oscommit lock break",
    .attributes = attributes,
    .count = LOCK_ATTRIBUTES,
    .keys = 1,
    .ttl = LOCK_AT_EXPIRY,
};

/* ----------------------------------------------------------------------------------------------------- arguments */

/* One call, as it lies in memory while it is under way. */
struct lock_call {
    struct asking asking;
    os_lock lock;
    char id[KEY_MAX + 1];
    struct item item;
    struct item_condition condition;
    struct item_change changes[2];
    os_lock_info info;
};

static os_code check_part(const char *what, const char *given, os_error *err)
{
    struct text text = text_from(given);
    if (text.len == 0 || text.len > PART_MAX || !text_is_utf8(text))
        return error_set(err, OS_ERR_ARGUMENT, "The %s of a lock must be 1 to %d bytes of UTF-8; this one has %zu%s.",
                         what, PART_MAX, text.len, text_is_utf8(text) ? "" : " that are not UTF-8");
    return OS_OK;
}

static os_code check_lock(const os_lock *lock, bool whose, os_error *err)
{
    os_code code = check_part("namespace", lock->name_space, err);
    if (code == OS_OK)
        code = check_part("name", lock->name, err);
    if (code == OS_OK && whose)
        code = check_part("owner", lock->owner, err);
    if (code == OS_OK && whose)
        code = check_part("instance", lock->instance, err);
    if (code == OS_OK && strchr(lock->name_space, ':') != NULL)
        code =
            error_set(err, OS_ERR_ARGUMENT,
                      "The namespace \"%.255s\" has a ':', which stands between namespace and name: the key would be "
                      "that of another lock as well.",
                      lock->name_space);
    return code;
}

static void take_lock(void *context, const struct item *item)
{
    os_lock_info *ret = context;
    uint64_t expiry_s = item->values[LOCK_AT_EXPIRY].number;
    ret->held = 1;
    ret->duration_s = item->values[LOCK_AT_DURATION].number;
    ret->expiry_s = expiry_s > INT64_MAX ? INT64_MAX : (int64_t)expiry_s;
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_OWNER), ret->owner);
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_INSTANCE), ret->instance);
}

/* `whose`: owner and instance count. */
static os_code prepare(struct lock_call *ret, os_client *client, const struct lock_arguments *arguments, bool whose,
                       os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    os_code code = versioned_copy(arguments->lock, &ret->lock, sizeof(ret->lock), "os_lock", err);
    if (code == OS_OK)
        code = check_lock(&ret->lock, whose, err);
    if (code != OS_OK)
        return code;
    (void)text_concat(ret->id, sizeof(ret->id), ret->lock.name_space, ":", ret->lock.name, NULL);
    ret->item.values[LOCK_AT_ID] = item_text(ret->id);
    ret->asking.client = client;
    ret->asking.request.schema = &lock_schema;
    ret->asking.request.item = &ret->item;
    ret->asking.repeats = ASKING_NOT_TWICE; /* what comes late must find nobody that goes on without it */
    ret->asking.request.once = true;
    ret->asking.name = "request for the lock";
    ret->asking.take = take_lock;
    ret->asking.context = &ret->info;
    return OS_OK;
}

/* With a duration. */
static os_code prepare_lasting(struct lock_call *ret, os_client *client, const struct lock_arguments *arguments,
                               os_error *err)
{
    os_code code = prepare(ret, client, arguments, true, err);
    if (code == OS_OK && (arguments->duration_s == 0 || arguments->duration_s > DURATION_MOST_S))
        return error_set(err, OS_ERR_ARGUMENT, "The duration of a lock must be 1 to %d seconds, not %llu.",
                         DURATION_MOST_S, (unsigned long long)arguments->duration_s);
    return code;
}

static uint64_t lock_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms / 1000;
}

static void require_ours(struct lock_call *call)
{
    item_require_text(&call->condition, LOCK_AT_OWNER, call->lock.owner);
    item_require_text(&call->condition, LOCK_AT_INSTANCE, call->lock.instance);
}

/* --------------------------------------------------------------------------------------------------------- calls */

static os_code held_by_another(const struct lock_call *call, os_error *err)
{
    return error_set(err, OS_ERR_CONFLICT, "The lock %.300s is held by %.255s (instance %.255s) until second %lld.",
                     call->id, call->info.owner, call->info.instance, (long long)call->info.expiry_s);
}

/* A condition that failed without showing on what, from a server that does not: read it. */
static os_code look(struct lock_call *call, const os_call *limits, os_error *err)
{
    struct asking reading = call->asking;
    memset(&reading.op, 0, sizeof(reading.op));
    reading.request.verb = TABLE_GET;
    reading.request.condition = NULL;
    reading.restart = NULL;
    reading.repeats = ASKING_UNTIL_CLEAR;
    memset(&call->info, 0, sizeof(call->info));
    return asking_run(&reading, limits, err);
}

/* OS_OK: it was done. OS_ERR_CONFLICT without a sentence: the condition failed, and `info` shows on what. */
static os_code ask(struct lock_call *call, const struct lock_arguments *arguments, os_error *err)
{
    os_code code = asking_run(&call->asking, arguments->call, err);
    if (code == OS_OK && call->asking.outcome == TABLE_CONFLICT_BLIND)
        code = look(call, arguments->call, err);
    if (code != OS_OK)
        return code;
    return call->asking.outcome == TABLE_OK ? OS_OK : OS_ERR_CONFLICT;
}

/* For a write that was sent, and not answered clearly: `what` may have been done. */
static os_code not_known(const struct lock_call *call, const char *what, os_code code, os_error *err)
{
    os_error why = *err;
    return error_set(err, code, "Whether the lock %.200s was %s. %.500s", call->id, what, why.message);
}

static bool is_not_known(const struct lock_call *call, os_code code)
{
    return code != OS_OK && code != OS_ERR_CONFLICT && call->asking.outcome == TABLE_AMBIGUOUS;
}

static void give(const struct lock_call *call, os_lock_info *ret)
{
    if (ret != NULL)
        versioned_give(&call->info, sizeof(call->info), ret);
}

/* An answer may take longer than the lock lasts. */
static bool is_over_by_now(const struct lock_call *call)
{
    return call->info.expiry_s >= 0 && (uint64_t)call->info.expiry_s < lock_now_s();
}

/* Before each request: one that had to wait counts from when it is made. */
static void begin_to_acquire(void *context)
{
    struct lock_call *call = container_of(context, struct lock_call, info);
    uint64_t now_s = lock_now_s();
    call->item.values[LOCK_AT_EXPIRY] = item_number(now_s + call->item.values[LOCK_AT_DURATION].number);
    memset(&call->condition, 0, sizeof(call->condition));
    item_require_absent(&call->condition, LOCK_AT_ID);
    item_or(&call->condition);
    item_require_below(&call->condition, LOCK_AT_EXPIRY, now_s);
    item_or(&call->condition);
    require_ours(call);
}

static os_code acquire(os_client *client, const void *context, os_error *err)
{
    const struct lock_arguments *arguments = context;
    struct lock_call call;
    os_code code = prepare_lasting(&call, client, arguments, err);
    if (code != OS_OK)
        return code;
    call.item.values[LOCK_AT_NAMESPACE] = item_text(call.lock.name_space);
    call.item.values[LOCK_AT_NAME] = item_text(call.lock.name);
    call.item.values[LOCK_AT_OWNER] = item_text(call.lock.owner);
    call.item.values[LOCK_AT_INSTANCE] = item_text(call.lock.instance);
    call.item.values[LOCK_AT_DURATION] = item_number(arguments->duration_s);
    call.asking.restart = begin_to_acquire;
    call.asking.request.verb = TABLE_PUT;
    call.asking.request.condition = &call.condition;
    code = ask(&call, arguments, err);
    if (code == OS_OK)
        take_lock(&call.info, &call.item);
    give(&call, arguments->ret);
    if (code == OS_OK && is_over_by_now(&call))
        return error_set(err, OS_ERR_DEADLINE,
                         "The lock %.300s was acquired until second %lld, and is over: the table's answer took longer. "
                         "Acquire it again, for longer.",
                         call.id, (long long)call.info.expiry_s);
    if (is_not_known(&call, code))
        return not_known(&call, "acquired is not known: acquire it again with the same instance, or release it", code,
                         err);
    return code == OS_ERR_CONFLICT ? held_by_another(&call, err) : code;
}

static os_code refuse_renewal(const struct lock_call *call, os_error *err)
{
    bool ours =
        strcmp(call->info.owner, call->lock.owner) == 0 && strcmp(call->info.instance, call->lock.instance) == 0;
    if (!call->info.held)
        return error_set(err, OS_ERR_CONFLICT, "There is no lock %.300s to renew: acquire it again.", call->id);
    if (!ours)
        return held_by_another(call, err);
    return error_set(
        err, OS_ERR_CONFLICT,
        "The lock %.300s expired at second %lld, and it is second %llu: another may have had it. Acquire it "
        "again.",
        call->id, (long long)call->info.expiry_s, (unsigned long long)lock_now_s());
}

static void begin_to_renew(void *context)
{
    struct lock_call *call = container_of(context, struct lock_call, info);
    memset(&call->condition, 0, sizeof(call->condition));
    item_require_there(&call->condition, LOCK_AT_ID);
    item_require_at_least(&call->condition, LOCK_AT_EXPIRY, lock_now_s());
    require_ours(call);
}

static os_code renew(os_client *client, const void *context, os_error *err)
{
    const struct lock_arguments *arguments = context;
    struct lock_call call;
    os_code code = prepare_lasting(&call, client, arguments, err);
    if (code != OS_OK)
        return code;
    call.changes[0] = (struct item_change){LOCK_AT_DURATION, ITEM_ADD, item_number(arguments->duration_s)};
    call.changes[1] = (struct item_change){LOCK_AT_EXPIRY, ITEM_ADD, item_number(arguments->duration_s)};
    call.asking.restart = begin_to_renew;
    call.asking.request.verb = TABLE_UPDATE;
    call.asking.request.condition = &call.condition;
    call.asking.request.changes = call.changes;
    call.asking.request.change_count = 2;
    code = ask(&call, arguments, err);
    give(&call, arguments->ret);
    if (code == OS_ERR_CONFLICT || (code == OS_OK && is_over_by_now(&call)))
        return refuse_renewal(&call, err);
    if (is_not_known(&call, code))
        return not_known(&call, "renewed is not known: read it", OS_ERR_UNDECIDED, err);
    return code;
}

/* On the condition that stands there. `what` is done to a lock that is there. */
static os_code delete_lock(struct lock_call *call, const struct lock_arguments *arguments, const char *what,
                           os_error *err)
{
    call->asking.request.verb = TABLE_DELETE;
    call->asking.request.condition = &call->condition;
    os_code code = ask(call, arguments, err);
    give(call, arguments->ret);
    if (code == OS_ERR_CONFLICT)
        return call->info.held ? held_by_another(call, err) : OS_OK;
    return is_not_known(call, code) ? not_known(call, what, code, err) : code;
}

static os_code release(os_client *client, const void *context, os_error *err)
{
    const struct lock_arguments *arguments = context;
    struct lock_call call;
    os_code code = prepare(&call, client, arguments, true, err);
    if (code != OS_OK)
        return code;
    require_ours(&call);
    return delete_lock(&call, arguments, "released is not known: release it again", err);
}

/* Whosever it is. */
static os_code break_expired(os_client *client, const void *context, os_error *err)
{
    const struct lock_arguments *arguments = context;
    struct lock_call call;
    os_code code = prepare(&call, client, arguments, false, err);
    if (code != OS_OK)
        return code;
    item_require_below(&call.condition, LOCK_AT_EXPIRY, lock_now_s());
    return delete_lock(&call, arguments, "broken is not known: break it again", err);
}

static os_code look_up(os_client *client, const void *context, os_error *err)
{
    const struct lock_arguments *arguments = context;
    struct lock_call call;
    os_code code = prepare(&call, client, arguments, false, err);
    if (code != OS_OK)
        return code;
    call.asking.request.verb = TABLE_GET;
    call.asking.repeats = ASKING_UNTIL_CLEAR;
    code = asking_run(&call.asking, arguments->call, err);
    give(&call, arguments->ret);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- list */

struct lock_row {
    char name_space[PART_MAX + 1];
    char name[PART_MAX + 1];
    os_lock_info info;
};

static bool fill_row(void *context, const struct item *item, void *ret)
{
    const struct lock_list_arguments *arguments = context;
    struct lock_row *row = ret;
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_NAMESPACE), row->name_space);
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_NAME), row->name);
    row->info.size = sizeof(row->info);
    take_lock(&row->info, item);
    return arguments->name_space == NULL || strcmp(arguments->name_space, row->name_space) == 0;
}

static int give_row(void *context, const void *given)
{
    const struct lock_list_arguments *arguments = context;
    const struct lock_row *row = given;
    return arguments->each(arguments->context, row->name_space, row->name, &row->info);
}

static os_code list_locks(os_client *client, const void *context, os_error *err)
{
    const struct lock_list_arguments *arguments = context;
    struct listing listing = {.schema = &lock_schema,
                              .row_size = sizeof(struct lock_row),
                              .fill = fill_row,
                              .give = give_row,
                              .context = (void *)arguments};
    return listing_run(&listing, client, arguments->call, err);
}

/* ----------------------------------------------------------------------------------------------- the interface */

static os_code perform(os_client *client, const struct lock_arguments *arguments, client_perform_fn call, os_error *err)
{
    const struct lock_call nothing = {.info.held = 0};
    give(&nothing, arguments->ret);
    return client_perform(client, call, arguments, err);
}

os_code lock_acquire(os_client *client, const struct lock_arguments *arguments, os_error *err)
{
    return perform(client, arguments, acquire, err);
}

os_code lock_renew(os_client *client, const struct lock_arguments *arguments, os_error *err)
{
    return perform(client, arguments, renew, err);
}

os_code lock_release(os_client *client, const struct lock_arguments *arguments, os_error *err)
{
    return perform(client, arguments, release, err);
}

os_code lock_read(os_client *client, const struct lock_arguments *arguments, os_error *err)
{
    return perform(client, arguments, look_up, err);
}

os_code lock_break(os_client *client, const struct lock_arguments *arguments, os_error *err)
{
    return perform(client, arguments, break_expired, err);
}

os_code lock_list(os_client *client, const struct lock_list_arguments *arguments, os_error *err)
{
    if (arguments->each == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lock_list needs a callback that receives the locks.");
    return client_perform(client, list_locks, arguments, err);
}

os_code lock_table_create(os_client *client, const os_call *call, os_error *err)
{
    return asking_of_table(client, TABLE_CREATE, &lock_schema, call, err);
}

os_code lock_table_check(os_client *client, const os_call *call, os_error *err)
{
    return asking_of_table(client, TABLE_CHECK, &lock_schema, call, err);
}
