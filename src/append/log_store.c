/* SPDX-License-Identifier: Apache-2.0 */
#include "append/log_store.h"

#include "base/container.h"
#include "base/error.h"
#include "holding/asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One request to the table of entries. */
struct entry_call {
    struct holding_asking asking;
    struct item item; /* its key, or all of it */
    struct item_condition condition;
    struct item_change changes[2];
    char file_name[DELTA_FILE_NAME_SIZE];
    struct log_entry entry; /* of the answer */
    bool maybe;             /* a request before the last may have been done */
};

static void take_entry(void *context, const struct item *item)
{
    struct entry_call *call = context;
    call->entry.found = true;
    call->entry.is_complete = strcmp(item_text_of(item, ENTRY_AT_COMPLETE), ENTRY_COMPLETE) == 0;
    (void)TEXT_COPY_STR_CUT(item_text_of(item, ENTRY_AT_TEMP_PATH), call->entry.temp);
}

static void begin_to_ask_again(void *context)
{
    struct entry_call *call = context;
    call->maybe = call->maybe || call->asking.outcome == TABLE_AMBIGUOUS;
    call->entry.found = false;
}

static void prepare(struct append *append, uint64_t version, enum table_verb verb, struct entry_call *ret)
{
    memset(ret, 0, sizeof(*ret));
    delta_log_name_commit(version, ret->file_name);
    ret->item.values[ENTRY_AT_TABLE_PATH] = item_text(append->table_path);
    ret->item.values[ENTRY_AT_FILE_NAME] = item_text(ret->file_name);
    ret->asking.client = append->options.log_store;
    ret->asking.request = (struct table_request){.verb = verb, .schema = &entry_schema, .item = &ret->item};
    ret->asking.repeats = ASKING_UNTIL_CLEAR;
    ret->asking.name = "request to the log store";
    ret->asking.take = take_entry;
    ret->asking.restart = begin_to_ask_again;
    ret->asking.context = ret;
}

static os_code ask(struct append *append, struct entry_call *call)
{
    os_call rest = append_rest_of_call(append);
    os_code code = asking_run(&call->asking, &rest, &append->error);
    call->maybe = call->maybe || call->asking.outcome == TABLE_AMBIGUOUS;
    return code;
}

os_code log_store_read(struct append *append, uint64_t version, struct log_entry *ret)
{
    struct entry_call call;
    prepare(append, version, TABLE_GET, &call);
    os_code code = ask(append, &call);
    *ret = call.entry;
    return code;
}

/* D3. *ret_entry is what stands there instead. */
static os_verdict put_entry(struct append *append, uint64_t version, const char *temp, struct log_entry *ret_entry)
{
    struct entry_call call;
    prepare(append, version, TABLE_PUT, &call);
    call.item.values[ENTRY_AT_TEMP_PATH] = item_text(temp);
    call.item.values[ENTRY_AT_COMPLETE] = item_text(ENTRY_INCOMPLETE);
    item_require_absent(&call.condition, ENTRY_AT_TABLE_PATH);
    item_require_absent(&call.condition, ENTRY_AT_FILE_NAME);
    call.asking.request.condition = &call.condition;
    os_code code = ask(append, &call);
    *ret_entry = call.entry;
    if (code == OS_OK && call.asking.outcome == TABLE_OK)
        return OS_COMMITTED;
    if (code == OS_OK && call.asking.outcome == TABLE_CONFLICT_BLIND)
        code = log_store_read(append, version, ret_entry);
    if (code != OS_OK)
        return call.maybe ? OS_UNKNOWN : OS_NOT_EXECUTED;
    return ret_entry->found && strcmp(ret_entry->temp, temp) == 0 ? OS_COMMITTED : OS_CONFLICT;
}

/* D5. Who has written the version may leave a failure to the next writer, who repairs. */
static os_code complete_entry(struct append *append, uint64_t version, const char *temp)
{
    struct entry_call call;
    prepare(append, version, TABLE_UPDATE, &call);
    item_require_text(&call.condition, ENTRY_AT_COMPLETE, ENTRY_INCOMPLETE);
    item_require_text(&call.condition, ENTRY_AT_TEMP_PATH, temp);
    call.changes[0] = (struct item_change){ENTRY_AT_COMPLETE, ITEM_SET, item_text(ENTRY_COMPLETE)};
    call.changes[1] = (struct item_change){ENTRY_AT_EXPIRE_TIME, ITEM_SET, item_number(append_now_s() + ENTRY_KEPT_S)};
    call.asking.request.condition = &call.condition;
    call.asking.request.changes = call.changes;
    call.asking.request.change_count = 2;
    return ask(append, &call);
}

/* D4. An entry that names a version which another, outside of the log store, has written must not become it. */
static os_code delete_entry(struct append *append, uint64_t version, const char *temp)
{
    struct entry_call call;
    prepare(append, version, TABLE_DELETE, &call);
    item_require_text(&call.condition, ENTRY_AT_COMPLETE, ENTRY_INCOMPLETE);
    item_require_text(&call.condition, ENTRY_AT_TEMP_PATH, temp);
    call.asking.request.condition = &call.condition;
    os_code code = ask(append, &call);
    return code == OS_OK && call.asking.outcome != TABLE_OK && call.entry.found ? OS_ERR_UNDECIDED : code;
}

/* ------------------------------------------------------------------------------------------------------- the file */

enum standing { STANDING_NOTHING = 1, STANDING_OURS, STANDING_OTHER, STANDING_UNCLEAR, STANDING_NO_TEMP };

/* What stands under the name of a version. */
static enum standing look_at(struct append *append, const char *file_name, const struct buf *bytes)
{
    struct buf found;
    enum standing standing = STANDING_UNCLEAR;
    os_code code = append_get(append, DELTA_LOG_FOLDER, file_name, DELTA_COMMIT_MAX, &found);
    if (code == OS_ERR_NOT_FOUND)
        standing = STANDING_NOTHING;
    if (code == OS_ERR_TOO_LARGE)
        standing = STANDING_OTHER;
    if (code == OS_OK)
        standing = found.len == bytes->len && memcmp(buf_str(&found), buf_str(bytes), found.len) == 0 ? STANDING_OURS
                                                                                                      : STANDING_OTHER;
    buf_free(&found);
    return standing;
}

/* The same, beside what lies under the name of a temp file. */
static enum standing compare(struct append *append, uint64_t version, const char *temp)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    struct buf bytes;
    delta_log_name_commit(version, file_name);
    os_code code = append_get(append, DELTA_LOG_FOLDER, temp, DELTA_COMMIT_MAX, &bytes);
    enum standing standing = code == OS_ERR_NOT_FOUND ? STANDING_NO_TEMP : STANDING_UNCLEAR;
    if (code == OS_OK)
        standing = look_at(append, file_name, &bytes);
    buf_free(&bytes);
    return standing;
}

/* D4: the same bytes by whomever, so it may be done twice, and late. */
static os_code write_version(struct append *append, const char *file_name, const struct buf *bytes)
{
    const os_body body = OS_BODY_MEMORY(buf_str(bytes), bytes->len);
    bool maybe;
    return append_put(append, DELTA_LOG_FOLDER, file_name, &body, &maybe);
}

/* ------------------------------------------------------------------------------------------------------- our entry */

static os_verdict unknown(struct append *append, uint64_t version, const char *temp, const char *what)
{
    char ticket[256];
    os_error why = append->error;
    (void)snprintf(ticket, sizeof(ticket), "{\"delta_log_store\":1,\"version\":%llu,\"temp\":\"%s\"}",
                   (unsigned long long)version, temp);
    free(append->result.ticket);
    append->result.ticket = text_join(ticket, "");
    append->result.version = (int64_t)version;
    (void)error_set(&append->error, OS_ERR_UNDECIDED, "%s. Last trouble: %.600s", what,
                    why.message[0] != '\0' ? why.message : "none.");
    return OS_UNKNOWN;
}

/* The entry is ours: the version is, unless somebody wrote it who does not ask the log store. */
static os_verdict publish(struct append *append, uint64_t version, const char *temp, const struct buf *bytes)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    delta_log_name_commit(version, file_name);
    switch (look_at(append, file_name, bytes)) {
    case STANDING_OURS: break;
    case STANDING_OTHER:
        return delete_entry(append, version, temp) == OS_OK
                   ? OS_CONFLICT
                   : unknown(append, version, temp,
                             "Another writer, which does not use the log store, wrote the version of this commit");
    case STANDING_NOTHING:
        if (write_version(append, file_name, bytes) == OS_OK)
            break;
        return unknown(
            append, version, temp,
            "The entry of this commit stands in the log store, and its version could not be written; the next "
            "writer makes it");
    case STANDING_NO_TEMP:
    case STANDING_UNCLEAR:
        return unknown(append, version, temp,
                       "The entry of this commit stands in the log store, and its version could not "
                       "be looked at; the next writer makes it");
    }
    if (complete_entry(append, version, temp) == OS_OK)
        append_delete(append, DELTA_LOG_FOLDER, temp);
    error_clear(&append->error);
    return OS_COMMITTED;
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

/* The entry may be gone, or another's by now: then it is not ours to make (delta-rs takes back entries of its own). */
static os_code look_again(struct append *append, uint64_t version, const struct log_entry *entry, bool *ret_is_same)
{
    struct log_entry now;
    os_code code = log_store_read(append, version, &now);
    *ret_is_same = code == OS_OK && now.found && strcmp(now.temp, entry->temp) == 0;
    return code;
}

/* Its temp file is gone: its writer, or another, may have made the version meanwhile. */
static os_code look_for_version(struct append *append, uint64_t version, const struct log_entry *entry,
                                bool *ret_stands)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    bool is_same = false;
    delta_log_name_commit(version, file_name);
    os_code code = append_head(append, DELTA_LOG_FOLDER, file_name);
    *ret_stands = code == OS_OK;
    if (code != OS_ERR_NOT_FOUND)
        return code;
    code = look_again(append, version, entry, &is_same);
    return code == OS_OK && is_same ? refuse_lost(append, version, entry) : code;
}

/* *ret_stands: the version is that of the entry, which may be completed. OS_OK without: it is no longer the entry. */
static os_code make_version(struct append *append, uint64_t version, const struct log_entry *entry, bool *ret_stands)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    struct buf bytes;
    *ret_stands = false;
    delta_log_name_commit(version, file_name);
    if (!delta_log_is_temp(entry->temp))
        return error_set(&append->error, OS_ERR_PROTOCOL,
                         "The log store's entry of version %llu names \"%.200s\", which is no temp file of a log.",
                         (unsigned long long)version, entry->temp);
    os_code code = append_get(append, DELTA_LOG_FOLDER, entry->temp, DELTA_COMMIT_MAX, &bytes);
    bool has_bytes = code == OS_OK;
    if (has_bytes)
        code = look_again(append, version, entry, ret_stands);
    else if (code == OS_ERR_NOT_FOUND)
        code = look_for_version(append, version, entry, ret_stands);
    if (code == OS_OK && *ret_stands && has_bytes)
        code = write_version(append, file_name, &bytes);
    buf_free(&bytes);
    return code;
}

os_code log_store_repair(struct append *append, uint64_t version, const struct log_entry *entry)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    delta_log_name_commit(version, file_name);
    if (!entry->found)
        return OS_OK; /* it was taken back: the version is free again */
    os_code code = append_head(append, DELTA_LOG_FOLDER, file_name);
    bool was_there = code == OS_OK;
    bool stands = was_there;
    if (code == OS_ERR_NOT_FOUND)
        code = entry->is_complete ? refuse_lost(append, version, entry) : make_version(append, version, entry, &stands);
    if (code != OS_OK || !stands || entry->is_complete)
        return code;
    code = complete_entry(append, version, entry->temp);
    /* One of other bytes is by a writer outside of the log store: only the temp file tells then that the entry's is lost. */
    if (code == OS_OK && (!was_there || compare(append, version, entry->temp) == STANDING_OURS))
        append_delete(append, DELTA_LOG_FOLDER, entry->temp);
    return code;
}

/* ------------------------------------------------------------------------------------------------------ the commit */

/* D2: the version before has its entry completed, so that at most the last one of a log is incomplete. */
static os_code finish_last(struct append *append, uint64_t version)
{
    struct log_entry entry = {0};
    os_code code = version > 0 ? log_store_read(append, version - 1, &entry) : OS_OK;
    return code == OS_OK && entry.found && !entry.is_complete ? log_store_repair(append, version - 1, &entry) : code;
}

os_verdict log_store_commit(struct append *append, uint64_t version, const char *temp, const struct buf *bytes)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    struct log_entry entry;
    delta_log_name_commit(version, file_name);
    os_code code = append_head(append, DELTA_LOG_FOLDER, file_name); /* D2 */
    if (code == OS_OK)
        return OS_CONFLICT;
    if (code != OS_ERR_NOT_FOUND)
        return OS_NOT_EXECUTED;
    if (finish_last(append, version) != OS_OK)
        return OS_NOT_EXECUTED;
    os_verdict verdict = put_entry(append, version, temp, &entry);
    if (verdict == OS_COMMITTED)
        return publish(append, version, temp, bytes);
    if (verdict == OS_UNKNOWN)
        return unknown(append, version, temp, "Nothing says whether the entry of this commit was written");
    if (verdict == OS_CONFLICT)
        return log_store_repair(append, version, &entry) == OS_OK ? OS_CONFLICT : OS_NOT_EXECUTED;
    return verdict;
}

/* --------------------------------------------------------------------------------------------------------- resolve */

bool log_store_take_ticket(const char *ticket, uint64_t *ret_version, char ret_temp[DELTA_TEMP_NAME_SIZE])
{
    json_t *json = json_loads(ticket, JSON_REJECT_DUPLICATES, NULL);
    const json_t *version = json_object_get(json, "version");
    const char *temp = json_string_value(json_object_get(json, "temp"));
    bool good = json_is_integer(json_object_get(json, "delta_log_store")) && json_is_integer(version) &&
                json_integer_value(version) >= 0 && temp != NULL && delta_log_is_temp(temp) &&
                text_copy(text_from(temp), ret_temp, DELTA_TEMP_NAME_SIZE);
    if (good)
        *ret_version = (uint64_t)json_integer_value(version);
    json_decref(json);
    return good;
}

static os_verdict lost_to_another(struct append *append, uint64_t version, const char *by)
{
    return append_verdict_of(error_set(&append->error, OS_ERR_CONFLICT, "Version %llu is another writer's%s.",
                                       (unsigned long long)version, by));
}

/* The entry has gone: it expired a day after its version was made, or was never written. The bytes tell, as long as the
 * temp file is there. */
static os_verdict resolve_without_entry(struct append *append, uint64_t version, const char *temp)
{
    switch (compare(append, version, temp)) {
    case STANDING_OURS: return OS_COMMITTED;
    case STANDING_OTHER: return lost_to_another(append, version, "");
    default: break;
    }
    return unknown(append, version, temp,
                   "The log store has no entry of this commit now; it may still come, or have been removed");
}

/* Who removes a temp file has seen that its bytes are the version. */
static os_verdict resolve_with_entry(struct append *append, uint64_t version, const char *temp)
{
    char file_name[DELTA_FILE_NAME_SIZE];
    enum standing standing = compare(append, version, temp);
    delta_log_name_commit(version, file_name);
    if (standing == STANDING_NO_TEMP && append_head(append, DELTA_LOG_FOLDER, file_name) != OS_OK)
        standing = STANDING_UNCLEAR;
    switch (standing) {
    case STANDING_OURS:
    case STANDING_NO_TEMP: break;
    case STANDING_OTHER: return lost_to_another(append, version, ", which does not use the log store");
    default: return unknown(append, version, temp, "The version of this commit could not be looked at");
    }
    append->result.version = (int64_t)version;
    error_clear(&append->error);
    return OS_COMMITTED;
}

os_verdict log_store_resolve(struct append *append, uint64_t version, const char *temp)
{
    struct log_entry entry;
    if (append->options.log_store == NULL) {
        (void)error_set(&append->error, OS_ERR_CONFIG, "The ticket is of a commit through a log store: name it.");
        return unknown(append, version, temp, "The ticket was not looked at");
    }
    if (log_store_read(append, version, &entry) != OS_OK)
        return unknown(append, version, temp, "The log store could not be asked");
    if (!entry.found)
        return resolve_without_entry(append, version, temp);
    if (strcmp(entry.temp, temp) != 0)
        return lost_to_another(append, version, ", by the log store");
    if (log_store_repair(append, version, &entry) != OS_OK)
        return unknown(append, version, temp, "The entry of this commit stands, and its version could not be made");
    return resolve_with_entry(append, version, temp);
}

/* ----------------------------------------------------------------------------------------------------------- table */

struct table_arguments {
    enum table_verb verb;
    const os_call *call;
};

static os_code ask_of_table(os_client *log_store, const void *context, os_error *err)
{
    const struct table_arguments *arguments = context;
    struct holding_asking asking = {.client = log_store,
                                    .request = {.verb = arguments->verb, .schema = &entry_schema},
                                    .name = "request to the table"};
    return asking_run(&asking, arguments->call, err);
}

os_code log_store_table(os_client *log_store, enum table_verb verb, const os_call *call, os_error *err)
{
    const struct table_arguments arguments = {verb, call};
    if (log_store->ledger == NULL || log_store->ledger->is_local)
        return error_set(err, OS_ERR_CONFIG,
                         "A log store is a table of DynamoDB: set ledger_url (--ledger) to dynamodb://TABLE.");
    return client_perform(log_store, ask_of_table, &arguments, err);
}
