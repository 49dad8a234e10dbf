/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the public header that need no guard: objects as they are, and the table of records. */
#ifndef OSCOMMIT_PLAIN_PLAIN_H
#define OSCOMMIT_PLAIN_PLAIN_H

#include "client/steps.h"
#include "oscommit.h"

#include <stdbool.h>

/* As the caller gave them; nothing is checked yet. What a function does not have is zero. */
struct plain_arguments {
    const char *key;
    const char *version_id; /* head; NULL: the current one */
    const os_sink *sink;    /* get */
    const os_body *body;    /* put */
    const os_put_options *put_options;
    bool if_absent; /* put, of a body that is known whole: If-None-Match: * goes along, else OS_ERR_CONFLICT */
    const os_list_options *list_options;
    os_list_fn each_object;
    os_record_fn each_record;
    void *each_context;   /* of either */
    const char *etag;     /* release */
    bool force;           /* the same */
    uint32_t connections; /* warm */
    const os_presign_options *presign;
    char **ret_url;     /* the same */
    char **ret_headers; /* the same; may be NULL */
    const os_call *call;
    os_object *ret;         /* head, get, put; may be NULL */
    uint32_t *ret_requests; /* get: how many were made; may be NULL */
};

/* A call on objects (call.h). Each of the functions below is its first step. */
struct plain;
typedef enum steps_next (*plain_step_fn)(struct plain *plain);
enum steps_next plain_head(struct plain *plain);
enum steps_next plain_get(struct plain *plain);
enum steps_next plain_put(struct plain *plain);
enum steps_next plain_delete(struct plain *plain);
enum steps_next plain_list(struct plain *plain);
enum steps_next plain_warm(struct plain *plain);
enum steps_next plain_presign(struct plain *plain);
enum steps_next plain_table_create(struct plain *plain);
enum steps_next plain_table_check(struct plain *plain);
enum steps_next plain_table_list(struct plain *plain);
enum steps_next plain_table_release(struct plain *plain);

/* The call from its first step to its code. Blocks. `err` may be NULL. */
os_code plain_call(os_client *client, const struct plain_arguments *arguments, plain_step_fn first, os_error *err);

#endif
