/* SPDX-License-Identifier: Apache-2.0 */
#include "aws/endpoint.h"

#include "aws/profile.h"
#include "base/error.h"
#include "base/text.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SHOWN_URL = 200, VARIABLE_SIZE = ENDPOINT_SOURCE_SIZE };

static bool is_alphanumeric(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* Letters, digits and the characters of `also`; not empty. */
static bool made_of(struct text text, const char *also)
{
    for (size_t i = 0; i < text.len; i++)
        if (!is_alphanumeric(text.p[i]) && (text.p[i] == '\0' || strchr(also, text.p[i]) == NULL))
            return false;
    return text.len > 0;
}

static bool is_ipv4(struct text text, struct in_addr *ret)
{
    char address[INET_ADDRSTRLEN];
    return text_copy(text, address, sizeof(address)) && inet_pton(AF_INET, address, ret) == 1;
}

/* -------------------------------------------------------------------------------------------------------- URLs */

/* "[::1]" without its brackets. */
static bool is_ipv6(struct text host, struct in6_addr *ret)
{
    char address[INET6_ADDRSTRLEN];
    return host.len > 2 && host.p[0] == '[' && host.p[host.len - 1] == ']' &&
           text_copy(text_of(host.p + 1, host.len - 2), address, sizeof(address)) &&
           inet_pton(AF_INET6, address, ret) == 1;
}

static bool is_loopback(struct text host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (is_ipv4(host, &v4))
        return ntohl(v4.s_addr) >> 24 == 127;
    return is_ipv6(host, &v6) ? IN6_IS_ADDR_LOOPBACK(&v6) : text_is_nocase(host, "localhost");
}

/* The port is empty when there is none. */
static bool split_port(struct text authority, struct text *ret_host, struct text *ret_port)
{
    struct text rest = authority;
    struct text host = authority;
    if (text_starts(authority, "[")) {
        if (!text_take_until(&rest, ']', &host))
            return false;
        host.len++;
    } else if (text_take_until(&rest, ':', &host)) {
        rest = text_of(authority.p + host.len, authority.len - host.len);
    } else {
        rest = text_of("", 0);
    }
    if (rest.len > 0 && (!text_take_char(&rest, ':') || rest.len == 0))
        return false;
    *ret_host = host;
    *ret_port = rest;
    return true;
}

static bool host_ok(struct text host)
{
    struct in6_addr v6;
    if (text_starts(host, "["))
        return is_ipv6(host, &v6);
    return host.len <= 253 && made_of(host, ".-_") && host.p[0] != '.' && host.p[0] != '-';
}

static bool set_host(struct text host, struct text port, struct endpoint *ret)
{
    uint64_t number = 0;
    if (!host_ok(host) || (port.len > 0 && (!text_parse_u64(port, &number) || number == 0 || number > 65535)))
        return false;
    uint64_t usual = strcmp(ret->scheme, "https") == 0 ? 443 : 80;
    int len;
    if (number == 0 || number == usual)
        len = snprintf(ret->host, sizeof(ret->host), "%.*s", (int)host.len, host.p);
    else
        len = snprintf(ret->host, sizeof(ret->host), "%.*s:%u", (int)host.len, host.p, (unsigned)number);
    ret->loopback = is_loopback(host);
    return len > 0 && (size_t)len < sizeof(ret->host);
}

static bool take_scheme(struct text *url, struct endpoint *ret)
{
    struct text rest = *url;
    struct text scheme;
    if (!text_take_until(&rest, ':', &scheme) || !text_take_str(&rest, "//"))
        return false;
    bool https = text_is_nocase(scheme, "https");
    if (!https && !text_is_nocase(scheme, "http"))
        return false;
    snprintf(ret->scheme, sizeof(ret->scheme), "%s", https ? "https" : "http");
    *url = rest;
    return true;
}

/* For a message: someone may have put a password into the URL, or a token behind a '?'. */
static int shown_length(const char *url)
{
    size_t most = strcspn(url, "?#");
    const char *host = strstr(url, "://");
    if (strchr(url, '@') != NULL)
        most = host != NULL && host < strchr(url, '@') ? (size_t)(host - url) + strlen("://") : 0;
    return (int)(most < SHOWN_URL ? most : SHOWN_URL);
}

static os_code parse_url(const char *service, const char *url, struct endpoint *ret, os_error *err)
{
    struct text rest = text_from(url);
    struct text host;
    struct text port;
    if (!take_scheme(&rest, ret)) {
        return error_set(err, OS_ERR_CONFIG,
                         "The %s endpoint \"%.*s\" does not start with http:// or https://; write "
                         "http[s]://host[:port].",
                         service, shown_length(url), url);
    }
    if (rest.len > 0 && rest.p[rest.len - 1] == '/')
        rest.len--;
    if (!split_port(rest, &host, &port) || !set_host(host, port, ret)) {
        return error_set(
            err, OS_ERR_CONFIG,
            "The %s endpoint \"%.*s\" is not of the form http[s]://host[:port]; it must have a valid host and port, "
            "and no user, path, query or fragment.",
            service, shown_length(url), url);
    }
    return OS_OK;
}

static bool region_ok(struct text region, size_t size)
{
    return region.len < size && made_of(region, "-_") && region.p[0] != '-';
}

static os_code set_own_host(const char *service, struct endpoint_variant variant, struct endpoint *ret, os_error *err)
{
    (void)text_copy(text_from("https"), ret->scheme, sizeof(ret->scheme));
    ret->is_aws = true;
    ret->variant = variant;
    if (own_host(service, ret->region, variant, ret->host, sizeof(ret->host)))
        return OS_OK;
    return error_set(
        err, OS_ERR_CONFIG,
        "AWS has no FIPS endpoint of %s in the region %s: unset AWS_USE_FIPS_ENDPOINT (use_fips_endpoint), "
        "or take another region.",
        service, ret->region);
}

os_code endpoint_parse_variant(const char *service, const char *url, const char *region,
                               struct endpoint_variant variant, struct endpoint *ret, os_error *err)
{
    struct endpoint endpoint = {0};
    struct text name = text_from(region);
    bool has_url = url != NULL && url[0] != '\0';
    if (!region_ok(name, sizeof(endpoint.region)) || !text_copy(name, endpoint.region, sizeof(endpoint.region))) {
        return error_set(err, OS_ERR_CONFIG,
                         "The %s region \"%.80s\" is not valid: give 1 to 63 letters, digits and '-', as in us-east-1.",
                         service, name.p);
    }
    if (has_url && (variant.fips || variant.dual_stack)) {
        return error_set(err, OS_ERR_CONFIG,
                         "%s is asked for, which chooses one of AWS's own hosts, but an endpoint of %s is given: leave "
                         "one of the two out.",
                         variant.fips ? "AWS_USE_FIPS_ENDPOINT (use_fips_endpoint)"
                                      : "AWS_USE_DUALSTACK_ENDPOINT (use_dualstack_endpoint)",
                         service);
    }
    os_code code = has_url ? parse_url(service, url, &endpoint, err) : set_own_host(service, variant, &endpoint, err);
    if (code == OS_OK)
        *ret = endpoint;
    return code;
}

void endpoint_name_source(const char *service, const char *url, const char *source, os_error *err)
{
    struct endpoint endpoint;
    char sentence[160];
    if (url == NULL || url[0] == '\0' || endpoint_parse(service, url, "us-east-1", &endpoint, NULL) == OS_OK)
        return; /* it is the region, or a host of AWS's own that is asked for as well */
    if (source != NULL)
        (void)snprintf(sentence, sizeof(sentence), "It comes from %s.", source);
    else
        (void)snprintf(sentence, sizeof(sentence),
                       "It comes from the option %s_endpoint (--%s-endpoint or --endpoint-url, or their variables "
                       "OSCOMMIT_...).",
                       service, service);
    error_add(err, sentence);
}

os_code endpoint_parse(const char *service, const char *url, const char *region, struct endpoint *ret, os_error *err)
{
    return endpoint_parse_variant(service, url, region, (struct endpoint_variant){0}, ret, err);
}

/* -------------------------------------------------------------------------------------------------- environment */

static struct text endpoint_variable(const char *name)
{
    return text_from(getenv(name));
}

static struct text first_of(struct text first, struct text second)
{
    return first.len > 0 ? first : second;
}

/* What a variable says, else the profile. */
static struct text find_setting(const char *variable, const char *name, const char *profile,
                                const struct profile_files *files)
{
    return first_of(endpoint_variable(variable), profile_setting(files, profile, name));
}

static bool find_toggle(const char *variable, const char *name, const char *profile, const struct profile_files *files)
{
    return text_is_nocase(find_setting(variable, name, profile, files), "true");
}

static void name_variable(const char *service, char ret[VARIABLE_SIZE])
{
    (void)snprintf(ret, VARIABLE_SIZE, "AWS_ENDPOINT_URL_%s", service);
    for (char *at = ret; *at != '\0'; at++)
        if (*at >= 'a' && *at <= 'z')
            *at = (char)(*at - 'a' + 'A');
}

/* The first that says one; `ret_source` names it for a person. */
static struct text find_url(const char *service, const char *profile, const struct profile_files *files,
                            char ret_source[VARIABLE_SIZE])
{
    ret_source[0] = '\0';
    if (find_toggle("AWS_IGNORE_CONFIGURED_ENDPOINT_URLS", "ignore_configured_endpoint_urls", profile, files))
        return text_of("", 0);
    name_variable(service, ret_source);
    struct text set = endpoint_variable(ret_source);
    if (set.len > 0)
        return set;
    set = endpoint_variable("AWS_ENDPOINT_URL");
    (void)snprintf(ret_source, VARIABLE_SIZE, "%s",
                   set.len > 0 ? "AWS_ENDPOINT_URL" : "endpoint_url in the AWS profile");
    return first_of(set, first_of(profile_service_setting(files, profile, service, "endpoint_url"),
                                  profile_setting(files, profile, "endpoint_url")));
}

/* NULL for an empty one. False when out of memory. */
static bool endpoint_copy(struct text from, char **ret)
{
    *ret = from.len > 0 ? strndup(from.p, from.len) : NULL;
    return from.len == 0 || *ret != NULL;
}

void endpoint_setting_free(struct endpoint_setting *setting)
{
    free(setting->url);
    free(setting->region);
    free(setting->ca_file);
    *setting = (struct endpoint_setting){0};
}

static os_code find_checksums(const char *variable, const char *name, const char *profile,
                              const struct profile_files *files, enum endpoint_checksum *ret, os_error *err)
{
    struct text set = find_setting(variable, name, profile, files);
    bool required = text_is_nocase(set, "when_required");
    *ret = required ? ENDPOINT_CHECKSUM_REQUIRED : ENDPOINT_CHECKSUM_SUPPORTED;
    if (set.len == 0)
        *ret = ENDPOINT_CHECKSUM_NOT_SAID;
    if (set.len == 0 || required || text_is_nocase(set, "when_supported"))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG,
                     "%s (%s in the profile) is \"%.*s\"; there are when_required and when_supported.", variable, name,
                     (int)(set.len < 100 ? set.len : 100), set.p);
}

static os_code find_s3_checksums(const char *profile, const struct profile_files *files, struct endpoint_setting *ret,
                                 os_error *err)
{
    os_code code = find_checksums("AWS_REQUEST_CHECKSUM_CALCULATION", "request_checksum_calculation", profile, files,
                                  &ret->checksums.of_requests, err);
    return code != OS_OK ? code
                         : find_checksums("AWS_RESPONSE_CHECKSUM_VALIDATION", "response_checksum_validation", profile,
                                          files, &ret->checksums.of_responses, err);
}

os_code endpoint_from_files(const char *service, const char *profile, const struct profile_files *files,
                            struct endpoint_setting *ret, os_error *err)
{
    struct endpoint_setting setting = {
        .variant = {.fips = find_toggle("AWS_USE_FIPS_ENDPOINT", "use_fips_endpoint", profile, files),
                    .dual_stack = find_toggle("AWS_USE_DUALSTACK_ENDPOINT", "use_dualstack_endpoint", profile, files)}};
    os_code code = strcmp(service, "s3") == 0 ? find_s3_checksums(profile, files, &setting, err) : OS_OK;
    if (code != OS_OK)
        return code;
    struct text region =
        first_of(endpoint_variable("AWS_REGION"), find_setting("AWS_DEFAULT_REGION", "region", profile, files));
    bool ok = endpoint_copy(find_url(service, profile, files, setting.url_source), &setting.url) &&
              endpoint_copy(region, &setting.region) &&
              endpoint_copy(find_setting("AWS_CA_BUNDLE", "ca_bundle", profile, files), &setting.ca_file);
    if (!ok) {
        endpoint_setting_free(&setting);
        return error_no_memory(err);
    }
    *ret = setting;
    return OS_OK;
}

os_code endpoint_from_environment(const char *service, const char *profile, struct endpoint_setting *ret, os_error *err)
{
    struct profile_files files;
    os_code code = profile_load(&files, err);
    if (code != OS_OK)
        return code;
    code = endpoint_from_files(service, profile, &files, ret, err);
    profile_free(&files);
    return code;
}

/* ------------------------------------------------------------------------------------------------------ buckets */

bool bucket_name_ok(const char *bucket)
{
    struct text text = text_from(bucket);
    struct in_addr address;
    if (text.len < 3 || text.len > BUCKET_NAME_MAX || !made_of(text, "-._") || is_ipv4(text, &address))
        return false;
    char last = text.p[text.len - 1];
    return text.p[0] != '.' && text.p[0] != '-' && last != '.' && last != '-' && strstr(bucket, "..") == NULL;
}

bool bucket_name_is_usual(const char *bucket)
{
    if (!bucket_name_ok(bucket) || strlen(bucket) > 63 || strstr(bucket, ".-") != NULL || strstr(bucket, "-.") != NULL)
        return false;
    return bucket[strspn(bucket, "abcdefghijklmnopqrstuvwxyz0123456789-.")] == '\0';
}

/* Only a name that can be one label of a host name, because the certificate's wildcard stands for one label. */
static bool is_label(const char *bucket)
{
    struct text text = text_from(bucket);
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        if (!(c >= 'a' && c <= 'z') && !(c >= '0' && c <= '9') && c != '-')
            return false;
    }
    return text.len > 0 && text.len <= 63;
}

bool endpoint_virtual_host(const struct endpoint *endpoint, os_addressing addressing, const char *bucket)
{
    if (addressing == OS_ADDRESSING_AUTO)
        return endpoint->is_aws && is_label(bucket);
    return addressing == OS_ADDRESSING_VIRTUAL;
}

void endpoint_hint(const char *service, const struct endpoint *endpoint, char ret[ENDPOINT_HINT_SIZE])
{
    char variable[VARIABLE_SIZE];
    name_variable(service, variable);
    if (endpoint->is_aws) {
        (void)snprintf(ret, ENDPOINT_HINT_SIZE,
                       "Check %s_region (%s) and the connection to https://%s, or set %s_endpoint (--%s-endpoint, %s).",
                       service, endpoint->region, endpoint->host, service, service, variable);
    } else {
        (void)snprintf(ret, ENDPOINT_HINT_SIZE, "Check %s_endpoint, which is %s://%s (--%s-endpoint, %s).", service,
                       endpoint->scheme, endpoint->host, service, variable);
    }
}
