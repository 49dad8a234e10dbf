/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store over libs3, for servers that only speak Signature V2: blocking calls, each on a request context of its own
 * (so that no connection is reused and nothing is sent twice), run on the client's worker threads. It has no fence
 * (E7). Built only where libs3 is found.
 *
 * LICENCE. libs3 2.0 is GPL-3 with an exception for OpenSSL. So this folder becomes a module of its own, which may be
 * given to others only under the GPL-3 as a whole (README.md here), and which the library loads only when it is asked
 * for. Nothing else is linked with libs3.
 *
 * What libs3 2.0 (Debian 2.0-4) does, found by measuring, and what the driver does about it:
 *   - A PUT "succeeds" with whatever answer has no error document, also 412, 500 and 503, because the status that it
 *     looks at is that of "100 Continue"; where the store sends no 100, a PUT that succeeded "fails". It gives no
 *     ETag of a PUT, and takes a COPY's 200 with an error inside for a success. So the driver reads status, headers and
 *     short bodies itself: it looks at them in the socket (MSG_PEEK) before libs3 gets to read them. What it did not
 * see is reported as no answer, and a write is then open (R10), whatever libs3 says of it.
 *   - It takes an answer that was cut short for a whole one: the driver looks whether the server had closed.
 *   - It follows redirects, sending the write again: the driver aborts at a 3xx, and at a 417, which libcurl would
 * answer by a second copy as well (R6). One that comes unseen (libs3_peek.h) is followed, and the write is open unless
 * the second copy was answered on another connection.
 *   - It does not verify TLS certificates (CURLOPT_SSL_VERIFYPEER is 0, and there is no setting): https is refused. A
 *     TLS proxy on this machine, such as stunnel, does the job.
 *   - It has no timeouts of its own but one: less than 1 KiB/s for 15 s ends a transfer.
 *   - It sends a blank in a key as '+', which stores take for a plus, and libcurl folds "." and ".." segments away:
 *     such keys are refused. Content-Language cannot be sent, Content-Disposition only as `attachment; filename="..."`.
 *   - libcurl waits for a name look-up that does not answer, so that only an address keeps every deadline.
 */
#ifndef OSCOMMIT_SIGV2_LIBS3_DRIVER_H
#define OSCOMMIT_SIGV2_LIBS3_DRIVER_H

#include "base/clock.h"
#include "s3/request.h"
#include "s3/response.h"

struct libs3_config { /* borrowed by every call */
    const struct s3_target *target;
    const char *access_key_id;
    const char *secret_access_key;
    const char *ca_file;    /* not used: https is refused */
    const char *user_agent; /* not used: libs3 has one per process */
};

/* What came of one call. `status` 0: no answer was seen (ambiguous if `sent`). */
struct libs3_result {
    int status;
    bool sent; /* at least one byte of the request may have left */
    struct s3_error error;
    struct s3_object object;
    bool marked;            /* the answer was seen to have the store's mark (E9) */
    int64_t date_s;         /* the Date header; 0: none */
    char content_type[256]; /* HEAD, GET */
    char detail[256];       /* libs3's own word, for messages */
};

typedef int (*libs3_sink_fn)(void *context, const void *data, size_t length); /* 0: go on */

os_code libs3_start(os_error *err); /* S3_initialize once per process, counted */
void libs3_stop(void);              /* no call may be under way when the last one stops */

/* OS_ERR_TLS for https, with the mend. Every call asks this first; a client may when it is opened. */
os_code libs3_check_target(const struct s3_target *target, os_error *err);

/* Every call ends by `deadline_monotonic_ms` (clock_read's monotonic_ms) or when *cancelled becomes non-zero (may be
 * NULL): the connection is then reset. Codes: OS_OK (look at result: any status), OS_ERR_NETWORK, TLS, DEADLINE,
 * CANCELLED, NO_MEMORY; PROTOCOL for an answer that cannot be used; ARGUMENT and UNSUPPORTED for what libs3 cannot send
 * (nothing was sent); BODY and IO of a PUT; STOPPED when the sink or `each` said so. `ret` is filled in every case. */
struct libs3_call {
    uint64_t deadline_monotonic_ms;
    const _Atomic int *cancelled;
    bool marks; /* the store marks its answers: of one without, no byte is given on (E9) */
};
os_code libs3_head(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                   struct libs3_result *ret, os_error *err);
/* By a LIST of one key, as libs3 has no HEAD of a bucket: needs s3:ListBucket, like the HEAD. */
os_code libs3_head_bucket(const struct libs3_config *config, const struct libs3_call *call, struct libs3_result *ret,
                          os_error *err);
/* Which bytes of an object, and who takes them. */
struct libs3_reading {
    uint64_t offset;
    uint64_t count; /* 0: all from there on */
    libs3_sink_fn sink;
    void *sink_context;
};
os_code libs3_get(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                  const struct libs3_reading *reading, struct libs3_result *ret, os_error *err);
os_code libs3_put(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                  const struct http_body *body, const struct s3_content *content, struct libs3_result *ret,
                  os_error *err);
/* Two requests: a HEAD of the source, then the copy with metadata REPLACE: the source's own, its content headers,
 * `nonce` and, beside it, `replaced` (NULL, or no room for it: none). libs3 cannot pin the source, so a source with
 * another ETag is answered with 412 after the HEAD, and nothing is sent; one that changes between the two requests is
 * copied as it then is. */
struct libs3_copy_request {
    const char *source_key;
    const char *source_etag; /* NULL: any */
    const char *key;
    const char *nonce;
    const char *fencing;
    const char *replaced;
};
os_code libs3_copy(const struct libs3_config *config, const struct libs3_call *call,
                   const struct libs3_copy_request *wanted, struct libs3_result *ret, os_error *err);
os_code libs3_delete(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                     struct libs3_result *ret, os_error *err);
/* ListObjects (version 1). Entries are given once the whole page has come: the keys, then the common prefixes. */
struct libs3_list_request { /* borrowed strings; NULL: not given */
    const char *prefix;
    const char *delimiter;
    const char *marker; /* the key after which the page begins; so is next_token */
    uint32_t max_keys;  /* 0: the store's default */
    s3_list_fn each;
    void *each_context;
};
os_code libs3_list(const struct libs3_config *config, const struct libs3_call *call,
                   const struct libs3_list_request *wanted, struct s3_list_page *page, struct libs3_result *ret,
                   os_error *err);

#endif
