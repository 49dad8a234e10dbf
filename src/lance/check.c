/* SPDX-License-Identifier: Apache-2.0 */
/* What writers have left of a table: its manifests beside its rows. */
#include "lance/lance.h"

#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>

struct check {
    struct append *append;
    const struct lance_arguments *arguments;
    struct versions versions;
    json_t *rows; /* own: of each row, by its version in decimal */
    uint64_t oldest_row;
    uint64_t newest_row;
    os_code code; /* OS_ERR_STOPPED: the caller's function said so */
};

struct found {
    os_lance_finding_kind kind;
    uint64_t version;
    const char *name;
};

static void tell(struct check *check, const struct found *found, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static void tell(struct check *check, const struct found *found, const char *format, ...)
{
    char sentence[1024];
    va_list args;
    if (check->code != OS_OK)
        return;
    va_start(args, format);
    (void)vsnprintf(sentence, sizeof(sentence), format, args);
    va_end(args);
    const os_lance_finding finding = {sizeof(finding), found->kind, found->version, found->name, sentence};
    if (check->arguments->each(check->arguments->context, &finding) != 0)
        check->code = error_set(&check->append->error, OS_ERR_STOPPED, "The caller's callback stopped the check.");
}

/* ------------------------------------------------------------------------------------------------------------ rows */

static void tell_incomplete(struct check *check, const struct version_row *row, bool has_version)
{
    unsigned long long version = row->version;
    bool has_staged = json_object_get(check->versions.staged, row->name) != NULL;
    if (!has_version && !has_staged)
        tell(check, &(struct found){OS_LANCE_ROW_WITHOUT_VERSION, row->version, row->name},
             "The row of version %llu is incomplete, and neither that version nor its staged manifest is there: nobody "
             "can open the table by its rows. If no writer is at work, delete the row.",
             version);
    else
        tell(
            check, &(struct found){OS_LANCE_ROW_INCOMPLETE, row->version, row->name},
            "The row of version %llu is incomplete%s: the next reader completes it, and `oscommit lance resolve` does.",
            version, has_version ? ", and the version is there" : ", and the version is not there yet");
}

/* Old versions are cleaned up, and their rows are left: that is in order. */
static void tell_complete(struct check *check, const struct version_row *row, const json_t *size)
{
    unsigned long long version = row->version;
    if (size == NULL && row->version > check->versions.newest)
        tell(check, &(struct found){OS_LANCE_ROW_WITHOUT_VERSION, row->version, row->name},
             "The row of version %llu is complete, and that version and all later ones are gone: somebody has deleted "
             "it, or it is in another bucket, whose tables have the same names.",
             version);
    if (size != NULL && row->has_size && row->size != (uint64_t)json_integer_value(size))
        tell(check, &(struct found){OS_LANCE_SIZE_DIFFERS, row->version, row->name},
             "Version %llu has %lld bytes, and its row says %llu: a writer that does not ask the rows has overwritten "
             "it, or the table has the same name in another bucket.",
             version, (long long)json_integer_value(size), (unsigned long long)row->size);
}

static int look_at_row(void *context, const void *given)
{
    struct check *check = context;
    const struct version_row *row = given;
    const json_t *size = versions_size_of(&check->versions, row->version);
    char number[TEXT_NUMBER_SIZE];
    text_number(row->version, number);
    if (json_object_set_new(check->rows, number, json_true()) != 0)
        check->code = error_no_memory(&check->append->error);
    check->oldest_row = check->oldest_row == 0 || row->version < check->oldest_row ? row->version : check->oldest_row;
    check->newest_row = row->version > check->newest_row ? row->version : check->newest_row;
    if (row->is_complete)
        tell_complete(check, row, size);
    else if (row->name[0] == '\0')
        tell(check, &(struct found){OS_LANCE_ROW_WITHOUT_VERSION, row->version, ""},
             "The row of version %llu names something that is no manifest of that version.",
             (unsigned long long)row->version);
    else
        tell_incomplete(check, row, size != NULL);
    if (!row->is_complete) /* its version needs it: it is not left */
        (void)json_object_del(check->versions.staged, row->name);
    return check->code == OS_OK ? 0 : 1;
}

static void tell_without_row(struct check *check)
{
    const char *number;
    json_t *size;
    json_object_foreach(check->versions.sizes, number, size)
    {
        uint64_t version = 0;
        (void)size;
        if (json_object_get(check->rows, number) != NULL || !text_parse_u64(text_from(number), &version) ||
            version < check->oldest_row)
            continue;
        tell(check, &(struct found){OS_LANCE_ROW_MISSING, version, ""},
             version > check->newest_row
                 ? "Version %llu is newer than every row: a writer wrote it that does not ask the "
                   "rows. Such writers overwrite each other's versions."
                 : "Version %llu has no row, and older and newer ones have: a writer wrote it "
                   "that does not ask the rows.",
             (unsigned long long)version);
    }
}

static os_code check_rows(struct check *check)
{
    os_code code = rows_list(check->append, look_at_row, check);
    if (check->code == OS_OK && code == OS_OK && check->newest_row > 0)
        tell_without_row(check);
    return check->code != OS_OK ? check->code : code;
}

/* ------------------------------------------------------------------------------------------------------------- all */

static void tell_names(struct check *check)
{
    const char *name;
    json_t *version;
    if (check->versions.old_version > 0)
        tell(
            check, &(struct found){OS_LANCE_FIRST_SCHEME, check->versions.old_version, ""},
            "Version %llu has a name of the first scheme. Change such names by migrate_manifest_paths_v2() of pylance, "
            "while nobody writes.",
            (unsigned long long)check->versions.old_version);
    json_object_foreach(check->versions.staged, name, version)
    {
        tell(check, &(struct found){OS_LANCE_STAGED_LEFT, (uint64_t)json_integer_value(version), name},
             "The staged manifest \"%.200s\" is left. If no commit is under way, and none is unknown, it can be "
             "deleted.",
             name);
    }
}

static os_code check_all(struct check *check)
{
    os_code code = versions_list(check->append, &check->versions);
    check->rows = json_object();
    if (code == OS_OK && check->rows == NULL)
        code = error_no_memory(&check->append->error);
    if (code == OS_OK && check->append->options.log_store != NULL)
        code = check_rows(check);
    if (code == OS_OK)
        tell_names(check);
    json_decref(check->rows);
    versions_free(&check->versions);
    return code == OS_OK ? check->code : code;
}

os_code lance_run_check(os_client *client, const struct lance_arguments *arguments, os_error *err)
{
    struct append append;
    struct check check = {.append = &append, .arguments = arguments};
    if (arguments->each == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "os_lance_check needs a callback that receives the findings.");
    os_code code = lance_begin(&append, client, arguments);
    if (code == OS_OK) {
        code = check_all(&check);
        append_end(&append);
    }
    if (code == OS_OK)
        error_clear(&append.error);
    if (err != NULL)
        *err = append.error;
    return code;
}
