/* SPDX-License-Identifier: Apache-2.0 */
/* A role for which a token stands in a file: of a pod on EKS (IRSA), of a CI job (AWS SDKs and Tools Reference Guide,
 * "Assume role with web identity"). The file is read each time: whoever wrote it writes it anew before it expires. */
#include "credentials/service.h"
#include "credentials/sts.h"

#include "base/error.h"
#include "base/named_file.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdlib.h>
#include <string.h>

enum { WEB_PATH_SIZE = 4096 };

/* A variable goes before the profile, but where a profile was asked for by name, or is another one's source. */
static os_code web_setting(const struct chain *chain, const char *profile, const char *variable, const char *name,
                           char *ret, size_t ret_size, os_error *err)
{
    bool variables_count = chain->profile == NULL && chain->visited_count == 0;
    struct text value = variables_count ? text_from(getenv(variable)) : text_of("", 0);
    if (value.len == 0)
        return service_setting(chain, profile, name, ret, ret_size, err);
    if (text_copy(value, ret, ret_size))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG, "%s has %zu bytes; at most %zu are possible.", variable, value.len,
                     ret_size - 1);
}

static os_code describe_web_role(const struct chain *chain, const char *profile, struct sts_question *ret,
                                 os_error *err)
{
    os_code code = web_setting(chain, profile, "AWS_ROLE_ARN", "role_arn", ret->role_arn, sizeof(ret->role_arn), err);
    if (code == OS_OK)
        code = web_setting(chain, profile, "AWS_ROLE_SESSION_NAME", "role_session_name", ret->session_name,
                           sizeof(ret->session_name), err);
    if (code == OS_OK && ret->role_arn[0] == '\0') {
        code = error_set(err, OS_ERR_CONFIG,
                         "There is a web identity token, but no role to assume by it: set AWS_ROLE_ARN, or role_arn in "
                         "the profile \"%.100s\".",
                         profile);
    }
    return code;
}

static os_code ask_with_token(struct chain *chain, const char *profile, const char *path, struct sts_question *question,
                              struct keys *ret, os_error *err)
{
    struct endpoint endpoint;
    size_t len = 0;
    const char *why = NULL;
    os_code code = service_endpoint(chain, profile, "sts", NULL, &endpoint, err);
    if (code != OS_OK)
        return code;
    char *token = named_file_read(path, STS_TOKEN_MAX, &len, &why);
    if (token == NULL) {
        return error_set(err, errno == ENOMEM ? OS_ERR_NO_MEMORY : OS_ERR_CREDENTIALS,
                         "The web identity token in %.300s cannot be read: %s.", path, why);
    }
    question->web_identity = text_trim(text_of(token, len));
    if (question->web_identity.len == 0)
        code = error_set(err, OS_ERR_CREDENTIALS, "The file of the web identity token, %.300s, is empty.", path);
    else
        code = sts_ask(chain, &endpoint, question, ret, err);
    OPENSSL_cleanse(token, len);
    free(token);
    return code;
}

os_code source_web_identity(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    char path[WEB_PATH_SIZE];
    struct sts_question question = {0};
    os_code code =
        web_setting(chain, profile, "AWS_WEB_IDENTITY_TOKEN_FILE", "web_identity_token_file", path, sizeof(path), err);
    if (code == OS_OK && path[0] == '\0')
        return chain_pass(chain,
                          "AWS_WEB_IDENTITY_TOKEN_FILE is not set, nor is web_identity_token_file in the profile "
                          "\"%.100s\"",
                          profile);
    if (code == OS_OK)
        code = describe_web_role(chain, profile, &question, err);
    if (code == OS_OK)
        code = chain_may_block(chain, err);
    return code == OS_OK ? ask_with_token(chain, profile, path, &question, ret, err) : code;
}
