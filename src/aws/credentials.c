/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/credentials.h"

#include "aws/profile.h"
#include "base/error.h"

#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

enum { RENEW_BEFORE_S = 300 };

/* One set of keys; all three own copies, token may be NULL. */
struct keys {
    char *access_key_id;
    char *secret_access_key;
    char *session_token;
    int64_t expires_s; /* 0: never */
};

struct credentials {
    struct keys given; /* static keys of the options */
    struct keys current;
    char *profile;
    os_credentials_fn callback;
    void *callback_context;
    bool no_environment;
};

static void wipe(char **string)
{
    if (*string)
        OPENSSL_cleanse(*string, strlen(*string));
    free(*string);
    *string = NULL;
}

static void keys_free(struct keys *keys)
{
    wipe(&keys->access_key_id);
    wipe(&keys->secret_access_key);
    wipe(&keys->session_token);
    keys->expires_s = 0;
}

static bool present(const char *string)
{
    return string != NULL && string[0] != '\0';
}

static bool copy_optional(const char *from, char **ret)
{
    if (!present(from))
        return true;
    *ret = strdup(from);
    return *ret != NULL;
}

static bool keys_copy(const char *id, const char *secret, const char *token, int64_t expires_s, struct keys *ret)
{
    struct keys copy = {.expires_s = expires_s};
    if (!copy_optional(id, &copy.access_key_id) || !copy_optional(secret, &copy.secret_access_key) ||
        !copy_optional(token, &copy.session_token)) {
        keys_free(&copy);
        return false;
    }
    keys_free(ret);
    *ret = copy;
    return true;
}

os_code credentials_new(const struct credentials_source *source, struct credentials **ret, os_error *err)
{
    if (present(source->access_key_id) != present(source->secret_access_key))
        return error_set(err, OS_ERR_CONFIG,
                         "Only one of access_key_id and secret_access_key is given; a key pair needs both.");
    struct credentials *credentials = calloc(1, sizeof(*credentials));
    if (credentials == NULL)
        return error_no_memory(err);
    credentials->callback = source->callback;
    credentials->callback_context = source->callback_context;
    credentials->no_environment = source->no_environment;
    if (!keys_copy(source->access_key_id, source->secret_access_key, source->session_token, 0, &credentials->given) ||
        !copy_optional(source->profile, &credentials->profile)) {
        credentials_free(credentials);
        return error_no_memory(err);
    }
    *ret = credentials;
    return OS_OK;
}

void credentials_free(struct credentials *credentials)
{
    if (credentials == NULL)
        return;
    keys_free(&credentials->given);
    keys_free(&credentials->current);
    free(credentials->profile);
    free(credentials);
}

/* ------------------------------------------------------------------------------------------------ sources */

static os_code ask_callback(struct credentials *credentials, os_error *err)
{
    os_credentials got = {.size = sizeof(got)};
    if (credentials->callback(credentials->callback_context, &got) != 0)
        return error_set(err, OS_ERR_CREDENTIALS, "The credentials callback gave no credentials.");
    if (!present(got.access_key_id) || !present(got.secret_access_key))
        return error_set(err, OS_ERR_CREDENTIALS, "The credentials callback gave only half of a key pair.");
    bool ok =
        keys_copy(got.access_key_id, got.secret_access_key, got.session_token, got.expires_s, &credentials->current);
    return ok ? OS_OK : error_no_memory(err);
}

static bool from_environment(struct keys *ret)
{
    const char *id = getenv("AWS_ACCESS_KEY_ID");
    const char *secret = getenv("AWS_SECRET_ACCESS_KEY");
    return present(id) && present(secret) && keys_copy(id, secret, getenv("AWS_SESSION_TOKEN"), 0, ret);
}

static bool from_profile(const char *profile, struct keys *ret)
{
    struct keys found = {0};
    bool ok = profile_get(profile, "aws_access_key_id", &found.access_key_id) &&
              profile_get(profile, "aws_secret_access_key", &found.secret_access_key);
    if (!ok) {
        keys_free(&found);
        return false;
    }
    (void)profile_get(profile, "aws_session_token", &found.session_token);
    keys_free(ret);
    *ret = found;
    return true;
}

static os_code look(struct credentials *credentials, os_error *err)
{
    const struct keys *given = &credentials->given;
    if (credentials->callback)
        return ask_callback(credentials, err);
    if (given->access_key_id)
        return keys_copy(given->access_key_id, given->secret_access_key, given->session_token, 0, &credentials->current)
                   ? OS_OK
                   : error_no_memory(err);
    if (credentials->no_environment)
        return error_set(err, OS_ERR_CREDENTIALS,
                         "There are no credentials: no callback and no static keys were given, and the environment is "
                         "not to be read.");
    bool named = present(credentials->profile); /* a profile that was asked for goes before the environment */
    if (!named && from_environment(&credentials->current))
        return OS_OK;
    if (from_profile(credentials->profile, &credentials->current))
        return OS_OK;
    return error_set(
        err, OS_ERR_CREDENTIALS,
        "There are no credentials: not in %s, nor in the profile \"%.100s\" of the shared credentials and config "
        "files. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile.",
        named ? "the options" : "the options or the environment", profile_name(credentials->profile));
}

os_code credentials_get(struct credentials *credentials, int64_t now_s, bool renew, struct sigv4_keys *ret,
                        os_error *err)
{
    struct keys *current = &credentials->current;
    bool old = current->expires_s != 0 && now_s + RENEW_BEFORE_S >= current->expires_s;
    if (current->access_key_id == NULL || renew || old) {
        os_code code = look(credentials, err);
        bool still_good = current->access_key_id != NULL && !renew && now_s < current->expires_s;
        if (code != OS_OK && !(old && still_good))
            return code;
    }
    ret->access_key_id = current->access_key_id;
    ret->secret_access_key = current->secret_access_key;
    ret->session_token = current->session_token;
    return OS_OK;
}
