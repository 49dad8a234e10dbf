/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Text as bounded slices, cursors that advance only on success, and the codings of the services: percent, hex, base64,
 * HTTP dates, ISO 8601. Nothing here allocates, reads a locale, or needs a NUL at the end of its input.
 */
#ifndef OSCOMMIT_BASE_TEXT_H
#define OSCOMMIT_BASE_TEXT_H

#include "base/buf.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct text {
    const char *p;
    size_t len;
};

struct text text_from(const char *str); /* NULL gives an empty slice */
struct text text_of(const char *p, size_t len);
bool text_is(struct text text, const char *str);
bool text_is_nocase(struct text text, const char *str); /* ASCII */
bool text_starts(struct text text, const char *prefix);
bool text_contains_nocase(struct text text, const char *needle);
bool text_is_visible(struct text text);  /* ASCII without blanks and control characters; also an empty one */
struct text text_trim(struct text text); /* spaces, tabs, CR, LF at both ends */

/* Copies a slice into an array with its NUL. False, and an untouched array, if it does not fit or has a NUL inside. */
bool text_copy(struct text text, char *ret, size_t ret_size);
#define TEXT_COPY_STR(str, array) text_copy(text_from(str), (array), sizeof(array))

/* How many bytes of `text` to keep so that at most `max` are kept and no UTF-8 character is cut in two. */
size_t text_utf8_cut(struct text text, size_t max);
/* Copies that much as an array has room for, with its NUL; returns its length. */
size_t text_copy_cut(struct text text, char *ret, size_t ret_size);
#define TEXT_COPY_STR_CUT(str, array) text_copy_cut(text_from(str), (array), sizeof(array))
/* Length of the well-formed UTF-8 character at the start of a text that is not empty; 0 if there is none. */
size_t text_utf8_sequence(struct text text);

/* Cursor steps: true and advanced, or false and untouched. */
bool text_take_char(struct text *cursor, char c);
bool text_take_str(struct text *cursor, const char *str);
bool text_take_until(struct text *cursor, char stop,
                     struct text *ret);                 /* up to `stop`, which is taken too; false if there is none */
bool text_take_u64(struct text *cursor, uint64_t *ret); /* decimal digits, no sign; false on overflow */

/* A whole slice that is one plain unsigned decimal number (no sign, no fraction, no exponent, no blanks). */
bool text_parse_u64(struct text text, uint64_t *ret);

/* "Sun, 06 Nov 1994 08:49:37 GMT" (RFC 9110, IMF-fixdate only) and "2006-02-03T16:45:09.000Z" <-> epoch seconds.
 * `ret` of the formatters holds at least 30 bytes. */
bool text_parse_http_date(struct text text, int64_t *ret_epoch_s);
bool text_parse_iso8601(struct text text, int64_t *ret_epoch_s);
void text_format_http_date(int64_t epoch_s, char *ret);
void text_format_amz_date(int64_t epoch_s, char *ret); /* "20060203T164509Z" */
void text_format_iso8601(int64_t epoch_s, char *ret);  /* "2006-02-03T16:45:09Z" */

/* RFC 3986 as S3 wants it: everything but A-Z a-z 0-9 - . _ ~ becomes %XX, upper case; `keep_slash` keeps '/' too. */
bool text_percent_encode(struct buf *out, struct text text, bool keep_slash);
bool text_percent_decode(struct buf *out, struct text text); /* false on a broken escape */

bool text_base64_encode(struct buf *out, const void *data, size_t len);
void text_base64(const void *data, size_t len, char *ret); /* ret holds 4 * ((len + 2) / 3) + 1 */
void text_hex(const void *data, size_t len, char *ret);    /* lower case; ret holds 2 * len + 1 */

enum { TEXT_NUMBER_SIZE = 21 };                /* the longest number, with its NUL */
size_t text_number(uint64_t value, char *ret); /* decimal; the length. ret holds TEXT_NUMBER_SIZE */
/* Strings behind each other, up to a NULL, into an array with its NUL. False, and "", if they do not fit. */
bool text_concat(char *ret, size_t ret_size, const char *first, ...) __attribute__((sentinel));

bool text_is_utf8(struct text text); /* well-formed: no overlong forms, surrogates, or values over U+10FFFF */

/* ETags: quoted form of what a caller gave. Adds missing quotes; false for a weak one, one with a quote, blank or
 * control character inside, an empty one, or one that does not fit. */
bool text_normalise_etag(const char *etag, char *ret, size_t ret_size);

/* Both, one behind the other; malloc'ed, NULL when out of memory. */
char *text_join(const char *first, const char *second);

#endif
