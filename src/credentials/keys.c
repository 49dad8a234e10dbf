/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/keys.h"

#include "base/error.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

void keys_wipe(char **string)
{
    if (*string != NULL)
        OPENSSL_cleanse(*string, strlen(*string));
    free(*string);
    *string = NULL;
}

void keys_free(struct keys *keys)
{
    keys_wipe(&keys->access_key_id);
    keys_wipe(&keys->secret_access_key);
    keys_wipe(&keys->session_token);
    keys->expires_s = 0;
}

bool keys_are_there(const struct keys *keys)
{
    return keys->access_key_id != NULL;
}

struct sigv4_keys keys_lend(const struct keys *keys)
{
    return (struct sigv4_keys){keys->access_key_id, keys->secret_access_key, keys->session_token};
}

/* NULL for an empty one. False when out of memory. */
static bool copy_part(struct text from, char **ret)
{
    *ret = NULL;
    if (from.len > 0)
        *ret = strndup(from.p, from.len);
    return from.len == 0 || *ret != NULL;
}

/* A line end that came along when a key was copied would make every signature wrong, or a header out of one. What is
 * longer would not fit into a signed URL (AWS promises no maximum, but says that tokens have less than 4 KiB). */
static os_code check_part(const char *name, struct text part, size_t most, os_error *err)
{
    if (part.len > most) {
        return error_set(err, OS_ERR_CREDENTIALS, "The %s has %zu bytes; at most %zu can be sent.", name, part.len,
                         most);
    }
    for (size_t i = 0; i < part.len; i++) {
        if ((unsigned char)part.p[i] <= ' ' || part.p[i] == 0x7f) {
            return error_set(err, OS_ERR_CREDENTIALS,
                             "The %s contains a blank, a line end or another control character, which is never valid: "
                             "check where it was copied from.",
                             name);
        }
    }
    return OS_OK;
}

static os_code check_parts(const struct keys_text *from, os_error *err)
{
    os_code code = check_part("access key id", from->access_key_id, SIGV4_ACCESS_KEY_ID_MAX, err);
    if (code == OS_OK)
        code = check_part("secret access key", from->secret_access_key, SIGV4_SECRET_MAX, err);
    return code == OS_OK ? check_part("session token", from->session_token, SIGV4_SESSION_TOKEN_MAX, err) : code;
}

os_code keys_take(const struct keys_text *from, struct keys *ret, os_error *err)
{
    struct keys taken = {.expires_s = from->expires_s};
    os_code code = check_parts(from, err);
    if (code != OS_OK)
        return code;
    if (!copy_part(from->access_key_id, &taken.access_key_id) ||
        !copy_part(from->secret_access_key, &taken.secret_access_key) ||
        !copy_part(from->session_token, &taken.session_token)) {
        keys_free(&taken);
        return error_no_memory(err);
    }
    keys_free(ret);
    *ret = taken;
    return OS_OK;
}

os_code keys_copy(const struct keys *from, struct keys *ret, os_error *err)
{
    const struct keys_text text = {
        .access_key_id = text_from(from->access_key_id),
        .secret_access_key = text_from(from->secret_access_key),
        .session_token = text_from(from->session_token),
        .expires_s = from->expires_s,
    };
    return keys_take(&text, ret, err);
}
