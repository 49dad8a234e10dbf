/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A table of items of any attributes: what DescribeTable, DescribeTimeToLive, CreateTable and UpdateTimeToLive answered,
 * and whether it is the one that a definition says. As table.h for the items of a schema; ret_detail is not NULL.
 */
#ifndef OSCOMMIT_DYNAMO_ROWS_TABLE_H
#define OSCOMMIT_DYNAMO_ROWS_TABLE_H

#include "dynamo/table.h"
#include "rows/definition.h"

enum {
    ROWS_DESCRIBED_INDEXES_MAX = ROWS_INDEXES_MAX + 5 /* local ones, too (Developer Guide, "Quotas") */
};

/* A table that was described. It points into itself: it is not copied. */
struct rows_described {
    char status[DYNAMO_STATUS_SIZE]; /* "ACTIVE": the table and all its indexes are; else what the first of them is */
    bool is_replicated_eventually;
    struct rows_definition definition; /* but for `ttl` */
    struct rows_index indexes[ROWS_DESCRIBED_INDEXES_MAX];
    const char *names[ROWS_NAMES_MAX];
    size_t name_count;
    json_t *table; /* owns the texts */
};
void rows_described_free(struct rows_described *described); /* one that is all zero is fine */

/* DescribeTable. TABLE_OK without `ret->table`: there is none. *ret is set in any case, for rows_described_free. */
enum table_outcome rows_read_table(const struct http_response *response, const char *where, struct rows_described *ret,
                                   struct dynamo_error *ret_detail, os_error *err);
/* DescribeTimeToLive, as dynamo_read_ttl. */
enum table_outcome rows_read_ttl(const struct http_response *response, const char *where, char *ret_status,
                                 char *ret_attribute, struct dynamo_error *ret_detail, os_error *err);
/* CreateTable, UpdateTimeToLive, as dynamo_read_done. */
enum table_outcome rows_read_done(const struct http_response *response, const char *operation, const char *where,
                                  struct dynamo_error *ret_detail, os_error *err);

/* OS_OK, or OS_ERR_TABLE with what differs and how to mend it. `ttl_status` NULL: the server has no TTL, and a sentence with
 * OS_OK says what comes of that. `found` is given the attribute by which its items expire. */
os_code rows_judge_table(const char *where, const struct rows_definition *wanted, struct rows_described *found,
                         const char *ttl_status, const char *ttl_attribute, os_error *err);

#endif
