/* SPDX-License-Identifier: Apache-2.0 */
#include "append/log_store.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAUSE_MS = 50 };

static os_verdict unknown(struct append *append, const struct log_write *write, const char *what)
{
    char ticket[ENTRY_TABLE_PATH_MAX + 320];
    os_error why = append->error;
    (void)snprintf(ticket, sizeof(ticket),
                   "{\"delta_log_store\":1,\"table\":\"%s\",\"version\":%llu,\"temp\":\"%s\",\"sha256\":\"%s\"}",
                   append->table_path != NULL ? append->table_path : "", (unsigned long long)write->version,
                   write->temp, write->sha256);
    free(append->result.ticket);
    append->result.ticket = text_join(write->ticket != NULL ? write->ticket : ticket, "");
    append->result.version = (int64_t)write->version;
    (void)error_set(&append->error, OS_ERR_UNDECIDED, "%s. Last trouble: %.600s", what,
                    why.message[0] != '\0' ? why.message : "none.");
    return OS_UNKNOWN;
}

static os_verdict committed(struct append *append)
{
    error_clear(&append->error);
    return OS_COMMITTED;
}

static os_verdict lost(struct append *append, const struct log_write *write)
{
    return append_verdict_of(error_set(&append->error, OS_ERR_CONFLICT, "Version %llu is another writer's.",
                                       (unsigned long long)write->version));
}

/* ------------------------------------------------------------------------------------------------------- our entry */

/* The version is there, and now its entry is settled as well: what stands there then stays. */
static os_verdict judge(struct append *append, const struct log_write *write)
{
    switch (log_version_look(append, write->version, write->bytes, write->sha256)) {
    case STANDING_OURS: return committed(append);
    case STANDING_OTHER: return lost(append, write);
    default: break;
    }
    return unknown(append, write, "The version of this commit could not be looked at");
}

/* delta-rs takes back whatever entry is incomplete when a request of its own has failed, also ours. */
static os_code restore_entry(struct append *append, const struct log_write *write, struct entry_written *written)
{
    os_code code = OS_OK;
    if (!written->entry.found)
        code = entry_put(append, write->version, write->temp, true, written);
    if (code == OS_OK && !written->done && written->entry.found)
        code = log_version_repair(append, write->version, &written->entry);
    return code;
}

/* D5 and D6. `is_ours`: our bytes were there a moment ago. */
static os_verdict conclude(struct append *append, const struct log_write *write, bool is_ours)
{
    struct entry_written written;
    if (is_ours)
        append_delete(append, DELTA_LOG_FOLDER, write->temp);
    os_code code = entry_complete(append, write->version, write->temp, &written);
    if (is_ours && (code != OS_OK || written.done))
        return committed(append); /* a failure is for the next writer, who repairs */
    if (code == OS_OK && !written.done)
        code = restore_entry(append, write, &written);
    return code == OS_OK ? judge(append, write)
                         : unknown(append, write,
                                   "Another writer, which does not use the log store, wrote the version of this "
                                   "commit, or took its entry");
}

/* D4. The entry is ours: the version is, unless somebody wrote it who does not ask the log store. */
static os_verdict publish(struct append *append, const struct log_write *write)
{
    static const char could_not[] = "The entry of this commit stands in the log store, and its version could not be "
                                    "made; the next writer makes it";
    for (;;) {
        enum standing standing = log_version_look(append, write->version, write->bytes, NULL);
        bool is_written = false;
        if (standing == STANDING_UNCLEAR)
            return unknown(append, write, could_not);
        if (standing == STANDING_OURS || standing == STANDING_OTHER)
            return conclude(append, write, standing == STANDING_OURS);
        os_code code = log_version_write(append, write->version, write->bytes, NULL, standing, &is_written);
        if (is_written)
            return conclude(append, write, true);
        if (code != OS_ERR_CONFLICT || !append_pause(append, PAUSE_MS))
            return unknown(append, write, could_not);
    }
}

/* ------------------------------------------------------------------------------------------------------ the commit */

/* D2: the version before has its entry completed, so that at most the last one of a log is incomplete. */
static os_code finish_last(struct append *append, uint64_t version)
{
    return version > 0 ? log_version_finish(append, version - 1) : OS_OK;
}

static os_verdict not_done(struct append *append, const struct log_write *write)
{
    return write->is_named ? unknown(append, write, "Nothing says whether the entry of this commit was written")
                           : OS_NOT_EXECUTED;
}

/* D3. False: the verdict is there. Else another's entry stood in the way, and its version is there, or free again. */
static bool enter(struct append *append, struct log_write *write, os_verdict *ret)
{
    struct entry_written written = {0};
    os_code code = finish_last(append, write->version);
    if (code == OS_OK)
        code = entry_put(append, write->version, write->temp, false, &written);
    write->is_named = write->is_named || written.done || written.maybe;
    if (code == OS_OK && !written.done && written.entry.found)
        code = log_version_repair(append, write->version, &written.entry);
    if (code == OS_OK && !written.done)
        return true;
    *ret = code == OS_OK ? publish(append, write) : not_done(append, write);
    return false;
}

os_verdict log_store_commit(struct append *append, struct log_write *write)
{
    for (bool again = false;; again = true) {
        os_verdict verdict = OS_NOT_EXECUTED;
        enum standing standing = log_version_look(append, write->version, write->bytes, NULL); /* D2 */
        if (standing == STANDING_OURS) /* made for an entry whose answer was lost */
            return conclude(append, write, true);
        if (standing == STANDING_OTHER || (standing == STANDING_TORN && !write->is_named))
            return lost(append, write);
        if (standing == STANDING_UNCLEAR)
            return not_done(append, write);
        if (again && !append_pause(append, PAUSE_MS)) {
            (void)error_set(&append->error, OS_ERR_DEADLINE,
                            "The time for the commit is over, or it was cancelled, and other writers still take their "
                            "entries of version %llu back.",
                            (unsigned long long)write->version);
            return not_done(append, write);
        }
        if (!enter(append, write, &verdict))
            return verdict;
    }
}

/* --------------------------------------------------------------------------------------------------------- resolve */

/* Of our own making: it goes into a ticket again as it stands. */
static bool is_own_temp(const char *name)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._";
    return name != NULL && delta_log_is_temp(name) && strspn(name, plain) == strlen(name);
}

static bool take_hex(const char *text, char ret[LOG_SHA256_SIZE])
{
    return text != NULL && strlen(text) == LOG_SHA256_SIZE - 1 && strspn(text, "0123456789abcdef") == strlen(text) &&
           text_copy(text_from(text), ret, LOG_SHA256_SIZE);
}

bool log_store_take_ticket(const char *ticket, struct log_write *ret)
{
    json_t *json = json_loads(ticket, JSON_REJECT_DUPLICATES, NULL);
    const json_t *version = json_object_get(json, "version");
    const char *table = json_string_value(json_object_get(json, "table"));
    const char *temp = json_string_value(json_object_get(json, "temp"));
    memset(ret, 0, sizeof(*ret));
    bool good = json_is_integer(json_object_get(json, "delta_log_store")) && json_is_integer(version) &&
                json_integer_value(version) >= 0 && table != NULL &&
                text_copy(text_from(table), ret->table, sizeof(ret->table)) && is_own_temp(temp) &&
                text_copy(text_from(temp), ret->temp, sizeof(ret->temp)) &&
                take_hex(json_string_value(json_object_get(json, "sha256")), ret->sha256);
    if (good)
        ret->version = (uint64_t)json_integer_value(version);
    ret->ticket = ticket;
    json_decref(json);
    return good;
}

/* What stands there is the start of what lies in the temp file; true as well if nobody can say. A repair that has deleted
 * that file has written the version whole before, perhaps behind the look at it. */
static bool may_be_torn(struct append *append, const struct log_write *write)
{
    struct buf bytes;
    os_code code = append_get(append, DELTA_LOG_FOLDER, write->temp, DELTA_COMMIT_MAX, &bytes);
    enum standing standing = STANDING_UNCLEAR;
    if (code == OS_OK)
        standing = log_version_look(append, write->version, &bytes, NULL);
    if (code == OS_ERR_NOT_FOUND)
        standing = log_version_look(append, write->version, NULL, write->sha256);
    buf_free(&bytes);
    return standing != STANDING_OTHER;
}

/* Its entry is settled, or gone, as it expired, or was never written. */
static os_verdict resolve_by_bytes(struct append *append, const struct log_write *write)
{
    static const char none[] = "The log store has no entry of this commit now; it may still come, or have been removed";
    static const char torn[] =
        "The version of this commit may be the start of its bytes, and nobody mends it by itself";
    enum standing standing = log_version_look(append, write->version, NULL, write->sha256);
    if (standing == STANDING_OURS)
        return committed(append);
    if (standing != STANDING_OTHER)
        return unknown(append, write, none);
    return may_be_torn(append, write) ? unknown(append, write, torn) : lost(append, write);
}

os_verdict log_store_resolve(struct append *append, const struct log_write *write)
{
    struct log_entry entry;
    if (append->options.log_store == NULL) {
        (void)error_set(&append->error, OS_ERR_CONFIG, "The ticket is of a commit through a log store: name it.");
        return unknown(append, write, "The ticket was not looked at");
    }
    if (strcmp(append->table_path, write->table) != 0)
        return unknown(append, write, "The ticket is of a commit to another table, which it names: name that one");
    if (entry_read(append, write->version, &entry) != OS_OK)
        return unknown(append, write, "The log store could not be asked");
    if (entry.found && log_version_repair(append, write->version, &entry) != OS_OK)
        return unknown(append, write, "An entry of this version stands, and the version could not be made");
    os_verdict verdict = resolve_by_bytes(append, write);
    if (verdict == OS_COMMITTED)
        append->result.version = (int64_t)write->version;
    return verdict;
}
