/* SPDX-License-Identifier: Apache-2.0 */
/* What the store over S3 learns about its store from refusals: the region, the time, that a token is over (E2). */
#include "base/error.h"
#include "base/text.h"
#include "store/answer.h"
#include "store/proxied.h"
#include "store/s3_internal.h"

#include <stdio.h>
#include <string.h>

enum { S3_SKEW_MIN_S = 300 };

int64_t s3_store_now_s(const struct s3_store *store)
{
    struct clock_reading now;
    clock_read(&now);
    return (int64_t)(now.realtime_ms / 1000) + store->skew_s;
}

/* The store named another region than the one we sign for: go there. */
static bool learn_region(struct s3_store *store, const struct store_answer *answer)
{
    const char *region = answer->service.region;
    bool redirect = answer->status == 301 || answer->status == 307 || answer->status == 400;
    if (!redirect || region[0] == '\0' || strcmp(region, store->endpoint.region) == 0)
        return false;
    struct endpoint moved = store->endpoint;
    if (store->endpoint.is_aws && endpoint_parse_variant("s3", NULL, region, moved.variant, &moved, NULL) != OS_OK)
        return false;
    moved.checksums = store->endpoint.checksums;
    if (!store->proxied && store_is_proxied(&moved))
        return false; /* R6: fences were promised of a store that is reached straight */
    struct sigv4_signer *signer = sigv4_signer_new(region, "s3");
    if (signer == NULL)
        return false;
    if (!text_copy(text_from(region), moved.region, sizeof(moved.region))) {
        sigv4_signer_free(signer);
        return false;
    }
    sigv4_signer_free(store->signer);
    store->signer = signer;
    store->endpoint = moved;
    return true;
}

static bool is_far(int64_t seconds)
{
    return seconds > S3_SKEW_MIN_S || seconds < -S3_SKEW_MIN_S;
}

/* E2. A HEAD's answer has no body to carry RequestTimeTooSkewed: there a 403 with a Date far from ours says the same,
 * or one far from the signature's, which has waited in a machine that was suspended. S3 takes 15 minutes. */
static bool learn_time(const struct store_op *op, const struct store_answer *answer)
{
    struct s3_store *store = op->store;
    if (!answer->has_date)
        return false;
    int64_t off_s = (int64_t)answer->date_s - s3_store_now_s(store);
    bool far = is_far(off_s) || is_far((int64_t)answer->date_s - (int64_t)op->sign_s);
    bool said = strcmp(answer->service.code, "RequestTimeTooSkewed") == 0;
    bool implied = answer->status == 403 && answer->service.code[0] == '\0' && far;
    if (said || implied)
        store->skew_s += off_s;
    return said || implied;
}

static bool is_bad_head(const struct store_op *op, const struct store_answer *answer)
{
    bool head = op->request.verb == STORE_HEAD || op->request.verb == STORE_HEAD_BUCKET;
    return head && answer->status == 400 && answer->service.code[0] == '\0';
}

/* E2. S3 answers a HEAD with 400 for it, again without a code; hardly anything else in a HEAD of ours is a bad request. */
static bool token_expired(const struct store_op *op, const struct store_answer *answer)
{
    return is_bad_head(op, answer) || strcmp(answer->service.code, "ExpiredToken") == 0;
}

/* Keys without a token do not expire: there it may be an object that was encrypted with a key of its writer's (SSE-C). */
void s3_store_explain_head(const struct store_op *op, struct store_answer *answer)
{
    struct sigv4_keys keys;
    if (!is_bad_head(op, answer) || op->presigned || op->attempt != NULL || !bucket_name_is_usual(op->store->bucket) ||
        credentials_get(op->store->store.credentials, &keys, NULL) != OS_OK || keys.session_token == NULL)
        return;
    answer->code =
        error_set(&answer->error, OS_ERR_CREDENTIALS,
                  "HEAD of %.300s failed: HTTP 400 without a reason, as S3 answers a HEAD whose session token "
                  "is expired or not valid. Renew the credentials. If GET is answered, the object may be "
                  "encrypted with a key of its own (SSE-C).",
                  op->request.key != NULL ? op->request.key : op->store->bucket);
    error_service(&answer->error, answer->status, NULL, answer->service.request_id);
}

/* Stores take names of versions that they did not make for bad requests. */
static void name_cause(const struct store_op *op, char ret[640])
{
    const struct endpoint *endpoint = &op->store->endpoint;
    static const char place[] = "set s3_region (--region, AWS_REGION) to its own, and check s3_endpoint "
                                "(--s3-endpoint, AWS_ENDPOINT_URL_S3)";
    if (!bucket_name_is_usual(op->store->bucket))
        (void)snprintf(ret, 640,
                       "The usual cause is the bucket's name: S3 takes " BUCKET_NAME_FORM
                       ". If the bucket has this name all the same, look at its region (s3_region is %s) and at the "
                       "session token.",
                       endpoint->region);
    else if (op->request.version_id != NULL)
        (void)snprintf(ret, 640,
                       "The usual causes are that the store has no version ids such as %.60s, or that the bucket is in "
                       "another region than %s: %s.",
                       op->request.version_id, endpoint->region, place);
    else
        (void)snprintf(ret, 640, "The usual cause is that the bucket is in another region than %s: %s.",
                       endpoint->region, place);
}

/* Where the answer says nothing, the place is what to look at first. */
void s3_store_explain_place(const struct store_op *op, struct store_answer *answer)
{
    const struct endpoint *endpoint = &op->store->endpoint;
    if (answer->status != 400 || answer->service.code[0] != '\0' || answer->code != OS_ERR_REFUSED)
        return;
    char cause[640];
    name_cause(op, cause);
    error_set(&answer->error, OS_ERR_REFUSED,
              "%s of s3://%.255s%s%.200s failed: HTTP 400 without a reason, from %s://%s. %s",
              store_verb_name(op->request.verb), op->store->bucket, op->request.key != NULL ? "/" : "",
              op->request.key != NULL ? op->request.key : "", endpoint->scheme, endpoint->host, cause);
    error_service(&answer->error, answer->status, NULL, answer->service.request_id);
}

bool s3_store_learns(struct store_op *op, const struct store_answer *answer, bool *ret_renew)
{
    bool elsewhere = learn_region(op->store, answer); /* a bare 400 to a HEAD may mean that, too */
    *ret_renew = !elsewhere && token_expired(op, answer);
    return elsewhere || *ret_renew || learn_time(op, answer);
}
