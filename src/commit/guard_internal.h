/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the guard say to each other, from the lowest to the highest: each knows those before it. Nobody
 * outside src/commit includes this. */
#ifndef OSCOMMIT_COMMIT_GUARD_INTERNAL_H
#define OSCOMMIT_COMMIT_GUARD_INTERNAL_H

#include "commit/guard.h"

/* R6: what must be left of signature and lease when the attempt is sent; half the signature where it is shorter than
 * twice this. */
enum { GUARD_SEND_RESERVE_MS = 2000 };
enum { GUARD_LONG_LEASE_MS = 3600 * 1000 };

/* The states in groups. */
enum guard_phase {
    GUARD_PHASE_CHECK,   /* R1, R2: no record was asked for under this signature, nothing was sent */
    GUARD_PHASE_ACQUIRE, /* R3-R5 */
    GUARD_PHASE_ATTEMPT, /* R6-R10 */
    GUARD_PHASE_CONTEND, /* R11, R12, R14: another writer's record is in the way */
    GUARD_PHASE_RESOLVE, /* R13, R14, R16, N1-N3: an attempt is not answered for certain */
    GUARD_PHASE_OVER     /* the verdict is given */
};

/* guard_core.c */
enum guard_versioning guard_versioning_of(const struct guard_settings *settings, bool before);
enum guard_phase guard_phase(const struct guard *g);
bool guard_broken(const struct guard *g, const struct object_version *version); /* the expectation */
bool guard_is_forward(const struct guard *g); /* N4: the promise holds, and the store's own condition goes along */
bool guard_is_ours(const struct guard *g, const struct record *record); /* by nonce */
bool guard_is_spent(const struct record *record, const struct object_version *version);
void guard_note_head(struct guard *g, const struct guard_event *event); /* R1, R12: the expectation holds */
void guard_sign_at_head(struct guard *g);                               /* its Date is D0 */
bool guard_continues_own(const struct guard *g); /* R4: the PutItem rests on an older item of ours */
bool guard_past_fence(const struct guard *g, uint64_t date_s, uint64_t fence_s); /* date > fence + margin */
/* Whole seconds, by that Date, until the one in which it will be past; then 0. */
uint64_t guard_until_past_s(const struct guard *g, uint64_t date_s, uint64_t fence_s);
bool guard_dead_by(const struct guard *g, uint64_t date_s); /* date > own fence + margin */
bool guard_is_dead(const struct guard *g);                  /* R13.6: by this round */
/* R3.7, F2.11: of a source that is not known, or not pinned. */
uint64_t guard_copy_expected_bytes(const struct guard *g);
bool guard_never_dies(const struct guard *g); /* the store may wait for the rest of it for ever */
void guard_request(struct guard *g, unsigned what,
                   struct guard_actions *actions); /* a request that will be answered by an event */
void guard_drop(struct guard *g, unsigned what, struct guard_actions *actions);
void guard_request_head(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_wait(struct guard *g, enum guard_state state,
                struct guard_actions *actions); /* back-off, then GUARD_EVENT_TIMER */
void guard_read_parts(struct guard *g, struct guard_actions *actions);
void guard_conclude(struct guard *g, enum verdict verdict, enum guard_reason reason, enum guard_rule rule,
                    struct guard_actions *actions);
/* N4.2: another's pair over what we expect, and something else stands there. */
bool guard_is_overtaken(const struct guard *g, const struct guard_event *event);
void guard_conclude_overtaken(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_release(struct guard *g, struct guard_actions *actions);
void guard_read_creation(struct guard *g, struct guard_actions *actions);
void guard_on_creation(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_ticket.c */
/* R17, of the answer that shows our key's record: false when that ends the guard. */
bool guard_ticket_agrees(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_versions.c */
void guard_note_versions(struct guard *g, const struct guard_event *event); /* of any HEAD */
/* Instead of an `unknown` for want of evidence, after a round that was dead and ended with this HEAD: true, and the
 * list of versions is asked for; false: the bucket has none that could tell. */
bool guard_ask_versions(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_versions(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_native.c */
void guard_native_round(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_native_not_executed(struct guard *g, enum guard_rule rule, struct guard_actions *actions);
void guard_on_native_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_resolve.c */
void guard_resolve(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_on_resolve_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_resolve_own(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_resolve_get(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_resolve_query(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
/* A HEAD of a round: it was answered, in whole or but for what V4.8 forbids to believe. */
bool guard_round_sees(struct guard *g, const struct guard_event *event);
bool guard_part_stands(const struct guard *g, const struct object_version *version); /* the rest may follow */
void guard_on_resolve_again(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_parts(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_sign.c */
void guard_sign(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
const char *guard_replaced_nonce(const struct guard *g); /* "" if nothing is known, or nothing replaced */
void guard_describe_record(struct guard *g);
void guard_put_record(struct guard *g, struct guard_actions *actions);
void guard_lock(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_continue_own(struct guard *g, const struct record *item, const struct clock_reading *now,
                        struct guard_actions *actions);

/* guard_attempt.c */
bool guard_may_send_again(const struct guard *g, const struct clock_reading *now); /* N4.2: the signature lives */
/* N4.3: after the pause that is due, and the HEAD that follows it. */
void guard_send_again(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_send(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_on_signed_again(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_attempt(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_look_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_look(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_send_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_forward.c */
void guard_on_forward_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_contend.c */
void guard_see_record(struct guard *g, const struct record *item, const struct clock_reading *now,
                      struct guard_actions *actions); /* another's: R12's bound begins */
void guard_contend(struct guard *g, const struct clock_reading *now, struct guard_actions *actions);
void guard_on_contend_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_contend_get(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_contend_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_aborted(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

/* guard_acquire.c */
void guard_check(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_check_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_source(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_signed(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_record_put(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_acquire_get(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_recheck_head(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_on_acquire_timer(struct guard *g, const struct guard_event *event, struct guard_actions *actions);
void guard_orphan_answered(struct guard *g, const struct guard_event *event, struct guard_actions *actions);

#endif
