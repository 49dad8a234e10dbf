/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/fork.h"

#include "base/error.h"

#include <stdatomic.h>
#include <unistd.h>

/* By the process id, and not by a handler of pthread_atfork: those do not run for every way to fork. */
static atomic_int connections;
static atomic_long opener;

os_code sqlite_fork_check(const char *what, const char *file, os_error *err)
{
    if (atomic_load(&connections) > 0 && atomic_load(&opener) != (long)getpid()) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "The %s %.300s cannot be opened here: this process was forked while its parent had an "
                         "embedded store or ledger open, and SQLite's locks would exclude nobody. Fork before you open "
                         "any, close the parent's clients first, or call exec.",
                         what, file);
    }
    return OS_OK;
}

os_code sqlite_fork_enter(const char *what, const char *file, os_error *err)
{
    os_code code = sqlite_fork_check(what, file, err);
    if (code != OS_OK)
        return code;
    atomic_store(&opener, (long)getpid()); /* first: between the two SQLite has nothing to remember yet */
    (void)atomic_fetch_add(&connections, 1);
    return OS_OK;
}

void sqlite_fork_leave(void)
{
    (void)atomic_fetch_sub(&connections, 1);
}
