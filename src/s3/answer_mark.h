/* SPDX-License-Identifier: Apache-2.0 */
/*
 * By which header an answer shows that the store wrote it (E9). What stands in front of a store, a load balancer, an
 * ingress, a firewall, answers without one.
 */
#ifndef OSCOMMIT_S3_ANSWER_MARK_H
#define OSCOMMIT_S3_ANSWER_MARK_H

#include "base/http_message.h"

enum s3_mark {
    S3_MARK_NONE = 0,
    S3_MARK_AMZ,     /* x-amz-request-id: AWS, and most of those that speak its protocol */
    S3_MARK_ALIBABA, /* x-oss-request-id */
    S3_MARK_TENCENT, /* x-cos-request-id */
    S3_MARK_GOOGLE,  /* x-guploader-uploadid */
    S3_MARK_END
};

/* The first of these that the answer has, with a value. */
enum s3_mark s3_mark_of(const struct http_response *response);
const char *s3_mark_header(enum s3_mark mark); /* static; "" of NONE */

/* What came says something of the object, as far as its status goes. The rest of the 5xx says nothing, whoever wrote
 * it. */
bool s3_status_is_definite(int status);

#endif
