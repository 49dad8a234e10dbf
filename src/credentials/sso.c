/* SPDX-License-Identifier: Apache-2.0 */
/* IAM Identity Center: the keys of a role in an account, for the token of a login (API Reference of the IAM Identity
 * Center Portal, GetRoleCredentials). */
#include "credentials/service.h"
#include "credentials/sso_token.h"

#include "base/error.h"

#include <openssl/crypto.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ settings */

/* Of the section [sso-session NAME]; what the profile says itself must be the same. */
static os_code session_setting(const struct chain *chain, const char *profile, const struct profile_place *section,
                               const char *name, char *ret, os_error *err)
{
    struct text value = profile_find(&chain->files, section, NULL, name);
    if (value.len > 0 && ret[0] != '\0' && !text_is(value, ret)) {
        return error_set(err, OS_ERR_CONFIG,
                         "%s is one in the profile \"%.100s\", and another in its sso-session "
                         "\"%.100s\".",
                         name, profile, section->name);
    }
    if (value.len == 0 || text_copy(value, ret, SSO_TEXT_SIZE))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG, "%s of the sso-session \"%.100s\" is longer than %d bytes.", name,
                     section->name, SSO_TEXT_SIZE - 1);
}

static os_code read_session(const struct chain *chain, const char *profile, struct sso_settings *ret, os_error *err)
{
    const struct profile_place section = {PROFILE_CONFIG, "sso-session", ret->session};
    if (ret->session[0] == '\0')
        return OS_OK;
    if (!profile_has_section(&chain->files, &section)) {
        return error_set(err, OS_ERR_CONFIG,
                         "The profile \"%.100s\" names the sso_session \"%.100s\", but %.300s has no section "
                         "[sso-session %.100s].",
                         profile, ret->session, chain->files.path[PROFILE_CONFIG], ret->session);
    }
    os_code code = session_setting(chain, profile, &section, "sso_region", ret->region, err);
    return code == OS_OK ? session_setting(chain, profile, &section, "sso_start_url", ret->start_url, err) : code;
}

static os_code check_settings(const char *profile, const struct sso_settings *settings, os_error *err)
{
    const char *missing = settings->role_name[0] == '\0'    ? "sso_role_name"
                          : settings->account_id[0] == '\0' ? "sso_account_id"
                          : settings->start_url[0] == '\0'  ? "sso_start_url"
                          : settings->region[0] == '\0'     ? "sso_region"
                                                            : NULL;
    if (missing == NULL)
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG, "The profile \"%.100s\" is one of IAM Identity Center, but %s is missing.",
                     profile, missing);
}

static os_code read_settings(const struct chain *chain, const char *profile, struct sso_settings *ret, os_error *err)
{
    const struct {
        const char *name;
        char *value;
    } members[] = {{"sso_role_name", ret->role_name},
                   {"sso_account_id", ret->account_id},
                   {"sso_session", ret->session},
                   {"sso_start_url", ret->start_url},
                   {"sso_region", ret->region}};
    os_code code = OS_OK;
    for (size_t i = 0; i < sizeof(members) / sizeof(members[0]) && code == OS_OK; i++)
        code = service_setting(chain, profile, members[i].name, members[i].value, SSO_TEXT_SIZE, err);
    return code;
}

/* ------------------------------------------------------------------------------------------------ asking */

static bool build_question(const struct sso_settings *settings, const char *token, struct http_request *request)
{
    request->method = "GET";
    return buf_add_str(&request->path, "/federation/credentials") &&
           http_request_add_query(request, "account_id", settings->account_id) &&
           http_request_add_query(request, "role_name", settings->role_name) &&
           http_headers_add(&request->headers, "x-amz-sso_bearer_token", token);
}

static os_code read_role(const char *profile, const struct sso_settings *settings, const struct http_response *response,
                         struct keys *ret, os_error *err)
{
    static const struct service_members members = {.access_key_id = "accessKeyId",
                                                   .secret_access_key = "secretAccessKey",
                                                   .session_token = "sessionToken",
                                                   .expiration = "expiration",
                                                   .must_expire = true};
    const char *from = "The answer of IAM Identity Center";
    json_t *document = NULL;
    if (response->status != 200) {
        bool over = response->status == 401;
        (void)error_set(err, OS_ERR_CREDENTIALS,
                        "IAM Identity Center gave no keys for the role %.200s in the account %.100s: it answered %d. "
                        "%s --profile %.100s`.",
                        settings->role_name, settings->account_id, response->status,
                        over ? "Log in again: `aws sso login" : "Check what the login may have: `aws sso login",
                        profile);
        error_service(err, response->status, NULL, http_headers_get(&response->headers, "x-amzn-requestid"));
        return OS_ERR_CREDENTIALS;
    }
    os_code code = service_read_json(text_of(buf_str(&response->body), response->body.len), from, &document, err);
    if (code == OS_OK)
        code = service_take_keys(json_object_get(document, "roleCredentials"), &members, from, ret, err);
    json_decref(document);
    return code;
}

static os_code ask_for_keys(const struct chain *chain, const char *profile, const struct sso_settings *settings,
                            const char *token, struct keys *ret, os_error *err)
{
    struct http_request request;
    struct http_response response = {0};
    struct endpoint endpoint;
    os_code code = service_endpoint(chain, profile, "sso", settings->region, &endpoint, err);
    if (code != OS_OK)
        return code;
    http_request_init(&request);
    code = build_question(settings, token, &request) ? OS_OK : error_no_memory(err);
    if (code == OS_OK)
        code = service_ask_endpoint(chain, "IAM Identity Center", &endpoint, &request, &response, err);
    if (code == OS_OK)
        code = read_role(profile, settings, &response, ret, err);
    http_request_free(&request);
    http_response_free(&response);
    return code;
}

os_code source_sso(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    struct sso_settings settings = {0};
    char token[SSO_TOKEN_SIZE];
    os_code code = read_settings(chain, profile, &settings, err);
    if (code == OS_OK && settings.role_name[0] == '\0' && settings.account_id[0] == '\0')
        return chain_pass(chain, "the profile \"%.100s\" has no sso_role_name and sso_account_id", profile);
    if (code == OS_OK)
        code = read_session(chain, profile, &settings, err);
    if (code == OS_OK)
        code = check_settings(profile, &settings, err);
    if (code == OS_OK)
        code = chain_may_block(chain, err);
    if (code == OS_OK)
        code = sso_token_get(chain, profile, &settings, token, err);
    if (code == OS_OK)
        code = ask_for_keys(chain, profile, &settings, token, ret, err);
    OPENSSL_cleanse(token, sizeof(token));
    return code;
}
