/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names, bodies and values of a race. Each body names the call that writes it, so that no two writes have the same
 * bytes: equal bytes have equal ETags, and would hide a lost update. The value of a body is its quoted MD5, which is
 * the ETag too wherever the store works so. Pure.
 */
#ifndef OSCOMMIT_LAB_RACE_CONTENT_H
#define OSCOMMIT_LAB_RACE_CONTENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    RACE_CONTENT_MAX = 160,
    RACE_ID_SIZE = 17,
    RACE_NAME_SIZE = 48,
    RACE_VALUE_SIZE = 40, /* 32 digits and two quotes */
    RACE_WRITERS_MAX = 256
};

/* What writers do to the objects of a race. */
enum race_kind {
    RACE_CREATE, /* names that all try to create */
    RACE_UPDATE, /* a counter that all increment, each from the version that it has read */
    RACE_COPY,   /* names that all try to be the first to copy their own source to */
    RACE_DELETE, /* an object that all delete, as the version that they have read, and create again */
    RACE_KINDS
};

/* Names behind the race's prefix ("race-<id>/"): "key-00017", "counter" and "counter-1", "copy-00017", "phoenix" and
 * "phoenix-1". */
void race_name(enum race_kind kind, uint64_t index, char ret[RACE_NAME_SIZE]);
void race_source_name(unsigned lane, char ret[RACE_NAME_SIZE]); /* "source-3" */

/* The key of the store for a name behind the prefix, malloc'ed. */
char *race_full_key(const char *prefix, const char *name);

/* `count`: of a counter; else 0. `call` is unique in the race. Gives the length. */
size_t race_body(const char *id, const char *name, uint64_t count, uint64_t call, char ret[RACE_CONTENT_MAX]);
/* False: no body that a race of this id makes for that name. */
bool race_body_count(const char *id, const char *name, const char *body, size_t len, uint64_t *ret);

/* The quoted MD5. False: this machine's OpenSSL has none (FIPS). */
bool race_value(const void *body, size_t len, char ret[RACE_VALUE_SIZE]);

#endif
