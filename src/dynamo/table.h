/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table that the items are in, for E3: what DescribeTable, DescribeTimeToLive, CreateTable and UpdateTimeToLive
 * answered, and whether such a table is fit. Pure. `about` is without a key.
 */
#ifndef OSCOMMIT_DYNAMO_TABLE_H
#define OSCOMMIT_DYNAMO_TABLE_H

#include "dynamo/response.h"

enum { DYNAMO_STATUS_SIZE = 32, DYNAMO_TTL_STATUS_SIZE = 32, DYNAMO_TTL_ATTRIBUTE_SIZE = 256 };

struct dynamo_table {
    char status[DYNAMO_STATUS_SIZE]; /* "ACTIVE" */
    bool keys_ok;                    /* those of the schema */
    char keys_found[256];            /* for the sentence */
    bool replicated_eventually;      /* a global table whose MultiRegionConsistency is not STRONG */
};

/* DescribeTable. TABLE_OK with *ret_exists false for ResourceNotFoundException. */
enum table_outcome dynamo_read_table(const struct http_response *response, const struct dynamo_about *about,
                                     bool *ret_exists, struct dynamo_table *ret, struct dynamo_error *ret_detail,
                                     os_error *err);
/* DescribeTimeToLive: "ENABLED" and the attribute that it is on ("" if none). The arrays have the sizes above. A server
 * without a TTL API is TABLE_REFUSED with OS_ERR_UNSUPPORTED: then judge with a NULL status. */
enum table_outcome dynamo_read_ttl(const struct http_response *response, const struct dynamo_about *about,
                                   char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                   os_error *err);
/* CreateTable, UpdateTimeToLive: OK also for ResourceInUseException and "already enabled"; what stands there then is
 * found by dynamo_read_table and dynamo_read_ttl. */
enum table_outcome dynamo_read_done(const struct http_response *response, const struct dynamo_about *about,
                                    struct dynamo_error *ret_detail, os_error *err);

/* E3's judgement as a sentence: OS_OK, or OS_ERR_TABLE with what is wrong and how to mend it. `ttl_status` is NULL when
 * the server has no TTL API (UnknownOperationException): OS_OK, and the sentence says that nothing cleans up. */
os_code dynamo_judge_table(const struct dynamo_about *about, const struct dynamo_table *found, const char *ttl_status,
                           const char *ttl_attribute, os_error *err);

#endif
