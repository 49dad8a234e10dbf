/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The newest version of a table, and what it asks of writers: the log is listed, and read from its end until protocol and
 * metadata were met. They may stand in a checkpoint alone, where the log before it was removed.
 */
#include "append/append.h"
#include "append/checkpoint.h"
#include "append/log_version.h"

#include "base/error.h"
#include "plain/plain.h"

#include <stdlib.h>
#include <string.h>

/* What the list says. Versions come in their order. */
struct log_list {
    bool has_commit;
    uint64_t first; /* of the run of commits that ends with the newest */
    uint64_t last;
    bool has_checkpoint;
    uint64_t checkpoint; /* the newest */
    size_t skip;         /* of a key, up to the name */
};

static void note_commit(struct log_list *list, uint64_t version)
{
    if (!list->has_commit || version != list->last + 1)
        list->first = version;
    list->last = version;
    list->has_commit = true;
}

static int note_object(void *context, const os_object *object)
{
    struct log_list *list = context;
    uint64_t version = 0;
    if (strlen(object->key) < list->skip)
        return 0;
    switch (delta_log_name_read(text_from(object->key + list->skip), &version)) {
    case DELTA_LOG_COMMIT: note_commit(list, version); break;
    case DELTA_LOG_CHECKPOINT:
        list->has_checkpoint = true;
        list->checkpoint = version;
        break;
    default: break;
    }
    return 0;
}

/* Versions from `from` on. */
static os_code list_log(struct append *append, uint64_t from, struct log_list *ret)
{
    char name[DELTA_FILE_NAME_SIZE];
    delta_log_name_commit(from, name);
    name[DELTA_VERSION_DIGITS] = '\0';
    os_call call = append_rest_of_call(append);
    os_list_options options = OS_LIST_OPTIONS_INIT;
    char *prefix = append_key(append, DELTA_LOG_FOLDER, "");
    char *after = append_key(append, DELTA_LOG_FOLDER, name);
    options.prefix = prefix;
    options.start_after = after;
    memset(ret, 0, sizeof(*ret));
    ret->skip = prefix != NULL ? strlen(prefix) : 0;
    const struct plain_arguments list = {
        .list_options = &options, .each_object = note_object, .each_context = ret, .call = &call};
    os_code code = prefix != NULL && after != NULL ? plain_call(append->client, &list, plain_list, &append->error)
                                                   : error_no_memory(&append->error);
    free(prefix);
    free(after);
    return code;
}

/* Where to begin with: 0 without a hint. */
static os_code read_hint(struct append *append, uint64_t *ret)
{
    struct buf data;
    os_code code = append_get(append, "", DELTA_LAST_CHECKPOINT, DELTA_LAST_CHECKPOINT_MAX, &data);
    *ret = 0;
    if (code == OS_OK && !delta_last_checkpoint_read(buf_str(&data), data.len, ret))
        *ret = 0;
    buf_free(&data);
    return code == OS_ERR_NOT_FOUND || code == OS_ERR_TOO_LARGE ? OS_OK : code;
}

/* ---------------------------------------------------------------------------------------------------------- versions */

os_code snapshot_read_version(struct append *append, uint64_t version, const struct delta_reading *reading,
                              struct delta_actions *ret)
{
    char name[DELTA_FILE_NAME_SIZE];
    struct buf data;
    memset(ret, 0, sizeof(*ret));
    delta_log_name_commit(version, name);
    os_code code = append_get(append, DELTA_LOG_FOLDER, name, DELTA_COMMIT_MAX, &data);
    if (code == OS_OK)
        code = delta_actions_read(buf_str(&data), data.len, reading, ret, &append->error);
    if (code == OS_ERR_PROTOCOL) {
        os_error why = append->error;
        (void)error_set(&append->error, code, "Version %llu of the table \"%.200s\": %.500s",
                        (unsigned long long)version, append->prefix, why.message);
    }
    buf_free(&data);
    return code;
}

/* What is collected on the way down. */
struct search {
    json_t *protocol;
    json_t *metadata;
    bool wants_txn;
    bool has_txn;
    int64_t txn_version;
    bool is_whole; /* there is nothing else to be found */
};

static void take_slot(json_t **slot, json_t *found)
{
    if (*slot == NULL)
        *slot = json_incref(found);
}

/* What was found before is newer. */
static void take_found(struct search *search, const struct delta_actions *actions)
{
    take_slot(&search->protocol, actions->protocol);
    take_slot(&search->metadata, actions->metadata);
    if (!actions->has_txn || search->has_txn)
        return;
    search->has_txn = true;
    search->txn_version = actions->txn_version;
}

static bool is_complete(const struct search *search)
{
    bool knows_txn = search->has_txn || !search->wants_txn || search->is_whole;
    return search->protocol != NULL && search->metadata != NULL && knows_txn;
}

/* From `last` down to `first`. */
static os_code search_down(struct append *append, uint64_t first, uint64_t last, struct search *search)
{
    const struct delta_reading reading = {.app_id = append->options.app_id};
    for (uint64_t left = last - first + 1; left > 0 && !is_complete(search); left--) {
        struct delta_actions actions;
        os_code code = snapshot_read_version(append, first + left - 1, &reading, &actions);
        if (code == OS_OK)
            take_found(search, &actions);
        delta_actions_clear(&actions);
        if (code != OS_OK)
            return code;
    }
    return OS_OK;
}

static os_code refuse_gap(struct append *append, const struct log_list *list)
{
    return error_set(&append->error, OS_ERR_PROTOCOL,
                     "The log of the table \"%.300s\" is damaged: version %llu is there, and version %llu is not.",
                     append->prefix, (unsigned long long)list->first, (unsigned long long)list->first - 1);
}

/* It has all that stands in the log up to its version. */
static os_code search_checkpoint(struct append *append, uint64_t version, struct search *search)
{
    struct delta_actions actions;
    os_code code = checkpoint_read(append, version, &actions);
    if (code == OS_OK)
        take_found(search, &actions);
    search->is_whole = code == OS_OK;
    delta_actions_clear(&actions);
    return code;
}

/* Without a checkpoint that is read, from `last` on: the hint may have hidden what is behind it. */
static os_code search_behind(struct append *append, struct log_list *list, uint64_t last, bool is_whole,
                             struct search *search)
{
    os_code code = is_whole ? OS_OK : list_log(append, 0, list);
    if (code == OS_OK && list->first <= last)
        code = search_down(append, list->first, last, search);
    if (code != OS_OK || is_complete(search) || list->first == 0)
        return code;
    return refuse_gap(append, list);
}

/* The versions before the first may have been removed behind a checkpoint. */
static bool is_cut(const struct log_list *list)
{
    return list->has_checkpoint && list->checkpoint + 1 >= list->first;
}

/* A hole: no reader gets beyond it. Where the list began at a hint, what is before that may be all there. */
static os_code look_for_gap(struct append *append, struct log_list *list, bool *is_whole)
{
    os_code code = OS_OK;
    if (list->first == 0 || is_cut(list))
        return OS_OK;
    if (!*is_whole)
        code = list_log(append, 0, list);
    *is_whole = true;
    return code != OS_OK || list->first == 0 || is_cut(list) ? code : refuse_gap(append, list);
}

/* From the newest version down to a checkpoint, or to the first. */
static os_code search_log(struct append *append, struct log_list *list, bool is_whole, struct search *search)
{
    os_code code = look_for_gap(append, list, &is_whole);
    bool covers = is_cut(list) && list->checkpoint >= list->first;
    uint64_t first = covers ? list->checkpoint + 1 : list->first;
    if (code == OS_OK)
        code = log_version_finish(append, list->last); /* those before it are whole */
    if (code == OS_OK && first <= list->last)
        code = search_down(append, first, list->last, search);
    if (code != OS_OK || is_complete(search) || first == 0)
        return code;
    code = search_checkpoint(append, list->checkpoint, search);
    if (code !=
        OS_ERR_UNSUPPORTED) /* else it is in a form that is not read, and the log before it may be there still */
        return code;
    os_error why = append->error;
    code = search_behind(append, list, list->checkpoint, is_whole, search);
    if (code != OS_ERR_PROTOCOL || list->first == 0)
        return code;
    append->error = why;
    return why.code;
}

static os_code fill(struct append *append, const struct log_list *list, const struct search *search,
                    struct snapshot *ret)
{
    if (search->protocol == NULL || search->metadata == NULL)
        return error_set(&append->error, OS_ERR_PROTOCOL,
                         "The log of the table \"%.300s\" is damaged: it has no protocol or no metaData action.",
                         append->prefix);
    if (list->last == DELTA_VERSION_MOST)
        return error_set(
            &append->error, OS_ERR_PROTOCOL,
            "The log of the table \"%.300s\" has the largest version that there can be: none comes behind it.",
            append->prefix);
    ret->exists = true;
    ret->version = list->last;
    ret->has_txn = search->has_txn;
    ret->txn_version = search->txn_version;
    ret->columns = json_incref(json_object_get(search->metadata, "partitionColumns"));
    return delta_table_check(search->protocol, search->metadata, &ret->schema, &append->error);
}

os_code snapshot_read(struct append *append, struct snapshot *ret)
{
    struct log_list list;
    struct search search = {.wants_txn = append->options.app_id != NULL};
    uint64_t from = 0;
    memset(ret, 0, sizeof(*ret));
    os_code code = read_hint(append, &from);
    if (code == OS_OK)
        code = list_log(append, from, &list);
    if (code == OS_OK && from > 0 && !list.has_commit) { /* the hint may be wrong */
        from = 0;
        code = list_log(append, from, &list);
    }
    if (code != OS_OK || (!list.has_commit && !list.has_checkpoint))
        return code; /* there is no table */
    if (!list.has_commit || (list.has_checkpoint && list.checkpoint > list.last))
        return error_set(
            &append->error, OS_ERR_PROTOCOL,
            "The log of the table \"%.300s\" is damaged: it has a checkpoint of version %llu, and not that "
            "version.",
            append->prefix, (unsigned long long)list.checkpoint);
    code = search_log(append, &list, from == 0, &search);
    if (code == OS_OK)
        code = fill(append, &list, &search, ret);
    json_decref(search.protocol);
    json_decref(search.metadata);
    return code;
}

void snapshot_clear(struct snapshot *snapshot)
{
    json_decref(snapshot->schema);
    json_decref(snapshot->columns);
    memset(snapshot, 0, sizeof(*snapshot));
}
