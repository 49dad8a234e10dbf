/* SPDX-License-Identifier: Apache-2.0 */
#include "table/row_service.h"

#include "dynamo/rows_request.h"

#include <stdlib.h>

void row_answer_free(struct row_answer *answer, const struct row_request *request)
{
    rows_items_free(&answer->items);
    rows_page_free(&answer->page);
    json_decref(answer->item);
    answer->item = NULL;
    if (answer->answers != NULL)
        rows_answers_free(answer->answers, request->transaction->count);
    free(answer->answers);
    answer->answers = NULL;
}

const char *row_request_name(const struct row_request *request)
{
    switch (request->verb) {
    case ROW_WRITE: return rows_operation(request->write->kind);
    case ROW_TRANSACT: return "TransactWriteItems";
    case ROW_LIST: return rows_list_operation(request->list);
    case ROW_READ: break;
    }
    if (request->get_count == 1)
        return "GetItem";
    return request->is_snapshot ? "TransactGetItems" : "BatchGetItem";
}
