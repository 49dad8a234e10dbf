/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that stand somewhere as they are: in the environment, and in the two profile files. */
#include "credentials/source.h"

#include "base/error.h"

#include <stdlib.h>

static struct text variable(const char *name)
{
    return text_from(getenv(name));
}

os_code source_environment(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    (void)profile;
    const struct keys_text found = {.access_key_id = variable("AWS_ACCESS_KEY_ID"),
                                    .secret_access_key = variable("AWS_SECRET_ACCESS_KEY"),
                                    .session_token = variable("AWS_SESSION_TOKEN")};
    bool id = found.access_key_id.len > 0;
    bool secret = found.secret_access_key.len > 0;
    if (!id && !secret)
        return chain_pass(chain, "AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set");
    if (!id || !secret) {
        return error_set(err, OS_ERR_CREDENTIALS, "%s is set without %s; set both, or neither.",
                         id ? "AWS_ACCESS_KEY_ID" : "AWS_SECRET_ACCESS_KEY",
                         id ? "AWS_SECRET_ACCESS_KEY" : "AWS_ACCESS_KEY_ID");
    }
    return keys_take(&found, ret, err);
}

/* The pair and its token come from one section: a token of one file must not be sent with the keys of the other. */
static os_code from_place(struct chain *chain, const struct profile_place *place, struct keys *ret, os_error *err)
{
    const struct profile_files *files = &chain->files;
    const struct keys_text found = {.access_key_id = profile_find(files, place, NULL, "aws_access_key_id"),
                                    .secret_access_key = profile_find(files, place, NULL, "aws_secret_access_key"),
                                    .session_token = profile_find(files, place, NULL, "aws_session_token")};
    bool id = found.access_key_id.len > 0;
    bool secret = found.secret_access_key.len > 0;
    if (!id && !secret)
        return chain_pass(chain, "the profile \"%.100s\" has no keys in %.300s", place->name, files->path[place->file]);
    if (!id || !secret) {
        return error_set(err, OS_ERR_CREDENTIALS, "The profile \"%.100s\" in %.300s has %s without %s; it needs both.",
                         place->name, files->path[place->file], id ? "aws_access_key_id" : "aws_secret_access_key",
                         id ? "aws_secret_access_key" : "aws_access_key_id");
    }
    chain->pass = false;
    return keys_take(&found, ret, err);
}

static os_code from_file(struct chain *chain, enum profile_file file, const char *profile, struct keys *ret,
                         os_error *err)
{
    struct profile_place places[PROFILE_PLACES_MAX];
    size_t count = profile_places(profile, places);
    os_code code = OS_OK;
    for (size_t i = 0; i < count && code == OS_OK && !keys_are_there(ret); i++)
        if (places[i].file == file)
            code = from_place(chain, &places[i], ret, err);
    return code;
}

os_code source_credentials_file(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    return from_file(chain, PROFILE_CREDENTIALS, profile, ret, err);
}

os_code source_config_file(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    return from_file(chain, PROFILE_CONFIG, profile, ret, err);
}

os_code source_login(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    (void)ret;
    if (profile_setting(&chain->files, profile, "login_session").len == 0)
        return chain_pass(chain, "the profile \"%.100s\" has no login_session", profile);
    return error_set(
        err, OS_ERR_CREDENTIALS,
        "The profile \"%.100s\" gets its keys by login_session (aws login), which is not supported: export "
        "them (aws configure export-credentials --format env), or give a credentials callback.",
        profile);
}
