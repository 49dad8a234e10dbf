/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/completions.h"

#include "unit/api/client_scratch.h"

static void note_completion(void *context, os_operation *operation)
{
    struct completions *completions = context;
    completions->last = operation;
    event_set(&completions->told);
}

os_start completions_start(struct completions *completions)
{
    os_start start = OS_START_INIT;
    start.complete = note_completion;
    start.context = completions;
    return start;
}

os_operation *completions_wait(struct completions *completions)
{
    event_wait(&completions->told);
    return completions->last;
}

os_operation *completions_create(struct completions *completions, os_client *client, const char *key)
{
    os_start start = completions_start(completions);
    os_body body = OS_BODY_MEMORY("new", 3);
    os_operation *operation = NULL;
    os_error error;
    CHECK_CODE(os_start_put_if_absent(client, key, &body, NULL, &start, &operation, &error), OS_OK, &error);
    assert_non_null(operation);
    return operation;
}
