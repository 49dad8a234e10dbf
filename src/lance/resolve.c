/* SPDX-License-Identifier: Apache-2.0 */
/* V8: rows that are incomplete are completed, as readers of Lance do. A row is never taken back, and what is staged never
 * changes: so whoever completes it writes the same bytes, and it may be done twice, and late. */
#include "lance/lance.h"

#include "base/container.h"
#include "base/error.h"
#include "holding/asking.h"

#include <string.h>

enum { PAUSE_MS = 500, MANIFEST_MAX = 256 << 20 }; /* bytes; those of tables with 100,000 fragments have some 50 MiB */

struct resolving {
    struct append *append;
    struct versions versions;
    uint64_t completed;
    os_code code;
};

static os_code refuse(struct append *append, const struct version_row *row, const char *why)
{
    return error_set(
        &append->error, OS_ERR_PROTOCOL,
        "The row of version %llu of the Lance table \"%.200s\" cannot be completed: %s. `oscommit lance check` "
        "says more.",
        (unsigned long long)row->version, append->prefix, why);
}

/* Only bytes tell whose the version is: a writer that asks for no rows may have made it. *ret_start: only the start of
 * them is there. */
static os_code compare_version(struct append *append, const struct version_row *row, const char *name,
                               const struct buf *bytes, bool *ret_start)
{
    struct buf found;
    os_code code = append_get(append, LANCE_FOLDER, name, MANIFEST_MAX, &found);
    bool fits = found.len <= bytes->len && memcmp(buf_str(&found), buf_str(bytes), found.len) == 0;
    *ret_start = code == OS_OK && fits && found.len < bytes->len;
    if (code == OS_OK && (!fits || *ret_start))
        code = refuse(append, row, "another writer's version is there");
    buf_free(&found);
    return code;
}

static os_code check_version(struct append *append, const struct version_row *row, const char *name)
{
    struct buf staged;
    bool is_start;
    os_code code = append_get(append, LANCE_FOLDER, row->name, MANIFEST_MAX, &staged);
    if (code == OS_OK)
        code = compare_version(append, row, name, &staged, &is_start);
    else if (code == OS_ERR_NOT_FOUND)
        code = OS_OK; /* who removes it has seen that the version is there */
    buf_free(&staged);
    return code;
}

/* The list of versions may be old by now: each request goes out only behind a look. Of a request of ours the store may
 * have kept the start. */
static os_code put_version(struct append *append, const struct version_row *row, const char *name,
                           const struct buf *bytes)
{
    const os_body body = OS_BODY_MEMORY(buf_str(bytes), bytes->len);
    for (bool again = false;; again = true) {
        bool is_start;
        os_code code = compare_version(append, row, name, bytes, &is_start);
        if (code == OS_ERR_NOT_FOUND || (again && is_start))
            code = append_put_once(append, LANCE_FOLDER, name, &body, false);
        if (!append_is_worth_another(code) || !append_pause(append, PAUSE_MS))
            return code;
    }
}

/* The version of the row, under its final name. */
static os_code write_version(struct append *append, const struct version_row *row, const char *name)
{
    struct buf bytes;
    os_code code = append_get(append, LANCE_FOLDER, row->name, MANIFEST_MAX, &bytes);
    if (code == OS_OK && row->has_size && row->size != bytes.len)
        code = refuse(append, row, "its staged manifest has another size than the row says");
    else if (code == OS_OK)
        code = put_version(append, row, name, &bytes);
    buf_free(&bytes);
    if (code == OS_ERR_NOT_FOUND) { /* somebody may have completed it, and removed the staged one, meanwhile */
        code = append_head(append, LANCE_FOLDER, name);
        if (code == OS_ERR_NOT_FOUND)
            code = refuse(append, row, "neither its version nor its staged manifest is there");
    }
    return code;
}

/* If the row still names the staged manifest. Where it does not, somebody else has completed it. */
static os_code update_row(struct append *append, const struct version_row *row, const char *name)
{
    struct item item = {0};
    struct item_condition condition = {0};
    char staged[ROW_PATH_MAX + 1];
    char final[ROW_PATH_MAX + 1];
    const char *base_uri = lance_base_uri(append);
    if (!text_concat(staged, sizeof(staged), base_uri, "/" LANCE_FOLDER, row->name, NULL) ||
        !text_concat(final, sizeof(final), base_uri, "/" LANCE_FOLDER, name, NULL))
        return error_set(&append->error, OS_ERR_ARGUMENT, "The name of the table is too long.");
    const struct item_change change = {ROW_AT_PATH, ITEM_SET, item_text(final)};
    item.values[ROW_AT_BASE_URI] = item_text(base_uri);
    item.values[ROW_AT_VERSION] = item_number(row->version);
    item_require_text(&condition, ROW_AT_PATH, staged);
    struct holding_asking asking = {.client = append->options.log_store,
                                    .request = {.verb = TABLE_UPDATE,
                                                .schema = &row_schema,
                                                .item = &item,
                                                .condition = &condition,
                                                .changes = &change,
                                                .change_count = 1},
                                    .repeats = ASKING_UNTIL_CLEAR,
                                    .name = "request to the manifest store"};
    os_call rest = append_rest_of_call(append);
    return asking_run(&asking, &rest, &append->error);
}

static os_code complete(struct resolving *resolving, const struct version_row *row)
{
    struct append *append = resolving->append;
    const json_t *size = versions_size_of(&resolving->versions, row->version);
    char name[LANCE_NAME_SIZE];
    lance_name_manifest(row->version, name);
    if (row->name[0] == '\0')
        return refuse(append, row, "it names something that is no manifest of that version");
    if (size != NULL && row->has_size && row->size != (uint64_t)json_integer_value(size))
        return refuse(append, row, "another writer's version is there");
    os_code code = size != NULL ? check_version(append, row, name) : write_version(append, row, name);
    if (code == OS_OK)
        code = update_row(append, row, name);
    if (code == OS_OK)
        append_delete(append, LANCE_FOLDER, row->name);
    return code;
}

static int take_row(void *context, const void *given)
{
    struct resolving *resolving = context;
    const struct version_row *row = given;
    if (row->is_complete)
        return 0;
    resolving->code = complete(resolving, row);
    resolving->completed += resolving->code == OS_OK;
    return resolving->code == OS_OK ? 0 : 1;
}

static os_code resolve_all(struct resolving *resolving)
{
    struct append *append = resolving->append;
    if (append->options.log_store == NULL)
        return error_set(&append->error, OS_ERR_CONFIG,
                         "Without a manifest store there are no rows to complete: name it.");
    os_code code = versions_list(append, &resolving->versions);
    if (code == OS_OK) {
        struct append listing = *append; /* its error is not that of the row at which it was stopped */
        code = rows_list(&listing, take_row, resolving);
        if (resolving->code == OS_OK)
            append->error = listing.error;
    }
    versions_free(&resolving->versions);
    return resolving->code != OS_OK ? resolving->code : code;
}

os_code lance_run_resolve(os_client *client, const struct lance_arguments *arguments, os_error *err)
{
    struct append append;
    struct resolving resolving = {.append = &append};
    os_code code = lance_begin(&append, client, arguments);
    if (code == OS_OK) {
        code = resolve_all(&resolving);
        append_end(&append);
    }
    if (code == OS_OK)
        error_clear(&append.error);
    if (err != NULL)
        *err = append.error;
    if (arguments->ret_completed != NULL)
        *arguments->ret_completed = resolving.completed;
    return code;
}
