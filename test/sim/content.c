/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/content.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LARGE = (5 << 20) + 100 /* the least part, and a bit */ };

void content_make(struct content *content, uint32_t lane, uint64_t call, const struct plan_call *plan)
{
    content_free(content);
    if (plan->content > 0)
        snprintf(content->text, sizeof(content->text), "the same %u", plan->content);
    else
        snprintf(content->text, sizeof(content->text), "lane %u call %llu", lane, (unsigned long long)(call & 0xffff));
    content->length = strlen(content->text);
    content->pace = 1 + (uint32_t)(call % 5);
    if (!plan->large)
        return;
    content->large = malloc(LARGE);
    if (content->large == NULL)
        abort();
    memset(content->large, 'x', LARGE);
    memcpy(content->large, content->text, content->length);
    content->length = LARGE;
}

void content_count(struct content *content, uint32_t lane, uint64_t call, const struct plan_call *plan, uint64_t number)
{
    content_free(content);
    if (plan->content > 0)
        snprintf(content->text, sizeof(content->text), "%llu", (unsigned long long)number);
    else
        snprintf(content->text, sizeof(content->text), "%llu, lane %u call %llu", (unsigned long long)number, lane,
                 (unsigned long long)(call & 0xffff));
    content->length = strlen(content->text);
}

/* A few bytes at a time, or all that are asked for of a large one. */
static int64_t give(void *context, void *ret_data, size_t size)
{
    struct content *content = context;
    size_t left = content->length - content->given;
    size_t most = content->large != NULL ? size : content->pace;
    most = most < size ? most : size;
    most = most < left ? most : left;
    memcpy(ret_data, (content->large != NULL ? content->large : content->text) + content->given, most);
    content->given += most;
    return (int64_t)most;
}

os_body content_body(struct content *content, bool stream)
{
    os_body body = OS_BODY_MEMORY(content->large != NULL ? content->large : content->text, content->length);
    if (stream) {
        content->given = 0;
        body = (os_body){.size = sizeof(body), .read = give, .read_context = content};
    }
    return body;
}

void content_free(struct content *content)
{
    free(content->large);
    *content = (struct content){.large = NULL};
}
