/* SPDX-License-Identifier: Apache-2.0 */
/* The URLs of store and ledger. Pure. */
#ifndef OSCOMMIT_CLIENT_URL_H
#define OSCOMMIT_CLIENT_URL_H

#include "client/settings.h"

/* "s3://bucket[/prefix]" or "file:///root": fills scheme, bucket, prefix (with its slash), root. */
os_code url_parse_store(const char *url, struct settings *ret, os_error *err);

/* "dynamodb://TABLE", "dynamo:TABLE[:TIMEOUT_MS]" or "sqlite:///FILE": fills scheme and table; *ret_timeout_ms only
 * where the URL has one. */
os_code url_parse_ledger(const char *url, struct settings *ret, uint64_t *ret_timeout_ms, os_error *err);

#endif
