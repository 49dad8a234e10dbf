/* SPDX-License-Identifier: Apache-2.0 */
#include "sigv2/libs3_content.h"

#include "base/error.h"

#include <string.h>

enum { METADATA_NAME_MAX = 1024 /* libs3 copies names into a field of 2 KiB without looking */ };

static os_code unsupported(os_error *err, const char *header)
{
    return error_set(err, OS_ERR_UNSUPPORTED,
                     "libs3 cannot send the object's %s; leave it out, or use a store that speaks Signature V4.",
                     header);
}

/* libs3 knows one form only: attachment; filename="..." */
static os_code fill_disposition(const char *disposition, struct libs3_content *ret, os_error *err)
{
    struct text rest = text_from(disposition);
    struct text name;
    if (rest.len == 0)
        return OS_OK;
    if (!text_take_str(&rest, "attachment; filename=\"") || !text_take_until(&rest, '"', &name) || rest.len > 0 ||
        name.len == 0 || !text_copy(name, ret->filename, sizeof(ret->filename)))
        return unsupported(err, "Content-Disposition");
    ret->properties.contentDispositionFilename = ret->filename;
    return OS_OK;
}

static os_code fill_expires(const char *expires, struct libs3_content *ret, os_error *err)
{
    struct text text = text_from(expires);
    ret->properties.expires = -1;
    if (text.len > 0 && (!text_parse_http_date(text, &ret->properties.expires) || ret->properties.expires < 0))
        return unsupported(err, "Expires");
    return OS_OK;
}

static const char *skip_blanks(const char *value)
{
    return value ? value + strspn(value, " \t") : "";
}

static os_code fill_metadata(const struct s3_content *content, struct libs3_content *ret, os_error *err)
{
    S3NameValue *list = ret->metadata;
    size_t count = 0;
    for (; count < content->metadata_count; count++) {
        const os_metadata *entry = &content->metadata[count];
        if (count == LIBS3_METADATA_MAX || strlen(entry->name) > METADATA_NAME_MAX)
            return unsupported(err, "metadata: there is too much of it");
        list[count] = (S3NameValue){.name = entry->name, .value = skip_blanks(entry->value)};
    }
    if (content->fencing && content->fencing[0])
        list[count++] = (S3NameValue){.name = S3_FENCING_METADATA, .value = content->fencing};
    if (content->nonce && content->nonce[0])
        list[count++] = (S3NameValue){.name = S3_NONCE_METADATA, .value = content->nonce};
    if (content->replaced && content->replaced[0])
        list[count++] = (S3NameValue){.name = S3_REPLACED_METADATA, .value = content->replaced};
    ret->properties.metaData = list;
    ret->properties.metaDataCount = (int)count;
    return OS_OK;
}

os_code libs3_content_fill(const struct s3_content *content, struct libs3_content *ret, os_error *err)
{
    memset(ret, 0, sizeof(*ret));
    bool typed = content->content_type && content->content_type[0];
    ret->properties.contentType = typed ? content->content_type : "application/octet-stream";
    ret->properties.contentEncoding = content->content_encoding;
    ret->properties.cacheControl = content->cache_control;
    ret->properties.cannedAcl = S3CannedAclPrivate;
    os_code code = OS_OK;
    if (content->content_language && content->content_language[0])
        code = unsupported(err, "Content-Language");
    if (code == OS_OK)
        code = fill_disposition(content->content_disposition, ret, err);
    if (code == OS_OK)
        code = fill_expires(content->expires, ret, err);
    return code == OS_OK ? fill_metadata(content, ret, err) : code;
}
