/* SPDX-License-Identifier: Apache-2.0 */
/* What a worker does with leases: it acquires one before a call, writes with its token, and releases it behind one. */
#ifndef OSCOMMIT_TEST_SIM_LEASING_H
#define OSCOMMIT_TEST_SIM_LEASING_H

#include "sim/actions.h"

/* Before the call of the plan: perhaps it is one behind another that left a lease. False: the call is not made, as what
 * it was to be made under is lost. */
bool leasing_before(struct worker *worker, const struct plan_call *call);
void leasing_after(struct worker *worker);
/* All that is held is released, and the client of the leases closed. */
void leasing_end(struct worker *worker);
/* For how long the worker may think, so that a lease is not extended for ever. */
uint64_t leasing_think_us(const struct worker *worker, uint64_t wanted_us);
/* What a write of the key is given; 0: nothing. */
uint64_t leasing_token(const struct worker *worker, uint32_t key);
/* Nobody holds any, and no fault is left: each can be acquired in time, and released. */
void leasing_final(struct worker *worker);

#endif
