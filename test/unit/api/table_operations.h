/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of operations on leases share. */
#ifndef OSCOMMIT_TEST_API_TABLE_OPERATIONS_H
#define OSCOMMIT_TEST_API_TABLE_OPERATIONS_H

#include "unit/api/client_scratch.h"

/* Somebody deletes every lease of the embedded table. */
void table_forget_leases(const struct scratch *scratch);

/* A client of the embedded table alone, with options of the caller's on top. */
os_client *table_client_with(const struct scratch *scratch, os_options options);

#endif
