/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of a worker in a world of transactions: os_transact and os_txn_resolve, and what they are told. */
#ifndef OSCOMMIT_TEST_SIM_TRADING_H
#define OSCOMMIT_TEST_SIM_TRADING_H

#include "sim/actions.h"
#include "sim/books.h"

/* The models, behind the client; false: for want of memory. */
bool trading_open(struct worker *worker);
void trading_close(struct worker *worker);

uint32_t trading_count(const struct world *world, uint32_t lane); /* calls */
/* One call of the lane; then a ticket, if there is one. */
void trading_call(struct worker *worker, uint64_t call);
/* The reader at the end: settles what can be, writes every account once more, and adds up. */
void trading_final(struct worker *worker);

/* Somebody who knows no tokens writes a row as he has read it, now and then. */
void trading_start_foreigner(struct world *world);

#endif
