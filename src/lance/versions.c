/* SPDX-License-Identifier: Apache-2.0 */
/* What a table has: its manifests, and its rows. */
#include "lance/lance.h"

#include "base/error.h"
#include "holding/listing.h"
#include "plain/plain.h"

#include <stdlib.h>
#include <string.h>

os_code lance_begin(struct append *append, os_client *client, const struct lance_arguments *arguments)
{
    os_lance_options options;
    os_delta_options below = OS_DELTA_OPTIONS_INIT;
    const struct append_arguments table = {
        .table = arguments->table, .options = &below, .call = arguments->call, .entries = "manifest store"};
    memset(append, 0, sizeof(*append));
    os_code code = versioned_copy(arguments->options, &options, sizeof(options), "os_lance_options", &append->error);
    if (code != OS_OK)
        return code;
    below.log_store = options.manifest_store;
    return append_begin(append, client, &table);
}

/* --------------------------------------------------------------------------------------------------------- objects */

static void note(struct versions *versions, json_t *names, const char *name, uint64_t number)
{
    if (json_object_set_new(names, name, json_integer((json_int_t)number)) != 0)
        versions->no_memory = true;
}

struct versions_walk {
    struct append *append;
    struct versions *versions;
};

static int note_object(void *context, const os_object *object)
{
    struct versions_walk *walk = context;
    struct versions *versions = walk->versions;
    const char *name = object->key + strlen(walk->append->prefix) + strlen(LANCE_FOLDER);
    char number[TEXT_NUMBER_SIZE];
    uint64_t version = 0;
    switch (lance_name_read(text_from(name), &version)) {
    case LANCE_NAME_MANIFEST:
        text_number(version, number);
        note(versions, versions->sizes, number, object->length);
        versions->newest = version > versions->newest ? version : versions->newest;
        break;
    case LANCE_NAME_STAGED: note(versions, versions->staged, name, version); break;
    case LANCE_NAME_FIRST_SCHEME: versions->old_version = version; break;
    case LANCE_NAME_OTHER: break;
    }
    return versions->no_memory ? 1 : 0;
}

os_code versions_list(struct append *append, struct versions *ret)
{
    struct versions_walk walk = {append, ret};
    os_call call = append_rest_of_call(append);
    os_list_options options = OS_LIST_OPTIONS_INIT;
    char *prefix = append_key(append, LANCE_FOLDER, "");
    *ret = (struct versions){.sizes = json_object(), .staged = json_object()};
    options.prefix = prefix;
    ret->no_memory = prefix == NULL || ret->sizes == NULL || ret->staged == NULL;
    const struct plain_arguments list = {
        .list_options = &options, .each_object = note_object, .each_context = &walk, .call = &call};
    os_code code = ret->no_memory ? OS_OK : plain_call(append->client, &list, plain_list, &append->error);
    free(prefix);
    if (ret->no_memory)
        return error_no_memory(&append->error);
    if (code == OS_OK && ret->newest == 0 && ret->old_version == 0 && json_object_size(ret->staged) == 0)
        code = error_set(&append->error, OS_ERR_NOT_FOUND, "There is no Lance table at \"%.300s\".", append->prefix);
    return code;
}

void versions_free(struct versions *versions)
{
    json_decref(versions->sizes);
    json_decref(versions->staged);
}

const json_t *versions_size_of(const struct versions *versions, uint64_t version)
{
    char number[TEXT_NUMBER_SIZE];
    text_number(version, number);
    return json_object_get(versions->sizes, number);
}

/* ------------------------------------------------------------------------------------------------------------ rows */

/* "path/of/table/_versions/18446744073709551614.manifest-UUID" */
static void take_path(const char *base_uri, struct text path, struct version_row *row)
{
    uint64_t version = 0;
    if (!text_take_str(&path, base_uri) || !text_take_str(&path, "/" LANCE_FOLDER))
        return;
    enum lance_name_kind kind = lance_name_read(path, &version);
    if ((kind != LANCE_NAME_MANIFEST && kind != LANCE_NAME_STAGED) || version != row->version ||
        !text_copy(path, row->name, sizeof(row->name)))
        return;
    row->is_complete = kind == LANCE_NAME_MANIFEST;
}

const char *lance_base_uri(const struct append *append)
{
    return append->table_path + strlen("s3://") + strlen(append->client->settings.bucket) + 1;
}

struct rows_walk {
    struct append *append;
    int (*give)(void *context, const void *row);
    void *context;
};

static bool fill_row(void *context, const struct item *item, void *ret)
{
    const struct rows_walk *walk = context;
    const char *base_uri = lance_base_uri(walk->append);
    struct version_row *row = ret;
    if (strcmp(item_text_of(item, ROW_AT_BASE_URI), base_uri) != 0)
        return false;
    row->version = item->values[ROW_AT_VERSION].number;
    row->has_size = item->values[ROW_AT_SIZE].type == ITEM_NUMBER;
    row->size = item->values[ROW_AT_SIZE].number;
    take_path(base_uri, text_from(item_text_of(item, ROW_AT_PATH)), row);
    return true;
}

static int give_row(void *context, const void *row)
{
    const struct rows_walk *walk = context;
    return walk->give(walk->context, row);
}

os_code rows_list(struct append *append, int (*give)(void *context, const void *row), void *context)
{
    struct rows_walk walk = {append, give, context};
    struct holding_listing listing = {.schema = &row_schema,
                                      .row_size = sizeof(struct version_row),
                                      .fill = fill_row,
                                      .give = give_row,
                                      .context = &walk,
                                      .partition = lance_base_uri(append)};
    os_call call = append_rest_of_call(append);
    return listing_run(&listing, append->options.log_store, &call, &append->error);
}
