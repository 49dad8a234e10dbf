/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/endpoint.h"

#include "aws/profile.h"
#include "base/error.h"
#include "base/text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char letters_digits[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789";

static bool made_of(struct text text, const char *also)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '\0' || (strchr(letters_digits, text.p[i]) == NULL && strchr(also, text.p[i]) == NULL))
            return false;
    }
    return text.len > 0;
}

/* ------------------------------------------------------------------------------------------------ URLs */

static bool is_loopback(struct text host)
{
    return text_is_nocase(host, "localhost") || text_starts(host, "127.") || text_is(host, "[::1]");
}

static bool split_port(struct text authority, struct text *ret_host, struct text *ret_port)
{
    struct text rest = authority;
    if (text_starts(authority, "[")) {
        if (!text_take_until(&rest, ']', ret_host))
            return false;
        *ret_host = text_of(authority.p, ret_host->len + 1);
        ret_host->len = (size_t)(rest.p - authority.p);
    } else if (text_take_until(&rest, ':', ret_host)) {
        rest = text_of(authority.p + ret_host->len, authority.len - ret_host->len);
    } else {
        *ret_host = authority;
        rest = text_of(authority.p + authority.len, 0);
    }
    if (rest.len == 0) {
        *ret_port = rest;
        return true;
    }
    return text_take_char(&rest, ':') && (*ret_port = rest, rest.len > 0);
}

static bool host_ok(struct text host)
{
    if (text_starts(host, "["))
        return host.len > 4 && made_of(text_of(host.p + 1, host.len - 2), ":.%");
    return host.len <= 255 && made_of(host, ".-_");
}

static bool set_host(struct text host, struct text port, struct endpoint *ret)
{
    uint64_t number = 0;
    if (!host_ok(host) || (port.len > 0 && (!text_parse_u64(port, &number) || number == 0 || number > 65535)))
        return false;
    uint64_t usual = strcmp(ret->scheme, "https") == 0 ? 443 : 80;
    int length;
    if (number == 0 || number == usual)
        length = snprintf(ret->host, sizeof(ret->host), "%.*s", (int)host.len, host.p);
    else
        length = snprintf(ret->host, sizeof(ret->host), "%.*s:%u", (int)host.len, host.p, (unsigned)number);
    ret->loopback = is_loopback(host);
    return length > 0 && (size_t)length < sizeof(ret->host);
}

static os_code parse_url(const char *service, const char *url, struct endpoint *ret, os_error *err)
{
    struct text rest = text_from(url);
    struct text host;
    struct text port;
    if (text_take_str(&rest, "https://"))
        memcpy(ret->scheme, "https", 6);
    else if (text_take_str(&rest, "http://"))
        memcpy(ret->scheme, "http", 5);
    else
        return error_set(
            err, OS_ERR_CONFIG,
            "The %s endpoint \"%.200s\" has an unknown scheme; write http://host[:port] or https://host[:port].",
            service, url);
    if (rest.len > 0 && rest.p[rest.len - 1] == '/')
        rest.len--;
    if (!split_port(rest, &host, &port) || !set_host(host, port, ret)) /* user, path, query and fragment fail here */
        return error_set(err, OS_ERR_CONFIG,
                         "The %s endpoint is not of the form http[s]://host[:port], without user, path or query.",
                         service);
    return OS_OK;
}

static bool region_ok(const char *region)
{
    return strlen(region) < 64 && made_of(text_from(region), "-_");
}

os_code endpoint_parse(const char *service, const char *url, const char *region, struct endpoint *ret, os_error *err)
{
    struct endpoint endpoint;
    memset(&endpoint, 0, sizeof(endpoint));
    if (region == NULL || !region_ok(region))
        return error_set(err, OS_ERR_CONFIG, "The %s region \"%.80s\" is no region: letters, digits and '-'.", service,
                         region ? region : "");
    memcpy(endpoint.region, region, strlen(region) + 1);
    if (url && url[0]) {
        os_code code = parse_url(service, url, &endpoint, err);
        if (code == OS_OK)
            *ret = endpoint;
        return code;
    }
    const char *domain = strncmp(region, "cn-", 3) == 0 ? "amazonaws.com.cn" : "amazonaws.com";
    memcpy(endpoint.scheme, "https", 6);
    snprintf(endpoint.host, sizeof(endpoint.host), "%s.%s.%s", service, region, domain);
    endpoint.is_aws = true;
    *ret = endpoint;
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ environment */

static const char *env(const char *name)
{
    const char *value = getenv(name);
    return value && value[0] ? value : NULL;
}

static bool copy_first(const char *first, const char *second, char **ret)
{
    const char *from = first ? first : second;
    if (from == NULL)
        return true;
    *ret = strdup(from);
    return *ret != NULL;
}

os_code endpoint_from_environment(const char *service, const char *profile, char **ret_url, char **ret_region,
                                  os_error *err)
{
    const char *own = env(strcmp(service, "s3") == 0 ? "AWS_ENDPOINT_URL_S3" : "AWS_ENDPOINT_URL_DYNAMODB");
    const char *ignore = env("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS");
    bool ignored = ignore && strcasecmp(ignore, "true") == 0;
    *ret_url = NULL;
    *ret_region = NULL;
    bool ok = ignored || copy_first(own, env("AWS_ENDPOINT_URL"), ret_url);
    ok = ok && copy_first(env("AWS_REGION"), env("AWS_DEFAULT_REGION"), ret_region);
    if (!ok) {
        free(*ret_url);
        *ret_url = NULL;
        return error_no_memory(err);
    }
    if (!ignored && *ret_url == NULL && !profile_get_service(profile, service, "endpoint_url", ret_url))
        (void)profile_get(profile, "endpoint_url", ret_url);
    if (*ret_region == NULL)
        (void)profile_get(profile, "region", ret_region);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ buckets */

static bool is_ip_address(struct text text)
{
    int dots = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (text.p[i] == '.')
            dots++;
        else if (text.p[i] < '0' || text.p[i] > '9')
            return false;
    }
    return dots == 3;
}

bool bucket_name_ok(const char *bucket)
{
    struct text text = text_from(bucket);
    if (text.len < 3 || text.len > 255 || !made_of(text, "-._") || is_ip_address(text))
        return false;
    return text.p[0] != '.' && text.p[0] != '-' && text.p[text.len - 1] != '.' && strstr(bucket, "..") == NULL;
}

/* Only names that can stand in a host name, and whose certificate a wildcard covers. */
static bool dns_name(const char *bucket)
{
    struct text text = text_from(bucket);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
            return false;
    }
    return text.len <= 63;
}

bool endpoint_virtual_host(const struct endpoint *endpoint, os_addressing addressing, const char *bucket)
{
    if (addressing == OS_ADDRESSING_AUTO)
        return endpoint->is_aws && dns_name(bucket);
    return addressing == OS_ADDRESSING_VIRTUAL;
}
