/* SPDX-License-Identifier: Apache-2.0 */
#include "race/service.h"

#include "cli/settings.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static bool is_loopback(const char *host)
{
    return strcasecmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 || strcmp(host, "::1") == 0;
}

/* "host", "host:8000", "[::1]" and "[::1]:8000", `len` bytes. */
static bool split_authority(const char *authority, size_t len, bool tls, struct proxy_target *ret)
{
    bool v6 = authority[0] == '[';
    const char *end = memchr(authority, v6 ? ']' : ':', len);
    const char *host = authority + (v6 ? 1 : 0);
    size_t host_len = end == NULL ? len : (size_t)(end - host);
    const char *rest = host + host_len + (v6 ? 1 : 0);
    size_t rest_len = len - (size_t)(rest - authority);

    if ((v6 && end == NULL) || host_len == 0 || host_len >= sizeof(ret->host) || rest_len > sizeof(ret->port))
        return false;
    memcpy(ret->host, host, host_len);
    ret->host[host_len] = '\0';
    if (rest_len == 0) {
        (void)snprintf(ret->port, sizeof(ret->port), "%s", tls ? "443" : "80");
        return true;
    }
    (void)snprintf(ret->port, sizeof(ret->port), "%.*s", (int)rest_len - 1, rest + 1);
    return rest[0] == ':' && rest_len > 1 && strspn(ret->port, "0123456789") == rest_len - 1;
}

/* The port of the scheme is left out: the Host that is signed is then the one that the server is used to. */
static void write_url(struct race_service *ret)
{
    const struct proxy_target *target = &ret->target;
    bool v6 = strchr(target->host, ':') != NULL;
    bool usual = strcmp(target->port, target->tls ? "443" : "80") == 0;

    (void)snprintf(ret->url, sizeof(ret->url), "http://%s%s%s%s%s", v6 ? "[" : "", target->host, v6 ? "]" : "",
                   usual ? "" : ":", usual ? "" : target->port);
}

bool race_service_parse(const char *url, struct race_service *ret)
{
    bool tls = strncasecmp(url, "https://", 8) == 0;
    const char *authority = url + (tls ? 8 : 7);
    size_t len;

    memset(ret, 0, sizeof(*ret));
    if (!tls && strncasecmp(url, "http://", 7) != 0)
        return false;
    len = strcspn(authority, "/?#");
    if ((authority[len] != '\0' && strcmp(authority + len, "/") != 0) || memchr(authority, '@', len) != NULL ||
        !split_authority(authority, len, tls, &ret->target))
        return false;
    ret->target.tls = tls;
    ret->target.ledger_tls = tls;
    ret->wanted = true;
    ret->direct = is_loopback(ret->target.host);
    write_url(ret);
    return true;
}

static const char *service_variable(const char *name)
{
    const char *value = getenv(name);

    return value == NULL || value[0] == '\0' ? NULL : value;
}

static const char *first_of(const char *a, const char *b, const char *c)
{
    return a != NULL ? a : (b != NULL ? b : c);
}

bool race_service_find(const struct options *options, bool ledger, struct race_service *ret, struct usage *usage)
{
    const char *url = settings_endpoint(options, ledger ? OPTION_DYNAMODB_ENDPOINT : OPTION_S3_ENDPOINT);
    const char *region = ledger ? options_text(options, OPTION_DYNAMODB_REGION) : NULL;
    char own[320];

    url = first_of(url, service_variable(ledger ? "AWS_ENDPOINT_URL_DYNAMODB" : "AWS_ENDPOINT_URL_S3"),
                   service_variable("AWS_ENDPOINT_URL"));
    if (url == NULL) {
        region = first_of(region, options_text(options, OPTION_REGION), service_variable("AWS_REGION"));
        region = first_of(region, service_variable("AWS_DEFAULT_REGION"), NULL);
        if (region == NULL || strspn(region, "abcdefghijklmnopqrstuvwxyz0123456789-") != strlen(region)) {
            return usage_refuse(usage,
                                "Faults of the network need the endpoint of %s: give --%s-endpoint, or --region.",
                                ledger ? "DynamoDB" : "S3", ledger ? "dynamodb" : "s3");
        }
        (void)snprintf(own, sizeof(own), "https://%s.%.60s.amazonaws.com%s", ledger ? "dynamodb" : "s3", region,
                       strncmp(region, "cn-", 3) == 0 ? ".cn" : "");
        url = own;
    }
    if (!race_service_parse(url, ret)) {
        return usage_refuse(
            usage, "The faults' proxy cannot forward to \"%.100s\": give a URL such as https://host:8000.", url);
    }
    return true;
}
