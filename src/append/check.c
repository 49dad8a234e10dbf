/* SPDX-License-Identifier: Apache-2.0 */
#include "append/check.h"

#include "base/error.h"
#include "plain/plain.h"

#include <stdlib.h>
#include <string.h>

static void no_memory(struct check *check)
{
    if (check->code == OS_OK)
        check->code = error_no_memory(&check->append->error);
}

static void put_name(struct check *check, json_t *names, const char *name, json_int_t number)
{
    if (json_object_set_new(names, name, json_integer(number)) != 0)
        no_memory(check);
}

/* ---------------------------------------------------------------------------------------------------------- listing */

static void note_version(struct check *check, uint64_t version)
{
    if (json_array_append_new(check->versions, json_integer((json_int_t)version)) != 0)
        no_memory(check);
}

static void note_log_object(struct check *check, const char *name)
{
    uint64_t version = 0;
    switch (delta_log_name_read(text_from(name), &version)) {
    case DELTA_LOG_COMMIT: note_version(check, version); break;
    case DELTA_LOG_CHECKPOINT: check->checkpoint = version; break;
    case DELTA_LOG_TEMP: put_name(check, check->temps, name, 1); break;
    case DELTA_LOG_OTHER: break;
    }
}

static int note_object(void *context, const os_object *object)
{
    struct check *check = context;
    const char *name = object->key + strlen(check->append->prefix);
    if (strncmp(name, DELTA_LOG_FOLDER, strlen(DELTA_LOG_FOLDER)) == 0)
        note_log_object(check, name + strlen(DELTA_LOG_FOLDER));
    else
        put_name(check, check->objects, name, 1);
    return check->code == OS_OK ? 0 : 1;
}

static os_code list_table(struct check *check)
{
    struct append *append = check->append;
    os_call call = append_rest_of_call(append);
    os_list_options options = OS_LIST_OPTIONS_INIT;
    options.prefix = append->prefix;
    const struct plain_arguments list = {
        .list_options = &options, .each_object = note_object, .each_context = check, .call = &call};
    os_code code = plain_call(append->client, &list, plain_list, &append->error);
    return check->code != OS_OK ? check->code : code;
}

/* ---------------------------------------------------------------------------------------------------------- versions */

static void take_add(void *context, const char *path)
{
    struct check *check = context;
    const json_t *before = json_object_get(check->files, path);
    if (before != NULL)
        (void)check_tell(
            check, &(struct check_finding){OS_DELTA_FILE_TWICE, check->reading, path},
            "The data file \"%.300s\" is added by version %lld and again by version %llu. Delta counts it once; "
            "other logs would not.",
            path, (long long)json_integer_value(before), (unsigned long long)check->reading);
    put_name(check, check->files, path, (json_int_t)check->reading);
}

static void take_remove(void *context, const char *path)
{
    struct check *check = context;
    (void)json_object_del(check->files, path);
}

static os_code read_version(struct check *check, uint64_t version)
{
    struct append *append = check->append;
    const struct delta_reading reading = {.add = take_add, .remove = take_remove, .context = check};
    struct delta_actions actions;
    check->reading = version;
    os_code code = snapshot_read_version(append, version, &reading, &actions);
    delta_actions_clear(&actions);
    if (code == OS_ERR_PROTOCOL || code == OS_ERR_TOO_LARGE) {
        os_error why = append->error;
        (void)check_tell(check, &(struct check_finding){OS_DELTA_VERSION_UNREADABLE, version, ""}, "%.900s",
                         why.message);
        return check->code;
    }
    return code == OS_OK ? check->code : code;
}

/* As one, since there may be any number: a name of the log is anybody's to choose. */
static void tell_missing(struct check *check, uint64_t first, uint64_t last)
{
    const struct check_finding finding = {OS_DELTA_VERSION_MISSING, first, ""};
    if (first == last)
        (void)check_tell(
            check, &finding,
            "Version %llu is not in the log, and later ones are: no reader gets beyond the version before it.",
            (unsigned long long)first);
    else
        (void)check_tell(
            check, &finding,
            "Versions %llu to %llu are not in the log, and later ones are: no reader gets beyond the version before "
            "them.",
            (unsigned long long)first, (unsigned long long)last);
}

/* Those before the first may have been removed behind a checkpoint. */
static os_code read_versions(struct check *check)
{
    os_code code = check->code;
    uint64_t first = check_version_at(check, 0);
    bool is_cut = check->checkpoint != CHECK_NO_VERSION && check->checkpoint + 1 >= first;
    uint64_t next = is_cut ? first : 0;
    for (size_t i = 0; i < json_array_size(check->versions) && code == OS_OK; i++) {
        uint64_t version = check_version_at(check, i);
        if (version > next)
            tell_missing(check, next, version - 1);
        code = check->code == OS_OK ? read_version(check, version) : check->code;
        next = version + 1;
    }
    return code;
}

/* -------------------------------------------------------------------------------------------------------- data files */

/* A path is a URI reference; one with a scheme lies elsewhere. */
static bool is_there(const struct check *check, const char *path)
{
    struct buf name;
    bool found = strstr(path, "://") != NULL;
    buf_init(&name, 8192);
    if (text_percent_decode(&name, text_from(path)))
        found = found || json_object_get(check->objects, buf_str(&name)) != NULL;
    buf_free(&name);
    return found;
}

static os_code check_files(struct check *check)
{
    const char *path;
    json_t *version;
    json_object_foreach(check->files, path, version)
    {
        if (!is_there(check, path) &&
            !check_tell(check,
                        &(struct check_finding){OS_DELTA_FILE_MISSING, (uint64_t)json_integer_value(version), path},
                        "The data file \"%.300s\" of version %lld is not there: the table cannot be read.", path,
                        (long long)json_integer_value(version)))
            break;
    }
    return check->code;
}

static os_code check_temps(struct check *check)
{
    const char *name;
    json_t *value;
    json_object_foreach(check->temps, name, value)
    {
        (void)value;
        if (!check_tell(check, &(struct check_finding){OS_DELTA_TEMP_LEFT, CHECK_NO_VERSION, name},
                        "The temp file \"%.300s\" is left in the log. If no commit is under way, it can be deleted.",
                        name))
            break;
    }
    return check->code;
}

/* --------------------------------------------------------------------------------------------------------------- all */

static os_code check_all(struct check *check)
{
    os_code code = list_table(check);
    if (code == OS_OK && json_array_size(check->versions) == 0 && check->checkpoint == CHECK_NO_VERSION)
        code = error_set(&check->append->error, OS_ERR_NOT_FOUND, "There is no Delta table at \"%.300s\".",
                         check->append->prefix);
    if (code == OS_OK)
        code = read_versions(check);
    if (code == OS_OK)
        code = check_files(check);
    if (code == OS_OK && check->append->options.log_store != NULL)
        code = check_entries(check);
    return code == OS_OK ? check_temps(check) : code;
}

static os_code check_begun(struct append *append, const struct check_arguments *arguments)
{
    struct check check = {.append = append,
                          .arguments = arguments,
                          .versions = json_array(),
                          .temps = json_object(),
                          .objects = json_object(),
                          .files = json_object(),
                          .checkpoint = CHECK_NO_VERSION};
    bool has_memory = check.versions != NULL && check.temps != NULL && check.objects != NULL && check.files != NULL;
    os_code code = has_memory ? check_all(&check) : error_no_memory(&append->error);
    json_decref(check.versions);
    json_decref(check.temps);
    json_decref(check.objects);
    json_decref(check.files);
    return code;
}

os_code append_run_check(os_client *client, const struct append_arguments *arguments,
                         const struct check_arguments *check, os_error *err)
{
    struct append append;
    if (check->each == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_delta_check needs a callback that receives the findings.");
    os_code code = append_begin(&append, client, arguments);
    if (code == OS_OK) {
        code = check_begun(&append, check);
        append_end(&append);
    }
    if (code == OS_OK)
        error_clear(&append.error);
    if (err != NULL)
        *err = append.error;
    return code;
}
