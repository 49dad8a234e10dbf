/* SPDX-License-Identifier: Apache-2.0 */
/* What a table asks of its writers, and which files fit its schema (PROTOCOL.md, "Requirements for Writers"). */
#include "delta/actions.h"

#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum { WRITER_VERSION_MOST = 7, NESTING_MOST = 64 };

static const char *text_or(const json_t *json, const char *otherwise)
{
    const char *text = json_string_value(json);
    return text != NULL ? text : otherwise;
}

static os_code refuse_feature(const char *feature, const char *why, os_error *err)
{
    return error_set(
        err, OS_ERR_UNSUPPORTED,
        "The table uses the feature %.100s (%s), which oscommit does not write; append to it with an engine "
        "that does.",
        feature, why);
}

/* --------------------------------------------------------------------------------------------------------- protocol */

/* Of these it can be seen whether the table uses them: below, in schema and configuration. A blind append has nothing to
 * do for the others. */
static bool is_seen_elsewhere(const char *feature)
{
    static const char *const names[] = {"appendOnly",       "invariants",    "checkConstraints", "changeDataFeed",
                                        "generatedColumns", "columnMapping", "identityColumns"};
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (strcmp(names[i], feature) == 0)
            return true;
    return false;
}

static os_code check_features(const json_t *protocol, const char *member, os_error *err)
{
    const json_t *features = json_object_get(protocol, member);
    for (size_t i = 0; i < json_array_size(features); i++) {
        const char *feature = text_or(json_array_get(features, i), "?");
        if (!is_seen_elsewhere(feature))
            return refuse_feature(feature, "named in the table's protocol", err);
    }
    return OS_OK;
}

static os_code check_protocol(const json_t *protocol, os_error *err)
{
    const json_t *writer = json_object_get(protocol, "minWriterVersion");
    if (!json_is_integer(writer))
        return error_set(err, OS_ERR_PROTOCOL, "The table's protocol action has no minWriterVersion.");
    if (json_integer_value(writer) > WRITER_VERSION_MOST)
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The table asks for minWriterVersion %lld, and oscommit knows those up to %d.",
                         (long long)json_integer_value(writer), WRITER_VERSION_MOST);
    os_code code = check_features(protocol, "writerFeatures", err);
    return code == OS_OK ? check_features(protocol, "readerFeatures", err) : code;
}

/* ----------------------------------------------------------------------------------------------------- configuration */

static os_code check_configuration(const json_t *configuration, os_error *err)
{
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)configuration, name, value)
    {
        if (strncmp(name, "delta.constraints.", strlen("delta.constraints.")) == 0)
            return refuse_feature("checkConstraints", name, err);
        if (strcmp(name, "delta.columnMapping.mode") == 0 && strcmp(text_or(value, ""), "none") != 0)
            return refuse_feature("columnMapping", name, err);
    }
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ the schema's columns */

static os_code check_column(const json_t *metadata, os_error *err)
{
    static const struct {
        const char *prefix;
        const char *feature;
    } marks[] = {{"delta.invariants", "invariants"},         {"delta.generationExpression", "generatedColumns"},
                 {"delta.identity.", "identityColumns"},     {"delta.columnMapping.", "columnMapping"},
                 {"CURRENT_DEFAULT", "allowColumnDefaults"}, {"__CHAR_VARCHAR_TYPE_STRING", "char and varchar"}};
    const char *name;
    json_t *value;
    json_object_foreach((json_t *)metadata, name, value)
    {
        (void)value;
        for (size_t i = 0; i < sizeof(marks) / sizeof(marks[0]); i++)
            if (strncmp(name, marks[i].prefix, strlen(marks[i].prefix)) == 0)
                return refuse_feature(marks[i].feature, name, err);
    }
    return OS_OK;
}

static os_code check_type(const json_t *type, unsigned depth, os_error *err)
{
    static const char *const members[] = {"elementType", "keyType", "valueType"};
    const json_t *fields = json_object_get(type, "fields");
    os_code code = OS_OK;
    if (depth == NESTING_MOST)
        return error_set(err, OS_ERR_UNSUPPORTED, "The table's schema is nested deeper than %d levels.", NESTING_MOST);
    for (size_t i = 0; i < json_array_size(fields) && code == OS_OK; i++) {
        const json_t *field = json_array_get(fields, i);
        code = check_column(json_object_get(field, "metadata"), err);
        if (code == OS_OK)
            code = check_type(json_object_get(field, "type"), depth + 1, err);
    }
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && code == OS_OK; i++)
        if (json_object_get(type, members[i]) != NULL)
            code = check_type(json_object_get(type, members[i]), depth + 1, err);
    return code;
}

os_code delta_table_check(const json_t *protocol, const json_t *metadata, json_t **ret_schema, os_error *err)
{
    const json_t *text = json_object_get(metadata, "schemaString");
    os_code code = check_protocol(protocol, err);
    if (code == OS_OK)
        code = check_configuration(json_object_get(metadata, "configuration"), err);
    if (code != OS_OK)
        return code;
    json_t *schema = json_loadb(text_or(text, ""), json_string_length(text), 0, NULL);
    if (!json_is_array(json_object_get(schema, "fields")))
        code = error_set(err, OS_ERR_PROTOCOL, "The table's metaData action has no schema that can be read.");
    else
        code = check_type(schema, 0, err);
    if (code == OS_OK)
        *ret_schema = schema;
    else
        json_decref(schema);
    return code;
}

/* -------------------------------------------------------------------------------------------------------- two schemas */

struct comparison {
    os_error *err;
    const char *column;
};

static os_code accept_type(struct comparison *comparison, const json_t *table, const json_t *given, unsigned depth);

static os_code differ(const struct comparison *comparison, const char *how)
{
    return error_set(
        comparison->err, OS_ERR_UNSUPPORTED,
        "The file does not fit the table: the column \"%.200s\" %s. Write the file with the table's schema.",
        comparison->column, how);
}

static const json_t *field_of(const json_t *fields, const char *name)
{
    for (size_t i = 0; i < json_array_size(fields); i++)
        if (strcmp(text_or(json_object_get(json_array_get(fields, i), "name"), ""), name) == 0)
            return json_array_get(fields, i);
    return NULL;
}

/* NULLs of the file would be where the table has none. */
static bool adds_nulls(const json_t *table, const json_t *given, const char *member)
{
    return json_is_false(json_object_get(table, member)) && !json_is_false(json_object_get(given, member));
}

static os_code accept_fields(struct comparison *comparison, const json_t *table, const json_t *given, unsigned depth)
{
    const json_t *theirs = json_object_get(table, "fields");
    const json_t *ours = json_object_get(given, "fields");
    for (size_t i = 0; i < json_array_size(theirs); i++) {
        const json_t *field = json_array_get(theirs, i);
        comparison->column = text_or(json_object_get(field, "name"), "?");
        const json_t *found = field_of(ours, comparison->column);
        if (found == NULL)
            return differ(comparison, "is missing in the file");
        if (adds_nulls(field, found, "nullable"))
            return differ(comparison, "may be null in the file, and not in the table");
        os_code code =
            accept_type(comparison, json_object_get(field, "type"), json_object_get(found, "type"), depth + 1);
        if (code != OS_OK)
            return code;
    }
    for (size_t i = 0; i < json_array_size(ours); i++) {
        comparison->column = text_or(json_object_get(json_array_get(ours, i), "name"), "?");
        if (field_of(theirs, comparison->column) == NULL)
            return differ(comparison, "of the file is not in the table");
    }
    return OS_OK;
}

static os_code accept_member(struct comparison *comparison, const json_t *table, const json_t *given,
                             const char *member, unsigned depth)
{
    return accept_type(comparison, json_object_get(table, member), json_object_get(given, member), depth + 1);
}

static os_code differ_in_type(const struct comparison *comparison, const json_t *table, const json_t *given)
{
    char how[200];
    (void)snprintf(how, sizeof(how), "is of the type %.60s in the file, and %.60s in the table",
                   text_or(given, text_or(json_object_get(given, "type"), "?")),
                   text_or(table, text_or(json_object_get(table, "type"), "?")));
    return differ(comparison, how);
}

static os_code accept_type(struct comparison *comparison, const json_t *table, const json_t *given, unsigned depth)
{
    if (depth == NESTING_MOST)
        return differ(comparison, "is nested too deep");
    if (json_is_string(table) && json_is_string(given) &&
        strcmp(json_string_value(table), json_string_value(given)) == 0)
        return OS_OK;
    const char *kind = text_or(json_object_get(table, "type"), "");
    if (kind[0] == '\0' || strcmp(kind, text_or(json_object_get(given, "type"), "")) != 0)
        return differ_in_type(comparison, table, given);
    if (strcmp(kind, "struct") == 0)
        return accept_fields(comparison, table, given, depth);
    if (adds_nulls(table, given, "containsNull") || adds_nulls(table, given, "valueContainsNull"))
        return differ(comparison, "has nulls in the file, and not in the table");
    if (strcmp(kind, "array") == 0)
        return accept_member(comparison, table, given, "elementType", depth);
    if (strcmp(kind, "map") != 0)
        return differ_in_type(comparison, table, given);
    os_code code = accept_member(comparison, table, given, "keyType", depth);
    return code == OS_OK ? accept_member(comparison, table, given, "valueType", depth) : code;
}

os_code delta_schema_accepts(const json_t *table, const json_t *given, os_error *err)
{
    struct comparison comparison = {err, ""};
    return accept_type(&comparison, table, given, 0);
}
