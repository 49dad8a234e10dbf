/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of the README of @pocketgems/dynamodb in the embedded tables. */
#include "unit/api/readme_cases.h"
#include "unit/api/readme_expiry_cases.h"
#include "unit/api/readme_txn_cases.h"

void book_open(struct book *ret)
{
    scratch_set_up(&ret->scratch);
    ret->client = scratch_table_client(&ret->scratch);
    snprintf(ret->prefix, sizeof(ret->prefix), "readme");
}

void book_close(struct book *book)
{
    os_client_close(book->client);
    scratch_tear_down(&book->scratch);
}
