/* SPDX-License-Identifier: Apache-2.0 */
#include "client/ticket.h"

#include "base/error.h"
#include "base/text.h"
#include "client/ticket_text.h"
#include "s3/multipart_request.h"
#include "syntax/json.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { TICKET_FORMAT = 2, TICKET_KEY_SIZE = 4096 };

#define NOT_COMPLETE "The ticket is incomplete; give the whole line that the call returned."

static int write_record(json_t *object, const struct record *record)
{
    int failed = ticket_set_u64(object, "generation", record->generation);
    failed |= ticket_set_u64(object, "timeout_ms", record->timeout_ms);
    failed |= ticket_set_u64(object, "ttl", record->ttl_s);
    failed |= ticket_set_text(object, "nonce", record->nonce);
    failed |= ticket_set_text(object, "saw", record->saw); /* T3: a release keeps it */
    if (record->has_fence)
        failed |= ticket_set_u64(object, "fence", record->fence_s);
    return failed;
}

static int write_base(json_t *object, const struct object_version *base)
{
    if (!base->exists)
        return 0;
    json_t *version = json_object();
    int failed = ticket_set_text(version, "etag", base->etag);
    failed |= ticket_set_text(version, "version_id", base->version_id);
    failed |= ticket_set_text(version, "nonce", base->nonce);
    failed |= json_object_set_new(version, "last_modified", json_integer(base->last_modified_s));
    return json_object_set_new(object, "base", version) | failed;
}

char *ticket_write(const struct ticket_place *place, const char *key, const char *upload,
                   const struct guard_ticket *ticket)
{
    json_t *object = json_object();
    if (object == NULL)
        return NULL;
    int failed = json_object_set_new(object, "oscommit_ticket", json_integer(TICKET_FORMAT));
    failed |= json_object_set_new(object, "place", ticket_place_write(place));
    failed |= ticket_set_text(object, "key", key);
    failed |= json_object_set_new(object, "operation", json_integer(ticket->operation));
    failed |= ticket_set_text(object, "expected_etag", ticket->expected_etag);
    failed |= ticket_set_text(object, "our_etag", ticket->our_etag);
    failed |= ticket_set_u64(object, "d0", ticket->d0_s);
    failed |= ticket_set_u64(object, "margin", ticket->margin_s);
    failed |= json_object_set_new(object, "not_applied", json_boolean(ticket->not_applied));
    if (ticket->native)
        failed |= json_object_set_new(object, "native", json_true());
    if (ticket->forward_only)
        failed |= json_object_set_new(object, "forward_only", json_true());
    if (ticket->native_writers)
        failed |= json_object_set_new(object, "native_writers", json_true());
    if (ticket->versioned)
        failed |= json_object_set_new(object, "versioned", json_true());
    if (ticket->has_length)
        failed |= ticket_set_u64(object, "length", ticket->length);
    if (ticket->half)
        failed |= json_object_set_new(object, "half", json_true());
    if (ticket->parts_in_doubt)
        failed |= json_object_set_new(object, "parts_in_doubt", json_true());
    failed |= write_record(object, &ticket->record);
    failed |= write_base(object, &ticket->base);
    if (ticket->operation == GUARD_COMPLETE)
        failed |= ticket_set_text(object, "upload", upload);
    struct buf text;
    buf_init(&text, TICKET_MAX);
    bool written = failed == 0 && json_write_as(&text, object, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(object);
    if (written)
        return buf_take(&text);
    buf_free(&text);
    return NULL;
}

/* ------------------------------------------------------------------------------------------------ reading */

static bool ticket_read_record(const json_t *object, struct record *ret)
{
    ret->has_fence = json_object_get(object, "fence") != NULL;
    ret->fence_s = 0;
    return ticket_get_u64(object, "generation", &ret->generation) &&
           ticket_get_u64(object, "timeout_ms", &ret->timeout_ms) && ticket_get_u64(object, "ttl", &ret->ttl_s) &&
           ticket_get_text(object, "nonce", ret->nonce, sizeof(ret->nonce)) && record_is_nonce(ret->nonce) &&
           (json_object_get(object, "saw") == NULL || ticket_get_text(object, "saw", ret->saw, sizeof(ret->saw))) &&
           (!ret->has_fence || ticket_get_u64(object, "fence", &ret->fence_s));
}

static bool read_base(const json_t *object, struct object_version *ret)
{
    const json_t *version = json_object_get(object, "base");
    if (version == NULL)
        return true;
    const json_t *modified = json_object_get(version, "last_modified");
    if (!json_is_integer(modified))
        return false;
    ret->exists = true;
    ret->last_modified_s = json_integer_value(modified);
    return ticket_get_text(version, "etag", ret->etag, sizeof(ret->etag)) &&
           ticket_get_text(version, "version_id", ret->version_id, sizeof(ret->version_id)) &&
           ticket_get_text(version, "nonce", ret->nonce, sizeof(ret->nonce));
}

static bool read_operation(const json_t *object, struct guard_ticket *ret)
{
    json_int_t operation = json_integer_value(json_object_get(object, "operation"));
    if (operation < GUARD_PUT || operation > GUARD_COMPLETE)
        return false;
    ret->operation = (enum guard_operation)operation;
    uint64_t margin_s;
    if (!ticket_get_u64(object, "margin", &margin_s) || margin_s > 3600)
        return false;
    ret->margin_s = (uint32_t)margin_s;
    ret->not_applied = json_is_true(json_object_get(object, "not_applied"));
    ret->native = json_is_true(json_object_get(object, "native"));
    ret->native_writers = json_is_true(json_object_get(object, "native_writers"));
    ret->forward_only = json_is_true(json_object_get(object, "forward_only")) && operation != GUARD_DELETE;
    ret->versioned = json_is_true(json_object_get(object, "versioned"));
    ret->half = json_is_true(json_object_get(object, "half"));
    ret->parts_in_doubt = json_is_true(json_object_get(object, "parts_in_doubt"));
    return ticket_get_u64(object, "d0", &ret->d0_s) && ret->d0_s <= INT64_MAX;
}

/* An earlier release has not told it. */
static bool read_length(const json_t *object, struct guard_ticket *ret)
{
    ret->has_length = json_object_get(object, "length") != NULL;
    return !ret->has_length || ticket_get_u64(object, "length", &ret->length);
}

/* What a writer can have written: DELETE is never under "absent", a fence lies behind D0 by no more than the timeout
 * (T6), and the record lives for ten minutes and more (T5). */
static bool consistent(const struct guard_ticket *ticket)
{
    bool create = strcmp(ticket->expected_etag, RECORD_ETAG_CREATE) == 0;
    char normal[VERSION_ETAG_SIZE];
    if (create ? ticket->operation == GUARD_DELETE
               : !text_normalise_etag(ticket->expected_etag, normal, sizeof(normal)) ||
                     strcmp(normal, ticket->expected_etag) != 0)
        return false;
    const struct record *record = &ticket->record;
    uint64_t reach_s = record->fence_s - ticket->d0_s;
    bool fence = !record->has_fence || (record->fence_s > ticket->d0_s && reach_s <= record->timeout_ms / 1000);
    return fence && record->ttl_s >= GUARD_EVIDENCE_S && record->ttl_s - GUARD_EVIDENCE_S >= ticket->d0_s;
}

/* R14: a Complete is decided by its upload; nothing else has one. */
static bool ticket_read_upload(const json_t *object, struct guard_ticket *ticket, char *ret)
{
    ret[0] = '\0';
    if (ticket->operation != GUARD_COMPLETE)
        return json_object_get(object, "upload") == NULL;
    if (!ticket_get_text(object, "upload", ret, RECORD_UPLOAD_SIZE) || !s3_is_upload_id(ret))
        return false;
    ticket->record.upload = record_upload_number(ret);
    return true;
}

static bool ticket_read_all(const json_t *object, struct guard_ticket *ret, char *ret_upload)
{
    memset(ret, 0, sizeof(*ret));
    return read_operation(object, ret) &&
           ticket_get_text(object, "expected_etag", ret->expected_etag, sizeof(ret->expected_etag)) &&
           ticket_get_text(object, "our_etag", ret->our_etag, sizeof(ret->our_etag)) &&
           ticket_read_record(object, &ret->record) && read_base(object, &ret->base) && read_length(object, ret) &&
           ticket_read_upload(object, ret, ret_upload) && consistent(ret);
}

/* What an earlier release wrote cannot be held against the stored record. */
static os_code ticket_check_format(const json_t *object, os_error *err)
{
    const json_t *format = json_object_get(object, "oscommit_ticket");
    char nonce[RECORD_NONCE_SIZE];
    if (json_is_integer(format) && json_integer_value(format) == TICKET_FORMAT)
        return OS_OK;
    if (!json_is_integer(format) || !ticket_get_text(object, "nonce", nonce, sizeof(nonce)) || !record_is_nonce(nonce))
        return error_set(err, OS_ERR_ARGUMENT, NOT_COMPLETE);
    return error_set(err, OS_ERR_ARGUMENT,
                     "The ticket has format %lld, and this release reads format %d. Resolve it with the release that "
                     "wrote it, or look at the object: if its nonce is %s, the write was applied.",
                     (long long)json_integer_value(format), TICKET_FORMAT, nonce);
}

static os_code ticket_check_key(const char *key, const struct ticket_contents *contents, os_error *err)
{
    const char *prefix = contents->place.part[TICKET_PREFIX];
    if (strncmp(key, prefix, strlen(prefix)) != 0)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is for %.300s, which lies outside the prefix %.300s.", key,
                         prefix);
    if (contents->key && strcmp(contents->key, key) != 0)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is for the object %.300s, not for %.300s.", key,
                         contents->key);
    return OS_OK;
}

static os_code ticket_read_object(const json_t *object, const struct ticket_contents *contents, char **ret_key,
                                  char *ret_upload, struct guard_ticket *ret, os_error *err)
{
    struct guard_ticket ticket;
    char key[TICKET_KEY_SIZE];
    char upload[RECORD_UPLOAD_SIZE];
    os_code code = ticket_check_format(object, err);
    if (code == OS_OK &&
        (!ticket_get_text(object, "key", key, sizeof(key)) || !ticket_read_all(object, &ticket, upload)))
        code = error_set(err, OS_ERR_ARGUMENT, NOT_COMPLETE);
    if (code == OS_OK)
        code = ticket_place_check(json_object_get(object, "place"), &contents->place, &contents->same_store, err);
    if (code == OS_OK)
        code = ticket_check_key(key, contents, err);
    if (code != OS_OK)
        return code;
    *ret_key = strdup(key);
    if (*ret_key == NULL)
        return error_no_memory(err);
    *ret = ticket;
    memcpy(ret_upload, upload, sizeof(upload));
    return OS_OK;
}

os_code ticket_read(const char *text, const struct ticket_contents *contents, char **ret_key, char *ret_upload,
                    struct guard_ticket *ret, os_error *err)
{
    size_t len = text ? strnlen(text, TICKET_MAX + 1) : 0;
    if (len == 0 || len > TICKET_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is empty or over 32 KiB.");
    json_error_t where;
    json_t *object = json_parse(text, len, JSON_REJECT_DUPLICATES, &where);
    if (object == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is not JSON: %.100s at character %d.", where.text,
                         where.position);
    os_code code = ticket_read_object(object, contents, ret_key, ret_upload, ret, err);
    json_decref(object);
    return code;
}
