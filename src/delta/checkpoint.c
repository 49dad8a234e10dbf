/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/checkpoint.h"

#include "base/error.h"

#include <string.h>

#define SCHEMA        "metaData.schemaString"
#define READER        "protocol.minReaderVersion"
#define WRITER        "protocol.minWriterVersion"
#define SETTING_KEY   "metaData.configuration.key_value.key"
#define SETTING_VALUE "metaData.configuration.key_value.value"
#define TXN_APP       "txn.appId"
#define TXN_VERSION   "txn.version"
/* Lists, whose elements writers name alike but for Spark's "array". */
#define PARTITIONS      "metaData.partitionColumns.list."
#define WRITER_FEATURES "protocol.writerFeatures.list."
#define READER_FEATURES "protocol.readerFeatures.list."

static const char *const wanted[] = {SCHEMA,  READER,      WRITER,     SETTING_KEY,     SETTING_VALUE,
                                     TXN_APP, TXN_VERSION, PARTITIONS, WRITER_FEATURES, READER_FEATURES};

/* What a path is kept as: of a list without the name of its element. */
static const char *kept_as(const char *path)
{
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
        size_t length = strlen(wanted[i]);
        bool is_list = wanted[i][length - 1] == '.';
        if (is_list ? strncmp(path, wanted[i], length) == 0 : strcmp(path, wanted[i]) == 0)
            return wanted[i];
    }
    return NULL;
}

bool checkpoint_wants(const char *path)
{
    return kept_as(path) != NULL;
}

os_code checkpoint_take(struct checkpoint *checkpoint, const struct chunk *chunk, const void *data, size_t length,
                        os_error *err)
{
    const char *name = kept_as(chunk->path);
    if (checkpoint->columns == NULL)
        checkpoint->columns = json_object();
    json_t *values = json_object_get(checkpoint->columns, name);
    if (values == NULL && json_object_set_new(checkpoint->columns, name, json_array()) != 0)
        return error_no_memory(err);
    return chunk_decode(chunk, data, length, json_object_get(checkpoint->columns, name), err);
}

void checkpoint_free(struct checkpoint *checkpoint)
{
    json_decref(checkpoint->columns);
    checkpoint->columns = NULL;
}

/* ------------------------------------------------------------------------------------------------------------ give */

static json_t *column(const struct checkpoint *checkpoint, const char *name)
{
    return json_object_get(checkpoint->columns, name);
}

/* One row has it; what is null there is as if it were missing. */
static json_t *only(const struct checkpoint *checkpoint, const char *name)
{
    json_t *value = json_array_size(column(checkpoint, name)) == 1 ? json_array_get(column(checkpoint, name), 0) : NULL;
    return json_is_null(value) ? NULL : value;
}

static bool put(json_t *object, const char *name, json_t *value)
{
    return value == NULL || json_object_set(object, name, value) == 0;
}

static json_t *settings_of(const struct checkpoint *checkpoint)
{
    const json_t *keys = column(checkpoint, SETTING_KEY);
    const json_t *values = column(checkpoint, SETTING_VALUE);
    json_t *settings = json_object();
    bool good = settings != NULL && json_array_size(keys) == json_array_size(values);
    for (size_t i = 0; i < json_array_size(keys) && good; i++) {
        const char *key = json_string_value(json_array_get(keys, i));
        good = key == NULL || json_object_set(settings, key, json_array_get(values, i)) == 0;
    }
    if (good)
        return settings;
    json_decref(settings);
    return NULL;
}

static json_t *protocol_of(const struct checkpoint *checkpoint)
{
    json_t *protocol = json_object();
    bool good = protocol != NULL && only(checkpoint, WRITER) != NULL &&
                put(protocol, "minReaderVersion", only(checkpoint, READER)) &&
                put(protocol, "minWriterVersion", only(checkpoint, WRITER)) &&
                put(protocol, "writerFeatures", column(checkpoint, WRITER_FEATURES)) &&
                put(protocol, "readerFeatures", column(checkpoint, READER_FEATURES));
    if (good)
        return protocol;
    json_decref(protocol);
    return NULL;
}

static json_t *metadata_of(const struct checkpoint *checkpoint)
{
    json_t *metadata = json_object();
    json_t *settings = settings_of(checkpoint);
    bool good = metadata != NULL && settings != NULL && only(checkpoint, SCHEMA) != NULL &&
                put(metadata, "schemaString", only(checkpoint, SCHEMA)) &&
                put(metadata, "partitionColumns", column(checkpoint, PARTITIONS)) &&
                put(metadata, "configuration", settings);
    json_decref(settings);
    if (good)
        return metadata;
    json_decref(metadata);
    return NULL;
}

static bool take_txn(const struct checkpoint *checkpoint, const char *app_id, struct delta_actions *ret)
{
    const json_t *apps = column(checkpoint, TXN_APP);
    const json_t *versions = column(checkpoint, TXN_VERSION);
    if (json_array_size(apps) != json_array_size(versions))
        return false;
    for (size_t i = 0; i < json_array_size(apps); i++) {
        const char *app = json_string_value(json_array_get(apps, i));
        const json_t *version = json_array_get(versions, i);
        if (app == NULL || strcmp(app, app_id) != 0)
            continue;
        if (!json_is_integer(version))
            return false;
        ret->has_txn = true;
        ret->txn_version = json_integer_value(version);
    }
    return true;
}

os_code checkpoint_give(const struct checkpoint *checkpoint, const char *app_id, struct delta_actions *ret,
                        os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    ret->protocol = protocol_of(checkpoint);
    ret->metadata = metadata_of(checkpoint);
    if (ret->protocol != NULL && ret->metadata != NULL && (app_id == NULL || take_txn(checkpoint, app_id, ret)))
        return OS_OK;
    return error_set(err, OS_ERR_PROTOCOL, "The checkpoint does not say what protocol and schema the table has.");
}
