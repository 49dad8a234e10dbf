/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/partition.h"

#include "base/error.h"
#include "base/text.h"
#include "delta/actions.h"

#include <string.h>
#include <strings.h>

static const char *type_or(const char *type, const char *otherwise)
{
    return type != NULL && type[0] != '\0' ? type : otherwise;
}

static const char *value_of(const struct delta_partition *partition, size_t file, size_t column)
{
    const char *value = partition->values != NULL ? partition->values[file * partition->count + column]
                                                  : partition->columns[column].value;
    return value != NULL ? value : "";
}

static const char *name_at(const json_t *columns, size_t at)
{
    const char *name = json_string_value(json_array_get(columns, at));
    return name != NULL ? name : "?";
}

/* Of the schema of a table or file. `compare` is strcmp or strcasecmp. */
static const json_t *field_of(const json_t *schema, const char *name, int (*compare)(const char *, const char *))
{
    const json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < json_array_size(fields); i++) {
        const char *found = json_string_value(json_object_get(json_array_get(fields, i), "name"));
        if (found != NULL && compare(found, name) == 0)
            return json_array_get(fields, i);
    }
    return NULL;
}

static os_code check_values(const struct delta_partition *partition, size_t column, const char *type, os_code code,
                            os_error *err)
{
    size_t rows = partition->values != NULL ? partition->files : 1;
    for (size_t i = 0; i < rows; i++) {
        const char *value = value_of(partition, i, column);
        if (!delta_partition_fits(type, value))
            return error_set(err, code,
                             "\"%.100s\" is no value of the partition column \"%.200s\", whose type is %.100s. Values "
                             "are written as 7, 1.5, true, 2026-11-28 or 2026-11-28T06:00:00.000000Z.",
                             value, partition->columns[column].column, type);
    }
    return OS_OK;
}

/* --------------------------------------------------------------------------------------------------- without a table */

/* Delta tells no columns apart by their case. */
static bool is_named_before(const struct delta_partition *partition, size_t column)
{
    for (size_t i = 0; i < column; i++)
        if (strcasecmp(partition->columns[i].column, partition->columns[column].column) == 0)
            return true;
    return false;
}

static os_code check_column(const struct delta_partition *partition, size_t column, os_error *err)
{
    const os_delta_partition *given = &partition->columns[column];
    struct text name = text_from(given->column);
    if (name.len == 0 || name.len > 255 || !text_is_utf8(name))
        return error_set(err, OS_ERR_ARGUMENT, "The name of a partition column must be 1 to 255 bytes of UTF-8.");
    if (is_named_before(partition, column))
        return error_set(err, OS_ERR_ARGUMENT, "The partition column \"%.200s\" is given twice.", given->column);
    const char *type = type_or(given->type, "string");
    if (!delta_partition_fits(type, ""))
        return error_set(err, OS_ERR_ARGUMENT,
                         "\"%.100s\" is no type of a partition column. Types are string, byte, short, integer, long, "
                         "float, double, boolean, date, timestamp and decimal(P,S).",
                         type);
    return check_values(partition, column, type, OS_ERR_ARGUMENT, err);
}

os_code delta_partition_check(const struct delta_partition *partition, os_error *err)
{
    os_code code = OS_OK;
    if (partition->count > DELTA_PARTITIONS_MAX || (partition->count > 0 && partition->columns == NULL))
        return error_set(err, OS_ERR_ARGUMENT, "A commit can name up to %d partition columns, not %zu.",
                         DELTA_PARTITIONS_MAX, partition->count);
    for (size_t i = 0; i < partition->count && code == OS_OK; i++)
        code = check_column(partition, i, err);
    return code;
}

/* ------------------------------------------------------------------------------------------------------ with a table */

static os_code refuse_columns(const json_t *columns, const char *why, const char *name, os_error *err)
{
    if (json_array_size(columns) == 0)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The table has no partitions, and a value is given for the partition column \"%.200s\".",
                         name);
    return error_set(err, OS_ERR_UNSUPPORTED, "The table is partitioned by \"%.100s\"%s, and %s \"%.200s\".",
                     name_at(columns, 0), json_array_size(columns) > 1 ? " and other columns" : "", why, name);
}

static size_t place_of(const struct delta_partition *partition, const char *name)
{
    size_t i = 0;
    while (i < partition->count && strcmp(partition->columns[i].column, name) != 0)
        i++;
    return i;
}

static os_code accept_column(const struct delta_partition *partition, const json_t *table, const json_t *columns,
                             size_t at, os_error *err)
{
    const char *name = name_at(columns, at);
    size_t place = place_of(partition, name);
    const json_t *field = field_of(table, name, strcmp);
    const char *type = json_string_value(json_object_get(field, "type"));
    if (place == partition->count)
        return refuse_columns(columns, "no value is given for", name, err);
    if (type == NULL || !delta_partition_fits(type, ""))
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The partition column \"%.200s\" of the table is of the type %.60s, which oscommit does not "
                         "write.",
                         name, type_or(type, "?"));
    const char *given = type_or(partition->columns[place].type, type);
    if (strcmp(given, type) != 0)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The partition column \"%.200s\" is of the type %.60s in the table, and not %.60s.", name,
                         type, given);
    return check_values(partition, place, type, OS_ERR_UNSUPPORTED, err);
}

/* Of a column that may not be null. */
static os_code accept_nulls(const struct delta_partition *partition, const json_t *table, os_error *err)
{
    size_t rows = partition->values != NULL ? partition->files : 1;
    for (size_t i = 0; i < rows * partition->count; i++) {
        const char *name = partition->columns[i % partition->count].column;
        const json_t *nullable = json_object_get(field_of(table, name, strcmp), "nullable");
        if (json_is_false(nullable) && value_of(partition, i / partition->count, i % partition->count)[0] == '\0')
            return error_set(err, OS_ERR_UNSUPPORTED,
                             "The partition column \"%.200s\" may not be null in the table, and no value is given.",
                             name);
    }
    return OS_OK;
}

static os_code accept_columns(const struct delta_partition *partition, const json_t *table, const json_t *columns,
                              os_error *err)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < json_array_size(columns) && code == OS_OK; i++)
        code = accept_column(partition, table, columns, i, err);
    for (size_t i = 0; i < partition->count && code == OS_OK; i++) {
        const char *name = partition->columns[i].column;
        bool is_known = false;
        for (size_t k = 0; k < json_array_size(columns); k++)
            is_known = is_known || strcmp(name_at(columns, k), name) == 0;
        if (!is_known)
            code = refuse_columns(columns, "not by", name, err);
    }
    return code == OS_OK ? accept_nulls(partition, table, err) : code;
}

/* Engines do not agree which value counts then. */
os_code delta_partition_check_files(const struct delta_partition *partition, const json_t *given, os_error *err)
{
    for (size_t i = 0; i < partition->count; i++)
        if (field_of(given, partition->columns[i].column, strcasecmp) != NULL)
            return error_set(err, OS_ERR_UNSUPPORTED,
                             "The partition column \"%.200s\" stands in the file, too: write the file without it.",
                             partition->columns[i].column);
    return OS_OK;
}

/* The schema without the partition columns; the caller's. */
static json_t *rest_of(const json_t *table, const struct delta_partition *partition)
{
    const json_t *fields = json_object_get(table, "fields");
    json_t *rest = json_pack("{s:s, s:[]}", "type", "struct", "fields");
    for (size_t i = 0; i < json_array_size(fields) && rest != NULL; i++) {
        json_t *field = json_array_get(fields, i);
        const char *name = json_string_value(json_object_get(field, "name"));
        bool is_partition = name != NULL && place_of(partition, name) < partition->count;
        if (is_partition || json_array_append(json_object_get(rest, "fields"), field) == 0)
            continue;
        json_decref(rest);
        rest = NULL;
    }
    return rest;
}

os_code delta_partition_accepts(const struct delta_partition *partition, const json_t *table, const json_t *columns,
                                const json_t *given, os_error *err)
{
    os_code code = accept_columns(partition, table, columns, err);
    if (code == OS_OK)
        code = delta_partition_check_files(partition, given, err);
    if (code != OS_OK)
        return code;
    json_t *rest = rest_of(table, partition);
    code = rest != NULL ? delta_schema_accepts(rest, given, err) : error_no_memory(err);
    json_decref(rest);
    return code;
}

/* --------------------------------------------------------------------------------------------------- what is written */

json_t *delta_partition_schema(const struct delta_partition *partition, const json_t *given)
{
    json_t *schema = json_deep_copy(given);
    json_t *fields = json_object_get(schema, "fields");
    for (size_t i = 0; i < partition->count && schema != NULL; i++) {
        const os_delta_partition *column = &partition->columns[i];
        json_t *field = json_pack("{s:s, s:s, s:b, s:{}}", "name", column->column, "type",
                                  type_or(column->type, "string"), "nullable", 1, "metadata");
        if (json_array_append_new(fields, field) == 0)
            continue;
        json_decref(schema);
        schema = NULL;
    }
    return schema;
}

json_t *delta_partition_columns(const struct delta_partition *partition)
{
    json_t *columns = json_array();
    for (size_t i = 0; i < partition->count && columns != NULL; i++) {
        if (json_array_append_new(columns, json_string(partition->columns[i].column)) == 0)
            continue;
        json_decref(columns);
        columns = NULL;
    }
    return columns;
}

json_t *delta_partition_values(const struct delta_partition *partition, size_t file)
{
    json_t *values = json_object();
    for (size_t i = 0; i < partition->count && values != NULL; i++) {
        const char *value = value_of(partition, file, i);
        json_t *text = value[0] != '\0' ? json_string(value) : json_null();
        if (json_object_set_new(values, partition->columns[i].column, text) == 0)
            continue;
        json_decref(values);
        values = NULL;
    }
    return values;
}
