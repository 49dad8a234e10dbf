/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that are tortured: each guarded one with its expectation kept and broken, each plain one, the table's. */
#include "trial.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void new_body(const struct trial *trial, os_body *ret)
{
    const char *text;
    size_t length;
    trial_text(trial, STATE_NEW, &text, &length);
    *ret = (os_body)OS_BODY_MEMORY(text, length);
}

static const os_metadata new_metadata = {"which", "text/x-new"};
static const os_put_options new_options = {
    .size = sizeof(os_put_options), .content_type = "text/x-new", .metadata = &new_metadata, .metadata_count = 1};

static os_put_options options_of(const struct trial *trial)
{
    os_put_options options = new_options;
    options.fencing = trial->scenario->fencing;
    return options;
}

/* ------------------------------------------------------------------------------------------------------ guarded */

static void put_if_absent(os_client *client, struct trial *trial)
{
    os_body body;
    os_put_options options = options_of(trial);
    new_body(trial, &body);
    trial->verdict = os_put_if_absent(client, trial->key, &body, &options, &trial->call, &trial->result, &trial->err);
}

static void put_if_match(os_client *client, struct trial *trial)
{
    os_body body;
    os_put_options options = options_of(trial);
    new_body(trial, &body);
    trial->verdict =
        os_put_if_match(client, trial->key, trial->etag, &body, &options, &trial->call, &trial->result, &trial->err);
}

static int give_new_body(void *context, const os_current *current, os_body *ret)
{
    (void)current;
    new_body(context, ret);
    return 0;
}

static void update(os_client *client, struct trial *trial)
{
    os_update_options options = OS_UPDATE_OPTIONS_INIT;
    options.put = &new_options;
    trial->verdict =
        os_update(client, trial->key, give_new_body, trial, &options, &trial->call, &trial->result, &trial->err);
}

static void put_file_if_absent(os_client *client, struct trial *trial)
{
    os_body body = OS_BODY_FILE(trial->file);
    trial->verdict =
        os_put_if_absent(client, trial->key, &body, &new_options, &trial->call, &trial->result, &trial->err);
}

struct reading {
    const char *text;
    size_t left;
};

static int64_t read_some(void *context, void *ret_data, size_t size)
{
    struct reading *reading = context;
    size_t length = reading->left < size ? reading->left : size;
    memcpy(ret_data, reading->text, length);
    reading->text += length;
    reading->left -= length;
    return (int64_t)length;
}

static void put_stream_if_absent(os_client *client, struct trial *trial)
{
    struct reading reading;
    trial_text(trial, STATE_NEW, &reading.text, &reading.left);
    os_body body = {.size = sizeof(body), .read = read_some, .read_context = &reading};
    trial->verdict =
        os_put_if_absent(client, trial->key, &body, &new_options, &trial->call, &trial->result, &trial->err);
}

static void copy_if_not_exists(os_client *client, struct trial *trial)
{
    trial->verdict =
        os_copy_if_not_exists(client, trial->other, trial->key, NULL, &trial->call, &trial->result, &trial->err);
}

static void copy_if_match(os_client *client, struct trial *trial)
{
    trial->verdict = os_copy_if_match(client, trial->other, trial->key, trial->etag, NULL, &trial->call, &trial->result,
                                      &trial->err);
}

static void rename_if_not_exists(os_client *client, struct trial *trial)
{
    trial->verdict =
        os_rename_if_not_exists(client, trial->other, trial->key, NULL, &trial->call, &trial->result, &trial->err);
}

static void delete_if_match(os_client *client, struct trial *trial)
{
    trial->verdict = os_delete_if_match(client, trial->key, trial->etag, &trial->call, &trial->result, &trial->err);
}

/* -------------------------------------------------------------------------------------------------------- plain */

static void put(os_client *client, struct trial *trial)
{
    os_body body;
    new_body(trial, &body);
    trial->code = os_put(client, trial->key, &body, &new_options, &trial->call, &trial->object, &trial->err);
}

static void delete (os_client *client, struct trial *trial)
{
    trial->code = os_delete(client, trial->key, &trial->call, &trial->err);
}

static void head(os_client *client, struct trial *trial)
{
    trial->code = os_head(client, trial->key, &trial->call, &trial->object, &trial->err);
}

static bool head_is_true(os_client *client, struct trial *trial)
{
    (void)client;
    if (trial->code == OS_OK && strcmp(trial->object.etag, trial->etag) != 0)
        return trial_blame(trial, "HEAD says %s, not %s", trial->object.etag, trial->etag);
    return true;
}

static void get(os_client *client, struct trial *trial)
{
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &trial->data;
    sink.ret_length = &trial->length;
    trial->code = os_get(client, trial->key, &sink, &trial->call, &trial->object, &trial->err);
}

static bool is_the_old_text(const struct trial *trial, const void *data, size_t length)
{
    const char *text;
    size_t text_length;
    trial_text(trial, STATE_OLD, &text, &text_length);
    return length == text_length && memcmp(data, text, length) == 0;
}

static bool get_is_true(os_client *client, struct trial *trial)
{
    (void)client;
    if (trial->code != OS_OK)
        return trial->data == NULL ? true : trial_blame(trial, "a failed read has set its output");
    return is_the_old_text(trial, trial->data, trial->length) ? true : trial_blame(trial, "the read gave other bytes");
}

static void get_to_a_path(os_client *client, struct trial *trial)
{
    os_sink sink = OS_SINK_INIT;
    sink.file = trial->file;
    (void)remove(trial->file);
    trial->code = os_get(client, trial->key, &sink, &trial->call, &trial->object, &trial->err);
}

static bool path_is_true(os_client *client, struct trial *trial)
{
    char data[2048];
    (void)client;
    FILE *file = fopen(trial->file, "r");
    if (trial->code != OS_OK) {
        if (file != NULL)
            (void)fclose(file);
        return file == NULL ? true : trial_blame(trial, "a failed read has left a file: %s", trial->err.message);
    }
    size_t length = file == NULL ? 0 : fread(data, 1, sizeof(data), file);
    bool good = file != NULL && is_the_old_text(trial, data, length);
    if (file != NULL)
        (void)fclose(file);
    return good ? true : trial_blame(trial, "the file that was read is not whole");
}

/* ----------------------------------------------------------------------------------------------- lists, records */

struct listed {
    const struct trial *trial;
    size_t count;
    char etag[128];
};

static int list_one(void *context, const os_object *object)
{
    struct listed *listed = context;
    if (strcmp(object->key, listed->trial->key) == 0) {
        listed->count++;
        strcpy(listed->etag, object->etag);
    }
    return 0;
}

static void list(os_client *client, struct trial *trial)
{
    os_list_options options = OS_LIST_OPTIONS_INIT;
    struct listed listed = {.trial = trial};
    options.prefix = trial->key;
    trial->code = os_list(client, &options, &trial->call, list_one, &listed, &trial->err);
    trial->length = listed.count;
    strcpy(trial->object.etag, listed.etag);
}

static bool list_is_true(os_client *client, struct trial *trial)
{
    (void)client;
    if (trial->length > 1 || (trial->code == OS_OK && trial->length != 1))
        return trial_blame(trial, "the object was listed %zu times", trial->length);
    if (trial->length == 1 && strcmp(trial->object.etag, trial->etag) != 0)
        return trial_blame(trial, "the object was listed with the ETag %s, not %s", trial->object.etag, trial->etag);
    return true;
}

static void warm(os_client *client, struct trial *trial)
{
    trial->code = os_client_warm(client, 2, &trial->call, &trial->err);
}

static void table_create(os_client *client, struct trial *trial)
{
    trial->code = os_table_create(client, &trial->call, &trial->err);
}

static void table_check(os_client *client, struct trial *trial)
{
    trial->code = os_table_check(client, &trial->call, &trial->err);
}

static int count_record(void *context, const os_record *record)
{
    (void)record;
    ++*(size_t *)context;
    return 0;
}

static void table_list(os_client *client, struct trial *trial)
{
    trial->code = os_table_list(client, trial->key, &trial->call, count_record, &trial->length, &trial->err);
}

/* A guarded write first, so that there is a record; when that one failed, so does the release, or it finds none. */
static void table_release(os_client *client, struct trial *trial)
{
    os_body body = OS_BODY_MEMORY("x", 1);
    (void)os_put_if_match(client, trial->key, "\"none\"", &body, NULL, &trial->call, NULL, NULL);
    trial->code = os_table_release(client, trial->key, "none", 1, &trial->call, &trial->err);
}

static const struct scenario scenarios[] = {
    {.name = "put_if_absent", .after = STATE_NEW, .run = put_if_absent},
    {.name = "put_if_absent_of_taken_key",
     .before = STATE_OLD,
     .after = STATE_OLD,
     .stale = true,
     .run = put_if_absent},
    {.name = "put_file_if_absent", .after = STATE_NEW, .run = put_file_if_absent},
    {.name = "put_if_match", .guarded_before = true, .before = STATE_OLD, .after = STATE_NEW, .run = put_if_match},
    {.name = "put_if_match_of_bare", .before = STATE_OLD, .after = STATE_NEW, .run = put_if_match},
    {.name = "put_if_match_of_stale", .before = STATE_OLD, .after = STATE_OLD, .stale = true, .run = put_if_match},
    {.name = "put_if_absent_fenced", .fencing = 8, .after = STATE_NEW, .run = put_if_absent},
    {.name = "put_if_match_fenced",
     .guarded_before = true,
     .fencing_before = 7,
     .fencing = 8,
     .before = STATE_OLD,
     .after = STATE_NEW,
     .run = put_if_match},
    {.name = "put_if_match_fenced_too_late",
     .guarded_before = true,
     .fencing_before = 9,
     .fencing = 8,
     .before = STATE_OLD,
     .after = STATE_OLD,
     .stale = true,
     .etag_is_true = true,
     .run = put_if_match},
    {.name = "update", .guarded_before = true, .before = STATE_OLD, .after = STATE_NEW, .run = update},
    {.name = "update_of_absent", .after = STATE_NEW, .run = update},
    {.name = "put_if_absent_in_parts", .in_parts = true, .after = STATE_NEW, .run = put_if_absent},
    {.name = "put_if_absent_in_parts_of_taken_key",
     .in_parts = true,
     .before = STATE_OLD,
     .after = STATE_OLD,
     .stale = true,
     .run = put_if_absent},
    {.name = "put_file_if_absent_in_parts", .in_parts = true, .after = STATE_NEW, .run = put_file_if_absent},
    {.name = "put_stream_if_absent_in_parts", .in_parts = true, .after = STATE_NEW, .run = put_stream_if_absent},
    {.name = "put_if_match_in_parts",
     .guarded_before = true,
     .in_parts = true,
     .before = STATE_OLD,
     .after = STATE_NEW,
     .run = put_if_match},
    {.name = "copy_if_not_exists_in_parts",
     .in_parts = true,
     .after = STATE_NEW,
     .other_before = STATE_NEW,
     .other_after = STATE_NEW,
     .run = copy_if_not_exists},
    {.name = "copy_if_not_exists",
     .after = STATE_NEW,
     .other_before = STATE_NEW,
     .other_after = STATE_NEW,
     .run = copy_if_not_exists},
    {.name = "copy_if_match",
     .before = STATE_OLD,
     .after = STATE_NEW,
     .other_before = STATE_NEW,
     .other_after = STATE_NEW,
     .run = copy_if_match},
    {.name = "rename_if_not_exists", .after = STATE_NEW, .other_before = STATE_NEW, .run = rename_if_not_exists},
    {.name = "delete_if_match", .before = STATE_OLD, .run = delete_if_match},
    {.name = "delete_if_match_of_stale",
     .before = STATE_OLD,
     .after = STATE_OLD,
     .stale = true,
     .run = delete_if_match},
    {.name = "put", .kind = SCENARIO_PLAIN, .before = STATE_OLD, .after = STATE_NEW, .run = put},
    {.name = "put_in_parts",
     .kind = SCENARIO_PLAIN,
     .in_parts = true,
     .before = STATE_OLD,
     .after = STATE_NEW,
     .run = put},
    {.name = "delete", .kind = SCENARIO_PLAIN, .before = STATE_OLD, .run = delete},
    {.name = "head", .kind = SCENARIO_READ, .before = STATE_OLD, .run = head, .check = head_is_true},
    {.name = "get", .kind = SCENARIO_READ, .before = STATE_OLD, .run = get, .check = get_is_true},
    {.name = "get_to_a_path", .kind = SCENARIO_READ, .before = STATE_OLD, .run = get_to_a_path, .check = path_is_true},
    {.name = "list", .kind = SCENARIO_READ, .before = STATE_OLD, .run = list, .check = list_is_true},
    {.name = "warm", .kind = SCENARIO_READ, .run = warm},
    {.name = "table_create", .kind = SCENARIO_READ, .run = table_create},
    {.name = "table_check", .kind = SCENARIO_READ, .run = table_check},
    {.name = "table_list", .kind = SCENARIO_READ, .before = STATE_OLD, .run = table_list},
    {.name = "table_release", .kind = SCENARIO_READ, .before = STATE_OLD, .run = table_release},
};
const struct scenarios object_scenarios = {scenarios, sizeof(scenarios) / sizeof(scenarios[0])};
