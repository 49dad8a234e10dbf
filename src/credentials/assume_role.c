/* SPDX-License-Identifier: Apache-2.0 */
/* A role that a profile names, with the keys of another profile, or of a named source (AWS SDKs and Tools Reference
 * Guide, "Assume role credential provider"). */
#include "credentials/service.h"
#include "credentials/sts.h"

#include "base/error.h"

#include <string.h>

enum { PROFILE_NAME_SIZE = 256, ROLE_DURATION_MOST_S = 43200 /* API Reference, AssumeRole */ };

static bool has_setting(const struct chain *chain, const char *profile, const char *name)
{
    return profile_setting(&chain->files, profile, name).len > 0;
}

/* One with a token of its own for its role is assumed by that (web_identity.c). */
static bool has_role(const struct chain *chain, const char *profile)
{
    return has_setting(chain, profile, "role_arn") && !has_setting(chain, profile, "web_identity_token_file");
}

static bool has_static_keys(const struct chain *chain, const char *profile)
{
    return has_setting(chain, profile, "aws_access_key_id") || has_setting(chain, profile, "aws_secret_access_key");
}

/* ------------------------------------------------------------------------------------------------ whose keys ask */

static os_code from_named_source(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    static const struct {
        const char *name;
        chain_source_fn find;
    } named[] = {{"Environment", source_environment},
                 {"EcsContainer", source_container},
                 {"Ec2InstanceMetadata", source_instance}};
    struct text wanted = profile_setting(&chain->files, profile, "credential_source");
    for (size_t i = 0; i < sizeof(named) / sizeof(named[0]); i++) {
        if (!text_is_nocase(wanted, named[i].name))
            continue;
        chain->pass = false;
        os_code code = named[i].find(chain, profile, ret, err);
        if (code != OS_OK || !chain->pass)
            return code;
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The profile \"%.100s\" takes the keys for its role from credential_source = %s, which has "
                         "none: %.200s.",
                         profile, named[i].name, chain->why);
    }
    return error_set(err, OS_ERR_CONFIG,
                     "credential_source of the profile \"%.100s\" is \"%.*s\"; there are Environment, EcsContainer and "
                     "Ec2InstanceMetadata.",
                     profile, (int)(wanted.len < 100 ? wanted.len : 100), wanted.p);
}

static bool was_visited(const struct chain *chain, const char *profile)
{
    for (size_t i = 0; i < chain->visited_count; i++)
        if (strcmp(chain->visited[i], profile) == 0)
            return true;
    return false;
}

static os_code assume_role(struct chain *chain, const char *profile, struct keys *ret, os_error *err);

/* A profile may name itself: then its own keys ask for its role. */
static os_code from_source_profile(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    char source[PROFILE_NAME_SIZE];
    os_code code = service_setting(chain, profile, "source_profile", source, sizeof(source), err);
    if (code != OS_OK)
        return code;
    if (!profile_is_there(&chain->files, source)) {
        return error_set(err, OS_ERR_CONFIG,
                         "The profile \"%.100s\", which \"%.100s\" names as its source_profile, is "
                         "in neither of the profile files.",
                         source, profile);
    }
    bool own_keys = has_static_keys(chain, source);
    bool itself = strcmp(source, profile) == 0;
    if (was_visited(chain, source) && !(itself && own_keys)) {
        return error_set(err, OS_ERR_CONFIG,
                         "The profiles name each other as source_profile in a circle, which comes "
                         "back to \"%.100s\": give one of them keys.",
                         source);
    }
    if (own_keys || !has_role(chain, source))
        return chain->find_in_profile(chain, source, ret, err);
    return assume_role(chain, source, ret, err);
}

/* ------------------------------------------------------------------------------------------------ the role */

static os_code check_role(const struct chain *chain, const char *profile, os_error *err)
{
    bool by_profile = has_setting(chain, profile, "source_profile");
    bool by_source = has_setting(chain, profile, "credential_source");
    if (has_setting(chain, profile, "mfa_serial")) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "The role of the profile \"%.100s\" wants a code of a device (mfa_serial), which a library "
                         "cannot ask a person for: export the keys (aws configure export-credentials --format env), or "
                         "give a credentials callback.",
                         profile);
    }
    if (by_profile == by_source) {
        return error_set(err, OS_ERR_CONFIG,
                         "The profile \"%.100s\" has role_arn, and %s source_profile %s credential_source: give one of "
                         "the two, so that it is clear whose keys ask for the role.",
                         profile, by_profile ? "both" : "neither", by_profile ? "and" : "nor");
    }
    if (chain->visited_count == CHAIN_PROFILES_MAX)
        return error_set(err, OS_ERR_CONFIG, "More than %d roles are assumed one by the other.", CHAIN_PROFILES_MAX);
    return OS_OK;
}

static os_code describe_role(const struct chain *chain, const char *profile, struct sts_question *ret, os_error *err)
{
    uint64_t duration_s = 0;
    struct text duration = profile_setting(&chain->files, profile, "duration_seconds");
    os_code code = service_setting(chain, profile, "role_arn", ret->role_arn, sizeof(ret->role_arn), err);
    if (code == OS_OK)
        code = service_setting(chain, profile, "role_session_name", ret->session_name, sizeof(ret->session_name), err);
    if (code == OS_OK)
        code = service_setting(chain, profile, "external_id", ret->external_id, sizeof(ret->external_id), err);
    if (code == OS_OK && duration.len > 0 &&
        (!text_parse_u64(duration, &duration_s) || duration_s > ROLE_DURATION_MOST_S)) {
        code = error_set(err, OS_ERR_CONFIG,
                         "duration_seconds of the profile \"%.100s\" is not a number of seconds up "
                         "to %d.",
                         profile, ROLE_DURATION_MOST_S);
    }
    ret->duration_s = (uint32_t)duration_s;
    return code;
}

/* `question` is too large for many of them on one stack: roles may follow each other. */
static os_code ask_for_role(struct chain *chain, const char *profile, const struct keys *source, struct keys *ret,
                            os_error *err)
{
    struct sts_question question = {.source = source};
    struct endpoint endpoint;
    os_code code = describe_role(chain, profile, &question, err);
    if (code == OS_OK)
        code = service_endpoint(chain, profile, "sts", NULL, &endpoint, err);
    if (code == OS_OK)
        code = chain_may_block(chain, err);
    return code == OS_OK ? sts_ask(chain, &endpoint, &question, ret, err) : code;
}

static os_code assume_role(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    struct keys source = {0};
    os_code code = check_role(chain, profile, err);
    if (code != OS_OK)
        return code;
    chain->visited[chain->visited_count++] = profile;
    if (has_setting(chain, profile, "credential_source"))
        code = from_named_source(chain, profile, &source, err);
    else
        code = from_source_profile(chain, profile, &source, err);
    if (code == OS_OK)
        code = ask_for_role(chain, profile, &source, ret, err);
    chain->visited_count--;
    chain->pass = false;
    keys_free(&source);
    return code;
}

os_code source_assume_role(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    if (has_role(chain, profile))
        return assume_role(chain, profile, ret, err);
    return chain_pass(chain, "the profile \"%.100s\" has no role_arn", profile);
}
