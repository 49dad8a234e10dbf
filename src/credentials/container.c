/* SPDX-License-Identifier: Apache-2.0 */
/* The service of a container's platform: ECS, EKS Pod Identity, Lambda's snapshots, Greengrass (AWS SDKs and Tools
 * Reference Guide, "Container credential provider"). */
#include "credentials/service.h"

#include "base/error.h"
#include "base/named_file.h"

#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CONTAINER_TIMEOUT_MS = 2000, CONTAINER_ATTEMPTS = 3, CONTAINER_PAUSE_MS = 1000, CONTAINER_TOKEN_MAX = 16 << 10 };
enum { CONTAINER_URL_SIZE = 4096, CONTAINER_FROM_SIZE = 400 };

/* NULL for one without a value, too: that is how a shell takes a variable away from one command. */
static const char *container_variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

/* Who may be told the token without TLS: ECS, and EKS Pod Identity by IPv4 and IPv6. */
static const char *const plain_hosts[] = {"169.254.170.2", "169.254.170.23", "[fd00:ec2::23]"};

static bool may_be_plain(const char *host)
{
    for (size_t i = 0; i < sizeof(plain_hosts) / sizeof(plain_hosts[0]); i++) {
        size_t len = strlen(plain_hosts[i]);
        if (strncmp(host, plain_hosts[i], len) == 0 && (host[len] == '\0' || host[len] == ':'))
            return true;
    }
    return false;
}

static os_code set_address(const char *variable, const char *url, struct http_request *request, os_error *err)
{
    switch (fetch_set_url(request, text_from(url))) {
    case FETCH_LOOPBACK:
    case FETCH_TLS: return OS_OK;
    case FETCH_NO_MEMORY: return error_no_memory(err);
    case FETCH_PLAIN:
        if (may_be_plain(request->host))
            return OS_OK;
        return error_set(err, OS_ERR_CREDENTIALS,
                         "%s names the host %.200s over http://. Without TLS only this machine, 169.254.170.2, "
                         "169.254.170.23 and [fd00:ec2::23] are asked for keys.",
                         variable, request->host);
    case FETCH_BAD_URL: break;
    }
    return error_set(err, OS_ERR_CREDENTIALS, "%s does not give a URL of the form http[s]://host[:port]/path.",
                     variable);
}

/* ------------------------------------------------------------------------------------------------ the token */

static os_code add_token(struct text token, const char *from, struct http_request *request, os_error *err)
{
    if (token.len == 0)
        return error_set(err, OS_ERR_CREDENTIALS, "%s is empty; it should have the authorization token.", from);
    if (token.len > CONTAINER_TOKEN_MAX)
        return error_set(err, OS_ERR_CREDENTIALS, "%s is longer than %d bytes.", from, CONTAINER_TOKEN_MAX);
    for (size_t i = 0; i < token.len; i++) {
        if ((unsigned char)token.p[i] < ' ' || token.p[i] == 0x7f)
            return error_set(err, OS_ERR_CREDENTIALS,
                             "%s contains a line end or another control character, and can be no header.", from);
    }
    return http_headers_add_text(&request->headers, text_from("authorization"), token) ? OS_OK : error_no_memory(err);
}

static os_code add_token_of_file(const char *path, struct http_request *request, os_error *err)
{
    char from[CONTAINER_FROM_SIZE];
    size_t len = 0;
    const char *why = NULL;
    char *token = named_file_read(path, CONTAINER_TOKEN_MAX, &len, &why);
    if (token == NULL) {
        return error_set(err, errno == ENOMEM ? OS_ERR_NO_MEMORY : OS_ERR_CREDENTIALS,
                         "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE, %.300s, cannot be read: %s.", path, why);
    }
    (void)snprintf(from, sizeof(from), "The file %.300s", path);
    os_code code = add_token(text_of(token, len), from, request, err);
    OPENSSL_cleanse(token, len);
    free(token);
    return code;
}

static os_code authorize(struct http_request *request, os_error *err)
{
    const char *path = container_variable("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE");
    const char *token = container_variable("AWS_CONTAINER_AUTHORIZATION_TOKEN");
    if (path != NULL)
        return add_token_of_file(path, request, err);
    if (token != NULL)
        return add_token(text_from(token), "AWS_CONTAINER_AUTHORIZATION_TOKEN", request, err);
    return OS_OK;
}

/* ------------------------------------------------------------------------------------------------ asking */

static os_code read_container(const struct http_response *response, const char *service, struct keys *ret,
                              os_error *err)
{
    char from[CONTAINER_FROM_SIZE];
    json_t *document = NULL;
    if (response->status != 200) {
        (void)error_set(err, OS_ERR_CREDENTIALS, "%s answered %d, and gave no keys: check the role of the task or pod.",
                        service, response->status);
        error_service(err, response->status, NULL, NULL);
        return OS_ERR_CREDENTIALS;
    }
    (void)snprintf(from, sizeof(from), "The answer of t%.380s", service + 1);
    os_code code = service_read_json(text_of(buf_str(&response->body), response->body.len), from, &document, err);
    if (code == OS_OK)
        code = service_take_keys(document, &service_role_members, from, ret, err);
    json_decref(document);
    return code;
}

static os_code ask_container(const struct chain *chain, struct http_request *request, struct keys *ret, os_error *err)
{
    struct http_response response = {0};
    char service[CONTAINER_FROM_SIZE];
    (void)snprintf(service, sizeof(service), "The container's credentials service at %.300s", request->host);
    const struct service_request asked = {
        .fetch = {.request = request, .timeout_ms = CONTAINER_TIMEOUT_MS, .direct = true, .service = service},
        .attempts = CONTAINER_ATTEMPTS,
        .pause_ms = CONTAINER_PAUSE_MS,
    };
    request->method = "GET";
    if (!http_headers_add(&request->headers, "accept", "application/json"))
        return error_no_memory(err);
    os_code code = service_ask(chain->fetcher, &asked, &response, err);
    if (code == OS_OK)
        code = read_container(&response, service, ret, err);
    http_response_free(&response);
    return code;
}

/* False: neither is set. One that does not fit is "", which is no URL. */
static bool container_url(char *ret, size_t ret_size, const char **ret_variable)
{
    const char *relative = container_variable("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI");
    const char *full = container_variable("AWS_CONTAINER_CREDENTIALS_FULL_URI");
    *ret_variable = relative != NULL ? "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI" : "AWS_CONTAINER_CREDENTIALS_FULL_URI";
    if (relative != NULL)
        (void)text_concat(ret, ret_size, "http://169.254.170.2", relative, NULL);
    else if (full != NULL)
        (void)text_concat(ret, ret_size, full, NULL);
    return relative != NULL || full != NULL;
}

os_code source_container(struct chain *chain, const char *profile, struct keys *ret, os_error *err)
{
    (void)profile;
    char url[CONTAINER_URL_SIZE];
    const char *variable = NULL;
    struct http_request request;
    if (!container_url(url, sizeof(url), &variable))
        return chain_pass(chain, "neither AWS_CONTAINER_CREDENTIALS_RELATIVE_URI nor "
                                 "AWS_CONTAINER_CREDENTIALS_FULL_URI is set");
    http_request_init(&request);
    os_code code = set_address(variable, url, &request, err);
    if (code == OS_OK)
        code = authorize(&request, err);
    if (code == OS_OK)
        code = chain_may_block(chain, err);
    if (code == OS_OK)
        code = ask_container(chain, &request, ret, err);
    http_request_free(&request);
    return code;
}
