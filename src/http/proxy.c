/* SPDX-License-Identifier: Apache-2.0 */
#include "http/proxy.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_set(const char *variable)
{
    const char *value = getenv(variable);
    return value != NULL && value[0] != '\0';
}

/* `oscommit race` puts a proxy of its own between its writers and the store. It passes a request on when it has all of
 * it, and keeps nothing of a writer that is gone longer than an allowance: race would else not race what it is asked
 * about, a client with fences. */
static bool is_of_race(const char *proxy)
{
    const char *of_race = getenv(HTTP_PROXY_OF_RACE);
    return of_race != NULL && strcmp(of_race, proxy) == 0;
}

/* HTTP_PROXY is none: a server could be told it by a request's header "Proxy". */
static bool has_proxy(const char *scheme)
{
    bool own = strcmp(scheme, "https") == 0 ? is_set("https_proxy") || is_set("HTTPS_PROXY")
                                            : is_set("http_proxy") && !is_of_race(getenv("http_proxy"));
    return own || is_set("all_proxy") || is_set("ALL_PROXY");
}

static bool is_address(const char *name, size_t name_len)
{
    return strspn(name, "0123456789.") >= name_len;
}

/* "example.org" and ".example.org" both mean the name and all below it; an address has nothing below it. */
static bool covers(const char *entry, size_t entry_len, const char *name, size_t name_len)
{
    if (entry_len > 0 && entry[0] == '.') {
        entry++;
        entry_len--;
    }
    if (entry_len == 0 || entry_len > name_len)
        return false;
    const char *end = name + (name_len - entry_len);
    bool below = !is_address(name, name_len) && end > name && end[-1] == '.';
    return strncasecmp(end, entry, entry_len) == 0 && (end == name || below);
}

static bool is_excepted(const char *host)
{
    const char *entry = is_set("no_proxy") ? getenv("no_proxy") : getenv("NO_PROXY");
    size_t name_len = strcspn(host, ":"); /* an address of IPv6 is taken for one that is not excepted */
    if (entry == NULL)
        return false;
    if (strcmp(entry, "*") == 0)
        return true;
    for (;;) {
        entry += strspn(entry, ", ");
        size_t len = strcspn(entry, ", ");
        if (covers(entry, len, host, name_len))
            return true;
        entry += len + strspn(entry + len, " ");
        if (entry[0] != ',') /* libcurl 8.10 and newer: a blank alone ends the list */
            return false;
    }
}

bool http_goes_through_proxy(const char *scheme, const char *host)
{
    return has_proxy(scheme) && !is_excepted(host);
}
