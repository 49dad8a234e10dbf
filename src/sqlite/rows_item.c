/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_item.h"

#include "attribute/check.h"
#include "base/error.h"
#include "syntax/json.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------- binding */

static int bind_bytes(sqlite3_stmt *statement, int number, const struct rows_bytes *bytes)
{
    return sqlite3_bind_blob(statement, number, bytes->bytes, (int)bytes->size, SQLITE_STATIC);
}

/* The codes are gathered: SQLITE_OK is 0. */
static int bind_key(sqlite3_stmt *statement, int first, const struct encoded_key *key)
{
    return sqlite3_bind_int64(statement, first, key->hash) | bind_bytes(statement, first + 1, &key->partition) |
           bind_bytes(statement, first + 2, &key->sort);
}

static int bind_position(sqlite3_stmt *statement, int first, const struct rows_position *position)
{
    return bind_key(statement, first, &position->key) | bind_bytes(statement, first + 3, &position->row.partition) |
           bind_bytes(statement, first + 4, &position->row.sort);
}

sqlite3_stmt *position_range_begin(struct rows_conn *at, const struct sqlite_rows_table *table, int index_number,
                                   const struct position_range *range, bool is_descending)
{
    bool is_table = index_number == ROWS_NO_INDEX;
    enum rows_statement ascending = is_table ? ROWS_ITEMS_ASCENDING : ROWS_ENTRIES_ASCENDING;
    sqlite3_stmt *statement = sqlite_statement(at->conn, ascending + (is_descending ? 1U : 0U));
    int rc = statement != NULL ? sqlite3_bind_int64(statement, 1, table->id) : SQLITE_NOMEM;
    if (rc == SQLITE_OK && is_table)
        rc = bind_key(statement, 2, &range->from.key) | bind_key(statement, 5, &range->until.key);
    else if (rc == SQLITE_OK)
        rc = sqlite3_bind_int(statement, 2, index_number) | bind_position(statement, 3, &range->from) |
             bind_position(statement, 8, &range->until);
    return rc == SQLITE_OK ? statement : NULL;
}

/* ------------------------------------------------------------------------------------------------------- reading */

static bool bytes_column(sqlite3_stmt *row, int column, size_t size_max, struct rows_bytes *ret)
{
    size_t size = (size_t)sqlite3_column_bytes(row, column);
    const void *bytes = sqlite3_column_blob(row, column);
    if (sqlite3_column_type(row, column) != SQLITE_BLOB || size > size_max || (bytes == NULL && size > 0))
        return false;
    ret->size = size;
    if (size > 0)
        memcpy(ret->bytes, bytes, size);
    return true;
}

bool encoded_key_column(sqlite3_stmt *row, int first, struct encoded_key *ret)
{
    if (!bytes_column(row, first, ROWS_PARTITION_MAX, &ret->partition) ||
        !bytes_column(row, first + 1, ROWS_SORT_MAX, &ret->sort))
        return false;
    encoded_key_hash(ret);
    return true;
}

enum table_outcome rows_item_damaged(struct rows_conn *at, const struct sqlite_rows_table *table,
                                     const struct encoded_key *key, const char *fault, os_error *err)
{
    enum { SHOWN = 60 };
    char hex[2 * SHOWN + 1];
    size_t shown = key->partition.size < SHOWN ? key->partition.size : SHOWN;
    text_hex(key->partition.bytes, shown, hex);
    error_set(err, OS_ERR_TABLE,
              "An item of the table \"%.255s\" in the database %s %s. The bytes of its partition key are %s%s in hex: "
              "the column \"partition\" of rows_items or rows_entries. Mend the row, or delete it.",
              table->name, sqlite_conn_file(at->conn), fault, hex, shown < key->partition.size ? "..." : "");
    return TABLE_UNREADABLE;
}

/* *ret_item is set where the text is an item, and it is that of its key. */
static enum table_outcome check_item(struct rows_conn *at, const struct sqlite_rows_table *table,
                                     const struct encoded_key *key, json_t *item, os_error *err)
{
    struct encoded_key own;
    if (item == NULL)
        return rows_item_damaged(at, table, key, "is no JSON object, or too large for the memory", err);
    if (item_check(item, err) != OS_OK)
        return rows_item_damaged(at, table, key, "has values that no item can have", err);
    if (encoded_key_of(table->name, &table->definition.keys, item, &own, err) != OS_OK ||
        !encoded_keys_equal(&own, key))
        return rows_item_damaged(at, table, key, "has another key than its row", err);
    return TABLE_OK;
}

enum table_outcome rows_item_column(struct rows_conn *at, const struct sqlite_rows_table *table,
                                    const struct encoded_key *key, sqlite3_stmt *row, int column, json_t **ret_item,
                                    os_error *err)
{
    const char *text = (const char *)sqlite3_column_text(row, column);
    if (text == NULL && sqlite3_column_type(row, column) != SQLITE_NULL)
        return rows_no_memory(err);
    json_t *item = json_read(text, (size_t)sqlite3_column_bytes(row, column));
    enum table_outcome outcome = check_item(at, table, key, item, err);
    if (outcome == TABLE_OK)
        *ret_item = item;
    else
        json_decref(item);
    return outcome;
}

enum table_outcome rows_item_find(struct rows_conn *at, const struct sqlite_rows_table *table,
                                  const struct encoded_key *key, json_t **ret_item, os_error *err)
{
    *ret_item = NULL;
    sqlite3_stmt *get = sqlite_statement(at->conn, ROWS_ITEM_GET);
    int rc = get != NULL ? sqlite3_bind_int64(get, 1, table->id) : sqlite_code(at->conn);
    if (rc == SQLITE_OK)
        rc = bind_key(get, 2, key);
    if (rc == SQLITE_OK)
        rc = sqlite3_step(get) & 0xff;
    enum table_outcome outcome = TABLE_OK;
    if (rc == SQLITE_ROW)
        outcome = rows_item_column(at, table, key, get, 0, ret_item, err);
    else if (rc != SQLITE_DONE)
        outcome = ledger_failed(at->conn, rc, "read an item", err);
    (void)sqlite3_reset(get);
    return outcome;
}

/* ------------------------------------------------------------------------------------------------------- writing */

os_code rows_item_text(const json_t *item, struct buf *ret, os_error *err)
{
    buf_init(ret, ROWS_TEXT_MAX);
    if (!json_write(ret, item))
        return error_no_memory(err);
    return item_check_count(value_count(item), err);
}

static int put_item(struct rows_conn *at, const struct rows_item_change *change)
{
    bool removes = change->after == NULL;
    sqlite3_stmt *put = sqlite_statement(at->conn, removes ? ROWS_ITEM_DELETE : ROWS_ITEM_PUT);
    if (put == NULL)
        return sqlite_code(at->conn);
    int rc = sqlite3_bind_int64(put, 1, change->table->id) | bind_key(put, 2, change->key);
    if (!removes)
        rc |= sqlite3_bind_text(put, 5, change->text->data, (int)change->text->len, SQLITE_STATIC);
    return rc == SQLITE_OK ? sqlite_run(put) : SQLITE_NOMEM;
}

static int write_entry(struct rows_conn *at, enum rows_statement statement, const struct sqlite_rows_table *table,
                       int number, const struct rows_position *entry)
{
    sqlite3_stmt *write = sqlite_statement(at->conn, statement);
    if (write == NULL)
        return sqlite_code(at->conn);
    int rc =
        sqlite3_bind_int64(write, 1, table->id) | sqlite3_bind_int(write, 2, number) | bind_position(write, 3, entry);
    return rc == SQLITE_OK ? sqlite_run(write) : SQLITE_NOMEM;
}

/* The epoch second with which an item expires, rounded up; false: it does not (Developer Guide, "Time to Live": another
 * type than N is no time). */
static bool expiry_of(const struct rows_definition *definition, const json_t *item, struct encoded_key *ret)
{
    enum { POWER_MAX = 11 }; /* the year 33658 */
    struct number number;
    int64_t seconds = 0;
    const json_t *value = definition->ttl != NULL ? json_object_get(item, definition->ttl) : NULL;
    if (value_type(value) != VALUE_N)
        return false;
    const json_t *inside = value_inside(value);
    if (number_parse(text_of(json_string_value(inside), json_string_length(inside)), &number) != NUMBER_OK ||
        number.is_negative || number.power > POWER_MAX)
        return false;
    for (int i = 0; i <= number.power; i++)
        seconds = 10 * seconds + (i < (int)number.count ? number.digits[i] : 0);
    if (number.power >= 0 && (int)number.count > number.power + 1)
        seconds++;
    ret->hash = seconds;
    ret->partition.size = 0;
    ret->sort.size = 0;
    return true;
}

/* Where an index has an item; number ROWS_EXPIRY: when it expires. */
static bool entry_of(const struct sqlite_rows_table *table, int number, const json_t *item, struct encoded_key *ret)
{
    const struct rows_definition *definition = &table->definition;
    if (item == NULL)
        return false;
    return number == ROWS_EXPIRY ? expiry_of(definition, item, ret)
                                 : encoded_key_of_index(&definition->indexes[number - 1].keys, item, ret);
}

static int change_entry(struct rows_conn *at, const struct rows_item_change *change, int number)
{
    struct rows_position old = {.row = *change->key};
    struct rows_position new = {.row = *change->key};
    bool had = entry_of(change->table, number, change->before, &old.key);
    bool has = entry_of(change->table, number, change->after, &new.key);
    int rc = SQLITE_OK;
    if (had && has && encoded_keys_equal(&old.key, &new.key))
        return SQLITE_OK;
    if (had)
        rc = write_entry(at, ROWS_ENTRY_DELETE, change->table, number, &old);
    return rc == SQLITE_OK && has ? write_entry(at, ROWS_ENTRY_PUT, change->table, number, &new) : rc;
}

int rows_item_change(struct rows_conn *at, const struct rows_item_change *change)
{
    int rc = put_item(at, change);
    for (int i = ROWS_EXPIRY; i <= (int)change->table->definition.index_count && rc == SQLITE_OK; i++)
        rc = change_entry(at, change, i);
    return rc;
}

/* ------------------------------------------------------------------------------------------------------ expiring */

enum { EXPIRED_MAX = 4, FIVE_YEARS_S = 5 * 365 * 24 * 60 * 60 };

/* Up to now and the grace that the ledger's records have, too; what is older than five years stays (Developer Guide,
 * "Time to Live"): somebody gave it no epoch second. */
static void expired_range(int64_t now_s, struct position_range *ret)
{
    memset(ret, 0, sizeof(*ret));
    ret->from.key.hash = now_s > FIVE_YEARS_S ? now_s - FIVE_YEARS_S : 0;
    ret->until.key.hash = now_s - LEDGER_EXPIRED_GRACE_S;
}

/* A row that is read is not changed meanwhile, so entries are copied first. */
static enum table_outcome collect_expired(struct rows_conn *at, const struct rows_expiry *expiry,
                                          struct rows_position *ret, size_t *ret_count, os_error *err)
{
    struct position_range range;
    expired_range(expiry->now_s, &range);
    sqlite3_stmt *entries = position_range_begin(at, expiry->table, ROWS_EXPIRY, &range, false);
    int rc = entries != NULL ? SQLITE_ROW : sqlite_code(at->conn);
    for (*ret_count = 0; *ret_count < EXPIRED_MAX && rc == SQLITE_ROW;) {
        rc = sqlite3_step(entries) & 0xff;
        struct rows_position *entry = &ret[*ret_count];
        entry->key = (struct encoded_key){.hash = rc == SQLITE_ROW ? sqlite3_column_int64(entries, 0) : 0};
        if (rc == SQLITE_ROW && encoded_key_column(entries, 3, &entry->row) &&
            !expiry->is_kept(expiry->context, expiry->table, &entry->row))
            ++*ret_count;
    }
    (void)sqlite3_reset(entries);
    return rc == SQLITE_ROW || rc == SQLITE_DONE ? TABLE_OK : ledger_failed(at->conn, rc, "look for what expired", err);
}

/* An entry whose row is not there, says another time, or is damaged, goes alone: the others must not wait behind it. */
static enum table_outcome expire(struct rows_conn *at, const struct sqlite_rows_table *table,
                                 const struct rows_position *entry, os_error *err)
{
    struct encoded_key expiry;
    json_t *item = NULL;
    enum table_outcome outcome = rows_item_find(at, table, &entry->row, &item, err);
    if (outcome != TABLE_OK && outcome != TABLE_UNREADABLE)
        return outcome;
    error_clear(err);
    bool is_its = item != NULL && expiry_of(&table->definition, item, &expiry) && expiry.hash == entry->key.hash;
    const struct rows_item_change change = {.table = table, .key = &entry->row, .before = item};
    int rc = is_its ? rows_item_change(at, &change) : write_entry(at, ROWS_ENTRY_DELETE, table, ROWS_EXPIRY, entry);
    json_decref(item);
    return rc == SQLITE_OK ? TABLE_OK : ledger_failed(at->conn, rc, "remove what expired", err);
}

enum table_outcome rows_expire(struct rows_conn *at, const struct rows_expiry *expiry, os_error *err)
{
    size_t count = 0;
    struct rows_position *expired = calloc(EXPIRED_MAX, sizeof(*expired));
    if (expired == NULL)
        return rows_no_memory(err);
    enum table_outcome outcome = collect_expired(at, expiry, expired, &count, err);
    for (size_t i = 0; i < count && outcome == TABLE_OK; i++)
        outcome = expire(at, expiry->table, &expired[i], err);
    free(expired);
    return outcome;
}
