/* SPDX-License-Identifier: Apache-2.0 */
/* Calls to libcurl, by the linker's --wrap. One that fails was not made. */
#include "inject.h"

#include <curl/curl.h>
#include <stdarg.h>

#define WRAP(result, name, parameters, arguments, failed) \
    result __real_curl_##name parameters;                 \
    result __wrap_curl_##name parameters;                 \
    result __wrap_curl_##name parameters                  \
    {                                                     \
        if (inject_hits(INJECT_CURL, #name)) {            \
            return failed;                                \
        }                                                 \
        return __real_curl_##name arguments;              \
    }

WRAP(CURL *, easy_init, (void), (), NULL)
WRAP(CURLM *, multi_init, (void), (), NULL)
WRAP(CURLSH *, share_init, (void), (), NULL)
WRAP(CURLMcode, multi_add_handle, (CURLM * multi, CURL *easy), (multi, easy), CURLM_OUT_OF_MEMORY)
WRAP(CURLMcode, multi_perform, (CURLM * multi, int *ret), (multi, ret), CURLM_INTERNAL_ERROR)
WRAP(CURLMcode, multi_socket_action, (CURLM * multi, curl_socket_t fd, int events, int *ret), (multi, fd, events, ret),
     CURLM_INTERNAL_ERROR)

/* The variadic ones take one argument, of the size of a pointer (long, pointer, curl_off_t on 64-bit systems). */
#define WRAP_OPTION(result, name, handle_type, option_type, failed)          \
    result __real_curl_##name(handle_type *handle, option_type option, ...); \
    result __wrap_curl_##name(handle_type *handle, option_type option, ...); \
    result __wrap_curl_##name(handle_type *handle, option_type option, ...)  \
    {                                                                        \
        va_list more;                                                        \
        va_start(more, option);                                              \
        void *value = va_arg(more, void *);                                  \
        va_end(more);                                                        \
        if (inject_hits(INJECT_CURL, #name))                                 \
            return failed;                                                   \
        return __real_curl_##name(handle, option, value);                    \
    }

_Static_assert(sizeof(curl_off_t) == sizeof(void *), "an option's value is as large as a pointer");
WRAP_OPTION(CURLcode, easy_setopt, CURL, CURLoption, CURLE_OUT_OF_MEMORY)
WRAP_OPTION(CURLcode, easy_getinfo, CURL, CURLINFO, CURLE_UNKNOWN_OPTION)
WRAP_OPTION(CURLMcode, multi_setopt, CURLM, CURLMoption, CURLM_UNKNOWN_OPTION)
WRAP_OPTION(CURLSHcode, share_setopt, CURLSH, CURLSHoption, CURLSHE_NOMEM)
