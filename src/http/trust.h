/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whose certificates are accepted. A system's libcurl knows where the certificates of its system are. One that is part of
 * a package for all systems (a wheel, the static tool) does not, and is then told what is found here.
 */
#ifndef OSCOMMIT_HTTP_TRUST_H
#define OSCOMMIT_HTTP_TRUST_H

#include "oscommit.h"

#include <stddef.h>

struct trust {
    enum trust_source {
        TRUST_OF_LIBCURL,
        TRUST_CHOSEN, /* file and folder, of which one may be NULL */
        TRUST_NOBODY, /* nothing was found: every certificate will be refused */
    } source;
    char *file;
    char *folder;
};

/* `ca_file`: the caller's choice, which stands alone; NULL or "": libcurl's, and where it has none the machine's.
 * OS_ERR_CONFIG or OS_ERR_DENIED: what somebody named cannot be read. */
os_code trust_choose(const char *ca_file, struct trust *ret, os_error *err);
/* What SSL_CERT_FILE and SSL_CERT_DIR say; if they are not set, the first of the usual places below `root` ("" but in
 * tests). Errors as above. */
os_code trust_find(const char *root, struct trust *ret, os_error *err);
/* What trust_find finds, for a person: a path, two, or why there is none. */
void trust_describe(const char *root, char *ret, size_t size);
void trust_clear(struct trust *trust);

#endif
