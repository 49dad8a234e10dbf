/* SPDX-License-Identifier: Apache-2.0 */
/* The guarded functions of the public header, from their arguments to their verdict. */
#ifndef OSCOMMIT_GUARDED_GUARDED_H
#define OSCOMMIT_GUARDED_GUARDED_H

#include "client/steps.h"
#include "oscommit.h"

#include <stdbool.h>

/* As the caller gave them; nothing is checked yet. What a function does not have is zero. */
struct guarded_arguments {
    const char *name; /* of the public function, for sentences, logs and metrics */
    const char *key;
    bool replaces; /* the version `etag`; else nothing may be there */
    const char *etag;
    const os_body *body; /* put */
    const os_put_options *put_options;
    const char *source; /* copy, rename */
    const os_copy_options *copy_options;
    const char *ticket; /* resolve */
    const os_resolve_options *resolve_options;
    bool asks;    /* resolve: what is refused leaves the verdict unknown */
    bool patient; /* the same, until it is decided */
    const os_call *call;
};

/* A guarded call (call.h). Each of the functions below is its first step. */
struct guarded;
typedef enum steps_next (*guarded_step_fn)(struct guarded *guarded);
enum steps_next guarded_put(struct guarded *guarded);
enum steps_next guarded_copy(struct guarded *guarded);
enum steps_next guarded_rename(struct guarded *guarded);
enum steps_next guarded_delete(struct guarded *guarded);
enum steps_next guarded_resolve(struct guarded *guarded);

/* The call from its first step to its verdict. Blocks. `ret` and `err` may be NULL. */
os_verdict guarded_call(os_client *client, const struct guarded_arguments *arguments, guarded_step_fn first,
                        os_result *ret, os_error *err);

/* Gives the caller's result what it has room for. A ticket for which it has none, or no result, is freed. */
void guarded_give_result(os_result *result, os_result *ret);

#endif
