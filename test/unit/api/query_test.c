/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans in the embedded tables. */
#include "rows/definition.h"
#include "sqlite/rows.h"
#include "unit/api/query_cases.h"
#include "unit/api/query_row_cases.h"

void shop_open(struct shop *ret)
{
    enum { PATIENT_MS = 60000 };
    static const struct rows_index indexes[] = {
        {"byState", {{"state", VALUE_S}, {"points", VALUE_N}}, ROWS_PROJECT_ALL, NULL, 0},
        {"few", {.partition = {"_c_points_state", VALUE_S}}, ROWS_PROJECT_KEYS_ONLY, NULL, 0},
        {"titled", {.partition = {"title", VALUE_S}}, ROWS_PROJECT_ALL, NULL, 0},
    };
    static const struct rows_definition definition = {
        .keys = {{"_id", VALUE_S}, {"_sk", VALUE_N}}, .indexes = indexes, .index_count = 3};
    char file[160];
    os_error error;
    struct sqlite_rows *rows = NULL;
    const struct sqlite_patience patience = sqlite_patience_ms(PATIENT_MS);
    scratch_set_up(&ret->scratch);
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", ret->scratch.root);
    CHECK_CODE(sqlite_rows_open(file, &patience, &rows, &error), OS_OK, &error);
    CHECK_CODE(sqlite_rows_create(rows, "Task", &definition, patience, &error), OS_OK, &error);
    sqlite_rows_close(rows);
    ret->client = scratch_table_client(&ret->scratch);
    snprintf(ret->table, sizeof(ret->table), "Task");
}

void shop_close(struct shop *shop)
{
    os_client_close(shop->client);
    scratch_tear_down(&shop->scratch);
}
