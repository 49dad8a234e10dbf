/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A row within a transaction: what was read of it, what it is now, and what of it became a condition of the commit. Knows
 * no table; asks nobody.
 */
#ifndef OSCOMMIT_TRANSACT_ROW_H
#define OSCOMMIT_TRANSACT_ROW_H

#include "model/model_item.h"
#include "oscommit_model.h"
#include "rows/rows.h"

struct os_model {
    struct model *model;
    char *table_name;
    struct rows_table table;
    bool is_of_intents; /* stage.h */
};

/* How it came into the transaction. */
enum row_origin {
    ORIGIN_READ = 1, /* it was there */
    ORIGIN_MISSING,  /* it was read, and is not there */
    ORIGIN_CREATED,  /* it must not be there; was_read: as a read has shown */
    ORIGIN_PUT,      /* written whatever is there, or if it is as `expected` */
    ORIGIN_UPDATED,  /* changed without a read, if it is as `expected` */
    ORIGIN_ERASED    /* deleted without a read */
};

struct os_row {
    const os_model *model;
    enum row_origin origin;
    bool was_read; /* CREATED */
    bool is_deleted;
    bool is_weak; /* of an inconsistent read by its key, or of a list: it may be older, which the conditions find out */
    bool is_broken;                  /* memory ran out: it is not as the function wants it */
    bool is_listed;                  /* READ: a query or a scan gave it */
    bool is_untouched;               /* so it did, and nobody has looked at it: it is no part of the commit */
    bool is_gone;                    /* an index gave it, and it has expired: that it has is a condition */
    const struct model_index *from;  /* the index that gave it, in a query or a scan; NULL: none did */
    const struct model_index *index; /* which gave it without all its fields; NULL: it has them */
    json_t *key;                     /* its attributes */
    json_t *item;                    /* READ: as it was read */
    json_t *fields;                  /* as they are now: of UPDATED those that change, NULL of ERASED */
    json_t *expected;                /* PUT, UPDATED: fields; NULL: none */
    json_t *accessed;                /* READ: names of fields whose old values are conditions, as an object */
    json_t *changed;                 /* names of fields that have been set, or removed */
    json_t *added;                   /* what is added to fields that were not read */
    json_t *texts;                   /* what the caller has borrowed of fields */
    const bool *only_reads;          /* what its transaction says; NULL: it is in none yet */
    struct os_row *next;
    struct os_row *next_alike; /* of the keys with the same hash */
};

/* NULL when out of memory. Takes `key`. */
struct os_row *row_new(const os_model *model, enum row_origin origin, json_t *key);
void row_free(struct os_row *row); /* NULL is fine */

/* A field by its name; OS_ERR_ARGUMENT: the model has none of it, or what is here of the row, or the row is deleted. */
os_code row_field(const struct os_row *row, const char *name, const struct model_field **ret, os_error *err);
/* The value as it is now, borrowed, or NULL; it becomes a condition. */
os_code row_access(struct os_row *row, const struct model_field *field, const json_t **ret, os_error *err);
/* `value` NULL removes it. What it was becomes a condition. */
os_code row_set(struct os_row *row, const struct model_field *field, const json_t *value, os_error *err);
/* `value` is a number. What it was becomes none, unless it is read, or was. */
os_code row_add(struct os_row *row, const struct model_field *field, const json_t *value, os_error *err);

/* Whether an item has what this row was read with, or nothing where that had nothing. */
bool row_was_read_with(const struct os_row *row, const char *field, const json_t *item);

/* In seconds, rounded up: what has expired by then counts as gone, when it is read and when something is made in its place. */
int64_t row_now_s(void);

/* OS_ERR_ARGUMENT: its transaction only reads, or it lacks some of its fields. */
os_code row_may_change(const struct os_row *row, os_error *err);
/* Whether something of it is to be written. */
bool row_is_written(const struct os_row *row);
/* Whether all its fields are known, and stay. */
bool row_is_whole(const struct os_row *row);
/* `Order "north", "7"`, for sentences; a long one is cut. Returns `ret`. */
enum { ROW_TEXT_SIZE = 240 };
const char *row_text(const struct os_row *row, char ret[ROW_TEXT_SIZE]);
/* Makes a row's fields of its item (model/model_item.h). OS_ERR_PROTOCOL: the sentence names the row, too. */
os_code row_fields_of(const os_model *model, const struct model_index *index, json_t *item, json_t **ret,
                      os_error *err);

#endif
