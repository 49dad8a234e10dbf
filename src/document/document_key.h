/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where a document stands: PK is "DS#" and the id; SK is "DSR#" (reported), "DSD#" (desired) or "DSC#" (both in one item) and
 * the name.
 */
#ifndef OSCOMMIT_DOCUMENT_DOCUMENT_KEY_H
#define OSCOMMIT_DOCUMENT_DOCUMENT_KEY_H

#include "attribute/path.h"
#include "base/text.h"

#define DOCUMENT_PARTITION "PK"
#define DOCUMENT_SORT      "SK"
extern const struct path_step document_key_steps[2]; /* of paths to the two */
/* What they begin with, of all documents. */
#define DOCUMENT_PARTITION_PREFIX "DS#"
#define DOCUMENT_SORT_PREFIX      "DS"

/* Bytes of an id and of a name: what the prefixes leave of a partition key (2048) and a sort key (1024; Developer Guide,
 * "Quotas"). */
enum { DOCUMENT_ID_MAX = 2048 - 3, DOCUMENT_NAME_MAX = 1024 - 4 };

enum document_kind { DOCUMENT_REPORTED = 1, DOCUMENT_DESIRED, DOCUMENT_COMBINED };

struct document_key {
    struct text id; /* borrowed, as the name */
    struct text name;
    enum document_kind kind;
};

/* The two attributes, for json_decref. OS_ERR_ARGUMENT, OS_ERR_NO_MEMORY: *ret is NULL. */
os_code document_key_attributes(const struct document_key *key, json_t **ret, os_error *err);

/* The value of PK alone, with the same outcomes. */
os_code document_key_partition(struct text id, json_t **ret, os_error *err);

/* Of an item, or of its key; borrows from it. False, and *ret untouched: it is none of a document. */
bool document_key_read(const json_t *item, struct document_key *ret);

const char *document_kind_name(enum document_kind kind); /* "reported" */

#endif
