/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a simulated process does: it opens a client, makes its lane's calls one after another, settles tickets, closes
 * the client. When it dies, another one goes on with the lane behind the call in which it died.
 */
#ifndef OSCOMMIT_TEST_SIM_WORKER_H
#define OSCOMMIT_TEST_SIM_WORKER_H

#include "sim/world.h"

/* Of a clock that is right, and within half a minute: a base of REALTIME. */
uint64_t worker_realtime_us(const struct faults *faults, uint64_t purpose, uint64_t occasion);

/* Starts the process of a lane, now. */
void worker_start(struct world *world, uint32_t lane, uint32_t incarnation, uint32_t first_call);
/* The reader at the end: settles every ticket, reads every key, and writes each once more. */
void worker_start_reader(struct world *world);

#endif
