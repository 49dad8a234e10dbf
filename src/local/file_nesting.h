/* SPDX-License-Identifier: Apache-2.0 */
/*
 * No store inside a store: two roots over one file would be two ledgers, and each would grant what the other has
 * granted. The outermost root counts; what lies below it is its keys. And no store whose file system has two names for
 * one file: two keys would be one object.
 */
#ifndef OSCOMMIT_LOCAL_FILE_NESTING_H
#define OSCOMMIT_LOCAL_FILE_NESTING_H

#include "local/file_path.h"

enum nesting_marks {
    NESTING_ANY_MARK,    /* before one is made */
    NESTING_TRUSTED_MARK /* not what a stranger has put above it where anybody may, as in /tmp */
};

/* OS_ERR_CONFIG when the folder `root`, with its links resolved, lies inside a store. */
os_code nesting_check_above(const char *root, enum nesting_marks marks, os_error *err);

/* OS_ERR_CONFIG when there is a store somewhere below the folder `root`. Looks at every folder there, without following
 * links. */
os_code nesting_check_below(const char *root, os_error *err);

/* Of the store's own folder (file_open_below). OS_OK also when that cannot be found out, because nothing can be
 * written. */
os_code nesting_check_names(const struct file_root *root, const char *path, os_error *err);

#endif
