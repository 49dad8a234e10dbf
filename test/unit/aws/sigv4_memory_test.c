/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while a request is signed: signing says so, and nothing leaks. */

#include "aws/sigv4.h"
#include "support/test.h"

/* In this order: the two files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/buf.c"
#include "base/http_message.c"
/* clang-format on */

enum { NOW_S = 1369353600, ALLOCATIONS_MAX = 200 };

static const struct sigv4_keys keys = {"AKIAIOSFODNN7EXAMPLE", "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "token"};

static bool sign_header(struct sigv4_signer *signer, struct http_request *request)
{
    return sigv4_sign_header(signer, &keys, NOW_S, SIGV4_EMPTY_SHA256, request);
}

static bool sign_query(struct sigv4_signer *signer, struct http_request *request)
{
    return sigv4_sign_query(signer, &keys, NOW_S, 5, request);
}

/* With a fresh request each time, and one signer for all: it must not keep anything of a signing that failed. */
static void fail_each(bool (*sign)(struct sigv4_signer *signer, struct http_request *request))
{
    struct sigv4_signer *signer = sigv4_signer_new("us-east-1", "s3");
    assert_non_null(signer);
    size_t number = 0;
    for (bool ok = false; !ok; number++) {
        struct http_request request;
        http_request_init(&request);
        assert_true(http_request_set_origin(&request, "https", "host") && buf_add_str(&request.path, "/k") &&
                    http_request_add_query(&request, "partNumber", "1") &&
                    http_headers_add(&request.headers, "x-amz-meta-a", "b"));
        alloc_fail_at(number);
        ok = sign(signer, &request);
        alloc_fail_none();
        assert_int_equal(ok, !alloc_failed);
        http_request_free(&request);
        assert_in_range(number, 0, ALLOCATIONS_MAX);
    }
    assert_in_range(number, 5, ALLOCATIONS_MAX);
    sigv4_signer_free(signer);
}

TEST(a_header_signature_without_memory_fails)
{
    fail_each(sign_header);
}

TEST(a_query_signature_without_memory_fails)
{
    fail_each(sign_query);
}
