/* SPDX-License-Identifier: Apache-2.0 */
/* A table of tasks for queries and scans, in the embedded tables or at DynamoDB: as whoever includes this opens it. */
#ifndef OSCOMMIT_TEST_UNIT_API_QUERY_SHOP_H
#define OSCOMMIT_TEST_UNIT_API_QUERY_SHOP_H

#include "oscommit_model.h"
#include "unit/api/client_scratch.h"

struct shop {
    struct scratch scratch;
    os_client *client;
    char table[64];
    os_model *task;
    os_txn_options options;
    os_txn_result result;
    os_error error;
};

/* Opens the client, and makes a table, which is empty and has the keys and the indexes of the model in query_cases.h:
 * _id (S), _sk (N); byState of state (S) and points (N); few of _c_points_state (S) with keys only; titled of title (S). */
void shop_open(struct shop *ret);
void shop_close(struct shop *shop);

#endif
