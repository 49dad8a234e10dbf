/* SPDX-License-Identifier: Apache-2.0 */
#include "client/plan.h"

#include "base/error.h"

#include <string.h>

enum { WAY_STAGE_ABOVE = 8 << 20 /* R15 */ };

static const char *const request_names[] = {
    [0] = "",
    [WAY_PUT_OBJECT] = "PutObject",
    [WAY_COPY_OBJECT] = "CopyObject",
    [WAY_COMPLETE_UPLOAD] = "CompleteMultipartUpload",
    [WAY_DELETE_OBJECT] = "DeleteObject",
    [WAY_RENAME_OBJECT] = "RenameObject",
};

const char *way_request_name(enum way_request request)
{
    return request_names[request];
}

const char *way_guard_name(os_guard guard)
{
    static const char *const names[] = {
        [OS_GUARD_AUTO] = "none",
        [OS_GUARD_RECORD] = "record",
        [OS_GUARD_NATIVE] = "native",
        [OS_GUARD_BOTH] = "both",
    };
    return names[guard];
}

static enum profile_request profile_request_of(enum way_request request)
{
    switch (request) {
    case WAY_PUT_OBJECT: return PROFILE_PUT;
    case WAY_COPY_OBJECT: return PROFILE_COPY;
    case WAY_COMPLETE_UPLOAD: return PROFILE_COMPLETE;
    case WAY_DELETE_OBJECT: return PROFILE_DELETE;
    case WAY_RENAME_OBJECT: break;
    }
    return PROFILE_RENAME;
}

static enum profile_condition condition_of(const struct way_rules *rules, enum way_request request, bool create)
{
    if (rules->profile == NULL)
        return PROFILE_UNKNOWN;
    const struct profile_rule *rule = &rules->profile->rules[profile_request_of(request)];
    return create ? rule->absent : rule->match;
}

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

uint64_t way_stage_above(const struct way_rules *rules, enum way_operation operation, bool create)
{
    if (operation == WAY_COPY && rules->copies_whole)
        return UINT64_MAX;
    if (operation == WAY_COPY)
        return rules->stage_above ? smaller(rules->stage_above, GUARD_COPY_MAX_BYTES) : GUARD_COPY_MAX_BYTES;
    if (rules->stage_above)
        return smaller(rules->stage_above, GUARD_COPY_MAX_BYTES); /* PutObject has the same limit */
    /* What does not arrive at once makes a dead writer's record block for minutes (F2): where nothing else keeps
     * it from overwriting others, its parts go first, and only the small Complete is guarded. */
    enum profile_condition condition = condition_of(rules, WAY_PUT_OBJECT, create);
    bool honoured = condition == PROFILE_ENFORCED || condition == PROFILE_UNKNOWN;
    bool stages_early = rules->has_uploads && (!honoured || rules->keeps_stalled_bodies);
    return stages_early ? smaller(rules->at_once_bytes, WAY_STAGE_ABOVE) : WAY_STAGE_ABOVE;
}

/* ------------------------------------------------------------------------------------------------ what is proven */

static bool proves(const struct way_rules *rules, enum way_request request, bool create)
{
    if (request == WAY_COMPLETE_UPLOAD && !rules->has_uploads)
        return false;
    if (request == WAY_RENAME_OBJECT && rules->profile->rename_object != PROFILE_YES)
        return false;
    bool carries_nonce = request != WAY_DELETE_OBJECT && request != WAY_RENAME_OBJECT;
    if (carries_nonce && rules->profile->metadata_survives == PROFILE_NO)
        return false; /* nothing else tells an own write from another's */
    return profile_proves(rules->profile, profile_request_of(request), create);
}

/* A rung of the ladder: a request, and the vendor's header if it is not the plain condition that it rests on. */
static bool take_rung(const struct way_rules *rules, enum way_request request, bool create, struct way *ret)
{
    if (!proves(rules, request, create))
        return false;
    ret->request = request;
    ret->conditional = true;
    return true;
}

static bool take_vendor(const struct way_rules *rules, enum way_request request, bool create, struct way *ret)
{
    int vendor = create ? profile_vendor_for(rules->profile, profile_request_of(request)) : 0;
    if (vendor == 0)
        return false;
    ret->request = request;
    ret->vendor = (enum s3_vendor_condition)vendor;
    return true;
}

static enum way_request plain_request(const struct way_rules *rules, const struct way_wish *wish)
{
    bool staged = wish->bytes > way_stage_above(rules, wish->operation, wish->create);
    switch (wish->operation) {
    case WAY_PUT: return staged ? WAY_COMPLETE_UPLOAD : WAY_PUT_OBJECT;
    case WAY_COPY: return staged ? WAY_COMPLETE_UPLOAD : WAY_COPY_OBJECT;
    case WAY_DELETE: return WAY_DELETE_OBJECT;
    case WAY_RENAME: return WAY_RENAME_OBJECT;
    case WAY_COMPLETE: break;
    }
    return WAY_COMPLETE_UPLOAD;
}

/* The ladder: the first proven request that can carry the write. */
static bool climb(const struct way_rules *rules, const struct way_wish *wish, struct way *ret)
{
    if (rules->profile == NULL)
        return false;
    enum way_request plain = plain_request(rules, wish);
    if (take_rung(rules, plain, wish->create, ret))
        return true;
    bool one_request = plain == WAY_PUT_OBJECT || plain == WAY_COPY_OBJECT;
    return one_request &&
           (take_rung(rules, WAY_COMPLETE_UPLOAD, wish->create, ret) || take_vendor(rules, plain, wish->create, ret));
}

/* Whatever its size. */
static bool climbs(const struct way_rules *rules, enum way_operation operation, bool create)
{
    struct way way;
    struct way_wish small = {.operation = operation, .create = create};
    struct way_wish large = {.operation = operation, .create = create, .bytes = UINT64_MAX};
    bool too_large = operation != WAY_DELETE && !rules->has_uploads; /* nobody writes those */
    return climb(rules, &small, &way) && (too_large || climb(rules, &large, &way));
}

/* M2, AUTO: every request that meets this one on its keys is proven as well. */
static bool all_native(const struct way_rules *rules, const struct way_wish *wish)
{
    bool creates = climbs(rules, WAY_PUT, true) && climbs(rules, WAY_COPY, true);
    if (wish->create && wish->operation != WAY_RENAME)
        return creates;
    return creates && climbs(rules, WAY_PUT, false) && climbs(rules, WAY_COPY, false) &&
           climbs(rules, WAY_DELETE, false);
}

/* ------------------------------------------------------------------------------------------------ refusals */

static const char *expectation_name(const struct way_wish *wish)
{
    return wish->create ? "If-None-Match: *" : "If-Match";
}

static os_code refuse_native(const struct way_rules *rules, const struct way_wish *wish, os_error *err)
{
    return error_set(
        err, OS_ERR_UNSUPPORTED,
        "The profile of the store (%.63s) does not prove that %s with %s lets exactly one writer win a race, and it "
        "proves no other request for this write; use guard=record, or guard=auto with a ledger.",
        rules->profile ? rules->profile->name : "none", way_request_name(plain_request(rules, wish)),
        expectation_name(wish));
}

static os_code refuse_condition(const struct way_rules *rules, const struct way_wish *wish, os_error *err)
{
    return error_set(err, OS_ERR_UNSUPPORTED,
                     "The profile of the store (%.63s) says that %s with %s is refused even when the condition holds; "
                     "use guard=record for it.",
                     rules->profile->name, way_request_name(plain_request(rules, wish)), expectation_name(wish));
}

static const char *operation_name(const struct way_wish *wish)
{
    switch (wish->operation) {
    case WAY_PUT: return "put";
    case WAY_COPY: return "copy";
    case WAY_DELETE: return "delete";
    case WAY_RENAME: return "rename";
    case WAY_COMPLETE: break;
    }
    return "write in parts";
}

static os_code refuse_without_ledger(const struct way_rules *rules, const struct way_wish *wish, os_error *err)
{
    const char *operation = operation_name(wish);
    if (rules->profile == NULL)
        return error_set(err, OS_ERR_CONFIG,
                         "A guarded %s needs a ledger: set ledger_url to dynamodb://TABLE (or sqlite:///FILE for "
                         "writers on one machine).%s",
                         operation, rules->unprofiled ? rules->unprofiled : "");
    if (rules->guard != OS_GUARD_AUTO || rules->condition_headers == OS_OFF)
        return error_set(err, OS_ERR_CONFIG,
                         "A guarded %s needs a ledger with %s: set ledger_url to dynamodb://TABLE (or sqlite:///FILE "
                         "for writers on one machine), or leave that setting out.",
                         operation,
                         rules->guard == OS_GUARD_RECORD ? "guard=record"
                         : rules->guard == OS_GUARD_BOTH ? "guard=both"
                                                         : "condition_headers=off");
    return error_set(err, OS_ERR_CONFIG,
                     "A guarded %s needs a ledger here, because the profile of the store (%.63s) does not prove every "
                     "request that may write the same keys by %s: set ledger_url to dynamodb://TABLE (or "
                     "sqlite:///FILE for writers on one machine).",
                     operation, rules->profile->name, expectation_name(wish));
}

static os_code refuse_size(const struct way_rules *rules, const struct way_wish *wish, os_error *err)
{
    return error_set(err, OS_ERR_TOO_LARGE,
                     "%llu bytes are too many for one request (the limit is %llu), and this store has no multipart "
                     "uploads; nothing was written.",
                     (unsigned long long)wish->bytes,
                     (unsigned long long)way_stage_above(rules, wish->operation, wish->create));
}

/* ------------------------------------------------------------------------------------------------ the choice */

/* R7: beside the record. */
static bool goes_along(const struct way_rules *rules, enum way_request request, bool create)
{
    if (!rules->has_conditions || rules->condition_headers == OS_OFF)
        return false;
    return rules->condition_headers == OS_ON ||
           (rules->profile && profile_condition_harmless(rules->profile, profile_request_of(request), create));
}

static bool wants_native(const struct way_rules *rules, const struct way_wish *wish)
{
    if (rules->guard == OS_GUARD_NATIVE)
        return true;
    return rules->guard == OS_GUARD_AUTO && rules->has_conditions && rules->condition_headers != OS_OFF &&
           rules->profile != NULL && all_native(rules, wish);
}

/* Creations may be native beside it: a deletion that was applied is then no longer told by the creator's record. */
static void choose_record(const struct way_rules *rules, const struct way_wish *wish, struct way *ret)
{
    const struct way_wish creation = {.operation = WAY_PUT, .create = true};
    ret->request = plain_request(rules, wish);
    ret->guard = OS_GUARD_RECORD;
    ret->conditional = goes_along(rules, ret->request, wish->create);
    ret->native_writers = wants_native(rules, &creation);
}

/* Record and condition: a proven one if there is any, because native writers may be about. */
static os_code choose_both(const struct way_rules *rules, const struct way_wish *wish, struct way *ret, os_error *err)
{
    ret->native_writers = true;
    ret->guard = OS_GUARD_BOTH;
    if (climb(rules, wish, ret))
        return OS_OK;
    ret->request = plain_request(rules, wish);
    ret->conditional = true;
    enum profile_condition condition = condition_of(rules, ret->request, wish->create);
    if (condition == PROFILE_REFUSED || condition == PROFILE_UNMEETABLE)
        return refuse_condition(rules, wish, err);
    if (condition == PROFILE_IGNORED)
        ret->guard = OS_GUARD_RECORD; /* the condition goes along and keeps nobody out */
    return OS_OK;
}

static os_code choose(const struct way_rules *rules, const struct way_wish *wish, struct way *ret, os_error *err)
{
    if (wants_native(rules, wish) && climb(rules, wish, ret)) {
        ret->guard = OS_GUARD_NATIVE;
        return OS_OK;
    }
    if (rules->guard == OS_GUARD_NATIVE || wish->operation == WAY_RENAME)
        return refuse_native(rules, wish, err);
    if (!rules->has_ledger)
        return refuse_without_ledger(rules, wish, err);
    if (rules->guard == OS_GUARD_BOTH)
        return choose_both(rules, wish, ret, err);
    choose_record(rules, wish, ret);
    return OS_OK;
}

os_code way_choose(const struct way_rules *rules, const struct way_wish *wish, struct way *ret, os_error *err)
{
    struct way way = {0};
    os_code code = choose(rules, wish, &way, err);
    if (code != OS_OK)
        return code;
    if (way.request == WAY_COMPLETE_UPLOAD && !rules->has_uploads)
        return refuse_size(rules, wish, err);
    if (rules->profile)
        way.answer_409 = (enum guard_409)rules->profile->rules[profile_request_of(way.request)].answer_409;
    *ret = way;
    return OS_OK;
}

void way_condition(const struct way *way, const char *etag, struct s3_condition *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->vendor = way->vendor;
    ret->if_none_match_any = way->conditional && etag == NULL;
    ret->if_match = way->conditional ? etag : NULL;
}
