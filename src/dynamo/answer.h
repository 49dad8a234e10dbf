/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every answer of DynamoDB has in common: is it whole, is it DynamoDB's, and does it say that the request was
 * applied, was not applied, or neither. Knows the error codes and their meaning, in one table, and no operation.
 */
#ifndef OSCOMMIT_DYNAMO_ANSWER_H
#define OSCOMMIT_DYNAMO_ANSWER_H

#include "dynamo/response.h"

#include <jansson.h>

/* Of which request, for the sentences. */
struct answer_of {
    const char *operation; /* "PutItem" */
    const struct dynamo_about *about;
    bool writes; /* an ambiguous answer may mean that it was applied */
};

/*
 * TABLE_OK: a 200 with a JSON object. TABLE_CONFLICT: ConditionalCheckFailedException. Both give *ret_root, a new
 * reference; NULL of a write's conflict that is too large to be read. Every other outcome gives none and fills *err.
 * *ret_detail (may be NULL) is filled in any case.
 */
enum table_outcome answer_open(const struct http_response *response, const struct answer_of *of, json_t **ret_root,
                               struct dynamo_error *ret_detail, os_error *err);

/* The same for a request without a condition: a failed one is then an answer to somebody else, and AMBIGUOUS. */
enum table_outcome answer_open_unconditional(const struct http_response *response, const struct answer_of *of,
                                             json_t **ret_root, struct dynamo_error *ret_detail, os_error *err);

/* For what the operation finds out about an answer that answer_open let through: fills err with a sentence that starts
 * with the operation and its object, followed by `finding`; and with what the service said. Returns `outcome`. */
enum table_outcome answer_finding(const struct http_response *response, const struct answer_of *of,
                                  enum table_outcome outcome, os_code code, const char *finding,
                                  const struct dynamo_error *detail, os_error *err);
/* The same where an item shows that the table has other keys than the schema: TABLE_REFUSED. */
enum table_outcome answer_other_keys(const struct http_response *response, const struct answer_of *of,
                                     const struct dynamo_error *detail, os_error *err);

#endif
