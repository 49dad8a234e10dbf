/* SPDX-License-Identifier: Apache-2.0 */
/* What a fleet of writers has left of a table: a walk over the log, the data files and the entries of a log store. */
#ifndef OSCOMMIT_APPEND_CHECK_H
#define OSCOMMIT_APPEND_CHECK_H

#include "append/append.h"

#define CHECK_NO_VERSION UINT64_MAX

struct check_arguments {
    os_delta_finding_fn each;
    void *context;
};

struct check {
    struct append *append;
    const struct check_arguments *arguments;
    json_t *versions; /* own: the numbers of the commits that are in the log, in their order */
    json_t *temps;    /* own: the temp files, by their names below the log */
    json_t *objects;  /* own: what lies below the table, but for the log */
    json_t *files; /* own: data files of the newest version, by their paths in the log: the version that added them */
    uint64_t checkpoint; /* the newest; UINT64_MAX: none */
    uint64_t reading;    /* the version whose actions are read */
    os_code code;        /* OS_ERR_STOPPED: the caller's function said so */
};

/* Tells one finding. False: nothing more is to be told. `version` CHECK_NO_VERSION: of none. */
struct check_finding {
    os_delta_finding_kind kind;
    uint64_t version;
    const char *name;
};
bool check_tell(struct check *check, const struct check_finding *finding, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* The place of the first version that is there and is not below `from`; their count if there is none. */
size_t check_find(const struct check *check, uint64_t from);
uint64_t check_version_at(const struct check *check, size_t place);
bool check_has_version(const struct check *check, uint64_t version);

/* Whether the entries of the log store fit what was listed. */
os_code check_entries(struct check *check);

os_code append_run_check(os_client *client, const struct append_arguments *arguments,
                         const struct check_arguments *check, os_error *err);

#endif
