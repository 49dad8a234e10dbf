/* SPDX-License-Identifier: Apache-2.0 */
/* Commits to the log of a Delta table: what the calls of oscommit_delta.h share. */
#ifndef OSCOMMIT_APPEND_APPEND_H
#define OSCOMMIT_APPEND_APPEND_H

#include "base/buf.h"
#include "client/client.h"
#include "delta/actions.h"
#include "delta/log_name.h"
#include "oscommit_delta.h"

/* As the caller gave them; nothing is checked yet. What a function does not have is NULL. */
struct append_arguments {
    const char *table;
    const os_delta_files *data;
    const char *const *files;
    const char *ticket;
    const os_delta_options *options;
    const os_call *call;
    const char *entries; /* what `log_store` is called, for sentences; NULL: a log store */
};

/* The table as a call finds it. */
struct snapshot {
    bool exists;
    uint64_t version;
    json_t *schema;  /* own */
    json_t *columns; /* own; of its partitions: names; NULL: none */
    bool has_txn;    /* of the call's app_id */
    int64_t txn_version;
};

struct append {
    os_client *client;
    os_delta_options options;
    const char *prefix;   /* own: "" or "path/of/table/" */
    char *table_path;     /* own; of entries of a log store: "s3://bucket/path/of/table" */
    os_call call;         /* as taken; its deadline is that of the whole */
    uint64_t deadline_ms; /* on the monotonic clock */
    uint64_t random;
    struct inside inside;
    struct inside inside_log_store;
    bool has_finished; /* log_version_finish: `finished` is the last that it found complete */
    uint64_t finished;
    os_delta_result result;
    os_error error;
};

/* What every call begins and ends with. After a failure nothing is to be ended. */
os_code append_begin(struct append *append, os_client *client, const struct append_arguments *arguments);
void append_end(struct append *append);

os_call append_rest_of_call(const struct append *append);
bool append_pause(struct append *append, uint64_t ms); /* false: cancelled, or no time is left */
uint64_t append_now_s(void);

/* The key of what is called `name` below `folder` of the table; own, NULL without memory. */
char *append_key(const struct append *append, const char *folder, const char *name);

/* Plain calls on an object below the table, with the rest of the call's time. OS_ERR_NOT_FOUND: nothing is there. */
os_code append_get(struct append *append, const char *folder, const char *name, uint64_t max, struct buf *ret);
os_code append_head(struct append *append, const char *folder, const char *name);
/* One request. `if_absent`: on that condition, which the store must be known to enforce; OS_ERR_CONFLICT if it did not
 * hold. */
os_code append_put_once(struct append *append, const char *folder, const char *name, const os_body *body,
                        bool if_absent);
bool append_is_worth_another(os_code code); /* of such a request: it may have been done, or was put off */
/* Written again after an answer that says nothing, as the same bytes under a name that is written with no others. */
os_code append_put(struct append *append, const char *folder, const char *name, const os_body *body);
void append_delete(struct append *append, const char *folder, const char *name); /* as far as it goes */

/* Finds the newest version, and what the table asks of its writers. */
os_code snapshot_read(struct append *append, struct snapshot *ret);
void snapshot_clear(struct snapshot *snapshot);
/* What one version says. */
os_code snapshot_read_version(struct append *append, uint64_t version, const struct delta_reading *reading,
                              struct delta_actions *ret);

/* The whole commit, within append_begin and append_end. */
struct commit_arguments {
    const json_t *schema;
    const os_delta_add *adds;
    size_t count;
    struct delta_partition partition;
    os_code (*upload)(void *context); /* of the adds, once it is known that they fit; NULL: they are there */
    void *context;
};
/* The partition that the options name, of all files. */
struct delta_partition append_partition(const struct append *append);
os_verdict append_commit(struct append *append, const struct commit_arguments *arguments);

/* The calls of the header, from their arguments to their verdict. */
os_verdict append_run_commit(os_client *client, const struct append_arguments *arguments, os_delta_result *ret,
                             os_error *err);
os_verdict append_run_files(os_client *client, const struct append_arguments *arguments, os_delta_result *ret,
                            os_error *err);
os_verdict append_run_resolve(os_client *client, const struct append_arguments *arguments, os_delta_result *ret,
                              os_error *err);

void append_result_clear(os_delta_result *result);

/* The caller's part: the result and the error. */
os_verdict append_give(struct append *append, os_verdict verdict, os_delta_result *ret, os_error *err);
os_verdict append_verdict_of(os_code code); /* of a call that has written nothing */

#endif
