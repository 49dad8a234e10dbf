/* SPDX-License-Identifier: Apache-2.0 */
/* Where the next page of a query begins, as a text that a program keeps and may give back at another time. */
#ifndef OSCOMMIT_TRANSACT_QUERY_TOKEN_H
#define OSCOMMIT_TRANSACT_QUERY_TOKEN_H

#include "transact/query_plan.h"

enum { QUERY_TOKEN_MAX = 64 * 1024 /* bytes; two keys of 3 KB, of which JSON may write each byte as six */ };

/* Of a plan that is built and the last key of a page. *ret is a JSON string, for json_decref. OS_ERR_NO_MEMORY. */
os_code query_token_make(const struct query_plan *plan, const json_t *last_key, json_t **ret, os_error *err);

/* The key, for json_decref. OS_ERR_ARGUMENT: it is no token, or of something else than this asks for. OS_ERR_NO_MEMORY. */
os_code query_token_read(const struct query_plan *plan, const char *token, json_t **ret, os_error *err);

#endif
