/* SPDX-License-Identifier: Apache-2.0 */
#include "client/call.h"

#include "base/error.h"
#include "client/carried.h"

#include <string.h>
#include <strings.h>

os_code call_take(const os_call *call, os_call *ret, os_error *err)
{
    os_code code = versioned_copy(call, ret, sizeof(*ret), "os_call", err);
    if (code == OS_OK && ret->deadline_ms == 0)
        ret->deadline_ms = SETTINGS_DEADLINE_MS;
    if (code == OS_OK && ret->deadline_ms > SETTINGS_LONGEST_MS)
        ret->deadline_ms = SETTINGS_LONGEST_MS;
    return code;
}

static bool printable(const char *value)
{
    for (const unsigned char *c = (const unsigned char *)value; *c; c++) {
        if (*c < 0x20 || *c >= 0x7f)
            return false;
    }
    return true;
}

static bool metadata_name_ok(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    return name[0] != '\0' && name[strspn(name, allowed)] == '\0';
}

static os_code check_metadata(const os_put_options *options, os_error *err)
{
    size_t bytes = strlen(S3_NONCE_METADATA) + RECORD_NONCE_SIZE - 1;
    if (options->metadata_count > CARRIED_METADATA_MAX || (options->metadata == NULL && options->metadata_count > 0))
        return error_set(err, OS_ERR_ARGUMENT,
                         "There are %zu metadata entries; at most %d can be given, and a copy could not carry more.",
                         options->metadata ? options->metadata_count : 0, CARRIED_METADATA_MAX);
    for (size_t i = 0; i < options->metadata_count; i++) {
        const os_metadata *entry = &options->metadata[i];
        if (entry->name == NULL || entry->value == NULL || !metadata_name_ok(entry->name))
            return error_set(err, OS_ERR_ARGUMENT,
                             "Metadata entry %zu has no usable name: lower-case letters, digits, '-', '_' and '.'.", i);
        if (strcmp(entry->name, S3_NONCE_METADATA) == 0)
            return error_set(err, OS_ERR_ARGUMENT, "The metadata name " S3_NONCE_METADATA " is reserved.");
        if (!printable(entry->value))
            return error_set(
                err, OS_ERR_ARGUMENT,
                "The value of the metadata entry %.100s has bytes that a header cannot carry; encode it first.",
                entry->name);
        bytes += strlen(entry->name) + strlen(entry->value);
    }
    if (bytes > S3_METADATA_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The metadata has %zu bytes with the guard's own entry; a store takes %d.", bytes,
                         S3_METADATA_MAX);
    return OS_OK;
}

os_code call_content(const os_put_options *options, struct s3_content *ret, os_error *err)
{
    os_put_options own;
    os_code code = versioned_copy(options, &own, sizeof(own), "os_put_options", err);
    if (code != OS_OK)
        return code;
    const char *const headers[] = {own.content_type, own.content_encoding, own.content_language,
                                   own.content_disposition, own.cache_control};
    for (size_t i = 0; i < sizeof(headers) / sizeof(headers[0]); i++) {
        if (headers[i] && !printable(headers[i]))
            return error_set(err, OS_ERR_ARGUMENT, "A content header has bytes that a header cannot carry.");
    }
    code = check_metadata(&own, err);
    if (code != OS_OK)
        return code;
    *ret = (struct s3_content){
        .content_type = own.content_type,
        .content_encoding = own.content_encoding,
        .content_language = own.content_language,
        .content_disposition = own.content_disposition,
        .cache_control = own.cache_control,
        .metadata = own.metadata,
        .metadata_count = own.metadata_count,
    };
    return OS_OK;
}

os_code call_etag(const char *etag, char *ret, os_error *err)
{
    if (etag == NULL || etag[0] == '\0')
        return error_set(err, OS_ERR_ARGUMENT, "The expected ETag is missing; take it from a HEAD of the object.");
    if (strncasecmp(etag, "W/", 2) == 0)
        return error_set(err, OS_ERR_ARGUMENT,
                         "%.100s is a weak ETag, which does not name bytes; a strong one is needed.", etag);
    if (!text_normalise_etag(etag, ret, VERSION_ETAG_SIZE))
        return error_set(err, OS_ERR_ARGUMENT,
                         "%.150s is no ETag: give it as the store wrote it, with or without its quotes.", etag);
    return OS_OK;
}
