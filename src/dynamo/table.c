/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/table.h"

#include "base/error.h"
#include "base/text.h"
#include "dynamo/command.h"
#include "dynamo/table_parts.h"
#include "syntax/json.h"

#include <stdio.h>
#include <string.h>

enum { KEYS_SIZE = 192 };

static const char *const roles[ITEM_KEYS_MAX] = {"HASH", "RANGE"};

enum table_outcome dynamo_incomplete(const struct http_response *response, const struct answer_of *of,
                                     const char *member, const struct dynamo_error *detail, os_error *err)
{
    char finding[160];
    snprintf(finding, sizeof(finding), "got an answer without a usable \"%s\". Ask again, and check the endpoint.",
             member);
    return answer_finding(response, of, TABLE_AMBIGUOUS, OS_ERR_PROTOCOL, finding, detail, err);
}

static void give_detail(const struct dynamo_error *detail, struct dynamo_error *ret)
{
    if (ret != NULL)
        *ret = *detail;
}

/* ---------------------------------------------------------------------------------------------- DescribeTable */

const char *dynamo_type_of(const json_t *table, const char *name)
{
    const json_t *definitions = json_object_get(table, "AttributeDefinitions");
    for (size_t i = 0; i < json_array_size(definitions); i++) {
        const json_t *definition = json_array_get(definitions, i);
        const char *defined = json_member_string(definition, "AttributeName");
        const char *type = json_member_string(definition, "AttributeType");
        if (defined != NULL && type != NULL && strcmp(defined, name) == 0)
            return type;
    }
    return "?";
}

static bool is_key(const json_t *table, const json_t *key, const char *name, const char *role)
{
    const char *found_name = json_member_string(key, "AttributeName");
    const char *found_role = json_member_string(key, "KeyType");
    return found_name != NULL && found_role != NULL && strcmp(found_name, name) == 0 && strcmp(found_role, role) == 0 &&
           strcmp(dynamo_type_of(table, name), "S") == 0;
}

/* "id (N, HASH), at (S, RANGE)" */
static void read_keys(const struct item_schema *schema, const json_t *table, struct dynamo_table *ret)
{
    const json_t *keys = json_object_get(table, "KeySchema");
    char listed[1024];
    size_t used = 0;
    listed[0] = '\0';
    for (size_t i = 0; i < json_array_size(keys) && used < sizeof(listed) - 1; i++) {
        const char *name = json_member_string(json_array_get(keys, i), "AttributeName");
        const char *role = json_member_string(json_array_get(keys, i), "KeyType");
        int len = snprintf(listed + used, sizeof(listed) - used, "%s%s (%s, %s)", i > 0 ? ", " : "",
                           name != NULL ? name : "?", name != NULL ? dynamo_type_of(table, name) : "?",
                           role != NULL ? role : "?");
        used += len > 0 ? (size_t)len : 0;
    }
    TEXT_COPY_STR_CUT(listed, ret->keys_found);
    ret->keys_ok = json_array_size(keys) == schema->keys;
    for (size_t i = 0; i < schema->keys && ret->keys_ok; i++)
        ret->keys_ok = is_key(table, json_array_get(keys, i), schema->attributes[i].name, roles[i]);
}

/* API Reference, TableDescription: MultiRegionConsistency is EVENTUAL where it is not given. The 2017 version of global
 * tables gives its GlobalTableVersion and is always eventual. */
bool dynamo_is_replicated_eventually(const json_t *table)
{
    const char *consistency = json_member_string(table, "MultiRegionConsistency");
    bool is_strong = consistency != NULL && strcmp(consistency, "STRONG") == 0;
    const char *version = json_member_string(table, "GlobalTableVersion");
    bool is_replicated = json_array_size(json_object_get(table, "Replicas")) > 0 ||
                         (version != NULL && strcmp(version, "2017.11.29") == 0) || (consistency != NULL && !is_strong);
    return is_replicated && !is_strong;
}

enum table_outcome dynamo_open_table(const struct http_response *response, const struct answer_of *of,
                                     json_t **ret_table, char ret_status[DYNAMO_STATUS_SIZE],
                                     struct dynamo_error *ret_detail, os_error *err)
{
    json_t *root = NULL;
    *ret_table = NULL;
    enum table_outcome outcome = answer_open_unconditional(response, of, &root, ret_detail, err);
    if (outcome == TABLE_REFUSED && strcmp(ret_detail->code, "ResourceNotFoundException") == 0) {
        error_clear(err);
        return TABLE_OK;
    }
    json_t *table = json_object_get(root, "Table");
    const char *status = json_member_string(table, "TableStatus");
    if (outcome == TABLE_OK && status != NULL && text_copy(text_from(status), ret_status, DYNAMO_STATUS_SIZE))
        *ret_table = json_incref(table);
    else if (outcome == TABLE_OK)
        outcome = dynamo_incomplete(response, of, "TableStatus", ret_detail, err);
    json_decref(root);
    return outcome;
}

enum table_outcome dynamo_read_table(const struct http_response *response, const struct dynamo_about *about,
                                     bool *ret_exists, struct dynamo_table *ret, struct dynamo_error *ret_detail,
                                     os_error *err)
{
    const struct answer_of of = answer_about("DescribeTable", about, false);
    struct dynamo_error detail;
    struct dynamo_table found = {.keys_ok = false};
    json_t *table = NULL;
    enum table_outcome outcome = dynamo_open_table(response, &of, &table, found.status, &detail, err);
    if (outcome == TABLE_OK)
        *ret_exists = table != NULL;
    if (table != NULL) {
        read_keys(about->schema, table, &found);
        found.replicated_eventually = dynamo_is_replicated_eventually(table);
        *ret = found;
    }
    json_decref(table);
    give_detail(&detail, ret_detail);
    return outcome;
}

/* ------------------------------------------------------------------------------------------ TTL, CreateTable */

enum table_outcome dynamo_read_ttl_of(const struct http_response *response, const struct answer_of *of,
                                      char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                      os_error *err)
{
    json_t *root = NULL;
    enum table_outcome outcome = answer_open_unconditional(response, of, &root, ret_detail, err);
    if (outcome == TABLE_OK) {
        const json_t *description = json_object_get(root, "TimeToLiveDescription");
        const char *status = json_member_string(description, "TimeToLiveStatus");
        const char *attribute = json_member_string(description, "AttributeName");
        char copy[DYNAMO_TTL_STATUS_SIZE];
        if (status == NULL || !TEXT_COPY_STR(status, copy) ||
            !text_copy(text_from(attribute), ret_attribute, DYNAMO_TTL_ATTRIBUTE_SIZE))
            outcome = dynamo_incomplete(response, of, "TimeToLiveDescription", ret_detail, err);
        else
            memcpy(ret_status, copy, strlen(copy) + 1);
    }
    json_decref(root);
    return outcome;
}

enum table_outcome dynamo_read_ttl(const struct http_response *response, const struct dynamo_about *about,
                                   char *ret_status, char *ret_attribute, struct dynamo_error *ret_detail,
                                   os_error *err)
{
    const struct answer_of of = answer_about("DescribeTimeToLive", about, false);
    struct dynamo_error detail;
    enum table_outcome outcome = dynamo_read_ttl_of(response, &of, ret_status, ret_attribute, &detail, err);
    give_detail(&detail, ret_detail);
    return outcome;
}

bool dynamo_ttl_is_on(const char *status)
{
    return strcmp(status, "ENABLED") == 0 || strcmp(status, "ENABLING") == 0;
}

enum table_outcome dynamo_read_done_of(const struct http_response *response, const struct answer_of *of,
                                       struct dynamo_error *ret_detail, os_error *err)
{
    json_t *root = NULL;
    enum table_outcome outcome = answer_open_unconditional(response, of, &root, ret_detail, err);
    json_decref(root);
    bool is_there_already = (outcome == TABLE_THROTTLED && strcmp(ret_detail->code, "ResourceInUseException") == 0) ||
                            (outcome == TABLE_REFUSED && strcmp(ret_detail->code, "ValidationException") == 0 &&
                             text_contains_nocase(text_from(ret_detail->message), "already enabled"));
    if (!is_there_already)
        return outcome;
    error_clear(err);
    return TABLE_OK;
}

enum table_outcome dynamo_read_done(const struct http_response *response, const struct dynamo_about *about,
                                    struct dynamo_error *ret_detail, os_error *err)
{
    const struct answer_of of = answer_about("The preparation", about, true);
    struct dynamo_error detail;
    enum table_outcome outcome = dynamo_read_done_of(response, &of, &detail, err);
    give_detail(&detail, ret_detail);
    return outcome;
}

/* -------------------------------------------------------------------------------------------------- judgement */

/* "path (S, HASH), etag (S, RANGE)" */
static void describe_keys(const struct item_schema *schema, char ret[KEYS_SIZE])
{
    ret[0] = '\0';
    for (size_t i = 0; i < schema->keys; i++) {
        size_t used = strlen(ret);
        snprintf(ret + used, KEYS_SIZE - used, "%s%.64s (S, %s)", i > 0 ? ", " : "", schema->attributes[i].name,
                 roles[i]);
    }
}

static os_code judge_ttl(const struct dynamo_about *about, const char *status, const char *attribute, os_error *err)
{
    const struct item_schema *schema = about->schema;
    const char *wanted = schema->attributes[schema->ttl].name;
    char command[DYNAMO_COMMAND_SIZE];
    bool is_on = dynamo_ttl_is_on(status);
    if (is_on && strcmp(attribute, wanted) == 0) {
        error_clear(err);
        return OS_OK;
    }
    if (is_on) {
        return error_set(err, OS_ERR_TABLE,
                         "The %s is unfit for %s: its TTL is on the attribute \"%s\", so old %s are "
                         "never removed. Turn that off and enable it on \"%s\".",
                         about->where, schema->words.plural, attribute, schema->words.plural, wanted);
    }
    const struct dynamo_command_about command_about = dynamo_command_of(about);
    dynamo_command(&command_about, "create", command);
    return error_set(err, OS_ERR_TABLE,
                     "The %s is unfit for %s: its TTL is %s, so old %s are never removed. Enable it on the "
                     "attribute \"%s\", as %s does where the service can.",
                     about->where, schema->words.plural, status[0] != '\0' ? status : "off", schema->words.plural,
                     wanted, command);
}

os_code dynamo_judge_table(const struct dynamo_about *about, const struct dynamo_table *found, const char *ttl_status,
                           const char *ttl_attribute, os_error *err)
{
    const struct dynamo_command_about command_about = dynamo_command_of(about);
    const char *where = about->where;
    const char *plural = about->schema->words.plural;
    if (!found->keys_ok) {
        char wanted[KEYS_SIZE];
        char command[DYNAMO_COMMAND_SIZE];
        describe_keys(about->schema, wanted);
        dynamo_command_beside(&command_about, command);
        return error_set(err, OS_ERR_TABLE,
                         "The %s is unfit for %s: its keys are %s, and must be %s. "
                         "Keys cannot be changed: use another table, or make one with %s.",
                         where, plural, found->keys_found[0] != '\0' ? found->keys_found : "not known", wanted,
                         command);
    }
    if (found->replicated_eventually) {
        return error_set(err, OS_ERR_TABLE,
                         "The %s is unfit for %s: it is a global table with multi-region eventual consistency, "
                         "where two regions could grant the same %s. Use a table in one region, or a global table "
                         "with MultiRegionConsistency STRONG.",
                         where, plural, about->schema->words.what);
    }
    if (strcmp(found->status, "ACTIVE") != 0) {
        return error_set(err, OS_ERR_TABLE,
                         "The %s cannot be used now: its status is %s. Wait until it is ACTIVE, and check again.",
                         where, found->status);
    }
    if (ttl_status == NULL) {
        char command[DYNAMO_COMMAND_SIZE];
        dynamo_command_sweep(&command_about, command);
        return error_set(err, OS_OK,
                         "The %s is fit for %s, but its server has no TTL: old %s stay until somebody "
                         "removes them (%s).",
                         where, plural, plural, command);
    }
    return judge_ttl(about, ttl_status, ttl_attribute != NULL ? ttl_attribute : "", err);
}
