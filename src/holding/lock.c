/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The items and conditions are those of LockServiceCentral's locker-dynamodb (its README, "Behavior"): `expiry < now` is
 * judged within the condition, with the wall clock of whoever asks.
 */
#include "holding/lock.h"

#include "base/error.h"
#include "base/text.h"
#include "holding/call.h"

#include <stdio.h>
#include <string.h>

enum { DURATION_MOST_S = 365 * 86400 };

static const struct item_attribute attributes[LOCK_ATTRIBUTES] = {
    [LOCK_AT_ID] = {"lockId", ITEM_STRING, ITEM_REQUIRED, LOCK_KEY_MAX},
    [LOCK_AT_NAMESPACE] = {"namespace", ITEM_STRING, ITEM_REQUIRED, LOCK_PART_MAX},
    [LOCK_AT_NAME] = {"lockName", ITEM_STRING, ITEM_REQUIRED, LOCK_PART_MAX},
    [LOCK_AT_OWNER] = {"owner", ITEM_STRING, ITEM_REQUIRED, LOCK_PART_MAX},
    [LOCK_AT_INSTANCE] = {"instanceId", ITEM_STRING, ITEM_REQUIRED, LOCK_PART_MAX},
    [LOCK_AT_DURATION] = {"leaseDuration", ITEM_NUMBER, ITEM_REQUIRED, 0},
    [LOCK_AT_EXPIRY] = {"expiry", ITEM_NUMBER, ITEM_REQUIRED, 0},
};
_Static_assert(sizeof(attributes) / sizeof(attributes[0]) <= ITEM_ATTRIBUTES_MAX, "a lock fits into an item");

const struct item_schema lock_schema = {
    .kind = ITEM_LOCKS,
    .words.what = "lock",
    .words.plural = "locks",
    .words.subject = "lock",
    .words.mend = "Find out who else writes to the table. When nobody holds or awaits this lock, delete the item.",
    .words.flag = " --locks",
    .words.sweep = "oscommit lock break NAME --namespace NAMESPACE --force",
    .attributes = attributes,
    .count = LOCK_ATTRIBUTES,
    .keys = 1,
    .ttl = LOCK_AT_EXPIRY,
};

/* ----------------------------------------------------------------------------------------------------- arguments */

static os_code check_part(const char *what, const char *given, os_error *err)
{
    struct text text = text_from(given);
    if (text.len == 0 || text.len > LOCK_PART_MAX || !text_is_utf8(text))
        return error_set(err, OS_ERR_ARGUMENT, "The %s of a lock must be 1 to %d bytes of UTF-8; this one has %zu%s.",
                         what, LOCK_PART_MAX, text.len, text_is_utf8(text) ? "" : " that are not UTF-8");
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

static void fill_info(const struct item *item, os_lock_info *ret)
{
    uint64_t expiry_s = item->values[LOCK_AT_EXPIRY].number;
    ret->held = 1;
    ret->duration_s = item->values[LOCK_AT_DURATION].number;
    ret->expiry_s = expiry_s > INT64_MAX ? INT64_MAX : (int64_t)expiry_s;
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_OWNER), ret->owner);
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_INSTANCE), ret->instance);
}

static void take_lock(void *context, const struct item *item)
{
    struct holding *holding = context;
    fill_info(item, &holding->lock.info);
}

/* `whose`: owner and instance count. */
static os_code prepare(struct holding *holding, bool whose)
{
    struct holding_lock *call = &holding->lock;
    struct holding_asking *asking = &holding->asking;
    os_error *err = &holding->error;
    os_code code = versioned_copy(holding->arguments->lock, &call->lock, sizeof(call->lock), "os_lock", err);
    if (code == OS_OK)
        code = check_lock(&call->lock, whose, err);
    if (code == OS_OK)
        code = holding_need_table(holding);
    if (code == OS_OK)
        code = holding_take_call(holding);
    if (code != OS_OK)
        return code;
    (void)text_concat(call->id, sizeof(call->id), call->lock.name_space, ":", call->lock.name, NULL);
    call->item.values[LOCK_AT_ID] = item_text(call->id);
    asking->request.schema = &lock_schema;
    asking->request.item = &call->item;
    asking->repeats = ASKING_NOT_TWICE; /* what comes late must find nobody that goes on without it */
    asking->request.once = true;
    asking->name = "request for the lock";
    asking->take = take_lock;
    asking->context = holding;
    return OS_OK;
}

/* With a duration. */
static os_code prepare_lasting(struct holding *holding)
{
    uint64_t duration_s = holding->arguments->duration_s;
    os_code code = prepare(holding, true);
    if (code == OS_OK && (duration_s == 0 || duration_s > DURATION_MOST_S))
        return error_set(&holding->error, OS_ERR_ARGUMENT, "The duration of a lock must be 1 to %d seconds, not %llu.",
                         DURATION_MOST_S, (unsigned long long)duration_s);
    return code;
}

static uint64_t lock_now_s(void)
{
    struct clock_reading now;
    clock_read(&now);
    return now.realtime_ms / 1000;
}

static void require_ours(struct holding_lock *call)
{
    item_require_text(&call->condition, LOCK_AT_OWNER, call->lock.owner);
    item_require_text(&call->condition, LOCK_AT_INSTANCE, call->lock.instance);
}

/* --------------------------------------------------------------------------------------------------------- calls */

static os_code held_by_another(struct holding *holding)
{
    const struct holding_lock *call = &holding->lock;
    return error_set(&holding->error, OS_ERR_CONFLICT,
                     "The lock %.300s is held by %.255s (instance %.255s) until second %lld.", call->id,
                     call->info.owner, call->info.instance, (long long)call->info.expiry_s);
}

static enum steps_next go_on(struct holding *holding, os_code code)
{
    holding->lock.code = code;
    return holding->lock.next(holding);
}

static enum steps_next has_looked(struct holding *holding)
{
    os_code code = holding_answer(holding);
    return go_on(holding, code == OS_OK ? OS_ERR_CONFLICT : code);
}

/* A condition that failed without showing on what, from a server that does not: read it. */
static enum steps_next look(struct holding *holding)
{
    struct holding_asking *asking = &holding->asking;
    asking->request.verb = TABLE_GET;
    asking->request.condition = NULL;
    asking->restart = NULL;
    asking->repeats = ASKING_UNTIL_CLEAR;
    memset(&holding->lock.info, 0, sizeof(holding->lock.info));
    return holding_ask(holding, has_looked);
}

static enum steps_next was_answered(struct holding *holding)
{
    os_code code = holding_answer(holding);
    enum table_outcome outcome = holding->asking.outcome;
    holding->lock.outcome = outcome;
    if (code == OS_OK && outcome == TABLE_CONFLICT_BLIND)
        return look(holding);
    return go_on(holding, code == OS_OK && outcome != TABLE_OK ? OS_ERR_CONFLICT : code);
}

/* In turn: whoever releases a lock and acquires it again holds it, also where nobody has waited for the first. */
static enum steps_next ask(struct holding *holding, holding_step_fn next)
{
    holding->lock.next = next;
    holding->asking.turn = holding->lock.id;
    return holding_ask(holding, was_answered);
}

/* For a write that was sent, and not answered clearly: `what` may have been done. */
static os_code not_known(struct holding *holding, const char *what, os_code code)
{
    os_error why = holding->error;
    return error_set(&holding->error, code, "Whether the lock %.200s was %s. %.500s", holding->lock.id, what,
                     why.message);
}

static bool is_not_known(const struct holding_lock *call)
{
    return call->code != OS_OK && call->code != OS_ERR_CONFLICT && call->outcome == TABLE_AMBIGUOUS;
}

static void give(const struct holding *holding)
{
    if (holding->arguments->ret_lock_info != NULL)
        versioned_give(&holding->lock.info, sizeof(holding->lock.info), holding->arguments->ret_lock_info);
}

/* An answer may take longer than the lock lasts. */
static bool is_over_by_now(const struct holding_lock *call)
{
    return call->info.expiry_s >= 0 && (uint64_t)call->info.expiry_s < lock_now_s();
}

/* Before each request: one that had to wait counts from when it is made. */
static void begin_to_acquire(void *context)
{
    struct holding *holding = context;
    struct holding_lock *call = &holding->lock;
    uint64_t now_s = lock_now_s();
    call->item.values[LOCK_AT_EXPIRY] = item_number(now_s + call->item.values[LOCK_AT_DURATION].number);
    memset(&call->condition, 0, sizeof(call->condition));
    item_require_absent(&call->condition, LOCK_AT_ID);
    item_or(&call->condition);
    item_require_below(&call->condition, LOCK_AT_EXPIRY, now_s);
    item_or(&call->condition);
    require_ours(call);
}

static os_code acquired(struct holding *holding)
{
    struct holding_lock *call = &holding->lock;
    if (call->code == OS_OK)
        fill_info(&call->item, &call->info);
    give(holding);
    if (call->code == OS_OK && is_over_by_now(call))
        return error_set(&holding->error, OS_ERR_DEADLINE,
                         "The lock %.300s was acquired until second %lld, and is over: the table's answer took longer. "
                         "Acquire it again, for longer.",
                         call->id, (long long)call->info.expiry_s);
    if (is_not_known(call))
        return not_known(holding, "acquired is not known: acquire it again with the same instance, or release it",
                         call->code);
    return call->code == OS_ERR_CONFLICT ? held_by_another(holding) : call->code;
}

static enum steps_next end_acquiring(struct holding *holding)
{
    return holding_over(holding, acquired(holding));
}

enum steps_next holding_acquire_lock(struct holding *holding)
{
    struct holding_lock *call = &holding->lock;
    os_code code = prepare_lasting(holding);
    if (code != OS_OK)
        return holding_over(holding, code);
    call->item.values[LOCK_AT_NAMESPACE] = item_text(call->lock.name_space);
    call->item.values[LOCK_AT_NAME] = item_text(call->lock.name);
    call->item.values[LOCK_AT_OWNER] = item_text(call->lock.owner);
    call->item.values[LOCK_AT_INSTANCE] = item_text(call->lock.instance);
    call->item.values[LOCK_AT_DURATION] = item_number(holding->arguments->duration_s);
    holding->asking.restart = begin_to_acquire;
    holding->asking.request.verb = TABLE_PUT;
    holding->asking.request.condition = &call->condition;
    return ask(holding, end_acquiring);
}

static os_code refuse_renewal(struct holding *holding)
{
    const struct holding_lock *call = &holding->lock;
    os_error *err = &holding->error;
    bool ours =
        strcmp(call->info.owner, call->lock.owner) == 0 && strcmp(call->info.instance, call->lock.instance) == 0;
    if (!call->info.held)
        return error_set(err, OS_ERR_CONFLICT, "There is no lock %.300s to renew: acquire it again.", call->id);
    if (!ours)
        return held_by_another(holding);
    return error_set(
        err, OS_ERR_CONFLICT,
        "The lock %.300s expired at second %lld, and it is second %llu: another may have had it. Acquire it "
        "again.",
        call->id, (long long)call->info.expiry_s, (unsigned long long)lock_now_s());
}

static void begin_to_renew(void *context)
{
    struct holding *holding = context;
    struct holding_lock *call = &holding->lock;
    memset(&call->condition, 0, sizeof(call->condition));
    item_require_there(&call->condition, LOCK_AT_ID);
    item_require_at_least(&call->condition, LOCK_AT_EXPIRY, lock_now_s());
    require_ours(call);
}

static os_code renewed(struct holding *holding)
{
    const struct holding_lock *call = &holding->lock;
    give(holding);
    if (call->code == OS_ERR_CONFLICT || (call->code == OS_OK && is_over_by_now(call)))
        return refuse_renewal(holding);
    if (is_not_known(call))
        return not_known(holding, "renewed is not known: read it", OS_ERR_UNDECIDED);
    return call->code;
}

static enum steps_next end_renewing(struct holding *holding)
{
    return holding_over(holding, renewed(holding));
}

enum steps_next holding_renew_lock(struct holding *holding)
{
    struct holding_lock *call = &holding->lock;
    struct table_request *request = &holding->asking.request;
    uint64_t duration_s = holding->arguments->duration_s;
    os_code code = prepare_lasting(holding);
    if (code != OS_OK)
        return holding_over(holding, code);
    call->changes[0] = (struct item_change){LOCK_AT_DURATION, ITEM_ADD, item_number(duration_s)};
    call->changes[1] = (struct item_change){LOCK_AT_EXPIRY, ITEM_ADD, item_number(duration_s)};
    holding->asking.restart = begin_to_renew;
    request->verb = TABLE_UPDATE;
    request->condition = &call->condition;
    request->changes = call->changes;
    request->change_count = 2;
    return ask(holding, end_renewing);
}

/* `what` was done to a lock that is there. */
static enum steps_next end_deleting(struct holding *holding, const char *what)
{
    const struct holding_lock *call = &holding->lock;
    os_code code = call->code;
    give(holding);
    if (code == OS_ERR_CONFLICT)
        code = call->info.held ? held_by_another(holding) : OS_OK;
    else if (is_not_known(call))
        code = not_known(holding, what, code);
    return holding_over(holding, code);
}

/* On the condition that stands there. */
static enum steps_next delete_lock(struct holding *holding, holding_step_fn next)
{
    holding->asking.request.verb = TABLE_DELETE;
    holding->asking.request.condition = &holding->lock.condition;
    return ask(holding, next);
}

static enum steps_next end_releasing(struct holding *holding)
{
    return end_deleting(holding, "released is not known: release it again");
}

enum steps_next holding_release_lock(struct holding *holding)
{
    os_code code = prepare(holding, true);
    if (code != OS_OK)
        return holding_over(holding, code);
    require_ours(&holding->lock);
    return delete_lock(holding, end_releasing);
}

static enum steps_next end_breaking(struct holding *holding)
{
    return end_deleting(holding, "broken is not known: break it again");
}

/* Whosever it is. */
enum steps_next holding_break_lock(struct holding *holding)
{
    os_code code = prepare(holding, false);
    if (code != OS_OK)
        return holding_over(holding, code);
    item_require_below(&holding->lock.condition, LOCK_AT_EXPIRY, lock_now_s());
    return delete_lock(holding, end_breaking);
}

static enum steps_next lock_was_read(struct holding *holding)
{
    os_code code = holding_answer(holding);
    give(holding);
    return holding_over(holding, code);
}

enum steps_next holding_read_lock(struct holding *holding)
{
    os_code code = prepare(holding, false);
    if (code != OS_OK)
        return holding_over(holding, code);
    holding->asking.request.verb = TABLE_GET;
    holding->asking.repeats = ASKING_UNTIL_CLEAR;
    return holding_ask(holding, lock_was_read);
}

/* ---------------------------------------------------------------------------------------------------------- list */

struct lock_row {
    char name_space[LOCK_PART_MAX + 1];
    char name[LOCK_PART_MAX + 1];
    os_lock_info info;
};

static bool fill_row(void *context, const struct item *item, void *ret)
{
    const struct holding_arguments *arguments = context;
    struct lock_row *row = ret;
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_NAMESPACE), row->name_space);
    (void)TEXT_COPY_STR(item_text_of(item, LOCK_AT_NAME), row->name);
    row->info.size = sizeof(row->info);
    fill_info(item, &row->info);
    return arguments->name_space == NULL || strcmp(arguments->name_space, row->name_space) == 0;
}

static int give_row(void *context, const void *given)
{
    const struct holding_arguments *arguments = context;
    const struct lock_row *row = given;
    return arguments->each_lock(arguments->each_context, row->name_space, row->name, &row->info);
}

enum steps_next holding_list_locks(struct holding *holding)
{
    const struct holding_arguments *arguments = holding->arguments;
    if (arguments->each_lock == NULL)
        return holding_over(holding, error_set(&holding->error, OS_ERR_ARGUMENT,
                                               "os_lock_list needs a callback that receives the locks."));
    holding->listing = (struct holding_listing){.schema = &lock_schema,
                                                .row_size = sizeof(struct lock_row),
                                                .fill = fill_row,
                                                .give = give_row,
                                                .context = (void *)arguments};
    return holding_ask_for_list(holding);
}

/* --------------------------------------------------------------------------------------------------------- table */

enum steps_next holding_create_locks(struct holding *holding)
{
    return holding_ask_of_table(holding, TABLE_CREATE, &lock_schema);
}

enum steps_next holding_check_locks(struct holding *holding)
{
    return holding_ask_of_table(holding, TABLE_CHECK, &lock_schema);
}
