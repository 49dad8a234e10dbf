/* SPDX-License-Identifier: Apache-2.0 */
#include "append/log_version.h"

#include "base/error.h"

#include <string.h>

enum { WAIT_LEAST_MS = 25, WAIT_MOST_MS = 400, REPEAT_MOST_MS = 2000, PATIENCE_MS = 2000 };

/* A store that keeps what came of a PUT that broke off has the start of the bytes: the number is as it was, not another's. */
static enum standing compare_bytes(const struct buf *found, const struct buf *bytes)
{
    if (found->len > bytes->len || memcmp(buf_str(found), buf_str(bytes), found->len) != 0)
        return STANDING_OTHER;
    return found->len == bytes->len ? STANDING_OURS : STANDING_TORN;
}

static enum standing compare_sha256(struct append *append, const struct buf *found, const char *sha256)
{
    char found_sha256[LOG_SHA256_SIZE];
    if (!sha256_hex(buf_str(found), found->len, found_sha256)) {
        (void)error_no_memory(&append->error);
        return STANDING_UNCLEAR;
    }
    return strcmp(found_sha256, sha256) == 0 ? STANDING_OURS : STANDING_OTHER;
}

enum standing log_version_look(struct append *append, uint64_t version, const struct buf *bytes, const char *sha256)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    struct buf found;
    enum standing standing = STANDING_UNCLEAR;
    delta_log_name_commit(version, file_name);
    os_code code = append_get(append, DELTA_LOG_FOLDER, file_name, DELTA_COMMIT_MAX, &found);
    if (code == OS_ERR_NOT_FOUND)
        standing = STANDING_NOTHING;
    if (code == OS_ERR_TOO_LARGE)
        standing = STANDING_OTHER;
    if (code == OS_OK)
        standing = bytes != NULL ? compare_bytes(&found, bytes) : compare_sha256(append, &found, sha256);
    buf_free(&found);
    return standing;
}

/* ----------------------------------------------------------------------------------------------------------- write */

/* A request that was given up may arrive late, when another's version is there. */
static bool enforces_absence(const struct append *append)
{
    struct write_plan_rules rules;
    client_write_plan_rules(append->client, &rules);
    return write_plan_creates_only(&rules);
}

/* It may be gone, or another's by now: delta-rs takes entries of its own back. */
static os_code stands(struct append *append, uint64_t version, const struct log_entry *entry, bool *ret)
{
    struct log_entry now;
    os_code code = entry_read(append, version, &now);
    *ret = code == OS_OK && now.found && strcmp(now.temp, entry->temp) == 0;
    return code;
}

os_code log_version_write(struct append *append, uint64_t version, const struct buf *bytes,
                          const struct log_entry *named_by, enum standing standing, bool *ret_written)
{
    const os_body body = OS_BODY_MEMORY(buf_str(bytes), bytes->len);
    char file_name[DELTA_FILE_NAME_SIZE];
    bool if_absent = standing == STANDING_NOTHING && enforces_absence(append);
    uint64_t wait_ms = WAIT_LEAST_MS;
    delta_log_name_commit(version, file_name);
    for (;;) {
        bool may = true;
        os_code code = named_by != NULL ? stands(append, version, named_by, &may) : OS_OK;
        *ret_written = false;
        if (code != OS_OK || !may)
            return code;
        code = append_put_once(append, DELTA_LOG_FOLDER, file_name, &body, if_absent);
        *ret_written = code == OS_OK;
        if (!append_is_worth_another(code) || !append_pause(append, wait_ms))
            return code;
        if (!if_absent && log_version_look(append, version, bytes, NULL) != standing)
            return OS_ERR_CONFLICT;
        wait_ms = wait_ms * 2 < REPEAT_MOST_MS ? wait_ms * 2 : REPEAT_MOST_MS;
    }
}

/* ---------------------------------------------------------------------------------------------------------- repair */

static os_code refuse_lost(struct append *append, uint64_t version, const struct log_entry *entry)
{
    return error_set(&append->error, OS_ERR_PROTOCOL,
                     "The log store has an entry of version %llu of the table \"%.200s\" that is %s, and neither that "
                     "version nor its temp file \"%.200s\" is there. `oscommit delta check` says more.",
                     (unsigned long long)version, append->prefix, entry->is_complete ? "complete" : "incomplete",
                     entry->temp);
}

/* delta-rs 1.6.0 takes a version that somebody has made for it for lost, if its temp file is still there, and commits once
 * more. So whoever is alive is left alone. */
static os_code wait_for_writer(struct append *append, uint64_t version, struct log_entry *entry)
{
    const struct log_entry first = *entry;
    uint64_t wait_ms = WAIT_LEAST_MS;
    os_code code = OS_OK;
    for (uint64_t waited_ms = 0; code == OS_OK && entry->found && !entry->is_complete && waited_ms < PATIENCE_MS;) {
        if (strcmp(entry->temp, first.temp) != 0 || !append_pause(append, wait_ms))
            break;
        waited_ms += wait_ms;
        wait_ms = wait_ms * 2 < WAIT_MOST_MS ? wait_ms * 2 : WAIT_MOST_MS;
        code = entry_read(append, version, entry);
    }
    return code;
}

/* Whatever stands there is the version from now on. */
static os_code complete(struct append *append, uint64_t version, const struct log_entry *entry)
{
    struct entry_written written;
    return entry->is_complete ? OS_OK : entry_complete(append, version, entry->temp, &written);
}

/* *ret_standing: what stands there then. */
static os_code make_version(struct append *append, uint64_t version, const struct log_entry *entry,
                            const struct buf *bytes, enum standing *ret_standing)
{
    for (;;) {
        bool is_written = false;
        *ret_standing = log_version_look(append, version, bytes, NULL);
        if (*ret_standing == STANDING_UNCLEAR)
            return append->error.code;
        if (*ret_standing == STANDING_OURS || *ret_standing == STANDING_OTHER)
            return OS_OK;
        os_code code = log_version_write(append, version, bytes, entry, *ret_standing, &is_written);
        if (is_written)
            *ret_standing = STANDING_OURS;
        if (code != OS_ERR_CONFLICT)
            return code;
        if (!append_pause(append, WAIT_LEAST_MS))
            return error_set(&append->error, OS_ERR_DEADLINE,
                             "The time for the call is over, or it was cancelled, and version %llu, which has an entry "
                             "in the log store, is not made yet.",
                             (unsigned long long)version);
    }
}

/* The temp file goes first, so that a writer which comes too late finds that its work is done. Where another's bytes
 * stand there it stays: its writer must not take them for its own. */
static os_code repair_with(struct append *append, uint64_t version, const struct log_entry *entry,
                           const struct buf *bytes)
{
    enum standing standing = STANDING_UNCLEAR;
    os_code code = make_version(append, version, entry, bytes, &standing);
    if (code != OS_OK || (standing != STANDING_OURS && standing != STANDING_OTHER))
        return code;
    if (standing == STANDING_OURS)
        append_delete(append, DELTA_LOG_FOLDER, entry->temp);
    return complete(append, version, entry);
}

/* Its writer, or a repair, has made the version: else the bytes are lost. */
static os_code repair_without(struct append *append, uint64_t version, const struct log_entry *entry)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    bool is_still = false;
    delta_log_name_commit(version, file_name);
    os_code code = append_head(append, DELTA_LOG_FOLDER, file_name);
    if (code == OS_OK)
        return complete(append, version, entry);
    if (code != OS_ERR_NOT_FOUND)
        return code;
    code = stands(append, version, entry, &is_still);
    return is_still ? refuse_lost(append, version, entry) : code;
}

static os_code repair(struct append *append, uint64_t version, const struct log_entry *entry)
{
    struct buf bytes;
    if (!delta_log_is_temp(entry->temp))
        return error_set(&append->error, OS_ERR_PROTOCOL,
                         "The log store's entry of version %llu names \"%.200s\", which is no temp file of a log.",
                         (unsigned long long)version, entry->temp);
    os_code code = append_get(append, DELTA_LOG_FOLDER, entry->temp, DELTA_COMMIT_MAX, &bytes);
    if (code == OS_OK)
        code = repair_with(append, version, entry, &bytes);
    else if (code == OS_ERR_NOT_FOUND)
        code = repair_without(append, version, entry);
    buf_free(&bytes);
    return code;
}

os_code log_version_repair(struct append *append, uint64_t version, const struct log_entry *entry)
{
    struct log_entry now = *entry;
    char file_name[DELTA_FILE_NAME_SIZE];
    os_code code = wait_for_writer(append, version, &now);
    if (code != OS_OK || !now.found || strcmp(now.temp, entry->temp) != 0)
        return code;
    delta_log_name_commit(version, file_name);
    code = now.is_complete ? append_head(append, DELTA_LOG_FOLDER, file_name) : OS_ERR_NOT_FOUND;
    return code == OS_ERR_NOT_FOUND ? repair(append, version, &now) : code;
}

os_code log_version_finish(struct append *append, uint64_t version)
{
    struct log_entry entry = {0};
    if (append->options.log_store == NULL || (append->has_finished && append->finished == version))
        return OS_OK;
    os_code code = entry_read(append, version, &entry);
    if (code == OS_OK && entry.found && !entry.is_complete)
        return log_version_repair(append, version, &entry);
    if (code == OS_OK && entry.found) {
        append->has_finished = true;
        append->finished = version;
    }
    return code;
}
