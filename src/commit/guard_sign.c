/* SPDX-License-Identifier: Apache-2.0 */
/* The signature of the attempt, and the record that follows from it: R2 to R4. A contender that takes over signs anew,
 * so this is below both. */
#include "commit/guard_internal.h"

#include "commit/words.h"

#include <assert.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ R2 */

/* The signature ends at an S3 time that is fixed by D0, so what is signed at an older D0 is signed for longer. */
static bool native_lengthen(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    uint64_t age_ms = clock_elapsed_max(&g->signature.d0_clock, now);
    if (age_ms > GUARD_NATIVE_DATE_MS) {
        g->check.stage = GUARD_CHECK_FIRST;
        g->state = GUARD_CHECKING;
        guard_request_head(g, now, actions);
        return false;
    }
    g->signature.length_s += (uint32_t)(age_ms / 1000);
    return true;
}

/*
 * R14.18: the nonce of what is there, as far as others may take it for evidence that the write with that nonce was
 * applied. The record that we take over is of a Complete that was to replace what is there: its nonce beside that is
 * of a Complete that is half done (V4.6), or of one that made the same again. A holder that has kept it back for that,
 * or could not, is followed by others that do not know of the upload any more.
 */
static const char *nonce_to_pass_on(const struct guard *g)
{
    const struct record *seen = &g->own.condition.seen;
    const char *known = g->check.known_nonce;
    if (g->own.condition.kind != RECORD_IF_SEEN)
        return known;
    bool is_holders = strcmp(seen->nonce, known) == 0;
    bool of_complete = is_holders && seen->upload != 0;
    bool kept_back = !is_holders && seen->saw[0] == '\0';
    return of_complete || kept_back ? "" : known;
}

/* G3.5. */
const char *guard_replaced_nonce(const struct guard *g)
{
    bool replaces = g->write.expected_etag[0] != '\0' && g->write.operation != GUARD_DELETE;
    const char *nonce = nonce_to_pass_on(g);
    return replaces && record_is_nonce(nonce) ? nonce : "";
}

void guard_sign(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    assert(!g->write.from_ticket && g->attempt.send_count == 0 && g->awaiting == 0);
    assert(g->write.operation != GUARD_COPY ||
           g->check.source == GUARD_SOURCE_FOUND); /* the fence counts on its size */
    g->signature.made = false;
    g->signature.length_s = g->settings.length_s;
    if (g->settings.native && !native_lengthen(g, now, actions))
        return;
    g->state = GUARD_SIGNING;
    actions->sign_date_s = g->signature.d0_s;
    actions->sign_length_s = g->signature.length_s;
    fixed_str_copy(actions->sign_replaced, guard_replaced_nonce(g), sizeof(actions->sign_replaced));
    guard_request(g, GUARD_DO_SIGN, actions);
}

/* ------------------------------------------------------------------------------------------------ R3, R4 */

static void note_saw(struct guard *g)
{
    memset(g->own.record.saw, 0, sizeof(g->own.record.saw));
    if (g->write.expected_etag[0])
        fixed_str_copy(g->own.record.saw, nonce_to_pass_on(g), sizeof(g->own.record.saw));
}

/* The record that goes with a signature made at D0: what it says follows from D0 alone. */
void guard_describe_record(struct guard *g)
{
    uint64_t reach_s = (uint64_t)g->signature.length_s + guard_allowance_s(g);
    uint64_t timeout_ms = (reach_s + g->settings.margin_s) * 1000; /* T6 */
    if (timeout_ms < g->settings.timeout_ms)
        timeout_ms = g->settings.timeout_ms;
    assert(timeout_ms > (uint64_t)g->signature.length_s * 1000);
    g->own.record.timeout_ms = timeout_ms;
    g->own.record.ttl_s = record_ttl(g->signature.d0_s, g->settings.ttl_s, timeout_ms, g->settings.max_clock_skew_rate);
    g->own.record.has_fence = g->settings.fences && !guard_never_dies(g);
    g->own.record.fence_s = g->own.record.has_fence ? g->signature.d0_s + reach_s : 0;
    memcpy(g->own.record.nonce, g->write.nonce, sizeof(g->own.record.nonce));
    note_saw(g);
}

void guard_put_record(struct guard *g, struct guard_actions *actions)
{
    assert(!g->settings.native && g->own.hold != GUARD_HOLDS_RECORD);
    assert(g->own.condition.kind == RECORD_IF_ABSENT || g->own.condition.kind == RECORD_IF_SEEN);
    record_copy(&actions->record, &g->own.record);
    memset(&actions->condition, 0, sizeof(actions->condition));
    actions->condition.kind = g->own.condition.kind;
    record_copy(&actions->condition.seen, &g->own.condition.seen);
    g->state = GUARD_ACQUIRING;
    guard_request(g, GUARD_DO_RECORD_PUT, actions);
}

/* R3: the record; and the HEAD beside it where that is still to come. */
void guard_lock(struct guard *g, const struct clock_reading *now, struct guard_actions *actions)
{
    guard_describe_record(g);
    g->own.lease_clock = *now;
    backoff_restart(&g->backoff);
    guard_put_record(g, actions);
    if (g->check.stage == GUARD_CHECK_BESIDE)
        guard_request_head(g, now, actions);
}

/* R4: an item with our nonce that is not the one just sent, brought back by a late copy of an earlier PutItem. */
void guard_continue_own(struct guard *g, const struct record *item, const struct clock_reading *now,
                        struct guard_actions *actions)
{
    assert(guard_is_ours(g, item) && g->own.hold != GUARD_HOLDS_RECORD);
    if (item->generation == UINT64_MAX) {
        guard_conclude(g, VERDICT_NOT_EXECUTED, GUARD_REASON_UNREADABLE_RECORD, RULE_R4, actions);
        return;
    }
    if (g->own.hold == GUARD_HOLDS_NOTHING)
        g->own.hold = GUARD_HOLDS_OLDER;
    g->own.condition.kind = RECORD_IF_SEEN;
    record_copy(&g->own.condition.seen, item);
    note_saw(g); /* R14.18: all guards of an upload have one nonce, and an earlier one may have kept this back */
    g->own.record.generation = item->generation + 1;
    g->own.lease_clock = *now;
    guard_put_record(g, actions);
}
