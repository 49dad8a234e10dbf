/* SPDX-License-Identifier: Apache-2.0 */
#include "common/fencing.h"

#include <stdlib.h>
#include <string.h>

static const char variable[] = "OSCOMMIT_FENCING_TOKEN";

static const char *given_token(void)
{
    const char *text = getenv(variable);
    return text != NULL && text[0] != '\0' ? text : NULL;
}

/* Decimal digits only: strtoull would take signs and blanks. */
static bool parse_token(const char *text, uint64_t *ret)
{
    uint64_t token = 0;
    for (const char *digit = text; *digit != '\0'; digit++)
        if (*digit < '0' || *digit > '9' || __builtin_mul_overflow(token, 10, &token) ||
            __builtin_add_overflow(token, (uint64_t)(*digit - '0'), &token))
            return false;
    *ret = token;
    return token != 0;
}

enum status fencing_take(struct session *session, const char *url, uint64_t *ret)
{
    const char *text = given_token();
    if (text == NULL || parse_token(text, ret))
        return STATUS_DONE;
    return session_fail(
        session, url, OS_ERR_CONFIG,
        "%s is \"%.40s\", which is no token: a number from 1 on. `oscommit lock` sets it; without a lock, "
        "unset it.",
        variable, text);
}

enum status fencing_refuse_put(struct session *session, const char *url)
{
    if (given_token() == NULL)
        return STATUS_DONE;
    return session_fail(session, url, OS_ERR_UNSUPPORTED,
                        "A put without a condition cannot be held back by the token in %s: write the object with "
                        "--if-match or --if-absent, or unset the variable.",
                        variable);
}
