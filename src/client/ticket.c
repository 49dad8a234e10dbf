/* SPDX-License-Identifier: Apache-2.0 */
#include "client/ticket.h"

#include "base/error.h"
#include "base/text.h"
#include "s3/multipart_request.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TICKET_FORMAT = 1, TICKET_MAX = 32 * 1024, TICKET_KEY_SIZE = 4096 };

/* Unsigned 64-bit numbers go as strings: JSON readers are free to round what is over 2^53. */
static int set_u64(json_t *object, const char *name, uint64_t value)
{
    char digits[24];
    snprintf(digits, sizeof(digits), "%" PRIu64, value);
    return json_object_set_new(object, name, json_string(digits));
}

/* JSON is Unicode, and what a store sends in an ETag or a nonce, or a path on disk, need not be: all but printable
 * ASCII is percent-encoded. */
static int set_string(json_t *object, const char *name, const char *value)
{
    struct buf text;
    buf_init(&text, TICKET_MAX);
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c < 0x20 || *c > 0x7e || *c == '%')
            buf_add_f(&text, "%%%02X", *c);
        else
            buf_add_char(&text, (char)*c);
    }
    int failed = !buf_ok(&text) || json_object_set_new(object, name, json_string(buf_str(&text))) != 0;
    buf_free(&text);
    return failed;
}

static int write_record(json_t *object, const struct record *record)
{
    int failed = set_u64(object, "generation", record->generation);
    failed |= set_u64(object, "timeout_ms", record->timeout_ms);
    failed |= set_u64(object, "ttl", record->ttl_s);
    failed |= set_string(object, "nonce", record->nonce);
    failed |= set_string(object, "saw", record->saw); /* T3: a release keeps it */
    if (record->has_fence)
        failed |= set_u64(object, "fence", record->fence_s);
    return failed;
}

static int write_base(json_t *object, const struct object_version *base)
{
    if (!base->exists)
        return 0;
    json_t *version = json_object();
    int failed = set_string(version, "etag", base->etag);
    failed |= set_string(version, "version_id", base->version_id);
    failed |= set_string(version, "nonce", base->nonce);
    failed |= json_object_set_new(version, "last_modified", json_integer(base->last_modified_s));
    return json_object_set_new(object, "base", version) | failed;
}

char *ticket_write(const char *store_identity, const char *key, const char *upload, const struct guard_ticket *ticket)
{
    json_t *object = json_object();
    if (object == NULL)
        return NULL;
    int failed = json_object_set_new(object, "oscommit_ticket", json_integer(TICKET_FORMAT));
    failed |= set_string(object, "store", store_identity);
    failed |= set_string(object, "key", key);
    failed |= json_object_set_new(object, "operation", json_integer(ticket->operation));
    failed |= set_string(object, "expected_etag", ticket->expected_etag);
    failed |= set_string(object, "our_etag", ticket->our_etag);
    failed |= set_u64(object, "d0", ticket->d0_s);
    failed |= set_u64(object, "margin", ticket->margin_s);
    failed |= json_object_set_new(object, "not_applied", json_boolean(ticket->not_applied));
    if (ticket->native)
        failed |= json_object_set_new(object, "native", json_true());
    if (ticket->native_writers)
        failed |= json_object_set_new(object, "native_writers", json_true());
    if (ticket->versioned)
        failed |= json_object_set_new(object, "versioned", json_true());
    if (ticket->parts_in_doubt)
        failed |= json_object_set_new(object, "parts_in_doubt", json_true());
    failed |= write_record(object, &ticket->record);
    failed |= write_base(object, &ticket->base);
    if (ticket->operation == GUARD_COMPLETE)
        failed |= set_string(object, "upload", upload);
    char *text = failed ? NULL : json_dumps(object, JSON_COMPACT | JSON_ENSURE_ASCII);
    json_decref(object);
    return text;
}

/* ------------------------------------------------------------------------------------------------ reading */

static bool get_u64(const json_t *object, const char *name, uint64_t *ret)
{
    const char *digits = json_string_value(json_object_get(object, name));
    return digits && text_parse_u64(text_from(digits), ret);
}

static bool get_string(const json_t *object, const char *name, char *ret, size_t ret_size)
{
    struct buf text;
    buf_init(&text, ret_size - 1);
    const char *value = json_string_value(json_object_get(object, name));
    bool ok = value && text_percent_decode(&text, text_from(value)) &&
              text_copy(text_of(buf_str(&text), text.len), ret, ret_size);
    buf_free(&text);
    return ok;
}

/* 128 bits in hex, as a guard makes them: anything else was never one of ours. */
static bool is_nonce(const char *nonce)
{
    return strlen(nonce) == RECORD_NONCE_SIZE - 1 && nonce[strspn(nonce, "0123456789abcdef")] == '\0';
}

static bool read_record(const json_t *object, struct record *ret)
{
    ret->has_fence = json_object_get(object, "fence") != NULL;
    ret->fence_s = 0;
    return get_u64(object, "generation", &ret->generation) && get_u64(object, "timeout_ms", &ret->timeout_ms) &&
           get_u64(object, "ttl", &ret->ttl_s) && get_string(object, "nonce", ret->nonce, sizeof(ret->nonce)) &&
           is_nonce(ret->nonce) &&
           (json_object_get(object, "saw") == NULL || get_string(object, "saw", ret->saw, sizeof(ret->saw))) &&
           (!ret->has_fence || get_u64(object, "fence", &ret->fence_s));
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
    return get_string(version, "etag", ret->etag, sizeof(ret->etag)) &&
           get_string(version, "version_id", ret->version_id, sizeof(ret->version_id)) &&
           get_string(version, "nonce", ret->nonce, sizeof(ret->nonce));
}

static bool read_operation(const json_t *object, struct guard_ticket *ret)
{
    json_int_t operation = json_integer_value(json_object_get(object, "operation"));
    if (operation < GUARD_PUT || operation > GUARD_COMPLETE)
        return false;
    ret->operation = (enum guard_operation)operation;
    uint64_t margin_s;
    if (!get_u64(object, "margin", &margin_s) || margin_s > 3600)
        return false;
    ret->margin_s = (uint32_t)margin_s;
    ret->not_applied = json_is_true(json_object_get(object, "not_applied"));
    ret->native = json_is_true(json_object_get(object, "native"));
    ret->native_writers = json_is_true(json_object_get(object, "native_writers"));
    ret->versioned = json_is_true(json_object_get(object, "versioned"));
    ret->parts_in_doubt = json_is_true(json_object_get(object, "parts_in_doubt"));
    return get_u64(object, "d0", &ret->d0_s) && ret->d0_s <= INT64_MAX;
}

/* What a writer can have written: DELETE is never under "absent", and a fence lies behind D0 (protocol, section 1). */
static bool consistent(const struct guard_ticket *ticket)
{
    bool create = strcmp(ticket->expected_etag, RECORD_ETAG_CREATE) == 0;
    char normal[VERSION_ETAG_SIZE];
    if (create ? ticket->operation == GUARD_DELETE
               : !text_normalise_etag(ticket->expected_etag, normal, sizeof(normal)) ||
                     strcmp(normal, ticket->expected_etag) != 0)
        return false;
    return !ticket->record.has_fence || ticket->record.fence_s > ticket->d0_s;
}

/* R14: a Complete is decided by its upload; nothing else has one. */
static bool read_upload(const json_t *object, struct guard_ticket *ticket, char *ret)
{
    ret[0] = '\0';
    if (ticket->operation != GUARD_COMPLETE)
        return json_object_get(object, "upload") == NULL;
    if (!get_string(object, "upload", ret, RECORD_UPLOAD_SIZE) || !s3_is_upload_id(ret))
        return false;
    ticket->record.upload = record_upload_number(ret);
    return true;
}

static bool read_all(const json_t *object, struct guard_ticket *ret, char *ret_upload)
{
    memset(ret, 0, sizeof(*ret));
    return json_integer_value(json_object_get(object, "oscommit_ticket")) == TICKET_FORMAT &&
           read_operation(object, ret) &&
           get_string(object, "expected_etag", ret->expected_etag, sizeof(ret->expected_etag)) &&
           get_string(object, "our_etag", ret->our_etag, sizeof(ret->our_etag)) && read_record(object, &ret->record) &&
           read_base(object, &ret->base) && read_upload(object, ret, ret_upload) && consistent(ret);
}

static os_code read_object(const json_t *object, const char *store_identity, char **ret_key, char *ret_upload,
                           struct guard_ticket *ret, os_error *err)
{
    struct guard_ticket ticket;
    char key[TICKET_KEY_SIZE];
    char upload[RECORD_UPLOAD_SIZE];
    char store[TICKET_MAX];
    if (!get_string(object, "key", key, sizeof(key)) || !get_string(object, "store", store, sizeof(store)) ||
        !read_all(object, &ticket, upload))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The ticket is not complete; give the whole line that the call returned.");
    if (strcmp(store, store_identity) != 0)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is of another store (%.300s) than this client's (%.300s).",
                         store, store_identity);
    *ret_key = strdup(key);
    if (*ret_key == NULL)
        return error_no_memory(err);
    *ret = ticket;
    memcpy(ret_upload, upload, sizeof(upload));
    return OS_OK;
}

os_code ticket_read(const char *text, const char *store_identity, char **ret_key, char *ret_upload,
                    struct guard_ticket *ret, os_error *err)
{
    size_t len = text ? strnlen(text, TICKET_MAX + 1) : 0;
    if (len == 0 || len > TICKET_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is empty or over 32 KiB.");
    json_error_t where;
    json_t *object = json_loadb(text, len, JSON_REJECT_DUPLICATES, &where);
    if (object == NULL)
        return error_set(err, OS_ERR_ARGUMENT, "The ticket is no JSON: %.100s at character %d.", where.text,
                         where.position);
    os_code code = read_object(object, store_identity, ret_key, ret_upload, ret, err);
    json_decref(object);
    return code;
}
