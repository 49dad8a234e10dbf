/* SPDX-License-Identifier: Apache-2.0 */
/* What the public functions check of their arguments before anything is sent. */
#ifndef OSCOMMIT_CLIENT_CALL_H
#define OSCOMMIT_CLIENT_CALL_H

#include "client/client_internal.h"

/* The caller's os_call over the defaults. */
os_code call_take(const os_call *call, os_call *ret, os_error *err);

/* Content headers and metadata; everything borrowed from the caller's options. Checks names, values and the 2 KB limit.
 */
os_code call_content(const os_put_options *options, struct s3_content *ret, os_error *err);

/* The ETag as the store writes it; ret holds VERSION_ETAG_SIZE. */
os_code call_etag(const char *etag, char *ret, os_error *err);

#endif
