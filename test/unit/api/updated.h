/* SPDX-License-Identifier: Apache-2.0 */
/* os_update on an embedded store, and what its transform is given. Other writers write from within the transform, so
 * each conflict is certain. */
#ifndef OSCOMMIT_TEST_API_UPDATED_H
#define OSCOMMIT_TEST_API_UPDATED_H

#include "support/event.h"
#include "unit/api/client_scratch.h"

#include <stdatomic.h>

struct updated {
    struct scratch scratch;
    os_client *client;
    os_client *other; /* of the writers that are in the way */
    os_cancel *cancel;
    os_call call;
    os_update_options options;
    os_result result;
    os_error error;

    struct event waits; /* an update waits for its turn */
    atomic_uint gets;
    int runs;          /* of the transform */
    int losses;        /* so many times another writer is first */
    char seen[8][64];  /* what each run was given; "absent" */
    char etag[128];    /* of the last */
    uint32_t round;    /* the same */
    int stops_at;      /* this run stops with 7 */
    const char *gives; /* the new bytes; NULL: the old ones and "+" */
    char bytes[64];
};

void updated_set_up(struct updated *updated);
void updated_tear_down(struct updated *updated);

/* One more client whose waiting and reading is noted. */
os_client *updated_open(struct updated *updated);

/* By the other client. */
void updated_write_now(struct updated *updated, const char *bytes);
void updated_check_object(struct updated *updated, const char *bytes);

/* A transform, and its first part, for others. */
int updated_add_plus(void *context, const os_current *current, os_body *ret);
void updated_note(struct updated *updated, const os_current *current);

os_verdict updated_update(struct updated *updated, os_transform_fn transform);
void updated_check_verdict(struct updated *updated, os_verdict got, os_verdict wanted, os_code code);
#define CHECK_COMMITTED(updated, transform) \
    updated_check_verdict(updated, updated_update(updated, transform), OS_COMMITTED, OS_OK)

#endif
