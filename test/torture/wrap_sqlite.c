/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to SQLite, by the linker's --wrap. A call that fails was not made; SQLite itself does not know that anything
 * failed, so what it would say of the last failure is answered here until the next call. */
#include "inject.h"

#include <sqlite3.h>
#include <stddef.h>

static _Thread_local int said; /* the result of the call that was made to fail just now */

static int result_now(void)
{
    static const int codes[] = {SQLITE_IOERR, SQLITE_BUSY, SQLITE_FULL, SQLITE_NOMEM};
    return codes[inject_variant()];
}

static bool fails(const char *call)
{
    bool hit = inject_hits(INJECT_SQLITE, call);
    said = hit ? result_now() : 0;
    return hit;
}

#define WRAP(name, parameters, arguments)       \
    int __real_sqlite3_##name parameters;       \
    int __wrap_sqlite3_##name parameters;       \
    int __wrap_sqlite3_##name parameters        \
    {                                           \
        if (fails(#name))                       \
            return said;                        \
        return __real_sqlite3_##name arguments; \
    }

WRAP(step, (sqlite3_stmt * statement), (statement))
WRAP(exec, (sqlite3 * db, const char *sql, int (*each)(void *, int, char **, char **), void *context, char **ret),
     (db, sql, each, context, ret))
WRAP(bind_blob, (sqlite3_stmt * statement, int n, const void *data, int length, void (*done)(void *)),
     (statement, n, data, length, done))
WRAP(bind_text, (sqlite3_stmt * statement, int n, const char *text, int length, void (*done)(void *)),
     (statement, n, text, length, done))
WRAP(bind_int64, (sqlite3_stmt * statement, int n, sqlite3_int64 value), (statement, n, value))
WRAP(bind_null, (sqlite3_stmt * statement, int n), (statement, n))
WRAP(file_control, (sqlite3 * db, const char *name, int operation, void *argument), (db, name, operation, argument))
WRAP(busy_handler, (sqlite3 * db, int (*handler)(void *, int), void *context), (db, handler, context))

/* After a failed step it gives that step's result again. */
int __real_sqlite3_reset(sqlite3_stmt *statement);
int __wrap_sqlite3_reset(sqlite3_stmt *statement);
int __wrap_sqlite3_reset(sqlite3_stmt *statement)
{
    int rc = __real_sqlite3_reset(statement);
    return said != 0 ? said : rc;
}

int __real_sqlite3_open_v2(const char *file, sqlite3 **ret, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *file, sqlite3 **ret, int flags, const char *vfs);
int __wrap_sqlite3_open_v2(const char *file, sqlite3 **ret, int flags, const char *vfs)
{
    if (!fails("open_v2"))
        return __real_sqlite3_open_v2(file, ret, flags, vfs);
    *ret = NULL; /* as when there is no memory for a handle */
    return said;
}

int __real_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int length, sqlite3_stmt **ret, const char **ret_tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int length, sqlite3_stmt **ret, const char **ret_tail);
int __wrap_sqlite3_prepare_v2(sqlite3 *db, const char *sql, int length, sqlite3_stmt **ret, const char **ret_tail)
{
    *ret = NULL;
    return fails("prepare_v2") ? said : __real_sqlite3_prepare_v2(db, sql, length, ret, ret_tail);
}

int __real_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **ret,
                              const char **ret_tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **ret,
                              const char **ret_tail);
int __wrap_sqlite3_prepare_v3(sqlite3 *db, const char *sql, int length, unsigned flags, sqlite3_stmt **ret,
                              const char **ret_tail)
{
    *ret = NULL;
    return fails("prepare_v3") ? said : __real_sqlite3_prepare_v3(db, sql, length, flags, ret, ret_tail);
}

int __real_sqlite3_errcode(sqlite3 *db);
int __wrap_sqlite3_errcode(sqlite3 *db);
int __wrap_sqlite3_errcode(sqlite3 *db)
{
    return said != 0 ? said : __real_sqlite3_errcode(db);
}

int __real_sqlite3_extended_errcode(sqlite3 *db);
int __wrap_sqlite3_extended_errcode(sqlite3 *db);
int __wrap_sqlite3_extended_errcode(sqlite3 *db)
{
    return said != 0 ? said : __real_sqlite3_extended_errcode(db);
}

const char *__real_sqlite3_errmsg(sqlite3 *db);
const char *__wrap_sqlite3_errmsg(sqlite3 *db);
const char *__wrap_sqlite3_errmsg(sqlite3 *db)
{
    return said != 0 ? sqlite3_errstr(said) : __real_sqlite3_errmsg(db);
}
