/* SPDX-License-Identifier: Apache-2.0 */
#include "s3/key.h"

#include "base/error.h"
#include "base/text.h"

/* XML 1.0 has no way to write most control characters, so that not every LIST could name such a key ("Naming Amazon S3
 * objects"). Tab, CR and LF it has. */
static bool has_unprintable(struct text text)
{
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (c < 0x20 && c != '\t' && c != '\n' && c != '\r')
            return true;
    }
    return false;
}

os_code s3_check_key(const char *key, os_error *err)
{
    struct text text = text_from(key);
    if (text.len == 0)
        return error_set(err, OS_ERR_ARGUMENT, "The object key is empty; give 1 to 1,024 bytes of UTF-8.");
    if (text.len > S3_KEY_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "The object key has %zu bytes; S3 takes at most 1,024.", text.len);
    if (!text_is_utf8(text))
        return error_set(err, OS_ERR_ARGUMENT, "The object key is not UTF-8; S3 takes no other bytes.");
    if (has_unprintable(text))
        return error_set(err, OS_ERR_ARGUMENT,
                         "The object key has a control character that S3's lists cannot show; choose another key.");
    return OS_OK;
}

bool s3_is_version_id(const char *version_id)
{
    struct text text = text_from(version_id);
    return text.len > 0 && !text_starts(text, "sha256:");
}
