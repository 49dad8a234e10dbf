/* SPDX-License-Identifier: Apache-2.0 */
#include "table/row_service.h"

#include "dynamo/rows_request.h"

#include <stdlib.h>

void row_answer_free(struct row_answer *answer)
{
    rows_items_free(&answer->items);
    rows_page_free(&answer->page);
    json_decref(answer->item);
    answer->item = NULL;
    if (answer->answers != NULL)
        rows_answers_free(answer->answers, answer->answer_count);
    free(answer->answers);
    answer->answers = NULL;
    answer->answer_count = 0;
}

bool row_answer_make_room(struct row_answer *answer, const struct row_request *request)
{
    if (request->verb != ROW_TRANSACT)
        return true;
    size_t count = request->transaction->count;
    answer->answers = calloc(count > 0 ? count : 1, sizeof(*answer->answers));
    answer->answer_count = answer->answers != NULL ? count : 0;
    return answer->answers != NULL;
}

const char *row_request_name(const struct row_request *request)
{
    switch (request->verb) {
    case ROW_WRITE: return rows_operation(request->write->kind);
    case ROW_TRANSACT: return "TransactWriteItems";
    case ROW_LIST: return rows_list_operation(request->list);
    case ROW_CREATE: return "CreateTable";
    case ROW_CHECK: return "DescribeTable";
    case ROW_READ: break;
    }
    if (request->get_count == 1)
        return "GetItem";
    return request->is_snapshot ? "TransactGetItems" : "BatchGetItem";
}
