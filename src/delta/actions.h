/* SPDX-License-Identifier: Apache-2.0 */
/* The actions of a Delta log entry, one JSON object a line (PROTOCOL.md, "Actions"). */
#ifndef OSCOMMIT_DELTA_ACTIONS_H
#define OSCOMMIT_DELTA_ACTIONS_H

#include "base/buf.h"
#include "delta/partition.h"
#include "oscommit_delta.h"

#include <jansson.h>
#include <stdbool.h>

enum { DELTA_COMMIT_MAX = 64 << 20 }; /* bytes of an entry that is read or written */

/* What a reader of an entry looks for. */
struct delta_reading {
    const char *app_id;                              /* whose txn; NULL: of no interest */
    void (*add)(void *context, const char *path);    /* an added file, as the entry names it; NULL: of no interest */
    void (*remove)(void *context, const char *path); /* NULL: of no interest */
    void *context;
};

struct delta_actions {
    json_t *protocol; /* own; NULL: it has none */
    json_t *metadata;
    bool has_txn;
    int64_t txn_version;
    size_t adds;
};

/* OS_ERR_PROTOCOL: it is no log entry. delta_actions_clear frees what *ret has, whatever the code was. */
os_code delta_actions_read(const char *data, size_t length, const struct delta_reading *reading,
                           struct delta_actions *ret, os_error *err);
void delta_actions_clear(struct delta_actions *actions);

/* A commit as it is to be written. */
struct delta_commit {
    const os_delta_add *adds;
    size_t count;
    struct delta_partition partition;
    const json_t *schema; /* of a new table, with its partition columns; NULL: it is none */
    const char *app_id;   /* NULL: no txn */
    int64_t app_version;
    const char *engine; /* for commitInfo */
    const char *id;     /* the same: of this commit alone, so that its bytes are no other's */
    int64_t now_ms;
};
bool delta_commit_write(const struct delta_commit *commit, struct buf *out);

/* OS_ERR_UNSUPPORTED: the table needs of a writer what this one does not do; the sentence names it. OS_ERR_PROTOCOL: these
 * are no such actions. *ret_schema is the table's, and the caller's. */
os_code delta_table_check(const json_t *protocol, const json_t *metadata, json_t **ret_schema, os_error *err);

/* May files of the schema `given` be added to a table of the schema `table`? OS_ERR_UNSUPPORTED: the sentence says why not. */
os_code delta_schema_accepts(const json_t *table, const json_t *given, os_error *err);

#endif
