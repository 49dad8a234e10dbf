/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths of embedded stores as URLs. The library decodes %XX in them, so a path that has a percent sign itself must be
 * written with %25; everything else goes verbatim. Pure.
 */
#ifndef OSCOMMIT_TOOL_FILE_URL_H
#define OSCOMMIT_TOOL_FILE_URL_H

#include <stddef.h>

/* "file://" and the path; malloc'ed, NULL without memory. */
char *file_url_from_path(const char *path, size_t len);

/* The path with its %XX decoded; malloc'ed. NULL when a "%" is not followed by two hex digits or means NUL, or without
 * memory. */
char *file_url_decode(const char *text, size_t len);

#endif
