/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/row.h"

#include <string.h>

static bool is_kept(const struct item_attribute *attribute)
{
    return attribute->presence != ITEM_REMARK;
}

/* An empty text is none, as it is in what we write. */
static bool column_read(sqlite3_stmt *row, int column, const struct item_attribute *attribute, struct item_value *ret)
{
    *ret = (struct item_value){.type = ITEM_NONE};
    switch (sqlite3_column_type(row, column)) {
    case SQLITE_NULL: break;
    case SQLITE_INTEGER: *ret = item_number((uint64_t)sqlite3_column_int64(row, column)); break;
    case SQLITE_TEXT: {
        const char *text = (const char *)sqlite3_column_text(row, column);
        size_t len = (size_t)sqlite3_column_bytes(row, column);
        if (text == NULL || len > attribute->max || strlen(text) != len)
            return false;
        *ret = item_text(text);
        break;
    }
    default: return false;
    }
    return ret->type == ITEM_NONE ? attribute->presence != ITEM_REQUIRED : ret->type == attribute->type;
}

bool row_read(sqlite3_stmt *row, const struct item_schema *schema, struct item *ret)
{
    int column = 0;
    memset(ret, 0, sizeof(*ret));
    for (size_t i = 0; i < schema->count; i++)
        if (is_kept(&schema->attributes[i]) && !column_read(row, column++, &schema->attributes[i], &ret->values[i]))
            return false;
    return true;
}

static int bind_value(sqlite3_stmt *statement, int number, const struct item_value *value)
{
    switch (value->type) {
    case ITEM_NUMBER: return sqlite3_bind_int64(statement, number, (sqlite3_int64)value->number);
    case ITEM_STRING: return sqlite3_bind_text(statement, number, value->text, -1, SQLITE_STATIC);
    case ITEM_NONE: break;
    }
    return sqlite3_bind_null(statement, number);
}

int row_bind_key(sqlite3_stmt *statement, const struct item_schema *schema, const struct item *item)
{
    int rc = SQLITE_OK; /* which is 0, so that the codes can be gathered */
    for (size_t i = 0; i < schema->keys; i++)
        rc |= bind_value(statement, (int)i + 1, &item->values[i]);
    return rc;
}

int row_bind(sqlite3_stmt *statement, const struct item_schema *schema, const struct item *item)
{
    int rc = SQLITE_OK;
    int number = 1;
    for (size_t i = 0; i < schema->count; i++)
        if (is_kept(&schema->attributes[i]))
            rc |= bind_value(statement, number++, &item->values[i]);
    return rc;
}
