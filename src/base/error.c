/* SPDX-License-Identifier: Apache-2.0 */
#include "base/error.h"

#include "base/text.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Copies what fits. Keys, paths and what services say are in it: none of them may move a terminal's cursor. */
static void copy_escaped(char *ret, size_t ret_size, const char *str)
{
    struct text text = text_from(str);
    os_escape_text(text.p, text.len, ret, ret_size);
}

void error_add(os_error *err, const char *sentence)
{
    size_t length = strlen(err->message);
    const char *space = length > 0 && err->message[length - 1] == '.' ? " " : ". ";
    (void)snprintf(err->message + length, sizeof(err->message) - length, "%s%s", space, sentence);
}

void error_clear(os_error *err)
{
    if (err != NULL)
        *err = (os_error){.code = OS_OK};
}

os_code error_set(os_error *err, os_code code, const char *format, ...)
{
    if (err == NULL)
        return code;
    /* Formatted beside it, because an argument may be the old message; one byte more, to see where a character is cut.
     */
    char message[sizeof(err->message) + 1];
    va_list args;
    va_start(args, format);
    int len = vsnprintf(message, sizeof(message), format, args);
    va_end(args);
    message[text_utf8_cut(text_from(message), sizeof(message) - 2)] = '\0';
    error_clear(err);
    err->code = code;
    copy_escaped(err->message, sizeof(err->message), len >= 0 ? message : os_code_text(code));
    return code;
}

void error_service(os_error *err, int http_status, const char *service_code, const char *request_id)
{
    if (err == NULL)
        return;
    err->http_status = http_status;
    copy_escaped(err->service_code, sizeof(err->service_code), service_code);
    copy_escaped(err->request_id, sizeof(err->request_id), request_id);
}

os_code error_code_of(int number)
{
    switch (number) {
    case ENOSPC:
    case EDQUOT: return OS_ERR_NO_SPACE;
    case EACCES:
    case EPERM:
    case EROFS: return OS_ERR_DENIED;
    default: return OS_ERR_IO;
    }
}

os_code error_code_of_settings(int number)
{
    return error_code_of(number) == OS_ERR_DENIED ? OS_ERR_DENIED : OS_ERR_CONFIG;
}

os_code error_no_memory(os_error *err)
{
    return error_set(err, OS_ERR_NO_MEMORY, "There is not enough memory to go on; free some and call again.");
}

const char *os_code_name(os_code code)
{
    switch (code) {
#define NAME_CASE(symbol, value, text) \
    case OS_##symbol: return "OS_" #symbol;
        OS_CODE_LIST(NAME_CASE)
#undef NAME_CASE
    }
    return "OS_ERR_?";
}

const char *os_code_text(os_code code)
{
    switch (code) {
#define TEXT_CASE(symbol, value, text) \
    case OS_##symbol: return text;
        OS_CODE_LIST(TEXT_CASE)
#undef TEXT_CASE
    }
    return "unknown code";
}

const char *os_verdict_name(os_verdict verdict)
{
    switch (verdict) {
    case OS_COMMITTED: return "committed";
    case OS_CONFLICT: return "conflict";
    case OS_NOT_EXECUTED: return "not executed";
    case OS_UNKNOWN: return "unknown";
    }
    return "unknown";
}
