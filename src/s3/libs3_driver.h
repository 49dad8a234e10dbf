/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A store over libs3, for servers that only speak Signature V2: blocking calls, each on a request context of its own
 * (so that no connection is reused and nothing is sent twice), run on the client's worker threads. It has no fence
 * (E7). Built only with libs3 (OSCOMMIT_HAVE_LIBS3).
 */
#ifndef OSCOMMIT_S3_LIBS3_DRIVER_H
#define OSCOMMIT_S3_LIBS3_DRIVER_H

#include "base/clock.h"
#include "s3/request.h"
#include "s3/response.h"

struct libs3_config { /* borrowed by every call */
    const struct s3_target *target;
    const char *access_key_id;
    const char *secret_access_key;
    const char *ca_file;
    const char *user_agent;
};

/* What came of one call. `status` 0: no answer (ambiguous if the request may have left). */
struct libs3_result {
    int status;
    struct s3_error error;
    struct s3_object object;
    int64_t date_s;   /* libs3 2.0 does not show the Date header: 0 */
    char detail[256]; /* libs3's own word, for messages */
};

typedef int (*libs3_sink_fn)(void *context, const void *data, size_t length); /* 0: go on */

os_code libs3_start(os_error *err); /* S3_initialize once per process, counted */
void libs3_stop(void);

/* Every call ends by `deadline_monotonic_ms` (clock_read's monotonic_ms) or when *cancelled becomes non-zero (may be
 * NULL). Codes: OS_OK (look at result: any status), OS_ERR_NETWORK/TLS/DEADLINE/CANCELLED/NO_MEMORY. */
struct libs3_call {
    uint64_t deadline_monotonic_ms;
    const _Atomic int *cancelled;
};
os_code libs3_head(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                   struct libs3_result *ret, os_error *err);
os_code libs3_get(const struct libs3_config *config, const struct libs3_call *call, const char *key, uint64_t offset,
                  uint64_t count, libs3_sink_fn sink, void *context, struct libs3_result *ret, os_error *err);
os_code libs3_put(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                  const struct http_body *body, const struct s3_content *content, struct libs3_result *ret,
                  os_error *err);
os_code libs3_copy(const struct libs3_config *config, const struct libs3_call *call, const char *source_key,
                   const char *key, const struct s3_content *content, struct libs3_result *ret, os_error *err);
os_code libs3_delete(const struct libs3_config *config, const struct libs3_call *call, const char *key,
                     struct libs3_result *ret, os_error *err);
os_code libs3_list(const struct libs3_config *config, const struct libs3_call *call, const char *prefix,
                   const char *delimiter, const char *marker, uint32_t max_keys, s3_list_fn each, void *context,
                   struct s3_list_page *ret, os_error *err);

#endif
