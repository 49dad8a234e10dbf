/* SPDX-License-Identifier: Apache-2.0 */
/* The files of page/, which the build puts into the program (cmake/OscommitEmbed.cmake). */
#ifndef OSCOMMIT_LAB_REPORT_ASSET_H
#define OSCOMMIT_LAB_REPORT_ASSET_H

#include <stddef.h>

struct report_asset {
    const char *bytes;
    size_t length;
    const char *sha256; /* base64, for the page's Content-Security-Policy */
};

extern const struct report_asset report_asset_page;
extern const struct report_asset report_asset_style;
extern const struct report_asset report_asset_script;

#endif
