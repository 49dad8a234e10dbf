/* SPDX-License-Identifier: Apache-2.0 */
/* Records in the embedded tables, for tests: each request in one call. */
#ifndef OSCOMMIT_TEST_UNIT_SQLITE_RECORDS_H
#define OSCOMMIT_TEST_UNIT_SQLITE_RECORDS_H

#include "ledger/record_item.h"
#include "sqlite/tables.h"

#include <string.h>

struct record_row_key {
    const char *path;
    const char *etag;
};

struct record_row {
    const char *path;
    const char *etag;
    const struct record *record;
    const char *upload;
    const struct record_condition *condition;
    int64_t now_s;
};

/* What was found goes to *ret, its upload id to ret_upload (RECORD_UPLOAD_SIZE bytes); each may be NULL. */
static inline enum table_outcome records_take(enum table_outcome outcome, struct sqlite_reading *reading,
                                              struct record *ret, char *ret_upload)
{
    struct record record;
    if (reading->found && outcome != TABLE_THROTTLED && outcome != TABLE_REFUSED && outcome != TABLE_AMBIGUOUS) {
        record_from_item(&reading->item, &record, ret_upload, NULL);
        if (ret != NULL)
            memcpy(ret, &record, sizeof(record));
    }
    sqlite_reading_free(reading);
    return outcome;
}

static inline enum table_outcome records_write(struct sqlite_tables *tables, enum sqlite_write_kind kind,
                                               const struct record_row *row, struct sqlite_patience patience,
                                               struct sqlite_reading *ret, os_error *err)
{
    struct item item;
    struct item_condition condition = {.count = 0};
    struct sqlite_write write = {.kind = kind, .schema = &record_schema, .item = &item, .now_s = row->now_s};
    if (row->record != NULL)
        record_to_item(row->path, row->etag, row->record, row->upload, NULL, &item);
    else
        record_key_item(row->path, row->etag, &item);
    if (row->condition != NULL)
        record_condition_item(row->condition, &condition);
    write.condition = &condition;
    return sqlite_tables_write(tables, &write, patience, ret, err);
}

static inline enum table_outcome records_put(struct sqlite_tables *tables, const struct record_row *row,
                                             struct sqlite_patience patience, struct record *ret_conflict,
                                             char *ret_upload, os_error *err)
{
    struct sqlite_reading reading;
    enum table_outcome outcome = records_write(tables, SQLITE_PUT_ITEM, row, patience, &reading, err);
    reading.found = reading.found && outcome == TABLE_CONFLICT;
    return records_take(outcome, &reading, ret_conflict, ret_upload);
}

static inline enum table_outcome records_delete(struct sqlite_tables *tables, const struct record_row_key *key,
                                                const struct record_condition *condition,
                                                struct sqlite_patience patience, struct record *ret_conflict,
                                                os_error *err)
{
    struct sqlite_reading reading;
    struct record_row row = {.path = key->path, .etag = key->etag, .condition = condition};
    enum table_outcome outcome = records_write(tables, SQLITE_DELETE_ITEM, &row, patience, &reading, err);
    reading.found = reading.found && outcome == TABLE_CONFLICT;
    return records_take(outcome, &reading, ret_conflict, NULL);
}

static inline enum table_outcome records_replace(struct sqlite_tables *tables, const struct record_row_key *key,
                                                 const struct record *record, struct sqlite_patience patience,
                                                 os_error *err)
{
    struct sqlite_reading reading;
    struct record_row row = {.path = key->path, .etag = key->etag, .record = record};
    return records_take(records_write(tables, SQLITE_REPLACE_ITEM, &row, patience, &reading, err), &reading, NULL,
                        NULL);
}

static inline enum table_outcome records_get(struct sqlite_tables *tables, const struct record_row_key *key,
                                             struct sqlite_patience patience, bool *ret_found, struct record *ret,
                                             char *ret_upload, os_error *err)
{
    struct item item;
    struct sqlite_reading reading;
    record_key_item(key->path, key->etag, &item);
    enum table_outcome outcome = sqlite_tables_get(tables, &record_schema, &item, patience, &reading, err);
    if (outcome == TABLE_OK)
        *ret_found = reading.found;
    return records_take(outcome, &reading, ret, ret_upload);
}

#endif
