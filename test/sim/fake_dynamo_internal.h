/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of the fake DynamoDB share: its one table, and the request that it is answering. */
#ifndef OSCOMMIT_TEST_SIM_FAKE_DYNAMO_INTERNAL_H
#define OSCOMMIT_TEST_SIM_FAKE_DYNAMO_INTERNAL_H

#include "sim/fake_dynamo.h"
#include "sim/fake_http.h"
#include "sim/fake_sigv4.h"

#include <jansson.h>

enum { FAKE_DYNAMO_SKEW_S = 300, FAKE_DYNAMO_PATH_MAX = 2048, FAKE_DYNAMO_ETAG_MAX = 1024 };

struct fake_item {
    const char *path; /* borrowed from the item */
    const char *etag;
    json_t *item;
    uint64_t generation;
    uint64_t timeout_ms;
    uint64_t ttl_s;
    const char *nonce; /* "": none */
};

/* What a table's items are like, and what may be asked of it. */
struct fake_schema {
    const char *keys[2];
    size_t key_count;
    const char *ttl;
    const char *const *names; /* all that an item may have */
    size_t name_count;
    bool updates; /* UpdateItem and DeleteItem; conditions with OR, < and >= */
    /* NULL, or what is wrong with the item. Borrows; `item` gets a reference when it is good. */
    const char *(*read)(json_t *item, struct fake_item *ret);
};
extern const struct fake_schema fake_records; /* T1 */
extern const struct fake_schema fake_leases;
extern const struct fake_schema fake_locks;
extern const struct fake_schema fake_entries; /* of a log store of Delta */

struct fake_dynamo {
    struct fake_dynamo_options options;
    const struct fake_schema *schema;
    struct fake_sigv4 *sigv4;
    char *table; /* NULL: none */
    bool has_ttl;
    struct fake_rows *rows;  /* NULL: it has items of a schema */
    struct fake_item *items; /* in the order of path and etag */
    size_t count;
    size_t cap;
    uint64_t requests;
    struct buf violation;
    uint32_t crc_table[256];
    /* Of the request in hand. */
    struct fake_request request;
    struct fake_answer answer;
    uint64_t now_ms;
    bool no_memory;
};

/* --------------------------------------------------------------------------------------------------------- items */

/* Where (path, etag) is or would be. */
size_t fake_items_position(const struct fake_dynamo *dynamo, const char *path, const char *etag, bool *ret_is_there);
/* Puts what fake_item_read made; takes its reference, also on failure. False: no memory. */
bool fake_items_put(struct fake_dynamo *dynamo, const struct fake_item *item);
void fake_items_remove(struct fake_dynamo *dynamo, size_t at);
/* {"path":{"S":...},"etag":{"S":...}} and nothing else; of a lease {"key":{"S":...}}, and the etag is "". */
bool fake_key_read(const struct fake_schema *schema, const json_t *key, const char **ret_path, const char **ret_etag);
/* A ProjectionExpression is that of all that an item of the schema may have, which is all that an item here has, or is
 * not there and neither are names but `others` ones. */
bool fake_projects_all(const struct fake_schema *schema, const json_t *request, size_t others);
/* The text of {"S": text} without a NUL; NULL: it is none. */
const char *fake_typed_text(const json_t *attribute, const char *type);
/* {"N": digits} of a plain unsigned 64-bit integer. */
bool fake_typed_number(const json_t *attribute, uint64_t *ret);

/* ----------------------------------------------------------------------------------------------------- conditions */

enum { FAKE_NAME_SIZE = 64, FAKE_PLACES_MAX = 24 };

/* The expressions of one request, whose names and values are placeholders that must all be used. */
struct fake_expressions {
    const json_t *request;
    const json_t *names;
    const json_t *values;
    bool rich; /* OR and < are known */
    char used[FAKE_PLACES_MAX][FAKE_NAME_SIZE];
    size_t used_count;
    struct text rest; /* of the expression that is being read */
};
void fake_expressions_of(const struct fake_schema *schema, const json_t *request, struct fake_expressions *ret);
/* "#name" or ":value", with its first character; what it stands for, borrowed. */
const char *fake_take_name(struct fake_expressions *expressions);
const json_t *fake_take_value(struct fake_expressions *expressions);
/* attribute_not_exists, attribute_exists, = and <, joined by AND and OR. `item` may be NULL. NULL, or what is wrong with
 * the expression. */
const char *fake_condition(struct fake_expressions *expressions, const json_t *item, bool *ret);
/* NULL, or what is wrong with names and values. */
const char *fake_expressions_end(const struct fake_expressions *expressions);
/* All of that, where a condition is the only expression. */
const char *fake_condition_holds(const struct fake_schema *schema, const json_t *request, const json_t *item,
                                 bool *ret);

/* ------------------------------------------------------------------------------------------------------- answers */

/* An error. `type`: with its namespace. `item`: beside it, or NULL. */
void fake_dynamo_fail(struct fake_dynamo *dynamo, const char *type, const char *message, json_t *item);
void fake_dynamo_invalid(struct fake_dynamo *dynamo, const char *message); /* ValidationException */
/* The same, and it is remembered. */
void fake_dynamo_violate(struct fake_dynamo *dynamo, const char *message);
void fake_dynamo_answer(struct fake_dynamo *dynamo, json_t *body); /* takes the reference; NULL: no memory */
/* TransactionCanceledException; takes the reference of the reasons. */
void fake_dynamo_cancel(struct fake_dynamo *dynamo, json_t *reasons);
/* False, and answered, when the request names no table that is there. */
bool fake_dynamo_table_is_there(struct fake_dynamo *dynamo, const json_t *request);

void fake_dynamo_check_failed(struct fake_dynamo *dynamo, const json_t *request, json_t *item);

void fake_dynamo_update_item(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_delete_item(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_query(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_scan(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_describe_table(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_create_table(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_update_ttl(struct fake_dynamo *dynamo, const json_t *request);
void fake_dynamo_describe_ttl(struct fake_dynamo *dynamo, const json_t *request);

#endif
