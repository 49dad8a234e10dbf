/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Large bodies whose every piece is another, as memory, files and streams; and the uploads that are open on a store.
 * What a stream does half-way is the test's own affair: another writer, a cancellation, a death.
 */
#ifndef OSCOMMIT_TEST_BIG_BODY_H
#define OSCOMMIT_TEST_BIG_BODY_H

#include "support/checks.h"
#include "support/fixture.h"

#define MIB ((size_t)1 << 20)

/* The bytes at `offset` of the endless body that all of these are the beginning of. */
void big_bytes(void *ret, size_t length, uint64_t offset);
void *big_memory(size_t length); /* malloc'ed; fails the test without memory */
void big_file(const char *path, size_t length);

struct big_stream {
    uint64_t offset;
    uint64_t length;
    uint64_t at; /* `meanwhile` is called once, when so many bytes were given; 0: never */
    void (*meanwhile)(void *context);
    void *context;
    bool breaks; /* cannot be read at its end */
};
os_body big_stream_body(struct big_stream *stream);

/* Fails the test unless the object has exactly these bytes. */
void check_big(os_client *client, const char *key, size_t length);

struct outcome put_absent(os_client *client, const char *key, const os_body *body, const os_call *call);

/* How many uploads of the key are open, as the store itself says; and the id of one of them (`ret` of 1,025 bytes). */
unsigned open_uploads(const struct fixture *f, const char *key);
void upload_of(const struct fixture *f, const char *key, char *ret);
void abort_upload(const struct fixture *f, const char *key, const char *upload_id);
void complete_upload(const struct fixture *f, const char *key, const char *upload_id); /* of all its parts */

#endif
