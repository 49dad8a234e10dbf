/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What every answer of DynamoDB has in common: is it whole, is it DynamoDB's, and does it say that the request was
 * applied, was not applied, or neither. Knows the error codes and what they mean wherever they come, in one table, and no
 * operation. What an operation has of its own it brings along.
 */
#ifndef OSCOMMIT_DYNAMO_ANSWER_H
#define OSCOMMIT_DYNAMO_ANSWER_H

#include "dynamo/command.h"

#include <jansson.h>

struct answer_meaning {
    const char *code;
    enum table_outcome outcome; /* CONFLICT: what is in the way stands in the answer */
    os_code os;
    bool skewed;
    bool token_expired;
    const char *hint; /* "@check", "@create": the command */
};
#define ANSWER_DONE_UNREADABLE "was done, but its answer has no readable item in it. Read what is there."
#define ANSWER_WAIT_AND_REPEAT "It was not applied and may be sent again after a pause."

enum { ANSWER_ITEM_SIZE = 320 };

/* Of which request. */
struct answer_of {
    const char *operation; /* "PutItem" */
    bool writes;           /* an ambiguous answer may mean that it was applied */
    const char *where;     /* the table: "table records in us-east-1" */
    struct dynamo_command_about command;
    char item[ANSWER_ITEM_SIZE];           /* "record of key \"a\""; "": not about one item */
    const struct answer_meaning *meanings; /* its own, which go before those of all */
    size_t meanings_count;
};
struct answer_of answer_about(const char *operation, const struct dynamo_about *about, bool writes);

/* For "%.*s%s": at most so many bytes of a string, and dots where there are more. */
#define ANSWER_CUT(string, most) \
    (int)text_utf8_cut(text_from(string), (most)), (string), strlen(string) > (most) ? "..." : ""

/*
 * TABLE_OK: a 200 with a JSON object. TABLE_CONFLICT: ConditionalCheckFailedException, and what else means it. Both give *ret_root, a new
 * reference; NULL of a write's conflict that is too large to be read. Every other outcome gives none and fills *err.
 * *ret_detail (may be NULL) is filled in any case.
 */
enum table_outcome answer_open(const struct http_response *response, const struct answer_of *of, json_t **ret_root,
                               struct dynamo_error *ret_detail, os_error *err);

/* The same for a request without a condition: a failed one is then an answer to somebody else, and AMBIGUOUS. */
enum table_outcome answer_open_unconditional(const struct http_response *response, const struct answer_of *of,
                                             json_t **ret_root, struct dynamo_error *ret_detail, os_error *err);

/* Not there, or {}. */
bool answer_is_empty(const json_t *member);

/* AMBIGUOUS: a 200 has something in it of an answer to another kind of request, or of an error, beside `own`, which may be
 * NULL. */
enum table_outcome answer_check_members(const struct http_response *response, const struct answer_of *of,
                                        const json_t *root, const char *own, const struct dynamo_error *detail,
                                        os_error *err);

/* For what the operation finds out about an answer that answer_open let through: fills err with a sentence that starts
 * with the operation and its object, followed by `finding`; and with what the service said. Returns `outcome`. */
enum table_outcome answer_finding(const struct http_response *response, const struct answer_of *of,
                                  enum table_outcome outcome, os_code code, const char *finding,
                                  const struct dynamo_error *detail, os_error *err);
/* The same where an item shows that the table has other keys than the schema: TABLE_REFUSED. */
enum table_outcome answer_other_keys(const struct http_response *response, const struct answer_of *of,
                                     const struct dynamo_error *detail, os_error *err);

#endif
