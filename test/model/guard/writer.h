/* SPDX-License-Identifier: Apache-2.0 */
/* One writer of this library's kind: the call, its guards, and what goes in and out of them. */
#ifndef OSCOMMIT_MODEL_WRITER_H
#define OSCOMMIT_MODEL_WRITER_H

#include "world.h"

void writer_start(struct world *world, unsigned w);
/* One that made no call: the resolution of this ticket. */
void writer_resolve(struct world *world, unsigned w, const struct guard_ticket *ticket);
void writer_timer(struct world *world, unsigned w);
void writer_stop(struct world *world, unsigned w);
void writer_crash(struct world *world, unsigned w);
/* The answer of a served request arrives. */
void writer_deliver(struct world *world, unsigned f);
/* The request is answered so, whatever became of it; it leaves the array, or stays unawaited when it may be served
 * later. */
void writer_deliver_loss(struct world *world, unsigned f, bool stays);

#endif
