/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The other side of http/engine.h, which sim_engine.c implements on the simulated network: where the network puts what
 * it has for an engine. An engine outlives its client until its process is freed, so that an answer on its way never
 * finds nobody.
 */
#ifndef OSCOMMIT_TEST_SIM_ENGINE_H
#define OSCOMMIT_TEST_SIM_ENGINE_H

#include "http/engine.h"
#include "sim/process.h"

enum engine_delivery {
    ENGINE_ANSWER,  /* bytes of an answer, perhaps not all */
    ENGINE_REFUSED, /* no connection was made */
    ENGINE_RESET    /* the connection broke without an answer byte */
};

/* Copies. What is for a request that has ended meanwhile is dropped: false. */
bool engine_receive(struct http_engine *engine, uint64_t transfer, enum engine_delivery delivery, const char *bytes,
                    size_t length);
/* All before its tail is acknowledged. False: the request has ended, or its process. */
bool engine_tail_is_due(struct http_engine *engine, uint64_t transfer);
void engine_free_all(struct process *process); /* when the process is freed */

#endif
