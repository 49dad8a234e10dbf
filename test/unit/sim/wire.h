/* SPDX-License-Identifier: Apache-2.0 */
/* Between the library's requests and answers as data, and the bytes that the fake services take and give. */
#ifndef OSCOMMIT_TEST_UNIT_SIM_WIRE_H
#define OSCOMMIT_TEST_UNIT_SIM_WIRE_H

#include "aws/sigv4.h"
#include "base/http_message.h"
#include "s3/request.h"
#include "sim/fake_dynamo.h"
#include "sim/fake_s3.h"
#include "unit/dynamo/records.h"

#define WIRE_ACCESS "AKIDEXAMPLE"
#define WIRE_SECRET "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
#define WIRE_REGION "eu-central-1"
#define WIRE_BUCKET "bucket"
#define WIRE_TABLE  "records"

#define WIRE_S     1760000000     /* the time of most requests */
#define WIRE_MS    1760000000000u /* the same */
#define WIRE_DYING 5              /* seconds that a query signature lasts */

extern const struct sigv4_keys wire_keys;
extern const struct s3_target wire_s3_target;
extern const struct dynamo_target wire_dynamo_target;

/* The request as the HTTP library would write it. Fails the test when out of memory. `ret` is initialised here. */
void wire_bytes(const struct http_request *request, struct buf *ret);
/* An answer's bytes taken apart; `ret` is initialised here. Fails the test when they are no HTTP answer. */
void wire_answer(const struct buf *bytes, bool is_head, struct http_response *ret);

/* Signs with `keys` at sign_s; in the query with WIRE_DYING, or in the header. */
void wire_sign(const char *service, const struct sigv4_keys *keys, int64_t sign_s, bool in_query,
               struct http_request *request);

/* Two services of these names and keys, that differ in nothing from well-behaved ones. */
struct fake_s3_options wire_s3_options(void);
struct fake_dynamo_options wire_dynamo_options(void);

/* Such a service, changed a little before it begins (NULL: not), or the end of the test. */
struct fake_s3 *wire_s3_with(void (*change)(struct fake_s3_options *options));

/* Hands over a signed request and gives the answer; frees the request. */
struct http_response wire_s3(struct fake_s3 *s3, struct http_request *request, uint64_t at_ms);
/* The same while another write of the key is under way. */
struct http_response wire_s3_contended(struct fake_s3 *s3, struct http_request *request, uint64_t at_ms);
struct http_response wire_dynamo(struct fake_dynamo *dynamo, struct http_request *request, struct buf *body,
                                 uint64_t at_ms);

/* Sends this body to an operation, signed at WIRE_S and `after_s`, and expects this status then. */
void wire_dynamo_is(struct fake_dynamo *dynamo, uint64_t after_s, const char *operation, const char *json, int status);

/* Whole exchanges: signed at WIRE_S in the query (s3) or in the header (dynamo), and answered at that instant. */
struct http_response wire_put(struct fake_s3 *s3, const char *key, const char *body, const char *nonce,
                              const struct s3_condition *condition);
struct http_response wire_head(struct fake_s3 *s3, const char *key);

#define WIRE_BYTES_ETAG "\"4b3a6218bb3e3a7303e8a171a60fcf92\"" /* of "bytes" */
/* Puts "bytes", and expects this status and code ("": a success). */
void wire_put_is(struct fake_s3 *s3, const char *key, const struct s3_condition *condition, int status,
                 const char *code);

/* The code in an S3 error document, borrowed until the next call; "" when there is none. */
const char *wire_s3_code(const struct http_response *response);

#endif
