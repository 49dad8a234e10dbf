/* SPDX-License-Identifier: Apache-2.0 */
/* A page of libs3's LIST, collected whole before any of it is given on. */
#ifndef OSCOMMIT_SIGV2_LIBS3_LIST_H
#define OSCOMMIT_SIGV2_LIBS3_LIST_H

#include "sigv2/libs3_run.h"

struct libs3_entries {
    struct s3_list_entry *list; /* keys are own copies */
    size_t count;
    size_t cap;
};

struct libs3_page {
    struct libs3_entries keys;
    struct libs3_entries prefixes;
    bool truncated;
    char *next_marker; /* as the store says it, which it does with a delimiter only */
    os_code code;
};

void libs3_page_init(struct libs3_page *page);
void libs3_page_empty(struct libs3_page *page);
void libs3_page_free(struct libs3_page *page);

/* Starts the request, which fills run->page. */
void libs3_list_begin(struct libs3_run *run, const S3BucketContext *bucket, const struct libs3_list_request *wanted);

/* After a 200: whether it was a list at all, and could be kept. */
os_code libs3_page_check(const struct libs3_page *page, const struct http_response *answer, os_error *err);
os_code libs3_page_give(const struct libs3_page *page, s3_list_fn each, void *context, struct s3_list_page *ret,
                        os_error *err);

#endif
