/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers and rows of strings into arrays: what each request is written with, without printf. */
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

size_t text_number(uint64_t value, char *ret)
{
    char digits[TEXT_NUMBER_SIZE];
    size_t at = sizeof(digits);
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    size_t len = sizeof(digits) - at;
    memcpy(ret, digits + at, len);
    ret[len] = '\0';
    return len;
}

bool text_concat(char *ret, size_t ret_size, const char *first, ...)
{
    va_list args;
    size_t used = 0;
    bool fits = true;
    va_start(args, first);
    for (const char *str = first; str != NULL && fits; str = va_arg(args, const char *)) {
        size_t len = strlen(str);
        fits = len < ret_size - used;
        if (fits)
            memcpy(ret + used, str, len);
        used += len;
    }
    va_end(args);
    ret[fits ? used : 0] = '\0';
    return fits;
}
