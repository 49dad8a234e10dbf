/* SPDX-License-Identifier: Apache-2.0 */
/* The arguments of a call, copied, as they have to outlive the function that was given them. The bytes of a body, what
 * a sink points to, and contexts stay the caller's. */
#ifndef OSCOMMIT_OPERATION_KEEP_H
#define OSCOMMIT_OPERATION_KEEP_H

#include "guarded/guarded.h"
#include "holding/holding.h"
#include "plain/plain.h"
#include "update/update.h"

struct kept_update {
    struct guarded_arguments guarded; /* its name and key, for who runs it as a guarded call */
    struct update_arguments update;
};

struct kept_arguments {
    union {
        struct guarded_arguments guarded;
        struct plain_arguments plain;
        struct kept_update update;
        struct holding_arguments holding;
    };
    os_call call; /* of any; the deadline is not 0 */
    void *block;  /* all structs, strings and lists that it points to; own */
};

/* `ret` was all zero, and must not be moved: it points to itself. OS_ERR_ARGUMENT for structs of a wrong size. */
os_code keep_guarded(const struct guarded_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                     os_error *err);
os_code keep_plain(const struct plain_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                   os_error *err);
os_code keep_update(const struct update_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                    os_error *err);
os_code keep_holding(const struct holding_arguments *arguments, const os_call *call, struct kept_arguments *ret,
                     os_error *err);
void keep_free(struct kept_arguments *kept);

#endif
