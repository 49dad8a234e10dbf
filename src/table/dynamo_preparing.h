/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Making and checking a table (E3): a chain of requests, and waiting until it is ACTIVE. Knows what is asked when, and not
 * what is in the table. On the loop's thread.
 */
#ifndef OSCOMMIT_TABLE_DYNAMO_PREPARING_H
#define OSCOMMIT_TABLE_DYNAMO_PREPARING_H

#include "dynamo/table.h"
#include "loop/retry.h"
#include "table/dynamo_call.h"

enum preparing_step { PREPARING_CREATE = 1, PREPARING_DESCRIBE, PREPARING_UPDATE_TTL, PREPARING_DESCRIBE_TTL };

/* The table as it was described. */
struct preparing_found {
    bool exists;
    bool is_active;
    bool may_expire; /* TTL can be turned on: nothing is in the way that would have to be mended first */
};

struct dynamo_preparing;

/* Who knows what is in the table. The readers are those of dynamo/table.h, or as they are. */
struct dynamo_preparer {
    enum table_outcome (*read_done)(struct dynamo_preparing *preparing, const struct http_response *response,
                                    struct dynamo_error *ret_detail, os_error *err);
    enum table_outcome (*read_table)(struct dynamo_preparing *preparing, const struct http_response *response,
                                     struct preparing_found *ret, struct dynamo_error *ret_detail, os_error *err);
    enum table_outcome (*read_ttl)(struct dynamo_preparing *preparing, const struct http_response *response,
                                   char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                   os_error *err);
    os_code (*judge)(struct dynamo_preparing *preparing, const char *ttl_status, const char *ttl_attribute,
                     os_error *err);
    os_code (*say_missing)(struct dynamo_preparing *preparing, os_error *err);
    void (*finish)(struct dynamo_preparing *preparing, enum table_outcome outcome); /* it is gone then */
};

struct dynamo_preparing { /* embedded in the operation */
    const struct dynamo_preparer *preparer;
    struct dynamo_call *call;
    struct retry *retry; /* whose attempt sends the call */
    const char *where;
    bool creates;             /* else it only looks */
    enum preparing_step step; /* the request that is to be built, or is under way */
};

void preparing_begin(struct dynamo_preparing *preparing, bool creates);
/* What one request was answered with. *err and *ret_foreign are for the answer of the operation. */
void preparing_answered(struct dynamo_preparing *preparing, const struct http_response *response, bool *ret_foreign,
                        os_error *err);

#endif
