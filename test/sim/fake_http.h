/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/1.1 as the fake services speak it: a request's bytes taken apart in place, an answer's bytes put together. Knows
 * no service and no signature, and uses none of the library's codings, because it judges them.
 */
#ifndef OSCOMMIT_TEST_SIM_FAKE_HTTP_H
#define OSCOMMIT_TEST_SIM_FAKE_HTTP_H

#include "base/buf.h"
#include "base/text.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FAKE_HEADERS_MAX = 130, FAKE_PARAMS_MAX = 64, FAKE_MESSAGE_MAX = 64 << 20, FAKE_HEAD_MAX = 128 << 10 };

struct fake_field { /* slices of the request; a parameter's are percent-encoded as they came */
    struct text name;
    struct text value;
};

struct fake_request {
    struct text method;
    struct text path;  /* encoded */
    struct text query; /* encoded, without '?' */
    struct fake_field headers[FAKE_HEADERS_MAX];
    size_t header_count;
    struct fake_field params[FAKE_PARAMS_MAX];
    size_t param_count;
    struct text body;
    bool cut_short; /* Content-Length promises more than came */
};

/* False: no request that a server would read (no request line, a header without a colon, control characters, bytes in
 * the target that must be encoded, more than Content-Length says, too many of anything). */
bool fake_request_parse(const char *bytes, size_t length, struct fake_request *ret);
/* The first header of this name, in any case; NULL: none. */
const struct text *fake_request_header(const struct fake_request *request, const char *name);
/* The first parameter whose encoded name is `name`; NULL: none. Its value is still encoded. */
const struct text *fake_request_param(const struct fake_request *request, const char *name);

/* Percent-decoding (a '+' stays one) and S3's encoding. Decoding is false on a broken escape and out of memory. */
bool fake_decode(struct buf *out, struct text text);
bool fake_encode(struct buf *out, struct text text, bool keep_slash);

/* "20150830T123600Z" to epoch seconds. */
bool fake_parse_amz_date(struct text text, int64_t *ret_s);
void fake_format_amz_date(int64_t epoch_s, char ret[17]);
void fake_format_http_date(int64_t epoch_s, char ret[30]);
void fake_format_iso_date(uint64_t epoch_ms, char ret[32]);

/* An answer in the making. Both buffers are kept from one answer to the next. */
struct fake_answer {
    int status;
    struct buf headers; /* "Name: value\r\n" each */
    struct buf body;
    bool is_head;         /* the length of the body is told, the body is not sent */
    uint64_t head_length; /* of what a HEAD is about, when the body is left empty */
};

void fake_answer_init(struct fake_answer *answer);
void fake_answer_free(struct fake_answer *answer);
void fake_answer_reset(struct fake_answer *answer, int status);
void fake_answer_header(struct fake_answer *answer, const char *name, const char *value);
/* The whole answer: Content-Length is on every one but 204 and 304, which have none (RFC 9110, section 8.6). False: no
 * memory. `ret` is emptied first. */
bool fake_answer_write(const struct fake_answer *answer, struct buf *ret);

#endif
