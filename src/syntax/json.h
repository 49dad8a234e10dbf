/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON in and out through jansson, with bounds on what comes in. jansson recurses for every level and takes some
 * hundred bytes for every value, so a hostile text is turned away before it is parsed.
 */
#ifndef OSCOMMIT_SYNTAX_JSON_H
#define OSCOMMIT_SYNTAX_JSON_H

#include "base/buf.h"
#include "base/library_version.h"

#include <jansson.h>

enum {
    /* DynamoDB nests documents 32 deep (Developer Guide, "Quotas"), each level two of JSON's, and an envelope around.
     */
    JSON_DEPTH_MAX = 96,
    /* A page of 4,000 records has about 80,000. An item of 400 KB that somebody else has filled may have ten times as
     * many. */
    JSON_VALUES_MAX = 128 * 1024
};

/* A strict parse of the whole text: an object, no key twice, nothing behind it. NULL if it is anything else, over a
 * bound, or when out of memory. A NUL inside a string is let through; whoever reads the string looks for it. */
json_t *json_read(const char *text, size_t len);

/* Whether that is because it is over a bound. */
bool json_is_too_large(const char *text, size_t len);

/* Why json_read, or json_parse with these flags, gave nothing for it: a clause for a sentence, such as "duplicate object
 * key near '"a"' (line 1, column 12)". NULL: it gives something now, so there was not enough memory. The bounds are
 * json_read's, which reads objects only. */
enum { JSON_FAULT_SIZE = 256 };
const char *json_read_fault(const char *text, size_t len, char ret[JSON_FAULT_SIZE]);
const char *json_parse_fault(const char *text, size_t len, size_t flags, char ret[JSON_FAULT_SIZE]);

/* As json_read for what is no answer of a server: any value, without the bounds, with flags of json_loadb. *ret_where: why
 * not, which may be NULL. */
json_t *json_parse(const char *text, size_t len, size_t flags, json_error_t *ret_where);

/* Appends compact JSON, members in the order in which they were added. */
bool json_write(struct buf *out, const json_t *value);

/* The same with flags of json_dumps, which itself goes on without a key for which there is no memory. */
bool json_write_as(struct buf *out, const json_t *value, size_t flags);

/* A string, in its quotes; UTF-8. */
void json_write_string(struct buf *out, const char *text, size_t len);

/* A string member without a NUL inside, borrowed; NULL when there is none. `object` may be NULL or no object. */
const char *json_member_string(const json_t *object, const char *name);

struct library_version json_library_version(void); /* of jansson */

#endif
