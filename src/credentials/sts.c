/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/sts.h"

#include "aws/sigv4.h"
#include "base/error.h"
#include "credentials/service.h"
#include "syntax/xml.h"

#include <openssl/crypto.h>
#include <stdio.h>
#include <string.h>

enum { STS_TEXT_SIZE = 512 };

/* ------------------------------------------------------------------------------------------------ the form */

static bool add_field(struct buf *form, const char *name, struct text value)
{
    return buf_add_strs(form, "&", name, "=", NULL) && text_percent_encode(form, value, false);
}

static bool add_known(struct buf *form, const char *name, const char *value)
{
    return value[0] == '\0' || add_field(form, name, text_from(value));
}

bool sts_build_form(const struct sts_question *question, int64_t now_s, struct buf *ret)
{
    bool web = question->web_identity.len > 0;
    char name[STS_NAME_SIZE];
    (void)snprintf(name, sizeof(name), "oscommit-%lld", (long long)now_s);
    bool ok =
        buf_add_strs(ret, "Action=", web ? "AssumeRoleWithWebIdentity" : "AssumeRole", "&Version=2011-06-15", NULL) &&
        add_known(ret, "RoleArn", question->role_arn) &&
        add_known(ret, "RoleSessionName", question->session_name[0] != '\0' ? question->session_name : name) &&
        add_known(ret, "ExternalId", question->external_id);
    if (ok && question->duration_s > 0)
        ok = buf_add_str(ret, "&DurationSeconds=") && buf_add_number(ret, question->duration_s);
    return web ? ok && add_field(ret, "WebIdentityToken", question->web_identity) : ok;
}

/* ------------------------------------------------------------------------------------------------ the answer */

struct sts_answer {
    char access_key_id[SIGV4_ACCESS_KEY_ID_MAX + 1];
    char secret_access_key[SIGV4_SECRET_MAX + 1];
    char session_token[SIGV4_SESSION_TOKEN_MAX + 1];
    int64_t expires_s;
    char code[STS_TEXT_SIZE];
    char message[STS_TEXT_SIZE];
    char request_id[STS_TEXT_SIZE];
};

/* "AssumeRoleResponse/AssumeRoleResult/Credentials/AccessKeyId" gives what is behind "Credentials/". */
static const char *behind(const char *path, const char *folder)
{
    const char *at = strstr(path, folder);
    return at != NULL ? at + strlen(folder) : "";
}

static bool take_credentials(struct sts_answer *answer, const char *name, struct text text)
{
    if (strcmp(name, "AccessKeyId") == 0)
        return text_copy(text_trim(text), answer->access_key_id, sizeof(answer->access_key_id));
    if (strcmp(name, "SecretAccessKey") == 0)
        return text_copy(text_trim(text), answer->secret_access_key, sizeof(answer->secret_access_key));
    if (strcmp(name, "SessionToken") == 0)
        return text_copy(text_trim(text), answer->session_token, sizeof(answer->session_token));
    if (strcmp(name, "Expiration") == 0)
        return service_parse_time(text_trim(text), &answer->expires_s);
    return true;
}

static bool sts_element(void *context, const char *path, struct text text)
{
    struct sts_answer *answer = context;
    const char *of_error = behind(path, "ErrorResponse/Error/");
    if (strcmp(of_error, "Code") == 0)
        (void)text_copy_cut(text_trim(text), answer->code, sizeof(answer->code));
    else if (strcmp(of_error, "Message") == 0)
        (void)text_copy_cut(text_trim(text), answer->message, sizeof(answer->message));
    else if (strcmp(path, "ErrorResponse/RequestId") == 0)
        (void)text_copy_cut(text_trim(text), answer->request_id, sizeof(answer->request_id));
    return take_credentials(answer, behind(path, "Result/Credentials/"), text);
}

static os_code sts_refused(const struct http_response *response, const struct sts_answer *answer, const char *role_arn,
                           os_error *err)
{
    char words[STS_TEXT_SIZE + 16] = "";
    if (answer->message[0] != '\0')
        (void)snprintf(words, sizeof(words), ": %s", answer->message);
    (void)error_set(
        err, OS_ERR_CREDENTIALS,
        "STS did not give keys for the role %.300s (%d %.100s)%.400s. Check the role's trust policy, and who "
        "asks for it.",
        role_arn, response->status, answer->code[0] != '\0' ? answer->code : "without a code", words);
    error_service(err, response->status, answer->code, answer->request_id);
    return OS_ERR_CREDENTIALS;
}

static os_code take_answer(const struct sts_answer *answer, struct keys *ret, os_error *err)
{
    const struct keys_text text = {.access_key_id = text_from(answer->access_key_id),
                                   .secret_access_key = text_from(answer->secret_access_key),
                                   .session_token = text_from(answer->session_token),
                                   .expires_s = answer->expires_s};
    if (text.access_key_id.len == 0 || text.secret_access_key.len == 0 || text.session_token.len == 0 ||
        text.expires_s <= 0) {
        return error_set(err, OS_ERR_CREDENTIALS,
                         "STS answered 200, but not with a key pair, a session token and an expiration.");
    }
    return keys_take(&text, ret, err);
}

os_code sts_read_answer(const struct http_response *response, const char *role_arn, struct keys *ret, os_error *err)
{
    struct sts_answer answer;
    memset(&answer, 0, sizeof(answer));
    struct text document = text_of(buf_str(&response->body), response->body.len);
    enum xml_outcome outcome = xml_read(document, sts_element, &answer);
    os_code code = OS_OK;
    if (outcome == XML_NO_MEMORY)
        code = error_no_memory(err);
    else if (response->status != 200)
        code = sts_refused(response, &answer, role_arn, err);
    else if (outcome != XML_OK)
        code = error_set(err, OS_ERR_CREDENTIALS,
                         "The answer of STS cannot be read: it is no whole XML document, or "
                         "something in it is longer than any key.");
    else
        code = take_answer(&answer, ret, err);
    OPENSSL_cleanse(&answer, sizeof(answer));
    return code;
}
