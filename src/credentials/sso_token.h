/* SPDX-License-Identifier: Apache-2.0 */
/* The token that `aws sso login` has left in ~/.aws/sso/cache (AWS SDKs and Tools Reference Guide, "IAM Identity
 * Center"): read, and renewed where it can be. */
#ifndef OSCOMMIT_CREDENTIALS_SSO_TOKEN_H
#define OSCOMMIT_CREDENTIALS_SSO_TOKEN_H

#include "credentials/source.h"

enum { SSO_TEXT_SIZE = 1024, SSO_TOKEN_SIZE = 14 << 10 };

/* What the profile says. */
struct sso_settings {
    char session[SSO_TEXT_SIZE]; /* "": the token is of the start URL, and cannot be renewed */
    char start_url[SSO_TEXT_SIZE];
    char region[SSO_TEXT_SIZE];
    char account_id[SSO_TEXT_SIZE];
    char role_name[SSO_TEXT_SIZE];
};

/* A token that is good now. OS_ERR_CREDENTIALS says to log in, or what is wrong with the file. Blocks where the token has
 * to be renewed; what comes is written back. */
os_code sso_token_get(const struct chain *chain, const char *profile, const struct sso_settings *settings,
                      char ret[SSO_TOKEN_SIZE], os_error *err);

#endif
