/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Records that are dead for long. Writers never delete one (T3): a slow contender could take over what somebody else
 * has just made. DynamoDB's TTL may (T5, E5), some time after `ttl`; this does what it would do, a whole day later, and
 * on the condition that the record is the one that was seen.
 */
#include "gc/gc.h"

#include "base/error.h"

#include <string.h>

static bool is_long_dead(const struct gc *gc, const struct record *record)
{
    return gc->date_s > GC_DAY_S && record->ttl_s < gc->date_s - GC_DAY_S;
}

static bool is_doomed(const struct gc *gc, const char *key, const char *id)
{
    for (size_t i = 0; i < gc->upload_count; i++) {
        const struct gc_upload *upload = &gc->uploads[i];
        if (upload->doomed && strcmp(upload->id, id) == 0 && strcmp(upload->key, key) == 0)
            return true;
    }
    return false;
}

/* The record is what tells of its upload on a store that lists uploads by whole keys. *ret_reason: why it must stay. */
static void gc_records_check_upload(struct gc *gc, const struct kept_row *row, const char **ret_reason)
{
    const char *key = row->path + gc->record_length;
    if (row->upload[0] == '\0' || (!gc->options.remove && is_doomed(gc, key, row->upload)))
        return;
    if (!gc->client->store->has_uploads) {
        *ret_reason = "It names an upload. Signature V2 cannot ask whether that is open.";
        return;
    }
    os_error failure;
    os_code code = store_call_upload_state(gc->client, key, row->upload, gc_call(gc), &failure);
    if (code == OS_OK)
        *ret_reason = "The upload that it names is open.";
    else if (code != OS_ERR_NOT_FOUND)
        *ret_reason = "The store did not say whether the upload that the record names is open.";
}

static os_code gc_records_changed(os_error *err)
{
    return error_set(err, OS_ERR_BUSY, "Another writer changed it meanwhile.");
}

/* OS_OK: no record is there. A table that does not show the record of a conflict (R4) is asked. */
static os_code check_gone(struct gc *gc, const struct kept_row *row, os_error *err)
{
    struct ledger_call get = {.request = {.verb = LEDGER_GET, .path = row->path, .etag = row->etag}};
    enum ledger_outcome outcome = ledger_call_run(&get, gc->client, gc_call(gc), err);
    if (outcome == LEDGER_OK && get.answer.found)
        return gc_records_changed(err);
    return ledger_code_of(outcome, err);
}

/* OS_OK also when TTL was quicker. OS_ERR_BUSY: it is another record by now. */
static os_code remove_record(struct gc *gc, const struct kept_row *row, os_error *err)
{
    struct record_condition condition = {.kind = RECORD_IF_SEEN};
    record_copy(&condition.seen, &row->record);
    struct ledger_call remove = {
        .request = {.verb = LEDGER_DELETE, .path = row->path, .etag = row->etag, .condition = &condition}};
    enum ledger_outcome outcome = ledger_call_run(&remove, gc->client, gc_call(gc), err);
    if (outcome == LEDGER_CONFLICT)
        return gc_records_changed(err);
    return outcome == LEDGER_CONFLICT_BLIND ? check_gone(gc, row, err) : ledger_code_of(outcome, err);
}

static os_code gc_records_classify(struct gc *gc, const struct kept_row *row)
{
    os_error failure;
    error_clear(&failure);
    os_garbage garbage = {
        .kind = OS_GARBAGE_RECORD,
        .fate = OS_GARBAGE_FOUND,
        .key = row->path + gc->record_length,
        .etag = row->etag,
        .upload = row->upload,
        .since_s = (int64_t)row->record.ttl_s,
        .reason = "",
    };
    if (!is_long_dead(gc, &row->record))
        return OS_OK;
    gc_records_check_upload(gc, row, &garbage.reason);
    if (garbage.reason[0] != '\0') {
        garbage.fate = OS_GARBAGE_SPARED;
        return gc_tell(gc, &garbage);
    }
    if (!gc->options.remove)
        return gc_tell(gc, &garbage);
    os_code code = remove_record(gc, row, &failure);
    if (code == OS_ERR_CANCELLED || code == OS_ERR_DEADLINE || code == OS_ERR_NO_MEMORY) {
        *gc->err = failure;
        return code;
    }
    garbage.reason = failure.message;
    garbage.fate = code == OS_OK ? OS_GARBAGE_REMOVED : code == OS_ERR_BUSY ? OS_GARBAGE_SPARED : OS_GARBAGE_FAILED;
    if (code == OS_OK)
        garbage.reason = "";
    return gc_tell(gc, &garbage);
}

os_code gc_judge_records(struct gc *gc)
{
    os_code code = OS_OK;
    for (size_t i = 0; i < gc->result.records && code == OS_OK; i++)
        code = gc_records_classify(gc, &gc->rows.list[i]);
    return code;
}
