/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The role of an EC2 instance, by its metadata service, version 2 (Amazon EC2 User Guide, "Use IMDSv2"): a token by PUT,
 * then the role's name, then its keys. Version 1 only where AWS_EC2_METADATA_V1_DISABLED=false says so: it gives keys to
 * whoever can make this machine fetch a URL.
 */
#include "credentials/service.h"

#include "base/error.h"
#include "syntax/json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { IMDS_TIMEOUT_S = 1, IMDS_TIMEOUT_MOST_S = 60, IMDS_ATTEMPTS_MOST = 10, IMDS_PAUSE_MS = 200 };
enum { IMDS_URL_SIZE = 512, IMDS_TOKEN_SIZE = 1024, IMDS_ROLE_SIZE = 256 };
#define IMDS_ROLES "/latest/meta-data/iam/security-credentials/"

struct imds {
    const struct chain *chain;
    char base[IMDS_URL_SIZE]; /* without '/' at the end */
    uint64_t timeout_ms;
    unsigned attempts;
    bool version_1;
    char token[IMDS_TOKEN_SIZE]; /* "": version 1 */
    char service[IMDS_URL_SIZE + 64];
};

/* ------------------------------------------------------------------------------------------------ settings */

/* What a variable says, else the profile. */
static struct text imds_setting(const struct chain *chain, const char *profile, const char *variable, const char *name)
{
    struct text set = text_from(getenv(variable));
    return set.len > 0 ? set : profile_setting(&chain->files, profile, name);
}

static os_code imds_number(const struct chain *chain, const char *profile, const char *variable, const char *name,
                           uint64_t most, uint64_t *ret, os_error *err)
{
    struct text set = imds_setting(chain, profile, variable, name);
    if (set.len == 0 || (text_parse_u64(set, ret) && *ret >= 1 && *ret <= most))
        return OS_OK;
    return error_set(err, OS_ERR_CONFIG, "%s (%s in the profile) is not a number from 1 to %llu.", variable, name,
                     (unsigned long long)most);
}

static os_code choose_base(const struct chain *chain, const char *profile, struct imds *ret, os_error *err)
{
    struct text given =
        imds_setting(chain, profile, "AWS_EC2_METADATA_SERVICE_ENDPOINT", "ec2_metadata_service_endpoint");
    struct text mode =
        imds_setting(chain, profile, "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE", "ec2_metadata_service_endpoint_mode");
    bool v6 = text_is_nocase(mode, "ipv6");
    if (mode.len > 0 && !v6 && !text_is_nocase(mode, "ipv4")) {
        return error_set(
            err, OS_ERR_CONFIG,
            "AWS_EC2_METADATA_SERVICE_ENDPOINT_MODE (ec2_metadata_service_endpoint_mode in the profile) is "
            "neither IPv4 nor IPv6.");
    }
    if (given.len == 0)
        given = text_from(v6 ? "http://[fd00:ec2::254]" : "http://169.254.169.254");
    while (given.len > 0 && given.p[given.len - 1] == '/')
        given.len--;
    if (!text_copy(given, ret->base, sizeof(ret->base)))
        return error_set(err, OS_ERR_CONFIG, "AWS_EC2_METADATA_SERVICE_ENDPOINT is too long for a URL of one.");
    (void)snprintf(ret->service, sizeof(ret->service), "The instance metadata service at %s", ret->base);
    return OS_OK;
}

static os_code imds_settings(const struct chain *chain, const char *profile, struct imds *ret, os_error *err)
{
    uint64_t timeout_s = IMDS_TIMEOUT_S;
    uint64_t attempts = 1;
    struct text v1 = imds_setting(chain, profile, "AWS_EC2_METADATA_V1_DISABLED", "ec2_metadata_v1_disabled");
    *ret = (struct imds){.chain = chain, .version_1 = text_is_nocase(v1, "false")};
    os_code code = choose_base(chain, profile, ret, err);
    if (code == OS_OK)
        code = imds_number(chain, profile, "AWS_METADATA_SERVICE_TIMEOUT", "metadata_service_timeout",
                           IMDS_TIMEOUT_MOST_S, &timeout_s, err);
    if (code == OS_OK)
        code = imds_number(chain, profile, "AWS_METADATA_SERVICE_NUM_ATTEMPTS", "metadata_service_num_attempts",
                           IMDS_ATTEMPTS_MOST, &attempts, err);
    ret->timeout_ms = timeout_s * 1000;
    ret->attempts = (unsigned)attempts;
    return code;
}

/* ------------------------------------------------------------------------------------------------ asking */

static os_code imds_ask(const struct imds *imds, const char *method, const char *path, struct http_response *ret,
                        os_error *err)
{
    char url[IMDS_URL_SIZE + IMDS_ROLE_SIZE + 64];
    struct http_request request;
    bool put = strcmp(method, "PUT") == 0;
    (void)snprintf(url, sizeof(url), "%s%s", imds->base, path);
    http_request_init(&request);
    request.method = method;
    enum fetch_origin origin = fetch_set_url(&request, text_from(url));
    os_code code = OS_OK;
    if (origin == FETCH_BAD_URL)
        code = error_set(err, OS_ERR_CONFIG,
                         "AWS_EC2_METADATA_SERVICE_ENDPOINT is no URL of the form http://host[:port].");
    else if (origin == FETCH_NO_MEMORY ||
             (put && !http_headers_add(&request.headers, "x-aws-ec2-metadata-token-ttl-seconds", "21600")) ||
             (imds->token[0] != '\0' && !http_headers_add(&request.headers, "x-aws-ec2-metadata-token", imds->token)))
        code = error_no_memory(err);
    const struct service_request asked = {
        .fetch = {.request = &request, .timeout_ms = imds->timeout_ms, .direct = true, .service = imds->service},
        .attempts = imds->attempts,
        .pause_ms = IMDS_PAUSE_MS,
    };
    if (code == OS_OK)
        code = service_ask(imds->chain->fetcher, &asked, ret, err);
    http_request_free(&request);
    return code;
}

/* The body of a 200 in one line; false and "" for anything else, or where it has what can be in no URL and no header. */
static bool take_line(const struct http_response *response, char *ret, size_t ret_size)
{
    struct text line = text_trim(text_of(buf_str(&response->body), response->body.len));
    struct text first = line;
    if (text_take_until(&line, '\n', &first))
        first = text_trim(first);
    ret[0] = '\0';
    return response->status == 200 && first.len > 0 && text_is_visible(first) && text_copy(first, ret, ret_size);
}

/* IAM User Guide, "IAM and AWS STS quotas": letters, digits and these. What else a service says would be another URL. */
static bool is_role_name(const char *name)
{
    return name[strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_+=,.@-")] == '\0';
}

/* The service is not there, or says that it has nothing to give: not an error of this source. */
static os_code no_instance(struct chain *chain, const struct imds *imds, os_code code, int status, os_error *err)
{
    if (code == OS_ERR_NO_MEMORY || code == OS_ERR_CONFIG || code == OS_ERR_CANCELLED)
        return code;
    if (code != OS_OK) {
        char why[sizeof(err->message)];
        (void)TEXT_COPY_STR_CUT(err->message, why);
        size_t len = strlen(why);
        why[len > 0 && why[len - 1] == '.' ? len - 1 : len] = '\0';
        why[0] = why[0] == 'T' ? 't' : why[0];
        return chain_pass(chain, "%.400s", why);
    }
    return chain_pass(chain, "the instance metadata service at %s answered %d%s", imds->base, status,
                      status == 200 ? ", but with nothing that can be used" : "");
}

/* Of a container on an instance: the answer to a PUT goes no further than the hop limit, which is 1 by default. */
static os_code get_token(struct chain *chain, struct imds *imds, os_error *err)
{
    struct http_response response = {0};
    os_code code = imds_ask(imds, "PUT", "/latest/api/token", &response, err);
    int status = response.status;
    bool has_token = code == OS_OK && take_line(&response, imds->token, sizeof(imds->token));
    http_response_free(&response);
    if (has_token || (imds->version_1 && code != OS_ERR_NO_MEMORY && code != OS_ERR_CONFIG))
        return OS_OK;
    if (code == OS_ERR_DEADLINE) {
        return chain_pass(
            chain,
            "the instance metadata service at %s gave no token within %llu ms. In a container on EC2 raise "
            "the hop limit of the instance to 2; elsewhere there is no such service",
            imds->base, (unsigned long long)imds->timeout_ms);
    }
    return no_instance(chain, imds, code, status, err);
}

static os_code get_role(struct chain *chain, struct imds *imds, char *ret, size_t ret_size, os_error *err)
{
    struct http_response response = {0};
    os_code code = imds_ask(imds, "GET", IMDS_ROLES, &response, err);
    int status = response.status;
    bool has_role = code == OS_OK && take_line(&response, ret, ret_size) && is_role_name(ret);
    http_response_free(&response);
    if (has_role)
        return OS_OK;
    if (code == OS_OK && status == 404)
        return chain_pass(chain, "the instance has no role (the instance metadata service at %s answered 404)",
                          imds->base);
    return no_instance(chain, imds, code, status, err);
}

/* ------------------------------------------------------------------------------------------------ the keys */

/* A 200 may say in its document why there are no keys. */
static os_code read_instance(const struct imds *imds, const struct http_response *response, struct keys *ret,
                             os_error *err)
{
    char from[sizeof(imds->service) + 32];
    json_t *document = NULL;
    if (response->status != 200) {
        (void)error_set(err, OS_ERR_CREDENTIALS, "%s answered %d when it was asked for the keys of its role.",
                        imds->service, response->status);
        error_service(err, response->status, NULL, NULL);
        return OS_ERR_CREDENTIALS;
    }
    (void)snprintf(from, sizeof(from), "The answer of t%s", imds->service + 1);
    os_code code = service_read_json(text_of(buf_str(&response->body), response->body.len), from, &document, err);
    const char *said = json_member_string(document, "Code");
    if (code == OS_OK && said != NULL && strcmp(said, "Success") != 0) {
        const char *message = json_member_string(document, "Message");
        code = error_set(err, OS_ERR_CREDENTIALS, "%s gave no keys: %.100s%s%.300s. Check the role of the instance.",
                         imds->service, said, message != NULL ? ": " : "", message != NULL ? message : "");
    }
    if (code == OS_OK)
        code = service_take_keys(document, &service_role_members, from, ret, err);
    json_decref(document);
    return code;
}

static os_code get_keys(const struct imds *imds, const char *role, struct keys *ret, os_error *err)
{
    char path[sizeof(IMDS_ROLES) + IMDS_ROLE_SIZE];
    struct http_response response = {0};
    (void)snprintf(path, sizeof(path), "%s%s", IMDS_ROLES, role);
    os_code code = imds_ask(imds, "GET", path, &response, err);
    if (code == OS_OK)
        code = read_instance(imds, &response, ret, err);
    http_response_free(&response);
    return code;
}

os_code source_instance(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    struct imds imds;
    char role[IMDS_ROLE_SIZE];
    if (text_is_nocase(text_from(getenv("AWS_EC2_METADATA_DISABLED")), "true"))
        return chain_pass(chain, "AWS_EC2_METADATA_DISABLED forbids to ask the instance metadata service");
    os_code code = imds_settings(chain, profile, &imds, err);
    if (code == OS_OK)
        code = chain_may_block(chain, err);
    if (code == OS_OK)
        code = get_token(chain, &imds, err);
    if (code == OS_OK && !chain->pass)
        code = get_role(chain, &imds, role, sizeof(role), err);
    if (code == OS_OK && !chain->pass)
        code = get_keys(&imds, role, ret, err);
    return code;
}
