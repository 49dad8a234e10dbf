/* SPDX-License-Identifier: Apache-2.0 */
/* From what a store said to an os_code and a sentence; shared by the stores. */
#ifndef OSCOMMIT_STORE_ANSWER_H
#define OSCOMMIT_STORE_ANSWER_H

#include "aws/endpoint.h"
#include "store/store.h"

/* Fills code and error from status and service. `bucket` may be NULL for the embedded store. */
void store_answer_explain(struct store_answer *answer, enum store_verb verb, const char *bucket, const char *key);

/* The same when no whole answer came: `code` and `detail` are the transport's. */
void store_answer_transport(struct store_answer *answer, enum store_verb verb, const char *bucket, const char *key,
                            os_code code, const char *detail);

/* What another than the store has answered, as far as it says so. */
struct store_stranger {
    int status;
    const char *type;   /* Content-Type; NULL or "": none */
    const char *server; /* Server; the same */
};
/* The same when it did (E9). */
void store_answer_foreign(struct store_answer *answer, enum store_verb verb, const char *bucket, const char *key,
                          const struct store_stranger *stranger, enum store_marks marks);

/* Of a failure on the way to the store, it says which setting leads there. */
void store_answer_name_setting(struct store_answer *answer, const struct endpoint *endpoint);

void store_answer_content_type(struct store_answer *answer, const char *content_type); /* cut to fit; NULL is fine */

/* OS_ERR_UNSUPPORTED where a request wants what `store` ("The embedded store") cannot keep or give: tags, a storage
 * class, encryption, another version than the current one. */
os_code store_answer_refuse_extras(const struct store_request *request, const char *store, os_error *err);

/* A request was made, or tried: not where its keys or memory were missing. */
bool store_answer_is_of_request(const struct store_answer *answer);

/* The object, or delete marker, has a version id of its own: the bucket has versions. */
bool store_answer_names_version(const struct store_answer *answer);

const char *store_verb_name(enum store_verb verb); /* "HEAD", "PUT" ... */

#endif
