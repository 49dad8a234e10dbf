/* SPDX-License-Identifier: Apache-2.0 */
/* One guarded write of many, with what the manifest knows of it. */
#include "cli/guarded.h"
#include "common/many.h"
#include "common/same.h"
#include "common/same_objects.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct many *many_of(const struct many_write *write)
{
    return write->batch->context;
}

static const char *source_etag(const struct many_write *write)
{
    return write->fd < 0 ? write->item->etag : NULL;
}

/* Is what has this ETag certainly of the bytes that were to be written? */
static bool is_same(const struct many_write *write, const char *etag)
{
    uint64_t part_size = options_number(write->batch->session->options, OPTION_PART_SIZE);

    const struct object_version source = {write->source, write->item->etag};
    const struct object_version there = {write->key, etag};

    if (write->fd < 0)
        return strcmp(etag, write->item->etag) == 0 || same_objects(write->batch->session, &source, &there);
    return same_as_etag(write->fd, write->file_length, etag, part_size) == SAME_BYTES;
}

/* With the mutex held. Where the manifest cannot be written, no more is begun: what happened would be forgotten. */
static bool note(struct many_write *write, const struct manifest_note *noted)
{
    struct many *many = many_of(write);
    char sentence[512];
    bool was_good = many->manifest.failure == 0;

    if (manifest_write(&many->manifest, noted))
        return true;
    batch_stop(write->batch);
    if (was_good) {
        (void)snprintf(sentence, sizeof(sentence), "The manifest %.300s cannot be written: %s. No more is begun.",
                       many->manifest.name, strerror(many->manifest.failure));
        output_message(&write->batch->session->output, sentence);
    }
    return false;
}

static struct manifest_note note_of(const struct many_write *write, const char *verdict, const char *etag)
{
    return (struct manifest_note){.key = write->key,
                                  .verdict = verdict,
                                  .etag = etag,
                                  .source_etag = source_etag(write),
                                  .length = write->length,
                                  .mtime_ns = write->mtime_ns};
}

/* With the mutex held. */
static void count_verdict(struct batch_counts *counts, os_verdict verdict)
{
    switch (verdict) {
    case OS_COMMITTED: counts->committed++; return;
    case OS_CONFLICT: counts->conflicts++; return;
    case OS_NOT_EXECUTED: counts->failed++; return;
    case OS_UNKNOWN: break;
    }
    counts->unknown++;
}

/* With the mutex held: notes the verdict before anything that could block. */
static enum status report(struct many_write *write, os_verdict verdict, os_result *result, const os_error *error)
{
    struct session *session = write->batch->session;
    const char *etag = verdict == OS_COMMITTED ? result->etag : result->found_etag;
    struct manifest_note noted = note_of(write, os_verdict_name(verdict), etag);
    bool in_manifest = many_of(write)->manifest.fd >= 0;
    enum status status;

    noted.ticket = result->ticket != NULL || verdict != OS_UNKNOWN ? result->ticket : write->old_ticket;
    noted.version_id = result->version_id;
    noted.error = error;
    in_manifest = note(write, &noted) && in_manifest;
    count_verdict(&write->batch->counts, verdict);
    if (!in_manifest)
        return guarded_finish(session, write->url, verdict, result, error);
    status = output_guarded(&session->output, write->url, verdict, result, error);
    if (verdict == OS_UNKNOWN && result->ticket != NULL)
        output_message(&session->output,
                       "Its ticket is in the manifest. The same command, run again, settles it first.");
    os_result_clear(result);
    return status;
}

/* There with the same bytes; who made it, a run before this one or another writer, is not known. */
static enum status finish_same(struct many_write *write, const char *etag)
{
    struct manifest_note noted = note_of(write, "unchanged", etag);
    char kept[128]; /* `etag` may be of a result that is cleared */

    (void)snprintf(kept, sizeof(kept), "%s", etag);
    batch_lock(write->batch);
    (void)note(write, &noted);
    batch_unlock(write->batch);
    return many_unchanged(write->batch, write->url, kept);
}

static enum status finish(struct many_write *write, os_verdict verdict, os_result *result, const os_error *error)
{
    struct many *many = many_of(write);
    bool may_be_ours = many->same_is_done || many->manifest.is_resumed;
    enum status status;

    if (verdict == OS_CONFLICT && may_be_ours && result->found_etag[0] != '\0' && is_same(write, result->found_etag)) {
        status = finish_same(write, result->found_etag);
        os_result_clear(result);
        return status;
    }
    batch_lock(write->batch);
    status = report(write, verdict, result, error);
    batch_unlock(write->batch);
    return status;
}

static enum status conflict(struct many_write *write, const char *format, ...) __attribute__((format(printf, 2, 3)));
static enum status conflict(struct many_write *write, const char *format, ...)
{
    os_error error = {.code = OS_ERR_CONFLICT};
    va_list args;

    va_start(args, format);
    (void)vsnprintf(error.message, sizeof(error.message), format, args);
    va_end(args);
    return many_refuse(write->batch, write->url, STATUS_CONFLICT, &error);
}

static bool source_is_as_noted(const struct many_write *write, const struct manifest_entry *entry)
{
    if (write->fd < 0)
        return entry->source_etag != NULL && strcmp(entry->source_etag, write->item->etag) == 0;
    if (entry->length == write->length && entry->mtime_ns == write->mtime_ns)
        return true;
    return entry->etag != NULL && is_same(write, entry->etag);
}

/* The manifest says that it was committed, or was there. One HEAD looks whether it still is. */
static enum status check_earlier(struct many_write *write, const struct manifest_entry *entry)
{
    os_object found = OS_OBJECT_INIT;
    os_error error = {0};
    os_code code = os_head(write->batch->session->client, write->key, &write->batch->session->call, &found, &error);

    if (code == OS_ERR_NOT_FOUND) {
        return conflict(
            write,
            "The manifest says that %.300s was %s, and now it is gone: somebody deleted it. Take its line out "
            "of the manifest to write it again.",
            write->url, entry->verdict);
    }
    if (code != OS_OK)
        return many_refuse(write->batch, write->url, status_of_read(&error), &error);
    if (entry->etag != NULL && strcmp(entry->etag, found.etag) != 0) {
        return conflict(write, "The manifest says that %.300s was %s with ETag %.130s, and now %.130s is there.",
                        write->url, entry->verdict, entry->etag, found.etag);
    }
    if (!source_is_as_noted(write, entry))
        return conflict(write, "The source of %.300s has changed since it was %s.", write->url, entry->verdict);
    return many_unchanged(write->batch, write->url, found.etag);
}

/* The manifest has a ticket. NOT_EXECUTED: the write may be made again. */
static os_verdict settle(const struct many_write *write, const char *ticket, os_result *result, os_error *error)
{
    os_resolve_options how = {.size = sizeof(how), .key = write->key, .abort_upload = 1, .give_up = 1};

    return os_settle(write->batch->session->client, ticket, &how, &write->batch->session->call, result, error);
}

static os_verdict do_write(const struct many_write *write, os_result *result, os_error *error)
{
    struct session *session = write->batch->session;
    struct many *many = many_of(write);
    char path[64];
    os_body body = OS_BODY_FILE(path);
    os_copy_options copy = OS_COPY_OPTIONS_INIT;

    if (write->fd < 0) {
        copy.source_etag = write->item->etag;
        copy.fencing = many->fencing;
        return os_copy_if_not_exists(session->client, write->source, write->key, &copy, &session->call, result, error);
    }
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", write->fd);
    return os_put_if_absent(session->client, write->key, &body, &many->headers.options, &session->call, result, error);
}

enum status many_write(struct many_write *write)
{
    const struct manifest_entry *entry = manifest_find(&many_of(write)->manifest, write->key);
    const struct many_write now = *write;
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    os_verdict verdict;

    if (entry != NULL && (strcmp(entry->verdict, "committed") == 0 || strcmp(entry->verdict, "unchanged") == 0))
        return check_earlier(write, entry);
    if (entry != NULL && entry->ticket != NULL) {
        verdict = settle(write, entry->ticket, &result, &error);
        write->old_ticket = entry->ticket;
        write->length = entry->length;
        write->mtime_ns = entry->mtime_ns;
        if (verdict != OS_NOT_EXECUTED)
            return finish(write, verdict, &result, &error);
        write->length = now.length;
        write->mtime_ns = now.mtime_ns;
        os_result_clear(&result);
    }
    verdict = do_write(write, &result, &error);
    return finish(write, verdict, &result, &error);
}
