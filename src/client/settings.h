/* SPDX-License-Identifier: Apache-2.0 */
/* The options of a client, checked, defaulted and copied. */
#ifndef OSCOMMIT_CLIENT_SETTINGS_H
#define OSCOMMIT_CLIENT_SETTINGS_H

#include "aws/endpoint.h"
#include "commit/guard.h"
#include "credentials/credentials.h"
#include "oscommit.h"
#include "profile/profile.h"

enum { SETTINGS_DEADLINE_MS = 120000 };
#define SETTINGS_LONGEST_MS \
    (UINT64_C(1) << 48) /* about 9,000 years: any time added to a clock reading stays a number */

enum settings_scheme { SETTINGS_NONE = 0, SETTINGS_S3, SETTINGS_FILE, SETTINGS_DYNAMODB, SETTINGS_SQLITE };

struct settings_metric {
    os_metric_fn fn;
    void *context;
};

struct settings {
    enum settings_scheme store_scheme;
    char *bucket; /* S3 */
    char *prefix; /* S3: "" or "a/b/" */
    char *root;   /* FILE */
    enum settings_scheme ledger_scheme;
    char *table;       /* DYNAMODB: name or ARN; SQLITE: the file */
    char *table_reach; /* DYNAMODB: flags of the tool that lead to the table, beside its name (table_reach.h) */
    struct endpoint s3_endpoint;
    struct endpoint dynamodb_endpoint;
    os_addressing addressing;
    os_signature signature;
    char *ca_file;
    char *user_agent;
    char *record_prefix; /* with the bucket, if records_by_bucket; NULL if none */

    struct guard_settings guard; /* fences, etag_known are set per guard */
    os_toggle fences;
    os_guard mode;
    os_toggle condition_headers;
    struct profile *profile;   /* of the store; NULL: none */
    bool profile_is_own;       /* nobody named it (own_profile.h) */
    const char *unprofiled;    /* why it has none, where that is worth a sentence; else "". Static */
    char *forward_only_prefix; /* N4, where a call does not say: keys that begin so; NULL: none */
    bool check_table;
    uint64_t stage_above; /* R15; 0: by default (write_plan_multipart_above) */
    uint64_t part_size;   /* 0: the plan's default */
    uint32_t parts_at_once;
    uint64_t connect_timeout_ms;
    uint64_t request_timeout_ms;
    uint32_t max_connections;
    uint32_t max_in_flight;
    bool foreign_loop; /* no I/O thread */
    struct settings_metric metric;
    os_log_fn log;
    void *log_context;
    os_log_level log_level;
};

/* Checks every option (T5, T6, skew rate, URLs, versioned sizes). The two credentials are made here too, as they are
 * options; each is to be freed, and NULL for a local service. */
os_code settings_new(const os_options *options, struct settings *ret, struct credentials **ret_store_keys,
                     struct credentials **ret_ledger_keys, os_error *err);
void settings_free(struct settings *settings);

/* Versioned structs: the caller's, as far as it goes, over zeroes. OS_ERR_ARGUMENT when it is larger than known and its
 * tail is not zero, or its size is nonsense. NULL gives zeroes (but for `size`). `name` is for the sentence. */
os_code versioned_copy(const void *from, void *ret, size_t ret_size, const char *name, os_error *err);
/* How much of one the caller's release has, when ours has `size`. */
size_t versioned_size(const void *theirs, size_t size);
/* Gives the caller as much of ours as its struct has room for; its `size` says how much that is. */
void versioned_give(const void *ours, size_t size, void *ret);

#endif
