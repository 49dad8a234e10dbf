/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite as the embedded store and ledger use it: one file that is known by its application id and version, in WAL mode
 * with synchronous=FULL. Here: a connection's prepared statements, transactions and sentences. Knows no table: what is
 * in the file stands in a struct sqlite_spec. A connection comes from pool.h.
 */
#ifndef OSCOMMIT_SQLITE_SQLITE_H
#define OSCOMMIT_SQLITE_SQLITE_H

#include "base/library_version.h"
#include "oscommit.h"

#include <sqlite3.h>
#include <stdbool.h>
#include <stdint.h>

enum { SQLITE_STATEMENTS_MAX = 16 /* per spec */ };

/* What one kind of file is. Static data. */
struct sqlite_spec {
    const char *what;       /* "ledger": for sentences */
    int32_t application_id; /* PRAGMA application_id: the file is ours */
    int32_t version;        /* PRAGMA user_version */
    const char *ddl;
    const char *const *upgrades; /* version - 1 of them: from version n + 1 to n + 2. A file of an earlier version is
                                    brought up to date when it is opened */
    const char *const *sql;      /* statements, by number */
    size_t sql_count;
    int row_size_max; /* bytes; 0: as trust.c has it */
    os_code missing;  /* the file is not there, or is still empty */
    os_code broken;   /* it is something else, of a later release, or damaged */
    const char *make; /* the command that makes the file; its name, percent-encoded, follows. NULL: the next says it */
    const char *make_hint; /* a sentence that says who makes it. NULL: the hint does */
    const char *hint;      /* a sentence for both */
    const char *denied;    /* what to do where it may not be read or written */
};

/* How long a busy file is waited for: until a time, and no longer than the call is wanted. */
struct sqlite_patience {
    uint64_t until_ms;            /* CLOCK_MONOTONIC */
    const _Atomic int *cancelled; /* non-zero: at once no more. NULL: nobody can */
};
struct sqlite_patience sqlite_patience_ms(uint32_t ms); /* from now on */

struct sqlite_conn {
    sqlite3 *db;
    const struct sqlite_spec *spec;
    sqlite3_stmt *statements[SQLITE_STATEMENTS_MAX];
    struct sqlite_patience patience; /* of who has taken it; the busy handler gives up then */
    uint64_t work_until_ms;          /* CLOCK_MONOTONIC: what still runs then is ended */
    uint64_t jitter;                 /* state of random_next */
    uint32_t tables_seen;            /* ledger_file.c: bits of those that were found to be ours */
    bool single_use; /* not kept in the pool: opened without locks on a read-only medium, or not as it should be any
                        more */
    struct sqlite_conn *next;
};

/* Statement `number` of the spec, prepared once, reset, without bindings; NULL if that fails (sqlite_code says why). */
sqlite3_stmt *sqlite_statement(struct sqlite_conn *conn, size_t number);
int sqlite_code(struct sqlite_conn *conn); /* the primary result code of what failed last */

/* These return SQLITE_OK or a primary result code. sqlite_run steps a statement that gives no rows, and resets it. */
int sqlite_run(sqlite3_stmt *statement);
int sqlite_begin(struct sqlite_conn *conn); /* BEGIN IMMEDIATE */
int sqlite_commit(struct sqlite_conn *conn);
void sqlite_rollback(struct sqlite_conn *conn);
int sqlite_exec(struct sqlite_conn *conn, const char *sql);
int sqlite_read_number(struct sqlite_conn *conn, const char *sql, int64_t *ret); /* the first column of the first row */

/* Binds text, NULL for an empty one. */
int sqlite_bind_text_or_null(sqlite3_stmt *statement, int number, const char *text);
/* Copies a text column. False if it is of another type (NULL gives ""), does not fit, or has a NUL inside. */
bool sqlite_column_copy(sqlite3_stmt *statement, int number, char *ret, size_t ret_size);

/* The sentence and the code for result code `rc` of `conn`, "Cannot <doing> in the <what> FILE: ...". */
os_code sqlite_failed(struct sqlite_conn *conn, int rc, const char *doing, os_error *err);
os_code sqlite_missing(const struct sqlite_spec *spec, const char *file, os_error *err); /* spec->missing */
/* A sentence, where somebody may have meant the working directory; else "". */
const char *sqlite_root_note(const char *file);
os_code sqlite_unusable(const struct sqlite_spec *spec, const char *file, const char *doing, int number,
                        os_error *err);                       /* of an errno */
const char *sqlite_conn_file(const struct sqlite_conn *conn); /* "" if it is not open */

struct library_version sqlite_library_version(void);

#endif
