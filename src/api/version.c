/* SPDX-License-Identifier: Apache-2.0 */
/* What the public header has on the library itself. */
#include "base/library_version.h"
#include "http/trust.h"
#include "http/versions.h"
#include "sqlite/sqlite.h"
#include "store/sigv2_load.h"
#include "syntax/json.h"
#include "syntax/xml.h"

#include <limits.h>

#if defined(__clang__)
#define COMPILER "clang " __clang_version__
#elif defined(__GNUC__)
#define COMPILER "gcc " __VERSION__
#else
#define COMPILER "not known"
#endif

struct listener {
    os_version_detail_fn each;
    void *context;
};

static void tell(const struct listener *listener, const char *name, const char *value)
{
    if (value != NULL && value[0] != '\0')
        listener->each(listener->context, name, value);
}

static void tell_library(const struct listener *listener, const char *name, struct library_version version)
{
    char text[128];

    library_version_describe(version, text, sizeof(text));
    tell(listener, name, text);
}

/* A libcurl that is part of a package for all systems does not know those of this one. */
static void tell_certificates(const struct listener *listener, const char *of_libcurl)
{
    char found[2 * PATH_MAX];

    if (of_libcurl == NULL)
        trust_describe("", found, sizeof(found));
    tell(listener, "certificates", of_libcurl != NULL ? of_libcurl : found);
}

static void tell_signature_v2(const struct listener *listener)
{
    char path[PATH_MAX];
    os_error err;

    tell(listener, "signature_v2", sigv2_place(path, sizeof(path), &err) == OS_OK ? path : err.message);
}

void os_version_details(os_version_detail_fn each, void *context)
{
    const struct listener listener = {each, context};
    const struct http_versions http = http_versions();

    if (each == NULL)
        return;
    tell(&listener, "library", os_version());
    tell(&listener, "compiler", COMPILER);
    tell(&listener, "build_type", OSCOMMIT_BUILD_TYPE);
    tell(&listener, "sanitizers", OSCOMMIT_SANITIZERS);
    tell_library(&listener, "libcurl", http.curl);
    tell(&listener, "libcurl_tls", http.tls);
    tell(&listener, "libcurl_zlib", http.zlib);
    tell_library(&listener, "openssl", openssl_library_version());
    tell_library(&listener, "sqlite", sqlite_library_version());
    tell_library(&listener, "expat", xml_library_version());
    tell_library(&listener, "jansson", json_library_version());
    tell_certificates(&listener, http.certificates);
    tell_signature_v2(&listener);
}
