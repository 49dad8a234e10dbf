/* SPDX-License-Identifier: Apache-2.0 */
/* The bytes that a call writes, as memory or as a stream. */
#ifndef OSCOMMIT_TEST_SIM_CONTENT_H
#define OSCOMMIT_TEST_SIM_CONTENT_H

#include "oscommit.h"
#include "sim/plan.h"

struct content {
    char text[64]; /* what tells it from others; a large one begins with it */
    char *large;   /* NULL: the text is all */
    size_t length;
    size_t given; /* of a stream */
    uint32_t pace;
};

/* Aborts when memory is short. */
void content_make(struct content *content, uint32_t lane, uint64_t call, const struct plan_call *plan);
/* A counter that stands at `number`: the same bytes of whoever counts, or his own, by the plan. */
void content_count(struct content *content, uint32_t lane, uint64_t call, const struct plan_call *plan,
                   uint64_t number);
/* `content` is borrowed until the call has ended. */
os_body content_body(struct content *content, bool stream);
void content_free(struct content *content);

#endif
