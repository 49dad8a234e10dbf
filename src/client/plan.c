/* SPDX-License-Identifier: Apache-2.0 */
#include "client/plan.h"

#include "base/error.h"

#include <string.h>

enum { MULTIPART_ABOVE_DEFAULT = 8 << 20 /* R15 */ };

static const char *const request_names[] = {
    [0] = "",
    [PLAN_PUT_OBJECT] = "PutObject",
    [PLAN_COPY_OBJECT] = "CopyObject",
    [PLAN_COMPLETE_UPLOAD] = "CompleteMultipartUpload",
    [PLAN_DELETE_OBJECT] = "DeleteObject",
    [PLAN_RENAME_OBJECT] = "RenameObject",
};

const char *write_plan_request_name(enum write_plan_request request)
{
    return request_names[request];
}

const char *write_plan_guard_name(os_guard guard)
{
    static const char *const names[] = {
        [OS_GUARD_AUTO] = "none",
        [OS_GUARD_RECORD] = "record",
        [OS_GUARD_NATIVE] = "native",
        [OS_GUARD_BOTH] = "both",
    };
    return names[guard];
}

static enum profile_request profile_request_of(enum write_plan_request request)
{
    switch (request) {
    case PLAN_PUT_OBJECT: return PROFILE_PUT;
    case PLAN_COPY_OBJECT: return PROFILE_COPY;
    case PLAN_COMPLETE_UPLOAD: return PROFILE_COMPLETE;
    case PLAN_DELETE_OBJECT: return PROFILE_DELETE;
    case PLAN_RENAME_OBJECT: break;
    }
    return PROFILE_RENAME;
}

static enum profile_condition condition_of(const struct write_plan_rules *rules, enum write_plan_request request,
                                           bool create)
{
    if (rules->profile == NULL)
        return PROFILE_UNKNOWN;
    const struct profile_rule *rule = &rules->profile->rules[profile_request_of(request)];
    return create ? rule->absent : rule->match;
}

static uint64_t min_u64(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* ------------------------------------------------------------------------------------------------ what is proven */

static bool proves(const struct write_plan_rules *rules, enum write_plan_request request, bool create)
{
    if (request == PLAN_COMPLETE_UPLOAD && !rules->has_uploads)
        return false;
    if (request == PLAN_RENAME_OBJECT && rules->profile->rename_object != PROFILE_YES)
        return false;
    bool carries_nonce = request != PLAN_DELETE_OBJECT && request != PLAN_RENAME_OBJECT;
    if (carries_nonce && rules->profile->metadata_survives == PROFILE_NO)
        return false; /* nothing else tells an own write from another's */
    return profile_proves(rules->profile, profile_request_of(request), create);
}

uint64_t write_plan_body_most(uint64_t stage_above)
{
    return stage_above ? min_u64(stage_above, GUARD_COPY_MAX_BYTES) /* PutObject has the same limit */
                       : MULTIPART_ABOVE_DEFAULT;
}

/* NATIVE and BOTH rest on the condition of this request unless it is known to be ignored; what is known of a Complete's
 * may be less. */
static bool keeps_condition(const struct write_plan_rules *rules, bool create)
{
    enum profile_condition condition = condition_of(rules, PLAN_PUT_OBJECT, create);
    if (rules->guard == OS_GUARD_NATIVE || rules->guard == OS_GUARD_BOTH)
        return condition == PROFILE_ENFORCED || condition == PROFILE_UNKNOWN;
    return rules->profile != NULL && proves(rules, PLAN_PUT_OBJECT, create);
}

/* R15.2, R15.7: what does not arrive at once makes a dead writer's record block for minutes (F2). Its parts go first, then, and
 * only the small Complete is guarded. */
static bool is_divided_early(const struct write_plan_rules *rules, bool create)
{
    if (!rules->has_uploads || rules->keeps_stalled_bodies)
        return rules->has_uploads;
    bool completes_slowly = rules->profile != NULL && rules->profile->complete_s > GUARD_STALLED_BODY_S;
    return !completes_slowly && !keeps_condition(rules, create);
}

uint64_t write_plan_multipart_above(const struct write_plan_rules *rules, enum write_plan_operation operation,
                                    bool create)
{
    if (operation == PLAN_COPY && rules->copies_whole)
        return UINT64_MAX;
    if (operation == PLAN_COPY)
        return rules->stage_above ? min_u64(rules->stage_above, GUARD_COPY_MAX_BYTES) : GUARD_COPY_MAX_BYTES;
    uint64_t most = write_plan_body_most(rules->stage_above);
    bool early = rules->stage_above == 0 && is_divided_early(rules, create);
    return early ? min_u64(rules->at_once_bytes, most) : most;
}

/* A candidate: a request, and the vendor's header if it is not the plain condition that it rests on. */
static bool take_condition(const struct write_plan_rules *rules, enum write_plan_request request, bool create,
                           struct write_plan *ret)
{
    if (!proves(rules, request, create))
        return false;
    ret->request = request;
    ret->conditional = true;
    return true;
}

static bool take_vendor_condition(const struct write_plan_rules *rules, enum write_plan_request request, bool create,
                                  struct write_plan *ret)
{
    int vendor = create ? profile_vendor_for(rules->profile, profile_request_of(request)) : 0;
    if (vendor == 0)
        return false;
    ret->request = request;
    ret->vendor = (enum s3_vendor_condition)vendor;
    return true;
}

static enum write_plan_request usual_request(const struct write_plan_rules *rules,
                                             const struct write_plan_params *params)
{
    bool in_parts = params->bytes > write_plan_multipart_above(rules, params->operation, params->create);
    switch (params->operation) {
    case PLAN_PUT: return in_parts ? PLAN_COMPLETE_UPLOAD : PLAN_PUT_OBJECT;
    case PLAN_COPY: return in_parts ? PLAN_COMPLETE_UPLOAD : PLAN_COPY_OBJECT;
    case PLAN_DELETE: return PLAN_DELETE_OBJECT;
    case PLAN_RENAME: return PLAN_RENAME_OBJECT;
    case PLAN_COMPLETE: break;
    }
    return PLAN_COMPLETE_UPLOAD;
}

/* The candidates in order: the first proven request that can carry the write. */
static bool first_supported(const struct write_plan_rules *rules, const struct write_plan_params *params,
                            struct write_plan *ret)
{
    if (rules->profile == NULL)
        return false;
    enum write_plan_request store_call = usual_request(rules, params);
    if (take_condition(rules, store_call, params->create, ret))
        return true;
    bool one_request = store_call == PLAN_PUT_OBJECT || store_call == PLAN_COPY_OBJECT;
    return one_request && (take_condition(rules, PLAN_COMPLETE_UPLOAD, params->create, ret) ||
                           take_vendor_condition(rules, store_call, params->create, ret));
}

/* Whatever its size. */
static bool is_supported_at_any_size(const struct write_plan_rules *rules, enum write_plan_operation operation,
                                     bool create)
{
    struct write_plan plan;
    struct write_plan_params small = {.operation = operation, .create = create};
    struct write_plan_params large = {.operation = operation, .create = create, .bytes = UINT64_MAX};
    bool too_large = operation != PLAN_DELETE && !rules->has_uploads; /* nobody writes those */
    return first_supported(rules, &small, &plan) && (too_large || first_supported(rules, &large, &plan));
}

/* M2, AUTO: every request that meets this one on its keys is proven as well. */
static bool is_proven_for_all_writers(const struct write_plan_rules *rules, const struct write_plan_params *params)
{
    bool creates = is_supported_at_any_size(rules, PLAN_PUT, true) && is_supported_at_any_size(rules, PLAN_COPY, true);
    if (params->create && params->operation != PLAN_RENAME)
        return creates;
    return creates && is_supported_at_any_size(rules, PLAN_PUT, false) &&
           is_supported_at_any_size(rules, PLAN_COPY, false) && is_supported_at_any_size(rules, PLAN_DELETE, false);
}

/* ------------------------------------------------------------------------------------------------ refusals */

static const char *expectation_name(const struct write_plan_params *params)
{
    return params->create ? "If-None-Match: *" : "If-Match";
}

static os_code refuse_native(const struct write_plan_rules *rules, const struct write_plan_params *params,
                             os_error *err)
{
    return error_set(
        err, OS_ERR_UNSUPPORTED,
        "The profile of the store (%.63s) does not prove that %s with %s lets exactly one writer win a race, and it "
        "proves no other request for this write; use guard=record (--guard, OSCOMMIT_GUARD), or guard=auto with a "
        "ledger.",
        rules->profile ? rules->profile->name : "none", write_plan_request_name(usual_request(rules, params)),
        expectation_name(params));
}

static os_code refuse_condition(const struct write_plan_rules *rules, const struct write_plan_params *params,
                                os_error *err)
{
    return error_set(err, OS_ERR_UNSUPPORTED,
                     "The profile of the store (%.63s) says that %s with %s is refused even when the condition holds; "
                     "use guard=record (--guard, OSCOMMIT_GUARD) for it.",
                     rules->profile->name, write_plan_request_name(usual_request(rules, params)),
                     expectation_name(params));
}

static const char *operation_name(const struct write_plan_params *params)
{
    switch (params->operation) {
    case PLAN_PUT: return "put";
    case PLAN_COPY: return "copy";
    case PLAN_DELETE: return "delete";
    case PLAN_RENAME: return "rename";
    case PLAN_COMPLETE: break;
    }
    return "write in parts";
}

#define SET_LEDGER \
    "set ledger_url (--ledger, OSCOMMIT_LEDGER) to dynamodb://TABLE (or sqlite:///FILE for writers on one machine)"

static os_code refuse_without_ledger(const struct write_plan_rules *rules, const struct write_plan_params *params,
                                     os_error *err)
{
    const char *operation = operation_name(params);
    if (rules->profile == NULL)
        return error_set(err, OS_ERR_CONFIG, "A guarded %s needs a ledger: " SET_LEDGER ".%s", operation,
                         rules->unprofiled ? rules->unprofiled : "");
    if (rules->guard != OS_GUARD_AUTO || rules->condition_headers == OS_OFF)
        return error_set(err, OS_ERR_CONFIG,
                         "A guarded %s needs a ledger with %s: " SET_LEDGER ", or leave that setting out.", operation,
                         rules->guard == OS_GUARD_RECORD ? "guard=record"
                         : rules->guard == OS_GUARD_BOTH ? "guard=both"
                                                         : "condition_headers=off");
    return error_set(err, OS_ERR_CONFIG,
                     "A guarded %s needs a ledger here, because the profile of the store (%.63s) does not prove every "
                     "request that may write the same keys by %s: " SET_LEDGER ".",
                     operation, rules->profile->name, expectation_name(params));
}

static os_code refuse_size(const struct write_plan_rules *rules, const struct write_plan_params *params, os_error *err)
{
    return error_set(err, OS_ERR_TOO_LARGE,
                     "%llu bytes are too many for one request (the limit is %llu), and this store has no multipart "
                     "uploads; nothing was written.",
                     (unsigned long long)params->bytes,
                     (unsigned long long)write_plan_multipart_above(rules, params->operation, params->create));
}

/* ------------------------------------------------------------------------------------------------ the choice */

/* R7: beside the record. */
static bool goes_along(const struct write_plan_rules *rules, enum write_plan_request request, bool create)
{
    if (!rules->has_conditions || rules->condition_headers == OS_OFF)
        return false;
    return rules->condition_headers == OS_ON ||
           (rules->profile && profile_condition_harmless(rules->profile, profile_request_of(request), create));
}

static bool wants_native(const struct write_plan_rules *rules, const struct write_plan_params *params)
{
    if (rules->guard == OS_GUARD_NATIVE)
        return true;
    return rules->guard == OS_GUARD_AUTO && rules->has_conditions && rules->condition_headers != OS_OFF &&
           rules->profile != NULL && is_proven_for_all_writers(rules, params);
}

/* Creations may be native beside it: a deletion that was applied is then no longer told by the creator's record. */
static void choose_record(const struct write_plan_rules *rules, const struct write_plan_params *params,
                          struct write_plan *ret)
{
    const struct write_plan_params creation = {.operation = PLAN_PUT, .create = true};
    ret->request = usual_request(rules, params);
    ret->guard = OS_GUARD_RECORD;
    ret->conditional = goes_along(rules, ret->request, params->create);
    ret->native_writers = wants_native(rules, &creation);
}

/* Record and condition: a proven one if there is any, because native writers may be about. */
static os_code choose_both(const struct write_plan_rules *rules, const struct write_plan_params *params,
                           struct write_plan *ret, os_error *err)
{
    ret->native_writers = true;
    ret->guard = OS_GUARD_BOTH;
    if (first_supported(rules, params, ret))
        return OS_OK;
    ret->request = usual_request(rules, params);
    ret->conditional = true;
    enum profile_condition condition = condition_of(rules, ret->request, params->create);
    if (condition == PROFILE_REFUSED || condition == PROFILE_UNMEETABLE)
        return refuse_condition(rules, params, err);
    if (condition == PROFILE_IGNORED)
        ret->guard = OS_GUARD_RECORD; /* the condition goes along and keeps nobody out */
    return OS_OK;
}

static os_code choose_plan(const struct write_plan_rules *rules, const struct write_plan_params *params,
                           struct write_plan *ret, os_error *err)
{
    if (wants_native(rules, params) && first_supported(rules, params, ret)) {
        ret->guard = OS_GUARD_NATIVE;
        return OS_OK;
    }
    if (rules->guard == OS_GUARD_NATIVE || params->operation == PLAN_RENAME)
        return refuse_native(rules, params, err);
    if (!rules->has_ledger)
        return refuse_without_ledger(rules, params, err);
    if (rules->guard == OS_GUARD_BOTH)
        return choose_both(rules, params, ret, err);
    choose_record(rules, params, ret);
    return OS_OK;
}

os_code write_plan_choose(const struct write_plan_rules *rules, const struct write_plan_params *params,
                          struct write_plan *ret, os_error *err)
{
    struct write_plan plan = {0};
    os_code code = choose_plan(rules, params, &plan, err);
    if (code != OS_OK)
        return code;
    if (plan.request == PLAN_COMPLETE_UPLOAD && !rules->has_uploads)
        return refuse_size(rules, params, err);
    if (rules->profile)
        plan.answer_409 = (enum guard_409)rules->profile->rules[profile_request_of(plan.request)].answer_409;
    *ret = plan;
    return OS_OK;
}

void write_plan_condition(const struct write_plan *plan, const char *etag, struct s3_condition *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->vendor = plan->vendor;
    ret->if_none_match_any = plan->conditional && etag == NULL;
    ret->if_match = plan->conditional ? etag : NULL;
}

bool write_plan_creates_only(const struct write_plan_rules *rules)
{
    return rules->has_conditions && rules->condition_headers != OS_OFF && rules->profile != NULL &&
           profile_proves(rules->profile, PROFILE_PUT, true);
}
