/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the fuzz targets share. A target is one LLVMFuzzerTestOneInput: it gives the bytes to one parser, or plays them
 * as the surroundings of the guard or of a lease, and aborts when something that must always hold does not. Run by libFuzzer, or over
 * its corpus by replay.c.
 */
#ifndef OSCOMMIT_FUZZ_FUZZ_H
#define OSCOMMIT_FUZZ_FUZZ_H

#include "base/http_message.h"
#include "oscommit.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Ends the program with the place and the condition; unlike assert it cannot be compiled away. */
#define FUZZ_CHECK(condition) ((condition) ? (void)0 : fuzz_failed(__FILE__, __LINE__, #condition))
_Noreturn void fuzz_failed(const char *file, int line, const char *condition);

/* What a schedule is made of: one byte after another; behind the end they are 0. */
struct fuzz_bytes {
    const uint8_t *p;
    size_t left;
};
unsigned fuzz_next(struct fuzz_bytes *bytes);
uint64_t fuzz_next_u32(struct fuzz_bytes *bytes);
/* Mostly small, now and then at an end of the range. */
uint64_t fuzz_next_number(struct fuzz_bytes *bytes);

/* The bytes in a block of exactly their size, so that a read behind them is seen; with a NUL behind them for a string.
 */
char *fuzz_copy(const uint8_t *data, size_t size);
char *fuzz_string(const uint8_t *data, size_t size);

/* "STATUS\nname: value\n...\n\nbody" as an answer; what is no header is left out. Freed by http_response_free. */
void fuzz_response(const uint8_t *data, size_t size, struct http_response *ret);

/* The body has this name: as bytes, or as UTF-16, which expat takes too, with a NUL in each letter. */
bool fuzz_body_has(const struct http_response *response, const char *name);

/* Counts what a reader gives to its callback, and tells it to stop. */
struct fuzz_listener {
    unsigned entries;
    unsigned stop_after; /* 0: never */
};
bool fuzz_goes_on(struct fuzz_listener *listener);

/* A list is read to its end, and stopped after its first entry. A reader gives how many entries it gave away. */
typedef unsigned fuzz_list_reader(const struct http_response *response, unsigned stop_after, os_code *ret);
void fuzz_check_list(fuzz_list_reader *read, const struct http_response *response);

/* A page that leads on has two markers, which are not those it was asked from; the last page has none. Frees them. */
void fuzz_check_page(bool truncated, const char *const from[2], char *const next[2]);

/* The failure of a reader of S3's documents: a `result` that was filled with 0x55 is as it was. */
void fuzz_check_failure(os_code code, const os_error *err, const void *result, size_t size);

/* An error that a caller may print: a code that has a name, strings that end, UTF-8, one line. */
void fuzz_check_error(os_code code, const os_error *err);
void fuzz_check_string(const char *str, size_t size);
#define FUZZ_CHECK_ARRAY(array) fuzz_check_string((array), sizeof(array))

#endif
