/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A call that nobody waits for: its arguments kept, its steps on the loop's thread, its completion given to a function
 * or to a queue, exactly once.
 */
#ifndef OSCOMMIT_OPERATION_OPERATION_H
#define OSCOMMIT_OPERATION_OPERATION_H

#include "guarded/guarded.h"
#include "holding/holding.h"
#include "oscommit_async.h"
#include "plain/plain.h"

/* As a public function was given it; nothing is checked yet. `call` of the arguments is that of `start`. */
struct operation_request {
    const struct guarded_arguments *guarded; /* either these, and their first step */
    guarded_step_fn guarded_first;
    const struct plain_arguments *plain; /* or these */
    plain_step_fn plain_first;
    const struct update_arguments *update; /* or these alone */
    const struct holding_arguments *holding;
    holding_step_fn holding_first;
    const os_start *start;
};

/* Starts it. `client` is not looked at where the arguments have a lease, which is of one. `ret` may be NULL. What oscommit_async.h says is refused at once; then there is no operation. */
os_code operation_start(os_client *client, const struct operation_request *request, os_operation **ret, os_error *err);

#endif
