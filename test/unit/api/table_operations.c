/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/table_operations.h"

#include <sqlite3.h>
#include <stdio.h>

void table_forget_leases(const struct scratch *scratch)
{
    char file[128];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    assert_int_equal(sqlite3_open(file, &db), SQLITE_OK);
    assert_int_equal(sqlite3_busy_timeout(db, 60000), SQLITE_OK);
    assert_int_equal(sqlite3_exec(db, "DELETE FROM leases", NULL, NULL, NULL), SQLITE_OK);
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

os_client *table_client_with(const struct scratch *scratch, os_options options)
{
    char url[160];
    os_client *client = NULL;
    os_error error;
    snprintf(url, sizeof(url), "sqlite://%s/.oscommit/ledger.db", scratch->root);
    options.ledger_url = url;
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}
