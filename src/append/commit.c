/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A commit: the next number of the log, again and again, until it is ours (V7). Every number that was lost is looked at: a
 * blind append conflicts with no other append, but with a change of schema or protocol, and with its own application.
 */
#include "append/append.h"
#include "append/log_store.h"
#include "append/log_version.h"

#include "base/error.h"
#include "base/random.h"
#include "client/arguments.h"
#include "guarded/guarded.h"

#include <stdlib.h>
#include <string.h>

enum { PAUSE_STEP_MS = 10, PAUSE_MOST_MS = 500 };

struct commit {
    struct append *append;
    const struct commit_arguments *arguments;
    struct snapshot snapshot;
    struct buf bytes;       /* of the entry */
    bool is_first;          /* these make the table */
    struct log_write write; /* with a log store; its temp file "": they lie nowhere */
};

static uint64_t next_version(const struct commit *commit)
{
    return commit->snapshot.exists ? commit->snapshot.version + 1 : 0;
}

/* ------------------------------------------------------------------------------------------------ before the write */

static os_code refuse_done(struct append *append, int64_t found)
{
    return error_set(&append->error, OS_ERR_CONFLICT,
                     "The table \"%.200s\" has version %lld of the application \"%.200s\" already: nothing was added.",
                     append->prefix, (long long)found, append->options.app_id);
}

static os_code take_snapshot(struct commit *commit)
{
    struct append *append = commit->append;
    snapshot_clear(&commit->snapshot);
    os_code code = snapshot_read(append, &commit->snapshot);
    const struct snapshot *found = &commit->snapshot;
    const struct commit_arguments *given = commit->arguments;
    if (code == OS_OK && found->has_txn && found->txn_version >= append->options.app_version)
        return refuse_done(append, found->txn_version);
    if (code == OS_OK && found->exists)
        code = delta_partition_accepts(&given->partition, found->schema, found->columns, given->schema, &append->error);
    if (code == OS_OK && !found->exists)
        code = delta_partition_check_files(&given->partition, given->schema, &append->error);
    return code;
}

static void drop_temp(struct commit *commit)
{
    if (commit->write.temp[0] != '\0')
        append_delete(commit->append, DELTA_LOG_FOLDER, commit->write.temp);
    memset(&commit->write, 0, sizeof(commit->write));
}

static os_code write_bytes(struct commit *commit)
{
    struct append *append = commit->append;
    struct clock_reading now;
    char id[DELTA_UUID_SIZE];
    const struct commit_arguments *given = commit->arguments;
    bool makes_table = !commit->snapshot.exists;
    json_t *schema = makes_table ? delta_partition_schema(&given->partition, given->schema) : NULL;
    if (makes_table && schema == NULL)
        return error_no_memory(&append->error);
    clock_read(&now);
    const struct delta_commit what = {
        .adds = given->adds,
        .count = given->count,
        .partition = given->partition,
        .schema = schema,
        .app_id = append->options.app_id,
        .app_version = append->options.app_version,
        .engine = "oscommit",
        .id = id,
        .now_ms = (int64_t)now.realtime_ms,
    };
    buf_free(&commit->bytes);
    commit->is_first = makes_table;
    drop_temp(commit);
    bool is_written = delta_uuid(id) && delta_commit_write(&what, &commit->bytes);
    json_decref(schema);
    return is_written ? OS_OK
                      : error_set(&append->error, OS_ERR_NO_MEMORY,
                                  "The log entry could not be made: too many files, no memory, or no random bytes.");
}

/* D1: under a name of its own, which is written with these bytes alone. */
static os_code put_temp(struct commit *commit)
{
    struct append *append = commit->append;
    struct log_write *write = &commit->write;
    const os_body body = OS_BODY_MEMORY(buf_str(&commit->bytes), commit->bytes.len);
    write->bytes = &commit->bytes;
    if (write->temp[0] != '\0')
        return OS_OK;
    if (!delta_log_name_temp(write->temp) || !sha256_hex(buf_str(&commit->bytes), commit->bytes.len, write->sha256)) {
        write->temp[0] = '\0';
        return error_set(&append->error, OS_ERR_IO,
                         "The system has no random bytes, or no SHA-256; nothing was added.");
    }
    return append_put(append, DELTA_LOG_FOLDER, write->temp, &body);
}

/* ------------------------------------------------------------------------------------------------------- the write */

static os_verdict settle(struct append *append, os_result *result)
{
    const os_resolve_options options = {.size = sizeof(options), .abort_upload = 1};
    const os_call call = append_rest_of_call(append);
    char *ticket = result->ticket;
    const struct guarded_arguments question = {
        .name = "settle", .asks = true, .patient = true, .ticket = ticket, .resolve_options = &options, .call = &call};
    os_result settled = OS_RESULT_INIT;
    os_verdict verdict = guarded_call(append->client, &question, guarded_resolve, &settled, &append->error);
    if (verdict == OS_UNKNOWN && settled.ticket != NULL) {
        result->ticket = settled.ticket;
        free(ticket);
    } else {
        free(settled.ticket);
    }
    return verdict;
}

/* Under the promise that no entry of the log is ever another's: N4. */
static os_verdict put_guarded(struct commit *commit, uint64_t version)
{
    struct append *append = commit->append;
    const os_body body = OS_BODY_MEMORY(buf_str(&commit->bytes), commit->bytes.len);
    char name[DELTA_FILE_NAME_SIZE];
    os_result result = OS_RESULT_INIT;
    delta_log_name_commit(version, name);
    char *key = append_key(append, DELTA_LOG_FOLDER, name);
    os_call call = append_rest_of_call(append);
    call.forward_only = OS_ON;
    const struct guarded_arguments put = {.name = "delta commit", .key = key, .body = &body, .call = &call};
    if (key == NULL)
        return append_verdict_of(error_no_memory(&append->error));
    os_verdict verdict = guarded_call(append->client, &put, guarded_put, &result, &append->error);
    if (verdict == OS_UNKNOWN && result.ticket != NULL)
        verdict = settle(append, &result);
    if (verdict == OS_UNKNOWN) {
        append->result.ticket = result.ticket;
        append->result.version = (int64_t)version;
    } else {
        free(result.ticket);
    }
    free(key);
    return verdict;
}

static os_verdict put_version(struct commit *commit, uint64_t version)
{
    struct append *append = commit->append;
    if (append->options.log_store == NULL)
        return put_guarded(commit, version);
    if (put_temp(commit) != OS_OK)
        return OS_NOT_EXECUTED;
    commit->write.version = version;
    return log_store_commit(append, &commit->write);
}

/* ------------------------------------------------------------------------------------------------------ a conflict */

static os_code look_at_winner(struct commit *commit, uint64_t version)
{
    struct append *append = commit->append;
    const struct delta_reading reading = {.app_id = append->options.app_id};
    struct delta_actions won = {0};
    os_code code = log_version_finish(append, version);
    if (code == OS_OK)
        code = snapshot_read_version(append, version, &reading, &won);
    if (code == OS_ERR_NOT_FOUND) /* an entry of a log store that its writer took back: the version is free again */
        return OS_OK;
    if (code == OS_OK && won.has_txn && won.txn_version >= append->options.app_version)
        code = refuse_done(append, won.txn_version);
    if (code == OS_OK && (won.metadata != NULL || won.protocol != NULL))
        code = error_set(
            &append->error, OS_ERR_CONFLICT,
            "Version %llu of the table \"%.200s\" changed its schema or protocol meanwhile: nothing was added.",
            (unsigned long long)version, append->prefix);
    delta_actions_clear(&won);
    commit->snapshot.version = version;
    return code;
}

/* Then the next version may be tried. Whoever makes the table at the same time makes it for both. */
static os_code after_conflict(struct commit *commit, uint64_t version)
{
    struct append *append = commit->append;
    uint64_t most_ms = (uint64_t)++append->result.conflicts * PAUSE_STEP_MS;
    if (commit->write.is_named) /* no late copy of it may become the lost version, nor the next one twice */
        drop_temp(commit);
    os_code code = commit->snapshot.exists ? look_at_winner(commit, version) : take_snapshot(commit);
    if (code != OS_OK)
        return code;
    if (most_ms > PAUSE_MOST_MS)
        most_ms = PAUSE_MOST_MS;
    if (append->result.conflicts < 2 || append_pause(append, random_next(&append->random) % most_ms))
        return OS_OK;
    return error_set(
        &append->error, OS_ERR_CONFLICT,
        "The time for the commit to \"%.200s\" is over, or it was cancelled, after %u conflicts: nothing was "
        "added.",
        append->prefix, append->result.conflicts);
}

/* --------------------------------------------------------------------------------------------------------------- all */

static os_verdict commit_rounds(struct commit *commit)
{
    struct append *append = commit->append;
    os_code code = take_snapshot(commit);
    if (code == OS_OK && commit->arguments->upload != NULL)
        code = commit->arguments->upload(commit->arguments->context);
    for (;;) {
        if (code == OS_OK && (commit->bytes.len == 0 || commit->is_first == commit->snapshot.exists))
            code = write_bytes(commit);
        if (code != OS_OK)
            return append_verdict_of(code);
        uint64_t version = next_version(commit);
        os_verdict verdict = put_version(commit, version);
        if (verdict == OS_COMMITTED) {
            append->result.version = (int64_t)version;
            append->result.created = commit->is_first;
        }
        if (verdict != OS_CONFLICT)
            return verdict;
        code = after_conflict(commit, version);
    }
}

os_verdict append_commit(struct append *append, const struct commit_arguments *arguments)
{
    struct commit commit = {.append = append, .arguments = arguments};
    if (append->options.log_store == NULL && client_may_put(append->client, true, &append->error) != OS_OK)
        return OS_NOT_EXECUTED;
    buf_init(&commit.bytes, DELTA_COMMIT_MAX);
    os_verdict verdict = commit_rounds(&commit);
    if (verdict != OS_UNKNOWN && verdict != OS_COMMITTED)
        drop_temp(&commit);
    if (verdict == OS_COMMITTED)
        append->result.files = arguments->count;
    snapshot_clear(&commit.snapshot);
    buf_free(&commit.bytes);
    return verdict;
}
