/* SPDX-License-Identifier: Apache-2.0 */
#include "client/arguments.h"

#include "base/error.h"
#include "s3/metadata.h"
#include "store/answer.h"
#include "store/source_metadata.h"

#include <string.h>
#include <strings.h>

os_code arguments_take_call(const os_call *call, os_call *ret, os_error *err)
{
    os_code code = versioned_copy(call, ret, sizeof(*ret), "os_call", err);
    if (code == OS_OK && ret->deadline_ms == 0)
        ret->deadline_ms = SETTINGS_DEADLINE_MS;
    if (code == OS_OK && ret->deadline_ms > SETTINGS_LONGEST_MS)
        ret->deadline_ms = SETTINGS_LONGEST_MS;
    if (code == OS_OK && (unsigned)ret->forward_only > OS_OFF)
        code = error_set(err, OS_ERR_ARGUMENT, "forward_only of os_call has a value that is not in its enumeration.");
    return code;
}

static bool is_promised(const struct settings *settings, const char *key)
{
    const char *prefix = settings->forward_only_prefix;
    return prefix && strncmp(key ? key : "", prefix, strlen(prefix)) == 0;
}

bool arguments_forward_only(const os_client *client, const char *key, const os_call *call)
{
    return call->forward_only == OS_ON || (call->forward_only == OS_AUTO && is_promised(&client->settings, key));
}

os_code arguments_refuse_forward_only(const char *name, const char *key, os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT,
                     "%s of %.300s is refused: forward_only promises that this key is never deleted. If the key is "
                     "without that promise, call without --forward-only and OSCOMMIT_FORWARD_ONLY; in a program, with "
                     "forward_only = OS_OFF in the os_call.",
                     name, key ? key : "");
}

static bool printable(const char *value)
{
    for (const unsigned char *c = (const unsigned char *)value; *c; c++)
        if (*c < 0x20 || *c >= 0x7f)
            return false;
    return true;
}

static bool metadata_name_ok(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyz0123456789-_.";
    return name[0] != '\0' && name[strspn(name, allowed)] == '\0';
}

static os_code arguments_check_metadata(const os_put_options *options, os_error *err)
{
    size_t bytes = strlen(S3_NONCE_METADATA) + RECORD_NONCE_SIZE - 1;
    bytes += options->fencing != 0 ? strlen(S3_FENCING_METADATA) + TEXT_NUMBER_SIZE - 1 : 0;
    if (options->metadata_count > SOURCE_METADATA_MAX || (options->metadata == NULL && options->metadata_count > 0))
        return error_set(err, OS_ERR_ARGUMENT,
                         "There are %zu metadata entries; at most %d are allowed, so that a copy can carry them too.",
                         options->metadata ? options->metadata_count : 0, SOURCE_METADATA_MAX);
    for (size_t i = 0; i < options->metadata_count; i++) {
        const os_metadata *entry = &options->metadata[i];
        if (entry->name == NULL || entry->value == NULL || !metadata_name_ok(entry->name))
            return error_set(err, OS_ERR_ARGUMENT,
                             "The metadata entry \"%.100s\" is not valid: it needs a value, and a name of lower-case "
                             "letters, digits, '-', '_' and '.'.",
                             entry->name ? entry->name : "");
        if (metadata_is_reserved(entry->name))
            return error_set(err, OS_ERR_ARGUMENT, "The metadata name %s is reserved.", entry->name);
        if (!printable(entry->value))
            return error_set(
                err, OS_ERR_ARGUMENT,
                "The value of the metadata entry %.100s has bytes that a header cannot carry; encode it first.",
                entry->name);
        bytes += strlen(entry->name) + strlen(entry->value);
    }
    if (bytes > S3_METADATA_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The metadata, with the entry that the guard adds, has %zu bytes; a store takes at most %d.",
                         bytes, S3_METADATA_MAX);
    return OS_OK;
}

static bool tag_ok(const os_metadata *tag)
{
    struct text name = text_from(tag->name);
    struct text value = text_from(tag->value);
    return name.len > 0 && name.len < S3_TAG_NAME_SIZE && value.len < S3_TAG_VALUE_SIZE && text_is_utf8(name) &&
           text_is_utf8(value);
}

static os_code arguments_check_tags(const os_metadata *tags, size_t count, os_error *err)
{
    if (count > S3_TAGS_MAX || (tags == NULL && count > 0))
        return error_set(err, OS_ERR_ARGUMENT, "There are %zu tags; an object has at most %d.", tags ? count : 0,
                         S3_TAGS_MAX);
    for (size_t i = 0; i < count; i++) {
        if (!tag_ok(&tags[i]))
            return error_set(err, OS_ERR_ARGUMENT,
                             "The tag \"%.100s\" cannot be stored: a name has 1 to 128 characters of UTF-8, a value up "
                             "to 256.",
                             tags[i].name ? tags[i].name : "");
        for (size_t j = 0; j < i; j++)
            if (strcmp(tags[i].name, tags[j].name) == 0)
                return error_set(err, OS_ERR_ARGUMENT, "The tag %.100s is given twice.", tags[i].name);
    }
    return OS_OK;
}

static bool is_empty(const char *text)
{
    return text == NULL || text[0] == '\0';
}

static os_code check_header(const char *name, const char *value, os_error *err)
{
    size_t bytes = value ? strlen(value) : 0;
    if (bytes > S3_HEADER_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The %s has %zu bytes; a store takes at most %d.", name, bytes,
                         S3_HEADER_MAX);
    if (bytes > 0 && !printable(value))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The %s has bytes that a header cannot carry: only printable ASCII can be sent.", name);
    return OS_OK;
}

static os_code check_content(const os_put_options *options, os_error *err)
{
    os_code code = check_header("content type", options->content_type, err);
    if (code == OS_OK)
        code = check_header("content encoding", options->content_encoding, err);
    if (code == OS_OK)
        code = check_header("content language", options->content_language, err);
    if (code == OS_OK)
        code = check_header("content disposition", options->content_disposition, err);
    return code == OS_OK ? check_header("cache control", options->cache_control, err) : code;
}

static os_code check_attributes(const struct s3_attributes *attributes, os_error *err)
{
    os_code code = check_header("storage class", attributes->storage_class, err);
    if (code == OS_OK)
        code = check_header("encryption", attributes->encryption, err);
    if (code == OS_OK)
        code = check_header("KMS key id", attributes->kms_key_id, err);
    if (code != OS_OK)
        return code;
    if (!is_empty(attributes->kms_key_id) &&
        (is_empty(attributes->encryption) || strncmp(attributes->encryption, "aws:kms", 7) != 0))
        return error_set(err, OS_ERR_ARGUMENT, "A KMS key id needs the encryption aws:kms or aws:kms:dsse.");
    return arguments_check_tags(attributes->tags, attributes->tag_count, err);
}

os_code arguments_check_attributes(const os_client *client, const struct s3_attributes *attributes, os_error *err)
{
    const struct store_request request = {.attributes = attributes};
    if (client->store->has_attributes)
        return OS_OK;
    return store_answer_refuse_extras(
        &request, client->store->is_local ? "The embedded store" : "A store with Signature V2", err);
}

struct s3_creation arguments_creation(const struct s3_content *content, const struct s3_attributes *attributes)
{
    return (struct s3_creation){
        .content = content,
        .tags = attributes->tags,
        .tag_count = attributes->tag_count,
        .storage_class = attributes->storage_class,
        .encryption = attributes->encryption,
        .kms_key_id = attributes->kms_key_id,
    };
}

uint64_t arguments_fencing(const os_put_options *options)
{
    os_put_options own;
    return versioned_copy(options, &own, sizeof(own), "os_put_options", NULL) == OS_OK ? own.fencing : 0;
}

os_code arguments_content(const os_put_options *options, struct s3_content *ret, struct s3_attributes *ret_attributes,
                          os_error *err)
{
    os_put_options own;
    os_code code = versioned_copy(options, &own, sizeof(own), "os_put_options", err);
    if (code != OS_OK)
        return code;
    const struct s3_attributes attributes = {own.tags, own.tag_count, own.storage_class, own.encryption,
                                             own.kms_key_id};
    code = check_content(&own, err);
    if (code == OS_OK)
        code = arguments_check_metadata(&own, err);
    if (code == OS_OK)
        code = check_attributes(&attributes, err);
    if (code != OS_OK)
        return code;
    *ret_attributes = attributes;
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

os_code arguments_etag(const char *etag, char *ret, os_error *err)
{
    if (etag == NULL || etag[0] == '\0')
        return error_set(err, OS_ERR_ARGUMENT, "The expected ETag is missing; take it from a HEAD of the object.");
    if (strcmp(etag, "*") == 0)
        return error_set(err, OS_ERR_ARGUMENT,
                         "* is not an ETag. Give the ETag of the version that may be replaced, as a HEAD shows it.");
    if (strncasecmp(etag, "W/", 2) == 0)
        return error_set(err, OS_ERR_ARGUMENT,
                         "%.100s is a weak ETag, which does not identify bytes; give a strong one.", etag);
    if (!text_normalise_etag(etag, ret, VERSION_ETAG_SIZE))
        return error_set(err, OS_ERR_ARGUMENT,
                         "%.150s is not an ETag: give it as the store wrote it, with or without its quotes.", etag);
    return OS_OK;
}

os_code arguments_version_id(const char *version_id, const char **ret, os_error *err)
{
    *ret = NULL;
    if (version_id == NULL || version_id[0] == '\0')
        return OS_OK;
    bool printable = true;
    for (const char *c = version_id; *c; c++)
        printable = printable && *c > ' ' && *c < 0x7f; /* AWS: "URL-ready" text */
    if (!printable || !s3_is_version_id(version_id))
        return error_set(err, OS_ERR_ARGUMENT,
                         "\"%.60s\" cannot be a version id of a store; list the versions of the key.", version_id);
    *ret = version_id;
    return OS_OK;
}
