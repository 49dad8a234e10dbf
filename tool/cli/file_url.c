/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/file_url.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

char *file_url_from_path(const char *path, size_t len)
{
    char *url = malloc(strlen("file://") + 3 * len + 1);
    char *out;

    if (url == NULL)
        return NULL;
    memcpy(url, "file://", strlen("file://"));
    out = url + strlen("file://");
    for (size_t i = 0; i < len; i++) {
        *out++ = path[i];
        if (path[i] == '%') {
            *out++ = '2';
            *out++ = '5';
        }
    }
    *out = '\0';
    return url;
}

static int hex_value(char c)
{
    static const char digits[] = "0123456789abcdef";
    const char *found = c == '\0' ? NULL : strchr(digits, c >= 'A' && c <= 'F' ? c - 'A' + 'a' : c);

    return found == NULL ? -1 : (int)(found - digits);
}

char *file_url_decode(const char *text, size_t len)
{
    char *path = malloc(len + 1);
    char *out = path;

    for (size_t i = 0; path != NULL && i < len; i++) {
        if (text[i] == '%') {
            bool whole = len - i > 2;
            int high = whole ? hex_value(text[i + 1]) : -1;
            int low = whole ? hex_value(text[i + 2]) : -1;
            if (high < 0 || low < 0 || high + low == 0) {
                free(path);
                return NULL;
            }
            *out++ = (char)(high * 16 + low);
            i += 2;
        } else {
            *out++ = text[i];
        }
    }
    if (path != NULL)
        *out = '\0';
    return path;
}
