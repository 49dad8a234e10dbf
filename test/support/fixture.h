/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The store and the ledger that an integration test runs against: which pairs there are, where they are found
 * (environment), a bucket, a table and a root of the test program's own, fault proxies in front of both, and clients
 * with settings that suit them.
 *
 *   OSCOMMIT_TEST_MINIO_ENDPOINT, _VERSITYGW_ENDPOINT, _GOFAKES3_ENDPOINT, _DYNAMODB_ENDPOINT, _DYNALITE_ENDPOINT
 * http://host:port OSCOMMIT_TEST_ACCESS_KEY, _SECRET_KEY, _REGION      one pair of keys for all servers
 *   OSCOMMIT_TEST_BACKENDS                              names with commas: run only these
 *   OSCOMMIT_TEST_SHARE                                 K/N: run only every Nth test, from the Kth (0 to N - 1)
 *   OSCOMMIT_REQUIRE_SERVERS=1                          a backend whose server is not given is a failure, not a skip
 */
#ifndef OSCOMMIT_TEST_FIXTURE_H
#define OSCOMMIT_TEST_FIXTURE_H

#include "oscommit.h"
#include "support/fault_proxy.h"

#include <stdbool.h>
#include <stddef.h>

enum backend_feature {
    BACKEND_FENCE = 1,          /* the store refuses expired requests (E7) */
    BACKEND_S3 = 2,             /* the store is reached over HTTP, so that a proxy can stand before it */
    BACKEND_DYNAMO = 4,         /* the ledger speaks DynamoDB's API */
    BACKEND_V4 = 8,             /* requests are signed by this library and not by libs3 */
    BACKEND_ITEMS = 16,         /* the ledger gives the item that a condition failed on */
    BACKEND_CHECKS = 32,        /* the store checks signatures */
    BACKEND_TTL = 64,           /* the ledger has TTL */
    BACKEND_UPLOADS = 256,      /* multipart uploads */
    BACKEND_UPLOAD_ETAGS = 512, /* a Complete is answered with the ETag that the object then has */
    BACKEND_BLANKS = 128,       /* keys with blanks (libs3 sends them as plus signs) */
    BACKEND_REAL = BACKEND_FENCE | BACKEND_S3 | BACKEND_DYNAMO | BACKEND_V4 | BACKEND_ITEMS
};

struct backend {
    const char *name;
    const char *store_variable;  /* NULL: embedded */
    const char *ledger_variable; /* NULL: embedded */
    os_signature signature;
    unsigned features;
};

extern const struct backend backends[];
extern const size_t backend_count;
const struct backend *backend_named(const char *name);
/* The name of the variable that is missing, or NULL when the backend can be used. */
const char *backend_missing(const struct backend *backend);

struct fixture {
    const struct backend *backend;
    char store_endpoint[256]; /* "" when embedded */
    char ledger_endpoint[256];
    char bucket[64];
    char table[64];
    char root[256]; /* a new folder: of the embedded store, and for files of the tests */
    char store_url[320];
    char ledger_url[320];
    struct fault_proxy *store_proxy; /* NULL until fixture_proxies */
    struct fault_proxy *ledger_proxy;
    unsigned keys;
    struct fixture_name *names; /* of the keys */
};

/* Makes bucket, table and folder. False with a line on standard error. */
bool fixture_open(struct fixture *ret, const struct backend *backend);
void fixture_close(struct fixture *fixture);

/* Default settings: the protocol's default times, no environment. With proxies started, requests go through them. */
os_options fixture_options(const struct fixture *fixture);
/* The same with short times: an attempt is dead 10 to 12 s after it was signed (length 8, allowance 1, margin 1, lease
 * 10 s, rate 2, so that a contender without a fence waits 20 s). Shorter ones let a process that stands still for a
 * second or two miss its own signature (R6 leaves 2 s of it unused), and then another guard is counted. */
os_options fixture_fast_options(const struct fixture *fixture);
/* Opens a client or fails the test. */
os_client *fixture_client(const os_options *options);

/* Starts both proxies (no-op for what is embedded) and clears their rules and memories. */
bool fixture_proxies(struct fixture *fixture);

/* A key that no other test uses, "NAME-NUMBER". It is the fixture's. */
const char *fixture_key(struct fixture *fixture, const char *name);
/* A path below the fixture's folder, outside the store. */
void fixture_path(const struct fixture *fixture, const char *name, char *ret, size_t size);
/* The same, of a file that it writes. */
void fixture_file(const struct fixture *fixture, const char *name, const char *text, char *ret, size_t size);

/* Passes a fixture, with its proxies' addresses, to the processes that child_start starts; and takes it there. */
void fixture_export(const struct fixture *fixture);
bool fixture_import(struct fixture *ret);

#endif
