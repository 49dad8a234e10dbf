/* SPDX-License-Identifier: Apache-2.0 */
/* A store and a ledger in memory that do as little as an honest answer takes. */
#ifndef BENCH_STUB_H
#define BENCH_STUB_H

#include "message.h"

#include <jansson.h>

struct stub_request {
    struct slice method;
    struct slice target; /* path and query */
    struct slice head;
    struct slice body;
};

/* What is kept under a name: an object, or the records of a path (a chain of entries of the same name). */
struct stub_entry {
    struct stub_entry *next; /* in the bucket of the hash table */
    char *name;
    size_t name_len;
    char etag[40];         /* object: in quotes; empty: nothing is there */
    struct bytes metadata; /* object: header lines */
    struct bytes body;     /* object */
    json_t *item;          /* record */
};

/* The first entry of this name, or of any name in its bucket for stub_chain. */
struct stub_entry *stub_find(struct slice name);
struct stub_entry *stub_add(struct slice name);
struct stub_entry *stub_chain(struct slice name);

void stub_answer(struct bytes *out, const char *status, const char *headers, struct slice body);

void stub_s3(const struct stub_request *request, struct bytes *out);
void stub_dynamo(const struct stub_request *request, struct slice action, struct bytes *out);

#endif
