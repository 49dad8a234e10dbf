/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/rows_table.h"

#include "base/error.h"
#include "base/text.h"
#include "dynamo/table_parts.h"
#include "syntax/json.h"

#include <string.h>

static const struct item_words words = {.what = "item", .plural = "items", .subject = "item"};

/* Instead of what it means for the items of a protocol. */
static const struct answer_meaning meanings[] = {
    {"ValidationException", TABLE_REFUSED, OS_ERR_REFUSED, false, false,
     "Compare the definition of the table with what the service allows, and with what is there."},
};

static struct answer_of about(const char *operation, const char *where, bool writes)
{
    return (struct answer_of){.operation = operation,
                              .writes = writes,
                              .where = where,
                              .command = {.words = &words},
                              .meanings = meanings,
                              .meanings_count = sizeof(meanings) / sizeof(meanings[0])};
}

/* ---------------------------------------------------------------------------------------------------- DescribeTable */

void rows_described_free(struct rows_described *described)
{
    json_decref(described->table);
    described->table = NULL;
}

/* Of the table, or of one of its indexes. False: it is none of those that a definition can say, such as one of more than
 * two attributes. */
static bool read_keys(const json_t *described, const json_t *table, struct rows_key_schema *ret)
{
    size_t index;
    json_t *key;
    json_array_foreach(json_object_get(described, "KeySchema"), index, key)
    {
        const char *name = json_member_string(key, "AttributeName");
        const char *role = json_member_string(key, "KeyType");
        if (name == NULL || role == NULL)
            return false;
        struct rows_attribute *attribute = strcmp(role, "HASH") == 0 ? &ret->partition : &ret->sort;
        if (attribute->name != NULL)
            return false;
        *attribute = (struct rows_attribute){name, rows_key_type_of(dynamo_type_of(table, name))};
    }
    return ret->partition.name != NULL;
}

static bool read_names(const json_t *names, struct rows_described *described, struct rows_index *ret)
{
    size_t count = json_array_size(names);
    if (count > ROWS_NAMES_MAX - described->name_count)
        return false;
    ret->names = &described->names[described->name_count];
    ret->name_count = count;
    for (size_t i = 0; i < count; i++) {
        const char *name = json_string_value(json_array_get(names, i));
        if (name == NULL)
            return false;
        described->names[described->name_count++] = name;
    }
    return true;
}

/* A local index has no status: it is there with its table. */
static bool read_index(const json_t *json, struct rows_described *described)
{
    const json_t *projection = json_object_get(json, "Projection");
    const char *status = json_member_string(json, "IndexStatus");
    size_t number = described->definition.index_count;
    if (number == ROWS_DESCRIBED_INDEXES_MAX)
        return false;
    struct rows_index *index = &described->indexes[number];
    index->name = json_member_string(json, "IndexName");
    index->projection = rows_projection_of(json_member_string(projection, "ProjectionType"));
    if (status != NULL && strcmp(described->status, "ACTIVE") == 0)
        TEXT_COPY_STR_CUT(status, described->status);
    described->definition.index_count++;
    return index->name != NULL && index->projection != 0 && read_keys(json, described->table, &index->keys) &&
           read_names(json_object_get(projection, "NonKeyAttributes"), described, index);
}

static bool read_indexes(const char *member, struct rows_described *described)
{
    size_t index;
    json_t *json;
    json_array_foreach(json_object_get(described->table, member), index, json)
    {
        if (!read_index(json, described))
            return false;
    }
    return true;
}

enum table_outcome rows_read_table(const struct http_response *response, const char *where, struct rows_described *ret,
                                   struct dynamo_error *ret_detail, os_error *err)
{
    static const char unknown[] =
        "has keys or indexes that a definition cannot say, such as a key of three attributes. "
        "Use another table, or make one.";
    const struct answer_of of = about("DescribeTable", where, false);
    memset(ret, 0, sizeof(*ret));
    ret->definition.indexes = ret->indexes;
    enum table_outcome outcome = dynamo_open_table(response, &of, &ret->table, ret->status, ret_detail, err);
    if (ret->table == NULL)
        return outcome;
    ret->is_replicated_eventually = dynamo_is_replicated_eventually(ret->table);
    if (read_keys(ret->table, ret->table, &ret->definition.keys) && read_indexes("GlobalSecondaryIndexes", ret) &&
        read_indexes("LocalSecondaryIndexes", ret))
        return outcome;
    return answer_finding(response, &of, TABLE_REFUSED, OS_ERR_TABLE, unknown, ret_detail, err);
}

/* ------------------------------------------------------------------------------------------------ TTL, CreateTable */

enum table_outcome rows_read_ttl(const struct http_response *response, const char *where, char *ret_status,
                                 char *ret_attribute, struct dynamo_error *ret_detail, os_error *err)
{
    const struct answer_of of = about("DescribeTimeToLive", where, false);
    return dynamo_read_ttl_of(response, &of, ret_status, ret_attribute, ret_detail, err);
}

enum table_outcome rows_read_done(const struct http_response *response, const char *operation, const char *where,
                                  struct dynamo_error *ret_detail, os_error *err)
{
    const struct answer_of of = about(operation, where, true);
    return dynamo_read_done_of(response, &of, ret_detail, err);
}

/* ---------------------------------------------------------------------------------------------------- judgement */

os_code rows_judge_table(const char *where, const struct rows_definition *wanted, struct rows_described *found,
                         const char *ttl_status, const char *ttl_attribute, os_error *err)
{
    error_clear(err);
    if (found->is_replicated_eventually)
        return error_set(
            err, OS_ERR_TABLE,
            "The %s is a global table with multi-region eventual consistency, where a condition may hold in "
            "two regions at once. Use a table in one region, or a global table with MultiRegionConsistency "
            "STRONG.",
            where);
    if (strcmp(found->status, "ACTIVE") != 0)
        return error_set(
            err, OS_ERR_TABLE,
            "The %s cannot be used now: its status, or that of an index, is %s. Wait until all are ACTIVE, "
            "and check again.",
            where, found->status);
    found->definition.ttl = wanted->ttl;
    if (ttl_status != NULL)
        found->definition.ttl = dynamo_ttl_is_on(ttl_status) ? ttl_attribute : NULL;
    os_code code = rows_definition_fit(&found->definition, wanted, where, err);
    if (code == OS_OK && ttl_status == NULL && wanted->ttl != NULL)
        return error_set(err, OS_OK,
                         "The %s is there, but its server has no TTL: items that have expired stay until somebody "
                         "removes them.",
                         where);
    return code;
}
