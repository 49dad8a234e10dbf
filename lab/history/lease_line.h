/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is said of a lease as an object of JSON, in a history and on the pipe of a racing process:
 * {"lease":"held","who":"w3.0","key":"a","at_us":12,"until_us":15,"token":7}. Fields that are not known are passed over.
 */
#ifndef OSCOMMIT_LAB_LEASE_LINE_H
#define OSCOMMIT_LAB_LEASE_LINE_H

#include "history/history.h"

#include <jansson.h>

/* NULL: no memory. */
json_t *lease_line_written(const struct history_lease *lease);

/* The texts of *ret are the object's. NULL: done; else what is wrong, as a sentence. */
const char *lease_line_read(const json_t *object, struct history_lease *ret);

#endif
