/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Two judges that share nothing: what each call was told against what the store truly did with its requests, and the
 * linearizability of the history, in which only callers have a word.
 */
#include "sim/oracle.h"

#include "history/judge.h"
#include "sim/books.h"
#include "sim/calm.h"
#include "sim/effect.h"
#include "sim/holds.h"
#include "sim/plan.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ verdicts */

/* V1 and V2 against the store's own books; every expectation was true at the instant of its write. */
static void check_truth(struct world *world, const struct truth *truth)
{
    const char *told = os_verdict_name(truth->settled);
    char call[64];
    if (truth->operation == HISTORY_READ)
        return;
    fault_call_name(truth->call, call);
    if (truth->applied > 1)
        world_fail(world, "%s: its write of %s took effect %u times.", call, truth->key, truth->applied);
    if (truth->expectation_broken) {
        world_fail(world, "%s: its write of %s (%s by %s) took effect over another version than it expected.", call,
                   truth->key, told, truth->rule);
    }
    if (truth->settled == OS_COMMITTED && truth->applied == 0) {
        world_fail(world, "%s: its write of %s is committed by %s, and never took effect.", call, truth->key,
                   truth->rule);
    }
    if (truth->told[0] != '\0' && strcmp(truth->told, truth->value) != 0) {
        world_fail(world, "%s: its write of %s made %s, and by %s it is told %s.", call, truth->key, truth->value,
                   truth->rule, truth->told);
    }
    if (truth->token_broken)
        world_fail(world, "%s: its write of %s took effect over a newer fencing token than its own.", call, truth->key);
    if (truth->token_missing)
        world_fail(world, "%s: its write of %s was not stored with the fencing token that it was given.", call,
                   truth->key);
    bool denied = truth->settled == OS_CONFLICT || truth->settled == OS_NOT_EXECUTED;
    if (denied && truth->applied > 0)
        world_fail(world, "%s: its write of %s is %s by %s, and took effect.", call, truth->key, told, truth->rule);
}

/* Faults after which even a blameless caller may be told of keys, clocks or memory. (A client asks again once after a
 * refused token or time; the second refusal in a row is told.) */
bool oracle_may_blame(const struct world *world)
{
    const struct faults *faults = &world->faults;
    uint64_t tokens = faults->struck[FAULT_EXPIRED_TOKEN] + faults->struck[FAULT_ATTEMPT_TOKEN];
    /* A request that waited in a process that stood still is refused for its date. */
    uint64_t stops = faults->struck[FAULT_PAUSE] + faults->struck[FAULT_HOLD] + faults->struck[FAULT_SUSPEND] +
                     faults->struck[FAULT_DOZE];
    return faults->struck[FAULT_SKEWED] + faults->struck[FAULT_JUMP] > 0 || tokens > 1 || (tokens > 0 && stops > 0) ||
           faults->struck[FAULT_MEMORY] > 0 || faults->rate[FAULT_OFF_CLOCKS] > 0 ||
           world->defect == WORLD_UNMARKED_STORE;
}

static bool is_excused(const struct world *world, const struct truth *truth)
{
    /* A copy's 412 may speak of the source, which another lane has changed; a rename says it of both its halves. */
    bool copy =
        truth->operation == HISTORY_COPY_IF_ABSENT || truth->operation == HISTORY_COPY_IF_MATCH || !truth->by_result;
    /* Where nothing but the record would do, a fleet that has given it up is told so. */
    bool unsupported = truth->code == OS_ERR_UNSUPPORTED && world->fleet.profiled;
    /* Without a record nobody can tell a 412 that was true for an instant only from one that never was. */
    bool unmet = copy || (world->fleet.profiled && world->fleet.guard != OS_GUARD_RECORD);
    /* A late copy of an UploadPart gives the part another ETag: InvalidPart. */
    unmet = unmet || (world->fleet.stage_above != WORLD_WHOLE && world->faults.rate[FAULT_RANDOM_ETAG] > 0);
    /* What answers twice in a row like no ledger is given up. */
    bool foreign = truth->code == OS_ERR_CONFIG && world->faults.struck[FAULT_FOREIGN] > 1;
    return unsupported || foreign || (unmet && truth->code == OS_ERR_REFUSED);
}

bool oracle_blames(os_code code)
{
    static const os_code blaming[] = {OS_ERR_ARGUMENT,  OS_ERR_CONFIG,   OS_ERR_CREDENTIALS, OS_ERR_DENIED,
                                      OS_ERR_NO_BUCKET, OS_ERR_NO_TABLE, OS_ERR_TABLE,       OS_ERR_REGION,
                                      OS_ERR_REFUSED,   OS_ERR_BODY,     OS_ERR_TOO_LARGE,   OS_ERR_UNSUPPORTED};
    for (size_t i = 0; i < sizeof(blaming) / sizeof(blaming[0]); i++)
        if (code == blaming[i])
            return true;
    return false;
}

/* Nothing here is the caller's fault. */
static void check_code(struct world *world, const struct truth *truth)
{
    if (oracle_blames(truth->code) && !oracle_may_blame(world) && !is_excused(world, truth))
        world_fail(world, "A call of %s ends with %s, which blames the caller.", truth->key, os_code_name(truth->code));
}

/* ------------------------------------------------------------------------------------------------ leases */

/* The rest was looked at when it happened (holds.c, leasing.c). */
static void check_hold(struct world *world, const struct hold *hold)
{
    bool foreign = hold->acquired == OS_ERR_CONFIG && world->faults.struck[FAULT_FOREIGN] > 0;
    bool clear = hold->acquired == OS_OK || hold->acquired == OS_ERR_CONFLICT;
    if (oracle_blames(hold->acquired) && !oracle_may_blame(world) && !foreign)
        world_fail(world, "The acquisition of a lease ends with %s, which blames the caller.",
                   os_code_name(hold->acquired));
    if (world->defect == WORLD_CALM && !clear && !hold->acquiring)
        world_fail(world, "Nothing went wrong, and the acquisition of a lease ends with %s.",
                   os_code_name(hold->acquired));
}

/* L10. What stood there during the call, or until it was settled: the newest token, and the oldest. */
static void tokens_met(const struct world *world, const struct truth *truth, uint64_t *ret_newest, uint64_t *ret_oldest)
{
    uint64_t end_us = truth->settled_us > truth->end_us ? truth->settled_us : truth->end_us;
    uint64_t stood_us = 0;
    uint64_t stood = 0;
    *ret_newest = 0;
    *ret_oldest = UINT64_MAX;
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *other = &world->truths[i];
        if (other == truth || other->applied == 0 || strcmp(other->key, truth->key) != 0 || other->applied_us > end_us)
            continue;
        if (other->applied_us > truth->start_us) {
            *ret_newest = other->token > *ret_newest ? other->token : *ret_newest;
            *ret_oldest = other->token < *ret_oldest ? other->token : *ret_oldest;
        } else if (other->applied_us >= stood_us) {
            stood_us = other->applied_us;
            stood = other->token;
        }
    }
    *ret_newest = stood > *ret_newest ? stood : *ret_newest;
    *ret_oldest = stood < *ret_oldest ? stood : *ret_oldest;
}

/* Then a conflict says nothing of the expectation. */
static bool met_newer_token(const struct world *world, const struct truth *truth)
{
    uint64_t newest;
    uint64_t oldest;
    tokens_met(world, truth, &newest, &oldest);
    return truth->token > 0 && newest > truth->token;
}

/* Without a fault the verdict is the one of L10. (Else it may be that nothing was found out.) */
static void check_late(struct world *world, const struct truth *truth)
{
    uint64_t newest;
    uint64_t oldest;
    if (world->defect != WORLD_CALM || truth->token == 0)
        return;
    tokens_met(world, truth, &newest, &oldest);
    if (oldest > truth->token && truth->settled != OS_CONFLICT)
        world_fail(world, "A write of %s with a token that is older than the object's is %s by %s.", truth->key,
                   os_verdict_name(truth->settled), truth->rule);
}

static void check_versions(struct world *world, uint32_t key)
{
    char name[16];
    uint32_t applied = 0;
    world_key_name(key, name);
    size_t count = fake_s3_version_count(world->s3, name);
    for (size_t i = 0; i < world->truth_count; i++)
        if (world->truths[i].operation != HISTORY_READ && strcmp(world->truths[i].key, name) == 0)
            applied += world->truths[i].applied;
    if (applied != count)
        world_fail(world, "%s has %zu versions, and %u writes took effect.", name, count, applied);
    if (plan_is_create_once(world, key) && count > 1)
        world_fail(world, "%s is only ever created, and has %zu versions.", name, count);
}

/* Each committed update counts once, and so does one of which nobody was told but that took effect. */
static void check_counter(struct world *world, uint32_t key)
{
    char name[16];
    uint64_t counted = 0;
    world_key_name(key, name);
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *truth = &world->truths[i];
        bool told = truth->settled != OS_UNKNOWN;
        if (truth->operation != HISTORY_READ && strcmp(truth->key, name) == 0)
            counted += told ? truth->settled == OS_COMMITTED : truth->applied;
    }
    size_t versions = fake_s3_version_count(world->s3, name);
    struct fake_s3_version last = fake_s3_version_at(world->s3, name, versions > 0 ? versions - 1 : 0);
    char text[32];
    snprintf(text, sizeof(text), "%.*s", last.etag ? (int)last.body_len : 0, last.etag ? last.body : "");
    if (strtoull(text, NULL, 10) != counted)
        world_fail(world, "%s stands at \"%s\", and %llu updates were committed.", name, text,
                   (unsigned long long)counted);
}

/* Of the world itself: it keeps what its callers promise (N4.6). */
static void check_promise(struct world *world, uint32_t key)
{
    char name[16];
    world_key_name(key, name);
    size_t count = fake_s3_version_count(world->s3, name);
    for (size_t i = 0; i < count; i++) {
        const char *etag = fake_s3_version_at(world->s3, name, i).etag;
        for (size_t j = i + 1; j < count && etag != NULL; j++) {
            const char *later = fake_s3_version_at(world->s3, name, j).etag;
            if (later == NULL || strcmp(etag, later) == 0)
                world_fail(world, "%s is forward-only, and was deleted or had %s twice.", name, etag);
        }
    }
}

/* ------------------------------------------------------------------------------------------------ uploads */

static const struct truth *write_of(const struct world *world, uint64_t call, const char *key)
{
    for (size_t i = 0; i < world->truth_count; i++) {
        const struct truth *truth = &world->truths[i];
        if (truth->call == call && truth->operation != HISTORY_READ && strcmp(truth->key, key) == 0)
            return truth;
    }
    return NULL;
}

/* R15: what a call staged is gone when it was not written, unless its process died, or it never heard the upload's id,
 * or it said aloud that the upload stays. */
static void check_upload(struct world *world, size_t index)
{
    struct fake_s3_upload upload = fake_s3_upload_at(world->s3, index);
    const struct upload_note *note = &world->uploads[index];
    const struct truth *truth = write_of(world, note->call, upload.key);
    if (truth == NULL) {
        world_fail(world, "An upload of %s was begun that no call had asked for.", upload.key);
        return;
    }
    bool excused = note->process->dead || !note->told || note->given_up || world->faults.rate[FAULT_MEMORY] > 0;
    bool unwritten = truth->settled == OS_CONFLICT || truth->settled == OS_NOT_EXECUTED;
    if (upload.state == FAKE_S3_OPEN && truth->returned && unwritten && !excused) {
        world_fail(world, "A write of %s is %s by %s, and its upload was left open.", truth->key,
                   os_verdict_name(truth->settled), truth->rule);
    }
}

/* ------------------------------------------------------------------------------------------------ history */

static os_verdict in_history(const struct world *world, const struct truth *truth, os_verdict verdict)
{
    if (!truth->returned)
        return OS_UNKNOWN;
    return verdict == OS_CONFLICT && met_newer_token(world, truth) ? OS_NOT_EXECUTED : verdict;
}

/* A write that never took effect has a value of its own, which nobody can have seen. */
static bool add_call(const struct world *world, struct history *history, const struct truth *truth, uint64_t id)
{
    char never[32];
    snprintf(never, sizeof(never), "\"never-%llu\"", (unsigned long long)id);
    bool unseen = truth->operation != HISTORY_READ && truth->applied == 0;
    const char *value = unseen ? never : truth->value;
    if (truth->operation == HISTORY_DELETE_IF_MATCH)
        value = "";
    struct history_call call = {
        .id = id,
        .writer = truth->lane,
        .operation = truth->operation,
        .key = truth->key,
        .expected = truth->expected,
        .value = value,
        .start_us = truth->start_us,
        .end_us = truth->returned ? truth->end_us : HISTORY_NEVER,
        .verdict = in_history(world, truth, truth->verdict),
        .settled = in_history(world, truth, truth->settled),
        .settled_us = truth->settled_us,
        .rule = truth->rule,
        .message = "",
    };
    return history_add_call(history, &call);
}

static bool add_finals(struct world *world, struct history *history)
{
    bool ok = true;
    for (uint32_t key = 0; key < world->keys && ok; key++) {
        char name[16];
        char value[WORLD_ETAG_SIZE];
        world_key_name(key, name);
        effect_current(world, name, value);
        int64_t versions = 0;
        for (size_t i = 0; i < fake_s3_version_count(world->s3, name); i++)
            versions += fake_s3_version_at(world->s3, name, i).etag != NULL ? 1 : 0;
        struct history_final final = {
            .key = name, .value = value, .at_us = world->schedule.now_us, .versions = versions};
        ok = history_add_final(history, &final);
    }
    return ok;
}

static void report(struct world *world, const struct judge_result *result)
{
    if (result->gave_up)
        world_fail(world, "The judge gave up on a key of this history.");
    for (size_t i = 0; i < result->finding_count; i++) {
        world_fail(world, "The judge: %s: %s", judge_violation_name(result->finding[i].violation),
                   result->finding[i].sentence);
    }
}

static void judge(struct world *world)
{
    struct judge_result result;
    struct history *history = history_new();
    bool ok = history != NULL;
    for (size_t i = 0; i < world->truth_count && ok; i++) {
        const struct truth *truth = &world->truths[i];
        if (truth->operation != HISTORY_READ || truth->returned)
            ok = add_call(world, history, truth, i + 1);
    }
    ok = ok && add_finals(world, history) && judge_history(history, &result);
    if (ok)
        report(world, &result);
    else
        world_fail(world, "Memory was too short to judge the history.");
    history_free(history);
}

static void check_key(struct world *world, uint32_t key)
{
    check_versions(world, key);
    if (plan_is_counter(world, key))
        check_counter(world, key);
    if (plan_is_forward_only(world, key))
        check_promise(world, key);
}

/* What no client of the protocol may ask for. */
static void check_requests(struct world *world)
{
    const char *wrong = fake_dynamo_violation(world->dynamo);
    if (wrong == NULL && world->leases != NULL)
        wrong = fake_dynamo_violation(world->leases);
    if (wrong != NULL)
        world_fail(world, "A table was asked for what it must not be: %s", wrong);
}

void oracle_judge(struct world *world)
{
    check_requests(world);
    if (world->books != NULL) {
        books_judge(world);
        return;
    }
    for (size_t i = 0; i < world->truth_count; i++) {
        check_truth(world, &world->truths[i]);
        check_code(world, &world->truths[i]);
        check_late(world, &world->truths[i]);
    }
    for (size_t i = 0; world->holds != NULL && i < world->holds->count; i++)
        check_hold(world, &world->holds->at[i]);
    for (uint32_t key = 0; key < world->keys; key++)
        check_key(world, key);
    for (size_t i = 0; i < world->upload_count; i++)
        check_upload(world, i);
    judge(world);
    if (world->defect == WORLD_CALM)
        calm_judge(world);
}
