/* SPDX-License-Identifier: Apache-2.0 */
/* What the libcurl is like that requests are made with. */
#ifndef OSCOMMIT_HTTP_VERSIONS_H
#define OSCOMMIT_HTTP_VERSIONS_H

#include "base/library_version.h"

struct http_versions {
    struct library_version curl;
    const char *tls;          /* "OpenSSL/3.0.17"; NULL: it speaks no TLS */
    const char *zlib;         /* NULL: none */
    const char *certificates; /* the file, or the folder, that it takes authorities from; NULL: not told */
};

struct http_versions http_versions(void);

#endif
