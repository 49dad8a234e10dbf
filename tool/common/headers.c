/* SPDX-License-Identifier: Apache-2.0 */
#include "common/headers.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

void headers_clear(struct headers *headers)
{
    for (size_t i = 0; i < headers->count; i++)
        free(headers->names[i]);
}

static bool add_pair(struct headers *headers, const char *pair, os_metadata *ret)
{
    char *name = strdup(pair);
    char *equals = name == NULL ? NULL : strchr(name, '=');

    if (equals == NULL) { /* no memory: the options have seen the "=" */
        free(name);
        return false;
    }
    *equals = '\0';
    headers->names[headers->count++] = name;
    ret->name = name;
    ret->value = equals + 1;
    return true;
}

/* Names of metadata are made lower case: header names have none, and the services give them back so. */
static bool add_metadata(struct headers *headers, const char *pair, os_metadata *ret)
{
    if (!add_pair(headers, pair, ret))
        return false;
    for (char *p = headers->names[headers->count - 1]; *p != '\0'; p++)
        *p = (char)tolower((unsigned char)*p);
    return true;
}

static bool add_pairs(struct headers *headers, const struct options *options)
{
    bool ok = true;
    for (size_t i = 0; ok && i < options->metadata_count; i++)
        ok = add_metadata(headers, options->metadata[i], &headers->metadata[i]);
    for (size_t i = 0; ok && i < options->tag_count; i++)
        ok = add_pair(headers, options->tags[i], &headers->tags[i]);
    return ok;
}

bool headers_fill(struct headers *headers, const struct options *options)
{
    static const os_put_options none = OS_PUT_OPTIONS_INIT;

    headers->options = none;
    headers->count = 0;
    if (!add_pairs(headers, options)) {
        headers_clear(headers);
        return false;
    }
    headers->options.content_type = options_text(options, OPTION_CONTENT_TYPE);
    headers->options.content_encoding = options_text(options, OPTION_CONTENT_ENCODING);
    headers->options.content_language = options_text(options, OPTION_CONTENT_LANGUAGE);
    headers->options.content_disposition = options_text(options, OPTION_CONTENT_DISPOSITION);
    headers->options.cache_control = options_text(options, OPTION_CACHE_CONTROL);
    headers->options.metadata = headers->metadata;
    headers->options.metadata_count = options->metadata_count;
    headers->options.tags = headers->tags;
    headers->options.tag_count = options->tag_count;
    headers->options.storage_class = options_text(options, OPTION_STORAGE_CLASS);
    headers->options.encryption = options_text(options, OPTION_ENCRYPTION);
    headers->options.kms_key_id = options_text(options, OPTION_KMS_KEY);
    return true;
}
