/* SPDX-License-Identifier: Apache-2.0 */
/* What the public functions check of their arguments before anything is sent. */
#ifndef OSCOMMIT_CLIENT_ARGUMENTS_H
#define OSCOMMIT_CLIENT_ARGUMENTS_H

#include "client/client.h"

/* The caller's os_call over the defaults. */
os_code arguments_take_call(const os_call *call, os_call *ret, os_error *err);

/* N4: the promise, of the call or else of its client. `key` is the caller's; NULL: no prefix tells. */
bool arguments_forward_only(const os_client *client, const char *key, const os_call *call);
/* N4.5: what deletes `key` is refused under the promise. */
os_code arguments_refuse_forward_only(const char *name, const char *key, os_error *err);

/* What is to be stored with an object; everything borrowed from the caller's options. Checks names, values and limits.
 */
os_code arguments_content(const os_put_options *options, struct s3_content *ret, struct s3_attributes *ret_attributes,
                          os_error *err);
/* L10: the token of options that arguments_content has accepted; 0: none. */
uint64_t arguments_fencing(const os_put_options *options);
/* OS_ERR_UNSUPPORTED where the client's store has nothing of the kind: said before anything is sent. */
os_code arguments_check_attributes(const os_client *client, const struct s3_attributes *attributes, os_error *err);
/* Both for an upload, without nonce and checksum. Borrows them. */
struct s3_creation arguments_creation(const struct s3_content *content, const struct s3_attributes *attributes);

/* The ETag as the store writes it; ret holds VERSION_ETAG_SIZE. */
os_code arguments_etag(const char *etag, char *ret, os_error *err);

/* The version that is meant, borrowed; NULL for the current one (NULL or ""). OS_ERR_ARGUMENT for what is no id. */
os_code arguments_version_id(const char *version_id, const char **ret, os_error *err);

#endif
