/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of a lease show each other. Nothing outside src/lease includes it. */
#ifndef OSCOMMIT_LEASE_LEASE_INTERNAL_H
#define OSCOMMIT_LEASE_LEASE_INTERNAL_H

#include "lease/lease.h"

/* lease_core.c */
bool lease_is_own(const struct lease *lease, const struct lease_item *item);
/* L11.2: an older version is of a TAKE that came late, when somebody else may have had it. */
bool lease_may_adopt(const struct lease *lease, const struct lease_item *item);
/* The item as an answer shows it. True: it is ours, and `current` is its version. */
bool lease_learn(struct lease *lease, const struct lease_event *event);
/* A TAKE that was answered by nothing that tells of the item. */
void lease_take_failed(struct lease *lease, const struct lease_event *event);
void lease_learn_date(struct lease *lease, const struct lease_event *event);
uint64_t lease_foreign_now_s(const struct lease *lease, const struct clock_reading *now); /* L2 */

uint64_t lease_ttl_ms(const struct lease *lease);
uint64_t lease_margin_ms(const struct lease *lease);
/* L4, of an OK to the TAKE or EXTEND under way. */
void lease_begin_term(struct lease *lease, const struct lease_event *event);
bool lease_has_time(const struct lease *lease, const struct clock_reading *now);

/* The next request of the phase is due then. */
void lease_wait(struct lease *lease, const struct clock_reading *now, uint64_t delay_ms);
void lease_back_off(struct lease *lease, const struct clock_reading *now);
/* At once; but what made that necessary is not followed without a pause a second time in a row. */
void lease_hurry(struct lease *lease, const struct clock_reading *now);
/* The own item is shown, on which the next request rests: at once, unless the last one did. */
void lease_go_on(struct lease *lease, const struct clock_reading *now);

void lease_send(struct lease *lease, enum lease_request_kind kind, const struct clock_reading *now,
                struct lease_actions *actions);
/* L5, L7: after a conflict that shows no item. */
void lease_read(struct lease *lease, const struct clock_reading *now, struct lease_actions *actions);
void lease_conclude(struct lease *lease);

/* lease_leave.c */
void lease_leave(struct lease *lease, enum lease_status end, const struct clock_reading *now);
void lease_fail(struct lease *lease, const struct clock_reading *now); /* the answer is a refusal */
void lease_give_up(struct lease *lease);                               /* the caller does not wait for the end of it */
void lease_on_leaving(struct lease *lease, const struct lease_event *event, struct lease_actions *actions);

/* lease_hold.c */
void lease_hold(struct lease *lease, const struct clock_reading *now);
void lease_note_time(struct lease *lease, const struct clock_reading *now); /* L6: it may be over */
void lease_on_holding(struct lease *lease, const struct lease_event *event, struct lease_actions *actions);
void lease_on_lost(struct lease *lease, const struct lease_event *event);

/* lease_adopt.c */
void lease_begin_adopting(struct lease *lease);
void lease_adopt(struct lease *lease, const struct clock_reading *now, struct lease_actions *actions);
void lease_on_adopting(struct lease *lease, const struct lease_event *event, struct lease_actions *actions);
void lease_stop_adopting(struct lease *lease, enum lease_status end);

/* lease_take.c */
bool lease_token_is_good(uint64_t token); /* L8 */
void lease_take(struct lease *lease, const struct clock_reading *now, struct lease_actions *actions);
void lease_complete(struct lease *lease, const struct clock_reading *now, struct lease_actions *actions);
void lease_on_seeking(struct lease *lease, const struct lease_event *event, struct lease_actions *actions);
void lease_on_taken(struct lease *lease, const struct lease_event *event, struct lease_actions *actions);

#endif
