/* SPDX-License-Identifier: Apache-2.0 */
/* The table that keeps the rows of a model: what it is like, and how it is made. */
#ifndef OSCOMMIT_TRANSACT_MODEL_TABLE_H
#define OSCOMMIT_TRANSACT_MODEL_TABLE_H

#include "rows/definition.h"
#include "transact/row.h"

/* As @pocketgems/dynamodb 0.3.5 makes it (src/models.js, createResources). Its names are the model's. */
struct model_table {
    struct rows_definition definition;
    struct rows_index *indexes; /* own, as the names are */
    const char **names;
};

/* OS_ERR_NO_MEMORY. model_table_free belongs to it in any case. */
os_code model_table_of(const struct model *model, struct model_table *ret, os_error *err);
void model_table_free(struct model_table *table);

/* Makes it, and waits until it can be used. Blocks. */
os_code model_table_create(os_client *client, const os_model *model, const os_call *limits, os_error *err);

#endif
