/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The embedded tables of items of any attributes: rows of the ledger's file, with the keys, conditions, changes, indexes
 * and all-or-nothing writes of DynamoDB. Items, keys and values are JSON trees of src/attribute. Blocking; several
 * threads and processes at once. The file is made by sqlite_tables_create.
 *
 * What is asked for is refused by TABLE_REFUSED with OS_ERR_ARGUMENT where the service would refuse it, by OS_ERR_NO_TABLE
 * where the table is not there, and a file that others keep busy is TABLE_THROTTLED, as tables.h has it.
 */
#ifndef OSCOMMIT_SQLITE_ROWS_H
#define OSCOMMIT_SQLITE_ROWS_H

#include "attribute/change.h"
#include "attribute/condition.h"
#include "item/item.h"
#include "sqlite/rows_definition.h"
#include "sqlite/sqlite.h"

struct sqlite_rows;

/* As sqlite_tables_open. */
os_code sqlite_rows_open(const char *file, const struct sqlite_patience *patience, struct sqlite_rows **ret,
                         os_error *err);
void sqlite_rows_close(struct sqlite_rows *rows);

/* Makes a table; doing it again with the same definition is fine. OS_ERR_TABLE: it is there with another one, and the
 * sentence says what differs. */
os_code sqlite_rows_create(struct sqlite_rows *rows, const char *table, const struct rows_definition *definition,
                           struct sqlite_patience patience, os_error *err);
/* *ret is set in any case, for sqlite_rows_table_free; it borrows `table`. OS_ERR_NO_TABLE. */
os_code sqlite_rows_describe(struct sqlite_rows *rows, const char *table, struct sqlite_patience patience,
                             struct sqlite_rows_table *ret, os_error *err);

/* ---------------------------------------------------------------------------------------------------------- reads */

enum { ROWS_AT_ONCE_MAX = 100 /* keys of a get, writes of a transaction */ };

struct rows_get {
    const char *table;
    const json_t *key;
    const struct path *paths; /* what is wanted of the item; none: all of it */
    size_t path_count;
};
/* Of 1 to 100 keys, none twice, at one instant. ret_items[i], for json_decref, is NULL where there is no item; all are set
 * in any case. */
enum table_outcome sqlite_rows_get(struct sqlite_rows *rows, const struct rows_get *gets, size_t count,
                                   struct sqlite_patience patience, json_t **ret_items, os_error *err);

enum { ROWS_SEGMENTS_MAX = 1000000, ROWS_PAGE_MAX = 1024 * 1024 /* bytes of items */ };

/* A query, of one partition; without `partition` a scan, of all. */
struct rows_query {
    const char *table;
    const char *index; /* NULL: the table itself */
    const json_t *partition;
    enum condition_test sort_test; /* EQUALS, the orders, IS_BETWEEN, BEGINS_WITH; 0: any */
    const json_t *sort;
    const json_t *sort_upper;
    const struct condition *filter; /* NULL: none. Of a query it does not ask for keys */
    const struct path *paths;       /* as rows_get has them */
    size_t path_count;
    bool is_descending;  /* of a query */
    size_t limit;        /* items that are looked at, before the filter; 0: as many as a page takes */
    const json_t *start; /* `next` of the page before */
    uint32_t segment;    /* of a scan: below `segments` */
    uint32_t segments;   /* 0: the scan has no segments */
};

struct rows_page {
    json_t *items;  /* an array; it may be empty, and the page not the last */
    size_t scanned; /* items that were looked at */
    json_t *next;   /* the key of the last of them: the next page begins behind it. NULL: this is the last page */
};
void rows_page_free(struct rows_page *page); /* one that is all zero is fine */
/* One page, read at one instant. A page that ends at its limit has a `next`, whether more follows or not, as the
 * service's has. *ret is set in any case. */
enum table_outcome sqlite_rows_query(struct sqlite_rows *rows, const struct rows_query *query,
                                     struct sqlite_patience patience, struct rows_page *ret, os_error *err);

/* --------------------------------------------------------------------------------------------------------- writes */

enum rows_write_kind {
    ROWS_PUT = 1,
    ROWS_UPDATE, /* makes the item if there is none */
    ROWS_DELETE,
    ROWS_CHECK /* only its condition */
};

enum rows_shown { ROWS_SHOW_NOTHING = 0, ROWS_SHOW_BEFORE, ROWS_SHOW_AFTER };

struct rows_write {
    enum rows_write_kind kind;
    enum rows_shown shown; /* of a write that is done, and has no token */
    const char *table;
    const json_t *item;                /* PUT: all of it; the others: its key */
    const struct condition *condition; /* NULL: none */
    const struct change *changes;      /* UPDATE */
    size_t change_count;
};

struct rows_transaction {
    const struct rows_write *writes; /* 1 to 100, no item twice */
    size_t count;
    const char
        *token;    /* 1 to 36 characters, or NULL. The same token and writes again within ten minutes are answered as
                          before, and nothing is done; with other writes they are refused */
    int64_t now_s; /* epoch seconds: for TTL and tokens */
};

enum { ROWS_TOKEN_MAX = 36, ROWS_TRANSACTION_SIZE_MAX = 4 * 1024 * 1024 /* bytes of what is written */ };

enum rows_verdict {
    ROWS_FINE = 1, /* also where nothing was done, because of another write */
    ROWS_CONDITION_FAILED,
    ROWS_REFUSED
};

struct rows_answer {
    enum rows_verdict verdict; /* 0: nothing was found out about this write */
    json_t *item;              /* CONDITION_FAILED: what is there; FINE: what was asked to be shown. NULL: no item */
    os_code code;              /* REFUSED */
    char *why;                 /* REFUSED: a sentence; NULL without memory for it */
};
void rows_answers_free(struct rows_answer *answers, size_t count); /* those that are all zero are fine */

/* All of them, or none. ret_answers has one for each, set in any case.
 *   TABLE_OK              all are done
 *   TABLE_CONFLICT        conditions failed, and an item is there for one of them at least
 *   TABLE_CONFLICT_BLIND  the same without any item
 *   TABLE_REFUSED         one of them at least was refused, or all together; *err is about the first
 *   TABLE_UNREADABLE      an item that is there is damaged
 *   TABLE_THROTTLED, TABLE_AMBIGUOUS   as sqlite_tables_write */
enum table_outcome sqlite_rows_write(struct sqlite_rows *rows, const struct rows_transaction *transaction,
                                     struct sqlite_patience patience, struct rows_answer *ret_answers, os_error *err);

#endif
