/* SPDX-License-Identifier: Apache-2.0 */
/* What became of an attempt that was not answered for certain: the rounds and the table of R13, and R14. */
#include "commit/guard_internal.h"

#include <assert.h>
#include <string.h>

/* What a complete round has shown. */
enum {
    FACT_NOT_APPLIED = 1 << 0, /* definitely not applied */
    FACT_DEAD = 1 << 1,        /* S3 time was past fence + margin before the round; and nothing came and went in it */
    FACT_VERY_VERSION = 1 << 2,
    FACT_HAS_NONCE = 1 << 3, /* that version carries a nonce */
    FACT_LOCKED = 1 << 4,    /* our ETag is locked, or the very version may be ours, or locks say nothing */
    FACT_FRESH = 1 << 5,
    FACT_FOREIGN = 1 << 6,    /* our key's record has a nonce that is not ours */
    FACT_HOLDS = 1 << 7,      /* the expectation holds of what is there, be it another version of the same ETag */
    FACT_UPLOAD_OPEN = 1 << 8 /* the upload of our dead Complete is still open */
};

struct row {
    enum guard_rule rule;
    unsigned needs;   /* all of these */
    unsigned without; /* none of these */
    enum verdict verdict;
    enum guard_reason reason;
};

/* The table of R13, with R14; the first row that fits decides. Without one: wait. Row A is not in it: the read that
 * shows it decides at once, as a HEAD does by V4. */
static const struct row rows[] = {
    {RULE_R14, FACT_UPLOAD_OPEN, 0, VERDICT_NOT_EXECUTED, GUARD_REASON_EXPIRED},
    {RULE_R13_B, FACT_NOT_APPLIED | FACT_VERY_VERSION, 0, VERDICT_NOT_EXECUTED, GUARD_REASON_UNMET},
    {RULE_R13_C, FACT_NOT_APPLIED, FACT_VERY_VERSION | FACT_HOLDS, VERDICT_CONFLICT, GUARD_REASON_OVERTAKEN},
    {RULE_R13_C, FACT_NOT_APPLIED, FACT_VERY_VERSION, VERDICT_NOT_EXECUTED, GUARD_REASON_EXPIRED},
    {RULE_R13_D, FACT_DEAD | FACT_VERY_VERSION | FACT_HAS_NONCE, 0, VERDICT_NOT_EXECUTED, GUARD_REASON_EXPIRED},
    {RULE_R13_D, FACT_DEAD | FACT_VERY_VERSION | FACT_FRESH, FACT_LOCKED, VERDICT_NOT_EXECUTED, GUARD_REASON_EXPIRED},
    {RULE_R13_E, FACT_DEAD | FACT_FOREIGN | FACT_FRESH, FACT_VERY_VERSION | FACT_LOCKED | FACT_HOLDS, VERDICT_CONFLICT,
     GUARD_REASON_OVERTAKEN},
    {RULE_R13_E, FACT_DEAD | FACT_FOREIGN | FACT_FRESH, FACT_VERY_VERSION | FACT_LOCKED, VERDICT_NOT_EXECUTED,
     GUARD_REASON_EXPIRED},
    {RULE_R13_F, FACT_DEAD, 0, VERDICT_UNKNOWN, GUARD_REASON_NO_EVIDENCE},
};

/* ------------------------------------------------------------------------------------------------ a round */

void guard_resolve(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(g->write.from_ticket || g->attempt.send_count > 0);
    assert(g->awaiting == 0);
    if (guard_phase(g) != GUARD_PHASE_RESOLVE && !g->attempt.uncertain) /* N4: the pauses go on growing */
        backoff_restart(&g->backoff);
    g->attempt.uncertain = g->attempt.uncertain || !g->attempt.not_applied;
    if (g->write.from_ticket)
        g->own.hold = GUARD_HOLDS_NOTHING; /* R17: by this round, or not at all */
    memset(&g->round, 0, sizeof(g->round));
    if (g->settings.native) {
        guard_native_round(g, now, actions);
        return;
    }
    g->state = GUARD_RESOLVE_HEAD;
    guard_request_head(g, now, actions);
}

/* A row is judged only on a round in which every read was answered. */
static void round_broken(struct guard *g, struct guard_actions *actions)
{
    guard_wait(g, GUARD_RESOLVE_WAITING, actions);
}

/* Whole seconds, by the largest Date, until the one in which the attempt dies. */
static uint64_t left_s(const struct guard *g)
{
    assert(g->own.record.has_fence);
    return guard_until_past_s(g, g->time.largest_date_s, g->own.record.fence_s);
}

/* Long, of a ticket. */
static uint64_t since_locked_ms(const struct guard *g, const struct clock_reading *now)
{
    return clock_elapsed_min(&g->own.lease_clock, now);
}

/* R13.19. A round that is whole, dead and not decided is no matter of time. */
static void wait_for_end(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    guard_wait(g, GUARD_RESOLVE_WAITING, actions);
    bool decided_by_time = g->own.record.has_fence && !guard_dead_by(g, g->time.head_date_s);
    if (g->backoff.step_ms < BACKOFF_MAX_MS || !decided_by_time)
        return;
    uint64_t waited_ms = since_locked_ms(g, &event->now);
    uint64_t end_s = left_s(g);
    uint64_t end_ms = end_s < GUARD_ROUND_MAX_MS / 1000 ? end_s * 1000 : GUARD_ROUND_MAX_MS;
    uint64_t pause_ms = waited_ms < end_ms ? waited_ms : end_ms;
    if (end_s == 0)
        actions->timer_ms /= 4;
    else if (pause_ms > actions->timer_ms)
        actions->timer_ms = pause_ms;
}

/*
 * Whether under this record somebody may have replaced what we wrote, without having left that he saw our nonce. What
 * was predicted may be wrong: the bucket's encryption was changed since, and ETags are no MD5 sums any more. But then
 * no two writes have the same ETag: who replaced our version did it under the only record of that ETag, whose `saw` is
 * our nonce, unless a peer wrote it, or somebody whose HEAD and PutItem went out together.
 */
static bool may_be_our_etag(const struct guard *g, const char *etag, const struct record *record)
{
    if (g->write.operation == GUARD_DELETE)
        return true;
    if (strcmp(etag, RECORD_ETAG_CREATE) == 0)
        return false; /* is no ETag */
    if (g->write.our_etag[0] == '\0' || strcmp(etag, g->write.our_etag) == 0)
        return true;
    bool says_what_it_saw = record->nonce[0] != '\0' && record->saw[0] != '\0';
    return !says_what_it_saw && strcmp(etag, g->write.expected_etag) != 0;
}

void guard_classify_record(const struct guard *g, const char *etag, const struct record *record,
                           struct guard_evidence *evidence)
{
    if (guard_is_ours(g, record))
        return;
    if (strcmp(record->saw, g->write.nonce) == 0)
        evidence->saw_ours = true;
    bool may_live = !record->has_fence || !guard_past_fence(g, g->signature.d0_s, record->fence_s);
    if (may_live && may_be_our_etag(g, etag, record))
        evidence->locked = true;
}

/* Of a DELETE "our ETag" is known for certain. */
static void read_others(struct guard *g, struct guard_actions *actions)
{
    assert(g->write.operation != GUARD_DELETE || strcmp(g->write.our_etag, RECORD_ETAG_CREATE) == 0);
    g->state = GUARD_RESOLVE_OTHERS;
    actions->get_our_etag = g->write.operation == GUARD_DELETE;
    guard_request(g, actions->get_our_etag ? GUARD_DO_RECORD_GET : GUARD_DO_RECORD_QUERY, actions);
}

/* Row A. The ETag of our version is not in that record, and what an earlier round found is another's. */
static void seen_by_another(struct guard *g, struct guard_actions *actions)
{
    memset(&g->outcome.found, 0, sizeof(g->outcome.found));
    guard_conclude(g, VERDICT_COMMITTED, GUARD_REASON_PROVEN, RULE_R13_A, actions);
}

static void others_read(struct guard *g, const struct guard_evidence *evidence, const struct clock_reading *now,
                        struct guard_actions *actions)
{
    assert(!g->round.locked && g->round.life != GUARD_LIFE_OVER_OPEN);
    if (evidence->saw_ours && !g->round.part) {
        seen_by_another(g, actions);
        return;
    }
    g->round.locked = evidence->locked;
    if (g->write.operation == GUARD_COMPLETE && guard_is_dead(g) && !g->attempt.not_applied) {
        guard_read_parts(g, actions);
        return;
    }
    g->state = GUARD_RESOLVE_AGAIN;
    guard_request_head(g, now, actions);
}

void guard_on_resolve_own(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (event->ledger != LEDGER_OK) {
        round_broken(g, actions);
        return;
    }
    if (g->write.from_ticket && !guard_ticket_agrees(g, event, actions))
        return;
    if (event->found && event->record.nonce[0] && !guard_is_ours(g, &event->record)) {
        g->round.own_row = GUARD_ROW_FOREIGN;
        g->own.hold = GUARD_HOLDS_NOTHING;
        if (strcmp(event->record.saw, g->write.nonce) == 0 && !g->round.part) {
            seen_by_another(g, actions);
            return;
        }
    }
    read_others(g, actions);
}

void guard_on_resolve_get(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (event->ledger != LEDGER_OK) {
        round_broken(g, actions);
        return;
    }
    struct guard_evidence evidence = {false, false};
    if (event->found)
        guard_classify_record(g, g->write.our_etag, &event->record, &evidence);
    others_read(g, &evidence, &event->now, actions);
}

void guard_on_resolve_query(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (event->ledger == LEDGER_OK)
        others_read(g, &event->evidence, &event->now, actions);
    else
        round_broken(g, actions);
}

/* ------------------------------------------------------------------------------------------------ R14, N2 */

/* It was asked after the Complete was dead: what is open now was not completed, and will not be by this Complete,
 * unless a copy of a part came so late that it opened the completed upload again (versitygw 1.8.0). Gone, or a refusal
 * to say, leaves it to the rest of the table. */
void guard_on_parts(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->write.operation == GUARD_COMPLETE && guard_is_dead(g) && g->round.life != GUARD_LIFE_OVER_OPEN);
    if (event->upload == UPLOAD_UNCLEAR && !g->settings.native) {
        round_broken(g, actions);
        return;
    }
    if (event->upload == UPLOAD_UNCLEAR)
        g->round.life = GUARD_LIFE_OVER_UNCLEAR; /* a native round has had no HEAD yet: V4 and N4 may decide by it */
    else if (event->upload == UPLOAD_OPEN && !g->write.parts_in_doubt)
        g->round.life = GUARD_LIFE_OVER_OPEN;
    g->state = GUARD_RESOLVE_AGAIN;
    guard_request_head(g, &event->now, actions);
}

/* ------------------------------------------------------------------------------------------------ judgement */

/* A copy may have had no room for its nonce, a store may keep no metadata, and the bytes that are there may be those
 * that we write: then only a Last-Modified from before the attempt, by any front end's clock, says that they are not
 * ours. Of a Complete not even that: its object may have the date on which the upload was created (AWS). */
static bool version_may_be_ours(const struct guard *g, const struct object_version *version)
{
    int64_t signed_s = (int64_t)g->signature.d0_s - (int64_t)g->settings.margin_s;
    if (!version->exists || version->nonce[0] || g->write.operation == GUARD_DELETE)
        return false;
    bool other_bytes = g->write.our_etag[0] && strcmp(g->write.our_etag, version->etag) != 0;
    bool young = version->last_modified_s == 0 || version->last_modified_s >= signed_s; /* unreadable: assume new */
    return g->write.operation == GUARD_COMPLETE || (!other_bytes && young);
}

/* What the last HEAD of the round says of the object. */
static unsigned version_facts(const struct guard *g, const struct object_version *version)
{
    unsigned facts = 0;
    if (version_same(version, &g->check.base))
        facts |= FACT_VERY_VERSION;
    if (version->exists && version->nonce[0])
        facts |= FACT_HAS_NONCE;
    if (!guard_broken(g, version))
        facts |= FACT_HOLDS;
    return facts;
}

static unsigned facts_of(const struct guard *g, const struct guard_event *event)
{
    assert(g->round.life != GUARD_LIFE_OVER_OPEN || !g->attempt.not_applied);
    unsigned facts = version_facts(g, &event->version);
    bool very_version = facts & FACT_VERY_VERSION;
    bool came_back = g->round.life == GUARD_LIFE_OVER_CHANGED && very_version && !event->version.nonce[0];
    if (g->attempt.not_applied && g->round.own_row != GUARD_ROW_ALIVE)
        facts |= FACT_NOT_APPLIED;
    if (guard_is_dead(g) && !came_back)
        facts |= FACT_DEAD;
    if (g->round.locked || g->settings.native_writers || (very_version && version_may_be_ours(g, &event->version)))
        facts |= FACT_LOCKED;
    if (event->date_s + GUARD_EVIDENCE_CLOCKS_S <= g->signature.d0_s + GUARD_EVIDENCE_S)
        facts |= FACT_FRESH;
    if (g->round.own_row == GUARD_ROW_FOREIGN)
        facts |= FACT_FOREIGN;
    if (g->round.life == GUARD_LIFE_OVER_OPEN)
        facts |= FACT_UPLOAD_OPEN;
    return facts;
}

/* V4.8: whatever else was read is true of the part, too. While it stands, the rest may follow. */
static unsigned facts_of_part(const struct guard *g, const struct object_version *version)
{
    assert(g->round.part);
    return guard_is_dead(g) && !guard_part_stands(g, version) ? FACT_DEAD : 0;
}

static const struct row *row_for(unsigned facts)
{
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        if ((facts & rows[i].needs) == rows[i].needs && (facts & rows[i].without) == 0)
            return &rows[i];
    return NULL;
}

static void judge_round(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    assert(g->awaiting == 0 && !g->settings.native);
    g->attempt.records_read = true;
    const struct row *row = row_for(g->round.part ? facts_of_part(g, &event->version) : facts_of(g, event));
    if (row == NULL) {
        wait_for_end(g, event, actions);
        return;
    }
    if (row->rule == RULE_R13_F && guard_ask_versions(g, event, actions))
        return;
    enum guard_reason reason = row->reason;
    if (row->rule == RULE_R13_B && (g->attempt.answered_409 > 0 || g->attempt.overtaken))
        reason = GUARD_REASON_EXPIRED; /* R7: nothing but the signature's end, or another's passing, was in the way */
    if (reason == GUARD_REASON_EXPIRED && g->write.operation == GUARD_COMPLETE && g->round.life != GUARD_LIFE_OVER_OPEN)
        reason = GUARD_REASON_UPLOAD_AGAIN; /* R14: its upload is not open, as far as anybody says */
    if (row->verdict == VERDICT_CONFLICT)
        version_copy(&g->outcome.found, &event->version);
    guard_conclude(g, row->verdict, reason, row->rule, actions);
}

/* R13.18: where rounds follow each other fast, most end with their first HEAD. */
static bool is_worth_reading(const struct guard *g, const struct clock_reading *now, bool changed)
{
    if (!g->own.record.has_fence)
        return true; /* the records are all that may ever decide */
    if (g->round.part)
        return false; /* V4.8 */
    if (!g->attempt.records_read)
        return true; /* nor has row B or C been judged */
    return changed || (since_locked_ms(g, now) >= GUARD_LOOK_MS && left_s(g) > 0);
}

void guard_on_resolve_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (!guard_round_sees(g, event)) {
        round_broken(g, actions);
        return;
    }
    /* Before this HEAD was sent, not in the round: a write that is applied after this HEAD has read the object, and
     * deleted again by another writer before the last HEAD, under a record that is written only after the records
     * were read, would leave no trace in any of them. A Date is of an answer's end: what it came with is older. */
    assert(!guard_is_dead(g) && g->round.own_row == GUARD_ROW_OF_NOBODY);
    bool dead = guard_dead_by(g, g->time.head_date_s);
    if (!dead && guard_dead_by(g, event->date_s)) {
        guard_request_head(g, &event->now, actions);
        return;
    }
    /* Without a nonce what this HEAD shows may be our write, and it may be deleted under a record that is written
     * only after the records were read. */
    bool changed = !version_same(&event->version, &g->check.base);
    if (dead)
        g->round.life = changed ? GUARD_LIFE_OVER_CHANGED : GUARD_LIFE_OVER;
    if (!dead && !is_worth_reading(g, &event->now, changed)) {
        wait_for_end(g, event, actions);
        return;
    }
    g->state = GUARD_RESOLVE_OWN;
    guard_request(g, GUARD_DO_RECORD_GET, actions);
}

void guard_on_resolve_again(struct guard *g, const struct guard_event *event, struct guard_actions *actions)
{
    if (g->settings.native) {
        guard_on_native_head(g, event, actions);
        return;
    }
    bool read_beside_part = g->round.part; /* then no row A was looked for */
    if (guard_round_sees(g, event) && (g->round.part || !read_beside_part))
        judge_round(g, event, actions);
    else
        round_broken(g, actions);
}
