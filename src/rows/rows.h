/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is asked of tables of items of any attributes (attribute/), as plain data: DynamoDB is asked by it, and SQLite.
 * What is answered is in answer.h. All of it is borrowed.
 */
#ifndef OSCOMMIT_ROWS_ROWS_H
#define OSCOMMIT_ROWS_ROWS_H

#include "attribute/change.h"
#include "attribute/condition.h"

#include <stdint.h>

enum {
    ROWS_AT_ONCE_MAX = 100, /* keys of a read, writes of a transaction (API Reference, BatchGetItem, TransactGetItems,
                               TransactWriteItems) */
    ROWS_TRANSACTION_SIZE_MAX = 4 * 1024 * 1024, /* bytes of what a transaction writes (TransactWriteItems) */
    ROWS_TOKEN_MAX = 36,                         /* bytes (TransactWriteItems, ClientRequestToken) */
    ROWS_SEGMENTS_MAX = 1000000,                 /* of a scan (Scan, TotalSegments) */
    /* That a page has at most. DynamoDB ends it at 1 MB whatever is asked for (API Reference, Query), which is some
     * thousand records; of smaller items that is more values than are read of one answer. */
    ROWS_PAGE_ITEMS = 4000
};

/* The names of the attributes that are the key. */
struct rows_keys {
    const char *partition;
    const char *sort; /* NULL: there is none */
};

struct rows_table {
    const char *name; /* at DynamoDB also its ARN */
    struct rows_keys keys;
};

struct rows_key {
    const struct rows_table *table;
    const json_t *key; /* the attributes of it, and no others */
};

struct rows_get {
    struct rows_key of;
    const struct path *paths; /* what is wanted; without any: all of the item */
    size_t path_count;
    bool is_eventual; /* may be older than the last write; not in a transaction */
};

enum rows_write_kind { ROWS_PUT = 1, ROWS_UPDATE, ROWS_DELETE, ROWS_CHECK /* only in a transaction */ };

struct rows_write {
    enum rows_write_kind kind;
    const struct rows_table *table;
    const json_t *item;           /* PUT: all of it; the others: its key */
    const struct change *changes; /* UPDATE; alone without any it makes an item of the key, where there is none */
    size_t change_count;
    struct condition condition; /* without terms there is none */
    bool returns_item;          /* UPDATE: as it is then; PUT, DELETE: as it was. Not in a transaction */
};

/* All of it is done, or nothing. */
struct rows_transaction {
    const struct rows_write *writes;
    size_t count;
    const char *token; /* its own: under it the same may be sent again, and is done once (for ten minutes) */
};

/* What the sort key is to be: = < <= > >= BETWEEN begins_with. */
struct rows_range {
    enum condition_test test; /* 0: any */
    const json_t *value;
    const json_t *upper; /* IS_BETWEEN */
};

/* A page of a Query or a Scan. */
struct rows_list {
    const struct rows_table *table;
    const char *index; /* NULL: the table itself */
    struct rows_keys index_keys;
    const json_t *partition; /* Query: its value; NULL: Scan */
    struct rows_range sort;  /* Query */
    struct condition filter;
    const struct path *paths; /* as of rows_get */
    size_t path_count;
    const json_t *start_key; /* the last key of the page before; NULL: the first page */
    uint32_t limit;          /* of items, before the filter; 0: ROWS_PAGE_ITEMS, which it is at most anyway */
    uint32_t segment;        /* Scan: of so many, from 0 */
    uint32_t segments;       /* 0: all in one */
    bool is_descending;      /* Query */
    bool is_eventual;        /* as of rows_get; from an index it always is */
};

/* Of what is listed: the index's, or the table's. */
const struct rows_keys *rows_list_keys(const struct rows_list *list);
uint32_t rows_page_limit(uint32_t asked); /* 0: none is asked for */

bool rows_is_key_name(const struct rows_keys *keys, const char *name);
/* Whether two items, or keys, have the same key. An attribute of it that one lacks is another. */
bool rows_same_key(const struct rows_keys *keys, const json_t *a, const json_t *b);
/* Those that have the same key have the same hash. Of keys that have been checked. */
uint64_t rows_key_hash(const struct rows_keys *keys, const json_t *item);

enum { ROWS_KEY_TEXT_SIZE = 300 };
/* "pk "a", sk "7"", for a sentence; a long one is cut. Returns `ret`. */
const char *rows_key_text(const struct rows_keys *keys, const json_t *item, char ret[ROWS_KEY_TEXT_SIZE]);

#endif
