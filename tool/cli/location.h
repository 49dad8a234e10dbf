/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Names on the command line: which are objects, in which store, under which key. Keys are taken verbatim; nothing in
 * them is percent-decoded. Knows of the file system only how to find the root of an embedded store: the outermost
 * folder above the object that has `.oscommit` in it.
 */
#ifndef OSCOMMIT_TOOL_LOCATION_H
#define OSCOMMIT_TOOL_LOCATION_H

#include "cli/options.h"
#include "cli/usage.h"

#include <stdbool.h>

struct location {
    char *store; /* "s3://bucket" or what --store says; without a slash at its end */
    char *key;   /* relative to the store; may be empty */
    char *url;   /* of the object, for messages: store and key */
};

enum location_wants {
    LOCATION_OBJECT, /* a key must be named */
    LOCATION_PREFIX  /* the key may be empty */
};

/* Does the name say by itself that it is in a store? "s3://b/k", but not "k" and not "./k". */
bool location_is_url(const char *name);

/* An object by URL, or by bare key where --store (or OSCOMMIT_STORE) is set. A URL must lie inside a --store that was
 * given on the command line; one from the environment gives way. */
bool location_parse(const char *name, enum location_wants wants, const struct options *options, struct location *ret,
                    struct usage *usage);

/* The store alone, from --store or OSCOMMIT_STORE. */
bool location_store(const struct options *options, struct location *ret, struct usage *usage);

/* The first operand, under which others lie; the store alone where there is none. */
bool location_prefix(const struct options *options, struct location *ret, struct usage *usage);

/* The URL of another key of the same store, in new memory; NULL without any. */
char *location_url_of(const struct location *location, const char *key);

/* Gives the location another key. False without memory, and then unchanged. */
bool location_set_key(struct location *location, const char *key);

/* What stands behind the last slash of a path or key; empty if it ends with one. Borrowed. */
const char *location_last_part(const char *path);

void location_clear(struct location *location);

#endif
