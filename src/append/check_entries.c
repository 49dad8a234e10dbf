/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a log store beside the log that they are of. */
#include "append/check.h"
#include "append/entries.h"

#include "base/error.h"
#include "holding/asking.h"
#include "holding/listing.h"

#include <string.h>

struct entry_row {
    uint64_t version;
    bool is_complete;
    char temp[ENTRY_TEMP_PATH_MAX + 1];
};

/* The rows come in the order of their file names, and so of their versions. */
struct entry_walk {
    struct check *check;
    bool has_next;
    uint64_t next; /* the version behind the last row */
};

static bool fill_row(void *context, const struct item *item, void *ret)
{
    const struct entry_walk *walk = context;
    struct entry_row *row = ret;
    if (strcmp(item_text_of(item, ENTRY_AT_TABLE_PATH), walk->check->append->table_path) != 0)
        return false;
    row->is_complete = strcmp(item_text_of(item, ENTRY_AT_COMPLETE), ENTRY_COMPLETE) == 0;
    (void)TEXT_COPY_STR_CUT(item_text_of(item, ENTRY_AT_TEMP_PATH), row->temp);
    return delta_log_name_read(text_from(item_text_of(item, ENTRY_AT_FILE_NAME)), &row->version) == DELTA_LOG_COMMIT;
}

static bool tell_without_entry(struct check *check, uint64_t version)
{
    return check_tell(
        check, &(struct check_finding){OS_DELTA_ENTRY_MISSING, version, ""},
        "Version %llu has no entry in the log store, and others before and behind it have: a writer wrote it "
        "that does not use the log store, or took its entry back, or the entry has expired.",
        (unsigned long long)version);
}

static bool tell_row(struct check *check, const struct entry_row *row)
{
    bool has_version = check_has_version(check, row->version);
    bool has_temp = json_object_get(check->temps, row->temp) != NULL;
    unsigned long long version = row->version;
    if (!has_version && (row->is_complete || !has_temp))
        return check_tell(check, &(struct check_finding){OS_DELTA_ENTRY_WITHOUT_VERSION, row->version, row->temp},
                          "The log store has %s entry of version %llu, and that version is not in the log%s.",
                          row->is_complete ? "a complete" : "an incomplete", version,
                          has_temp ? ": its bytes lie in the temp file that it names" : ", nor its temp file");
    if (!row->is_complete)
        return check_tell(check, &(struct check_finding){OS_DELTA_ENTRY_INCOMPLETE, row->version, row->temp},
                          "The entry of version %llu is incomplete%s: the next writer completes it.", version,
                          has_version ? ", and the version is there" : ", and the version is not there yet");
    return true;
}

static int give_row(void *context, const void *given)
{
    struct entry_walk *walk = context;
    struct check *check = walk->check;
    const struct entry_row *row = given;
    size_t end = check_find(check, row->version);
    for (size_t i = check_find(check, walk->next); walk->has_next && i < end && check->code == OS_OK; i++)
        (void)tell_without_entry(check, check_version_at(check, i));
    walk->has_next = true;
    walk->next = row->version + 1;
    bool goes_on = tell_row(check, row);
    if (!row->is_complete || !check_has_version(check, row->version)) /* its version needs it: it is not left */
        (void)json_object_del(check->temps, row->temp);
    return goes_on ? 0 : 1;
}

/* Versions behind the last entry, which every writer of a log store would have given one. */
static void tell_newer(struct entry_walk *walk)
{
    struct check *check = walk->check;
    size_t end = json_array_size(check->versions);
    for (size_t i = check_find(check, walk->next); walk->has_next && i < end && check->code == OS_OK; i++) {
        uint64_t version = check_version_at(check, i);
        (void)check_tell(check, &(struct check_finding){OS_DELTA_ENTRY_MISSING, version, ""},
                         "Version %llu is newer than every entry of the log store: a writer wrote it that does not use "
                         "the log store. Such writers overwrite each other's commits.",
                         (unsigned long long)version);
    }
}

os_code check_entries(struct check *check)
{
    struct append *append = check->append;
    struct entry_walk walk = {.check = check};
    struct holding_listing listing = {.schema = &entry_schema,
                                      .row_size = sizeof(struct entry_row),
                                      .fill = fill_row,
                                      .give = give_row,
                                      .context = &walk,
                                      .partition = append->table_path};
    os_call call = append_rest_of_call(append);
    os_code code = listing_run(&listing, append->options.log_store, &call, &append->error);
    if (check->code != OS_OK)
        return check->code;
    if (code == OS_OK)
        tell_newer(&walk);
    return code == OS_OK ? check->code : code;
}
