/* SPDX-License-Identifier: Apache-2.0 */
#include "client/url.h"

#include "base/error.h"
#include "base/text.h"
#include "dynamo/request.h"
#include "s3/request.h"

#include <stdlib.h>
#include <string.h>

static os_code url_copy_text(struct text text, char **ret, os_error *err)
{
    char *copy = malloc(text.len + 1);
    if (copy == NULL)
        return error_no_memory(err);
    memcpy(copy, text.p, text.len);
    copy[text.len] = '\0';
    *ret = copy;
    return OS_OK;
}

/* "a/b" and "a/b/" both mean the prefix "a/b/". */
static os_code copy_prefix(struct text text, char **ret, os_error *err)
{
    while (text.len > 0 && text.p[text.len - 1] == '/')
        text.len--;
    char *copy = malloc(text.len + 2);
    if (copy == NULL)
        return error_no_memory(err);
    memcpy(copy, text.p, text.len);
    if (text.len > 0)
        copy[text.len++] = '/';
    copy[text.len] = '\0';
    *ret = copy;
    return OS_OK;
}

/* An access point has its own host and its own way to be signed for; its alias is a bucket's name like another. */
static os_code refuse_arn(const char *url, os_error *err)
{
    return error_set(err, OS_ERR_CONFIG,
                     "The store URL %.300s names an access point by its ARN, which is not supported: write its alias, "
                     "which ends in -s3alias, as the bucket's name (aws s3control get-access-point shows it).",
                     url);
}

static os_code url_parse_s3(struct text rest, const char *url, struct settings *ret, os_error *err)
{
    struct text bucket = rest;
    struct text prefix = text_of(rest.p + rest.len, 0);
    if (text_starts(rest, "arn:"))
        return refuse_arn(url, err);
    if (text_take_until(&rest, '/', &bucket))
        prefix = rest;
    os_code code = url_copy_text(bucket, &ret->bucket, err);
    if (code != OS_OK)
        return code;
    if (!bucket_name_ok(ret->bucket))
        return error_set(
            err, OS_ERR_CONFIG,
            "The store URL %s has no valid bucket name (3 to 63 lower-case letters, digits, dots and hyphens); write "
            "s3://bucket or s3://bucket/prefix.",
            url);
    if (prefix.len >= S3_KEY_MAX || !text_is_utf8(prefix))
        return error_set(err, OS_ERR_CONFIG,
                         "The prefix in the store URL %.300s is not UTF-8, or leaves no room for a key.", url);
    ret->store_scheme = SETTINGS_S3;
    return copy_prefix(prefix, &ret->prefix, err);
}

static os_code copy_path(struct text path, const char *url, const char *form, char **ret, os_error *err)
{
    if (path.len < 2 || path.p[0] != '/')
        return error_set(err, OS_ERR_CONFIG,
                         "The URL %s needs the whole path from the root folder: %s is the path /%s.", url, form,
                         strrchr(form, '/') + 1);
    while (path.len > 1 && path.p[1] == '/')
        path = text_of(path.p + 1, path.len - 1);
    struct buf decoded;
    buf_init(&decoded, 4096);
    if (!text_percent_decode(&decoded, path) || strlen(buf_str(&decoded)) != decoded.len) {
        buf_free(&decoded);
        return error_set(err, OS_ERR_CONFIG, "The path in %s is too long or has a broken escape.", url);
    }
    *ret = buf_take(&decoded);
    for (size_t last = *ret ? strlen(*ret) : 0; last > 1 && (*ret)[last - 1] == '/'; last--)
        (*ret)[last - 1] = '\0'; /* one name for one place: tickets compare it */
    return *ret ? OS_OK : error_no_memory(err);
}

os_code url_parse_store(const char *url, struct settings *ret, os_error *err)
{
    struct text rest = text_from(url);
    if (text_take_str(&rest, "s3://"))
        return url_parse_s3(rest, url, ret, err);
    if (text_take_str(&rest, "file://")) {
        ret->store_scheme = SETTINGS_FILE;
        return copy_path(rest, url, "file:///root", &ret->root, err);
    }
    return error_set(err, OS_ERR_CONFIG,
                     "The store URL \"%s\" has an unknown scheme; write s3://bucket[/prefix] or file:///root.", url);
}

static os_code set_table(struct text table, const char *url, struct settings *ret, os_error *err)
{
    os_code code = url_copy_text(table, &ret->table, err);
    if (code != OS_OK)
        return code;
    if (!dynamo_table_name_ok(ret->table))
        return error_set(
            err, OS_ERR_CONFIG,
            "The ledger URL %s has no valid table name: 3 to 255 letters, digits, '_', '-' and '.', or an ARN.", url);
    ret->ledger_scheme = SETTINGS_DYNAMODB;
    return OS_OK;
}

os_code url_parse_ledger(const char *url, struct settings *ret, uint64_t *ret_timeout_ms, os_error *err)
{
    struct text rest = text_from(url);
    if (text_take_str(&rest, "dynamodb://"))
        return set_table(rest, url, ret, err);
    if (text_take_str(&rest, "sqlite://")) {
        ret->ledger_scheme = SETTINGS_SQLITE;
        return copy_path(rest, url, "sqlite:///FILE", &ret->table, err);
    }
    if (text_take_str(&rest, "dynamo:")) { /* as object_store spells it */
        struct text table;
        if (!text_take_until(&rest, ':', &table))
            return set_table(rest, url, ret, err);
        if (!text_parse_u64(rest, ret_timeout_ms) || *ret_timeout_ms == 0)
            return error_set(err, OS_ERR_CONFIG, "The timeout in the ledger URL %s is not a number of milliseconds.",
                             url);
        return set_table(table, url, ret, err);
    }
    return error_set(
        err, OS_ERR_CONFIG,
        "The ledger URL \"%s\" has an unknown scheme; write dynamodb://TABLE, dynamo:TABLE[:TIMEOUT_MS] or "
        "sqlite:///FILE.",
        url);
}
