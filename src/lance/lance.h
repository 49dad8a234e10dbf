/* SPDX-License-Identifier: Apache-2.0 */
/* The calls of oscommit_lance.h. They stand on what calls on a table share (append/append.h). */
#ifndef OSCOMMIT_LANCE_LANCE_H
#define OSCOMMIT_LANCE_LANCE_H

#include "append/append.h"
#include "lance/manifest_name.h"
#include "lance/row.h"
#include "oscommit_lance.h"

/* As the caller gave them; nothing is checked yet. What a function does not have is NULL. */
struct lance_arguments {
    const char *table;
    const os_lance_options *options;
    const os_call *call;
    os_lance_finding_fn each;
    void *context;
    uint64_t *ret_completed;
};

/* What lies below `_versions/`. */
struct versions {
    json_t *sizes;  /* own: of each version, by its number in decimal */
    json_t *staged; /* own: the version of each staged manifest, by its name */
    uint64_t newest;
    uint64_t old_version; /* one with a name of the first scheme; 0: none */
    bool no_memory;
};

/* One row. */
struct version_row {
    uint64_t version;
    bool has_size;
    uint64_t size;
    bool is_complete;
    char name[LANCE_STAGED_MAX]; /* below `_versions/`; "": its path is none of a manifest of this version */
};

/* Begins a call; after a failure nothing is to be ended. append_end ends it. */
os_code lance_begin(struct append *append, os_client *client, const struct lance_arguments *arguments);

/* OS_ERR_NOT_FOUND: there is no table. versions_free in any case. */
os_code versions_list(struct append *append, struct versions *ret);
void versions_free(struct versions *versions);
/* NULL: the version is not there. */
const json_t *versions_size_of(const struct versions *versions, uint64_t version);

/* What its rows have as `base_uri`: no bucket. */
const char *lance_base_uri(const struct append *append);
/* Gives all rows of the table, on a thread that may block; `give` not 0: stop. */
os_code rows_list(struct append *append, int (*give)(void *context, const void *row), void *context);

os_code lance_run_check(os_client *client, const struct lance_arguments *arguments, os_error *err);
os_code lance_run_resolve(os_client *client, const struct lance_arguments *arguments, os_error *err);

#endif
