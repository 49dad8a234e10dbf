/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/credentials.h"

#include "aws/profile.h"
#include "base/error.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { RENEW_BEFORE_S = 300 };

/* One set of keys, all owned; NULL where there is none. */
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

static void credentials_wipe(char **string)
{
    if (*string != NULL)
        OPENSSL_cleanse(*string, strlen(*string));
    free(*string);
    *string = NULL;
}

static void keys_free(struct keys *keys)
{
    credentials_wipe(&keys->access_key_id);
    credentials_wipe(&keys->secret_access_key);
    credentials_wipe(&keys->session_token);
    keys->expires_s = 0;
}

/* NULL for an empty one. False when out of memory. */
static bool credentials_copy(struct text from, char **ret)
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

static os_code check_parts(struct text id, struct text secret, struct text token, os_error *err)
{
    os_code code = check_part("access key id", id, SIGV4_ACCESS_KEY_ID_MAX, err);
    if (code == OS_OK)
        code = check_part("secret access key", secret, SIGV4_SECRET_MAX, err);
    return code == OS_OK ? check_part("session token", token, SIGV4_SESSION_TOKEN_MAX, err) : code;
}

static os_code keys_take(struct text id, struct text secret, struct text token, int64_t expires_s, struct keys *ret,
                         os_error *err)
{
    struct keys taken = {.expires_s = expires_s};
    os_code code = check_parts(id, secret, token, err);
    if (code != OS_OK)
        return code;
    if (!credentials_copy(id, &taken.access_key_id) || !credentials_copy(secret, &taken.secret_access_key) ||
        !credentials_copy(token, &taken.session_token)) {
        keys_free(&taken);
        return error_no_memory(err);
    }
    keys_free(ret);
    *ret = taken;
    return OS_OK;
}

os_code credentials_new(const struct credentials_source *source, struct credentials **ret, os_error *err)
{
    struct text id = text_from(source->access_key_id);
    struct text secret = text_from(source->secret_access_key);
    struct text token = text_from(source->session_token);
    if ((id.len > 0) != (secret.len > 0)) {
        return error_set(err, OS_ERR_CONFIG, "%s is given without %s; a key pair needs both.",
                         id.len > 0 ? "access_key_id" : "secret_access_key",
                         id.len > 0 ? "secret_access_key" : "access_key_id");
    }
    if (token.len > 0 && id.len == 0)
        return error_set(err, OS_ERR_CONFIG, "session_token is given without the key pair that it belongs to.");
    struct credentials *credentials = calloc(1, sizeof(*credentials));
    if (credentials == NULL)
        return error_no_memory(err);
    credentials->callback = source->callback;
    credentials->callback_context = source->callback_context;
    credentials->no_environment = source->no_environment;
    os_code code = keys_take(id, secret, token, 0, &credentials->given, err);
    if (code == OS_OK && !credentials_copy(text_from(source->profile), &credentials->profile))
        code = error_no_memory(err);
    if (code != OS_OK) {
        credentials_free(credentials);
        return code;
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

/* ---------------------------------------------------------------------------------------------------- sources */

static os_code from_callback(struct credentials *credentials, os_error *err)
{
    os_credentials got = {.size = sizeof(got)};
    if (credentials->callback(credentials->callback_context, &got) != 0) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The credentials callback gave no credentials; check the source that it reads.");
    }
    struct text id = text_from(got.access_key_id);
    struct text secret = text_from(got.secret_access_key);
    if (id.len == 0 || secret.len == 0) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The credentials callback reported success, but gave no access key id or no secret.");
    }
    return keys_take(id, secret, text_from(got.session_token), got.expires_s, &credentials->current, err);
}

/* OS_OK and nothing taken when neither variable is set. */
static os_code from_environment(struct keys *ret, os_error *err)
{
    struct text id = text_from(getenv("AWS_ACCESS_KEY_ID"));
    struct text secret = text_from(getenv("AWS_SECRET_ACCESS_KEY"));
    if (id.len == 0 && secret.len == 0)
        return OS_OK;
    if (id.len == 0 || secret.len == 0) {
        return error_set(err, OS_ERR_CREDENTIALS, "%s is set without %s; set both, or neither.",
                         id.len > 0 ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                         id.len > 0 ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
    }
    return keys_take(id, secret, text_from(getenv("AWS_SESSION_TOKEN")), 0, ret, err);
}

/* The pair and its token come from one section: a token of one file must not be sent with the keys of the other. */
static os_code from_place(const struct profile_files *files, const struct profile_place *place, struct keys *ret,
                          os_error *err)
{
    struct text id = profile_find(files, place, NULL, "aws_access_key_id");
    struct text secret = profile_find(files, place, NULL, "aws_secret_access_key");
    if (id.len == 0 && secret.len == 0)
        return OS_OK;
    if (id.len == 0 || secret.len == 0) {
        return error_set(err, OS_ERR_CREDENTIALS, "The profile \"%.100s\" in %.300s has %s without %s; it needs both.",
                         place->name, files->path[place->file],
                         id.len > 0 ? "aws_access_key_id" : "aws_secret_access_key",
                         id.len > 0 ? "aws_secret_access_key" : "aws_access_key_id");
    }
    return keys_take(id, secret, profile_find(files, place, NULL, "aws_session_token"), 0, ret, err);
}

/* A way to credentials that is the AWS tools' own, or NULL. */
static const char *foreign_way(const struct profile_files *files, const char *profile)
{
    static const char *const ways[] = {"role_arn",      "credential_process",      "sso_session",
                                       "sso_start_url", "web_identity_token_file", "login_session"};
    for (size_t i = 0; i < sizeof(ways) / sizeof(ways[0]); i++)
        if (profile_setting(files, profile, ways[i]).len > 0)
            return ways[i];
    return NULL;
}

/* What is with a file, for a person: "/home/x/.aws/config", or that and why it was not read. */
static void describe_file(const struct profile_files *files, enum profile_file file, char *ret, size_t ret_size)
{
    const char *path = files->path[file][0] != '\0' ? files->path[file] : "(HOME is not set)";
    if (files->failed[file] != 0)
        snprintf(ret, ret_size, "%.200s (not read: %.60s)", path, strerror(files->failed[file]));
    else
        snprintf(ret, ret_size, "%.200s%s", path, files->data[file] == NULL ? " (not there)" : "");
}

static os_code nothing_found(const struct profile_files *files, const char *profile, bool asked_for, os_error *err)
{
    char credentials_file[320];
    char config_file[320];
    const char *way = foreign_way(files, profile);
    if (way != NULL) {
        return error_set(
            err, OS_ERR_CREDENTIALS,
            "The profile \"%.100s\" gets its keys by %s, which is not supported; export them (aws configure "
            "export-credentials --format env), or give a credentials callback.",
            profile, way);
    }
    describe_file(files, PROFILE_CREDENTIALS, credentials_file, sizeof(credentials_file));
    describe_file(files, PROFILE_CONFIG, config_file, sizeof(config_file));
    return error_set(
        err, OS_ERR_CREDENTIALS,
        "There are no credentials: none in the options, %sand none for the profile \"%.100s\" in %s or %s. "
        "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or name a profile that has keys.",
        asked_for ? "" : "none in the environment, ", profile, credentials_file, config_file);
}

static os_code from_profile(const char *profile, struct keys *ret, bool asked_for, os_error *err)
{
    struct profile_files files;
    struct profile_place places[PROFILE_PLACES_MAX];
    struct keys found = {0};
    os_code code = profile_load(&files, err);
    if (code != OS_OK)
        return code;
    size_t count = profile_places(profile, places);
    for (size_t i = 0; i < count && code == OS_OK && found.access_key_id == NULL; i++)
        code = from_place(&files, &places[i], &found, err);
    if (code == OS_OK && found.access_key_id == NULL)
        code = nothing_found(&files, profile, asked_for, err);
    profile_free(&files);
    if (code == OS_OK) {
        keys_free(ret);
        *ret = found;
    }
    return code;
}

/* A profile that was asked for by name goes before the keys of the environment, as with the AWS tools. */
static os_code from_surroundings(struct credentials *credentials, os_error *err)
{
    struct keys found = {0};
    bool asked_for = credentials->profile != NULL;
    os_code code = asked_for ? OS_OK : from_environment(&found, err);
    if (code == OS_OK && found.access_key_id == NULL)
        code = from_profile(profile_name(credentials->profile), &found, asked_for, err);
    if (code == OS_OK) {
        keys_free(&credentials->current);
        credentials->current = found;
    }
    return code;
}

static os_code credentials_find(struct credentials *credentials, os_error *err)
{
    const struct keys *given = &credentials->given;
    if (credentials->callback != NULL)
        return from_callback(credentials, err);
    if (given->access_key_id != NULL) {
        return keys_take(text_from(given->access_key_id), text_from(given->secret_access_key),
                         text_from(given->session_token), 0, &credentials->current, err);
    }
    if (credentials->no_environment) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "There are no credentials: no callback and no keys are given, and no_environment forbids to "
                         "read the environment and the profile files.");
    }
    return from_surroundings(credentials, err);
}

os_code credentials_get(struct credentials *credentials, int64_t now_s, bool renew, struct sigv4_keys *ret,
                        os_error *err)
{
    struct keys *current = &credentials->current;
    bool have = current->access_key_id != NULL;
    bool ends_soon =
        have && current->expires_s != 0 && (current->expires_s < 0 || now_s >= current->expires_s - RENEW_BEFORE_S);
    if (!have || renew || ends_soon) {
        os_code code = credentials_find(credentials, err);
        bool still_good = have && !renew && now_s < current->expires_s;
        if (code != OS_OK && !still_good)
            return code;
    }
    error_clear(err);
    *ret = (struct sigv4_keys){current->access_key_id, current->secret_access_key, current->session_token};
    return OS_OK;
}
