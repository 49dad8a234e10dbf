/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of the store over S3 share: the store, a request under way, and what both learn from answers. */
#ifndef OSCOMMIT_STORE_S3_INTERNAL_H
#define OSCOMMIT_STORE_S3_INTERNAL_H

#include "aws/sigv4.h"
#include "credentials/credentials.h"
#include "store/s3_get.h"
#include "store/s3_http.h"

struct s3_store {
    struct store store;
    struct loop *loop;
    struct endpoint endpoint;
    char bucket[256];
    os_addressing addressing;
    struct sigv4_signer *signer; /* of endpoint.region */
    int64_t skew_s;              /* the store's clock minus ours (E2) */
    uint64_t stall_ms;
    uint32_t segment_bytes; /* of its connections; 0: not known yet, or TLS */
    bool proxied;
    enum store_marks marks; /* E9 */
};

struct store_attempt {
    struct store_request request;
    struct s3_store_http http;
};

struct s3_store_held {
    struct http_result result;
    struct http_response response;
    char *question_key;
};

struct store_op {
    struct s3_store *store;
    struct store_request request;
    struct s3_store_http http; /* of a request that is no attempt */
    struct store_attempt *attempt;
    store_done_fn done;
    void *context;
    uint64_t http_id;
    struct s3_store_get *get;  /* GET; else NULL */
    bool repeated;             /* the one quiet repetition has been made */
    bool is_question;          /* asked by the store itself; its answer is taken as it comes */
    struct store_op *question; /* asked before what came is given on, which is in `held` */
    struct s3_store_held *held;
    void (*trusted)(struct store_op *op, bool ask_once_more); /* what is held is the store's, or told as another's */
    bool presigned;
    uint64_t sign_s;            /* the date in its signature, but for an attempt's */
    struct loop_job failed_job; /* tells of a failure before anything was sent */
    os_error *failed;           /* why; NULL: no memory */
    bool failed_posted;
    bool cancelled;
    struct credentials_waiter keys; /* nothing was sent yet, for want of keys */
};

/* s3_learn.c: a definite answer asks for the same once more, signed for another region, at another time, or with
 * renewed credentials. */
bool s3_store_learns(struct store_op *op, const struct store_answer *answer, bool *ret_renew);
/* What a HEAD that was refused without a reason says: new keys, if there were any, have changed nothing. */
void s3_store_explain_head(const struct store_op *op, struct store_answer *answer);
void s3_store_explain_place(const struct store_op *op, struct store_answer *answer); /* a bare 400 */
int64_t s3_store_now_s(const struct s3_store *store); /* the local clock, mended by what was learned (E2) */

/* s3.c, for s3_presign.c */
struct s3_target s3_store_target(const struct s3_store *store);
os_code s3_store_sign_query(struct s3_store *store, struct http_request *http, int64_t date_s, uint32_t expires_s,
                            os_error *err);

/* s3_trust.c */
/* Every answer teaches. True: it is held, and op->trusted follows; what may be another's has to be asked of. */
bool s3_store_doubts(struct store_op *op, const struct http_result *result);
void s3_store_end_doubt(struct store_op *op); /* frees what is held */

#endif
