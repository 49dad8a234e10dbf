/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a command of many writes has done, as lines of JSON (docs/pipelines.md): the first says whose run it is, each other
 * one the verdict of one object, and the ticket if it is unknown. Lines are appended and synced, one by one; the last one
 * may be torn. One process at a time has the file.
 */
#ifndef OSCOMMIT_TOOL_MANIFEST_H
#define OSCOMMIT_TOOL_MANIFEST_H

#include "cli/session.h"
#include "common/batch.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

enum { MANIFEST_LINE_MAX = 128 * 1024, MANIFEST_SIZE_MAX = 1 << 30 };

/* The last word on one key. */
struct manifest_entry {
    char *key;
    char *verdict; /* "committed", "unchanged", "conflict", "not executed", "unknown" */
    char *etag;    /* of what is there; may be NULL, as the next */
    char *ticket;
    char *source_etag; /* of a copy inside the store */
    uint64_t length;   /* of the source */
    int64_t mtime_ns;  /* of a file that it was; 0: not known */
    size_t line;
};

struct manifest {
    int fd; /* -1: there is none */
    char *name;
    char owner[320];                /* "host:pid" */
    struct manifest_entry *entries; /* by key */
    size_t count;
    bool is_resumed; /* an earlier run has begun */
    int failure;     /* errno of a line that could not be written; then no more are */
};

/* Opens or makes the file, reads what it has, and begins this run in it. `target` is the URL that all keys lie below.
 * False, with a sentence: it is no manifest, one of another target, others may write it, or another process has it. */
bool manifest_open(const char *name, const char *target, const struct options *options, struct manifest *ret,
                   struct usage *usage);
void manifest_close(struct manifest *manifest);

/* NULL: nothing is known of it. */
const struct manifest_entry *manifest_find(const struct manifest *manifest, const char *key);

struct manifest_note {
    const char *key;
    const char *verdict;
    const char *etag;
    const char *version_id;
    const char *ticket;
    const char *source_etag;
    uint64_t length;
    int64_t mtime_ns;
    const os_error *error; /* may be NULL */
};

/* Appends a line, and waits until it is on the disk. False: it is not; then no more are written. One thread at a time. */
bool manifest_write(struct manifest *manifest, const struct manifest_note *note);

/* A line of the file as an entry. False: it is none. */
bool manifest_parse(const char *line, size_t length, struct manifest_entry *ret);
void manifest_entry_clear(struct manifest_entry *entry);

#endif
