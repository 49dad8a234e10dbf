/* SPDX-License-Identifier: Apache-2.0 */
/* What a record means for the next writer of its key, by this machine's clock. */
#ifndef OSCOMMIT_TOOL_TABLE_STATE_H
#define OSCOMMIT_TOOL_TABLE_STATE_H

#include "cli/options.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stdint.h>

enum table_state {
    TABLE_RELEASED, /* nobody waits for it */
    TABLE_OVER,     /* its fence has passed: what it was for was applied, or never will be. Nobody waits for it */
    TABLE_LIVE,     /* its writer may still write */
    TABLE_UNFENCED, /* each other writer waits the whole lease */
    TABLE_ENDLESS,  /* a record that nobody can, or will, take over */
    TABLE_DAMAGED   /* no record at all: no writer passes it */
};

struct table_view {
    enum table_state state;
    int64_t until_s;  /* LIVE, OVER: its fence and margin */
    uint64_t wait_ms; /* UNFENCED: what each other writer waits */
    bool is_old;      /* UNFENCED: and its own lease has long passed, so that its writer is gone, or never was */
};

void table_view(const os_record *record, const struct options *options, struct table_view *ret);
const char *table_state_word(enum table_state state); /* "over" */

/* A dead writer's, as far as can be told without the object: it would be waited for, or for ever. */
bool table_may_be_stuck(const struct table_view *view);

/* Whose it is: the beginning of its nonce; "object_store" without one; "-" of what is no record. `ret` has 16 bytes. */
enum { TABLE_HOLDER_SIZE = 16 };
void table_holder(const os_record *record, char ret[TABLE_HOLDER_SIZE]);

#endif
