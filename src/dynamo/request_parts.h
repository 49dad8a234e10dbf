/* SPDX-License-Identifier: Apache-2.0 */
/* What the builders of requests share. Nobody but request*.c includes this. */
#ifndef OSCOMMIT_DYNAMO_REQUEST_PARTS_H
#define OSCOMMIT_DYNAMO_REQUEST_PARTS_H

#include "dynamo/request.h"

#include <jansson.h>

enum { DYNAMO_KEY_COUNT = 2, DYNAMO_KNOWN_COUNT = 9 };

/* The attributes of a record, the keys first: placeholder and name. */
extern const char *const dynamo_known[DYNAMO_KNOWN_COUNT][2];

os_code dynamo_check_key(const struct dynamo_target *target, const struct dynamo_key *key, os_error *err);
bool dynamo_add_name(json_t *names, const char *placeholder, const char *name);
/* Takes the reference to `value`; NULL is the failure of whoever made it. */
bool dynamo_add_value(json_t *values, const char *placeholder, json_t *value);
/* Takes the reference to `body`, which is NULL when it could not be made. */
os_code dynamo_finish(const struct dynamo_target *target, const char *operation, json_t *body, struct http_request *ret,
                      struct buf *ret_body, os_error *err);

#endif
