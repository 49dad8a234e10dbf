/* SPDX-License-Identifier: Apache-2.0 */
#include "http/versions.h"

#include <curl/curl.h>

/* libcurl older than 7.70 does not tell. */
static const char *certificates_of(const curl_version_info_data *info)
{
#if LIBCURL_VERSION_NUM >= 0x074600
    if (info->age >= CURLVERSION_SEVENTH)
        return info->cainfo != NULL ? info->cainfo : info->capath;
#else
    (void)info;
#endif
    return NULL;
}

struct http_versions http_versions(void)
{
    const curl_version_info_data *info = curl_version_info(CURLVERSION_NOW);

    return (struct http_versions){.curl = {LIBCURL_VERSION, info->version},
                                  .tls = info->ssl_version,
                                  .zlib = info->libz_version,
                                  .certificates = certificates_of(info)};
}
