/* SPDX-License-Identifier: Apache-2.0 */
/* The two questions to AWS STS (API Reference, AssumeRole and AssumeRoleWithWebIdentity): request and answer. Pure, but
 * for sts_ask. */
#ifndef OSCOMMIT_CREDENTIALS_STS_H
#define OSCOMMIT_CREDENTIALS_STS_H

#include "aws/endpoint.h"
#include "credentials/source.h"

enum { STS_ARN_SIZE = 2049, STS_NAME_SIZE = 65, STS_EXTERNAL_ID_SIZE = 1225, STS_TOKEN_MAX = 20000 };

struct sts_question {
    char role_arn[STS_ARN_SIZE];
    char session_name[STS_NAME_SIZE]; /* "": one is made */
    char external_id[STS_EXTERNAL_ID_SIZE];
    uint32_t duration_s;       /* 0: the service's own, an hour */
    struct text web_identity;  /* a token: AssumeRoleWithWebIdentity, unsigned; empty: AssumeRole */
    const struct keys *source; /* that sign AssumeRole; else NULL */
};

/* The form that is sent. False when out of memory. */
bool sts_build_form(const struct sts_question *question, int64_t now_s, struct buf *ret);

/* OS_OK with keys; OS_ERR_CREDENTIALS with what the service said, and its code and request id in *err. */
os_code sts_read_answer(const struct http_response *response, const char *role_arn, struct keys *ret, os_error *err);

/* Asks. Blocks. */
os_code sts_ask(const struct chain *chain, const struct endpoint *endpoint, const struct sts_question *question,
                struct keys *ret, os_error *err);

#endif
