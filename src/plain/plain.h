/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of the public header that need no guard: objects as they are, and the table of records. */
#ifndef OSCOMMIT_PLAIN_PLAIN_H
#define OSCOMMIT_PLAIN_PLAIN_H

#include "oscommit.h"

#include <stdbool.h>

/* As the caller gave them; nothing is checked yet. What a function does not have is zero. */
struct plain_arguments {
    const char *key;
    const char *version_id; /* head; NULL: the current one */
    const os_sink *sink;    /* get */
    const os_body *body;    /* put */
    const os_put_options *put_options;
    const os_list_options *list_options;
    os_list_fn each_object;
    os_record_fn each_record;
    void *each_context; /* of either */
    const char *etag;   /* release */
    bool force;         /* the same */
    const os_call *call;
    os_object *ret; /* head, get, put; may be NULL */
};

/* All of them block. `err` may be NULL. */
os_code plain_head(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_get(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_put(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_delete(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_list(os_client *client, const struct plain_arguments *arguments, os_error *err);

os_code plain_table_create(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_table_check(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_table_list(os_client *client, const struct plain_arguments *arguments, os_error *err);
os_code plain_table_release(os_client *client, const struct plain_arguments *arguments, os_error *err);

#endif
