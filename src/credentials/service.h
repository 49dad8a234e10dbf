/* SPDX-License-Identifier: Apache-2.0 */
/* What the services that give out keys have in common: how they are asked, and how keys stand in their answers. */
#ifndef OSCOMMIT_CREDENTIALS_SERVICE_H
#define OSCOMMIT_CREDENTIALS_SERVICE_H

#include "aws/endpoint.h"
#include "credentials/source.h"

#include <jansson.h>

/* One request to a service, which may be sent some times. */
struct service_request {
    struct fetch fetch;
    unsigned attempts; /* in all */
    uint64_t pause_ms; /* before the second; doubles */
};
/* Asks until an answer comes that is no 429, no 5xx and no 400 that says "Throttling", or the attempts are over: then the
 * last one is given. `ret` is freed by the caller in any case. */
os_code service_ask(struct fetcher *fetcher, const struct service_request *request, struct http_response *ret,
                    os_error *err);

/* The same of a service of AWS, `name` in sentences; sets where the request goes. */
os_code service_ask_endpoint(const struct chain *chain, const char *name, const struct endpoint *endpoint,
                             struct http_request *request, struct http_response *ret, os_error *err);

/* Which members of a JSON object have the keys. */
struct service_members {
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token;
    const char *expiration; /* ISO 8601, or, as a number, epoch milliseconds */
    bool must_expire;
};
extern const struct service_members service_role_members; /* as a container and an instance give them */
/* `from` names the document in sentences: "The answer of X". OS_ERR_CREDENTIALS where a member is missing, is not what it
 * should be, or can never be sent. */
os_code service_take_keys(const json_t *object, const struct service_members *members, const char *from,
                          struct keys *ret, os_error *err);

/* A JSON object; OS_ERR_CREDENTIALS for anything else. The caller drops it (json_decref). */
os_code service_read_json(struct text document, const char *from, json_t **ret, os_error *err);

/* "2006-02-03T16:45:09Z", with a fraction or an offset ("+00:00") as well. */
bool service_parse_time(struct text text, int64_t *ret_epoch_s);

/* The endpoint of a service ("sts", "sso", "sso_oidc") for a profile. `region`: NULL: that of the profile, or of the
 * surroundings, or the client's, or us-east-1. */
os_code service_endpoint(const struct chain *chain, const char *profile, const char *service, const char *region,
                         struct endpoint *ret, os_error *err);

/* A setting of a profile, "" where there is none. OS_ERR_CONFIG for one that does not fit into `ret`. */
os_code service_setting(const struct chain *chain, const char *profile, const char *name, char *ret, size_t ret_size,
                        os_error *err);

#endif
