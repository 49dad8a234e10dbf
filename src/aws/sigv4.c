/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source of the algorithm: AWS General Reference, "Create a signed AWS API request", and Amazon S3 API Reference,
 * "Authenticating Requests (AWS Signature Version 4)". S3's deviations hold for all: the path is signed as it is sent,
 * encoded once and not normalised.
 */
#include "aws/sigv4.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { CANONICAL_MAX = 256 * 1024, SIGNATURE_HEX_SIZE = 65, SCOPE_SIZE = 192, SECRET_MAX = 512 };

static const char algorithm[] = "AWS4-HMAC-SHA256";

struct sigv4_signer {
    char region[64];
    char service[32];
    EVP_MAC *hmac;
    EVP_MAC_CTX *context;
    /* The signing key of the last day and secret. */
    char key_day[9];
    char key_secret[SECRET_MAX];
    unsigned char key[SHA256_SIZE];
};

struct sigv4_signer *sigv4_signer_new(const char *region, const char *service)
{
    struct sigv4_signer *signer = calloc(1, sizeof(*signer));
    if (signer == NULL)
        return NULL;
    signer->hmac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    signer->context = signer->hmac ? EVP_MAC_CTX_new(signer->hmac) : NULL;
    if (signer->context == NULL || !TEXT_COPY_STR(region, signer->region) || !TEXT_COPY_STR(service, signer->service)) {
        sigv4_signer_free(signer);
        return NULL;
    }
    return signer;
}

void sigv4_signer_free(struct sigv4_signer *signer)
{
    if (signer == NULL)
        return;
    EVP_MAC_CTX_free(signer->context);
    EVP_MAC_free(signer->hmac);
    OPENSSL_cleanse(signer, sizeof(*signer));
    free(signer);
}

/* ------------------------------------------------------------------------------------------------ stage 1: canonical
 * request */

struct canonical_header {
    const char *name;
    const char *value;
    size_t order; /* of equal names */
};

static int compare_headers(const void *a, const void *b)
{
    const struct canonical_header *left = a;
    const struct canonical_header *right = b;
    int names = strcmp(left->name, right->name);
    if (names != 0)
        return names;
    return left->order < right->order ? -1 : 1;
}

static size_t collect_headers(const struct http_request *request, struct canonical_header *ret)
{
    size_t count = 0;
    ret[count++] = (struct canonical_header){.name = "host", .value = request->host, .order = 0};
    for (size_t i = 0; i < request->headers.count; i++)
        ret[count++] = (struct canonical_header){
            .name = request->headers.list[i].name, .value = request->headers.list[i].value, .order = i + 1};
    qsort(ret, count, sizeof(*ret), compare_headers);
    return count;
}

/* Outer blanks are off already (http_headers_add); runs of inner ones count as one. */
static void add_value(struct buf *out, const char *value)
{
    for (const char *c = value; *c; c++) {
        if ((*c == ' ' || *c == '\t') && (c[1] == ' ' || c[1] == '\t' || c[1] == '\0'))
            continue;
        buf_add_char(out, *c == '\t' ? ' ' : *c);
    }
}

static void add_headers(const struct canonical_header *headers, size_t count, struct buf *out, struct buf *names)
{
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(headers[i].name, headers[i - 1].name) == 0;
        if (again) {
            buf_add_char(out, ',');
        } else {
            buf_add_f(out, "%s%s:", i > 0 ? "\n" : "", headers[i].name);
            buf_add_f(names, "%s%s", i > 0 ? ";" : "", headers[i].name);
        }
        add_value(out, headers[i].value);
    }
    buf_add_char(out, '\n');
}

bool sigv4_canonical_request(const struct http_request *request, const char *payload_sha256, struct buf *ret,
                             struct buf *ret_signed_headers)
{
    struct canonical_header headers[HTTP_HEADERS_MAX + 1];
    size_t count = collect_headers(request, headers);
    buf_add_f(ret, "%s\n%s\n%s\n", request->method, buf_str(&request->path), buf_str(&request->query));
    add_headers(headers, count, ret, ret_signed_headers);
    buf_add_f(ret, "\n%s\n%s", buf_str(ret_signed_headers), payload_sha256);
    return buf_ok(ret) && buf_ok(ret_signed_headers);
}

/* ------------------------------------------------------------------------------------------------ stage 2: string to
 * sign */

static void format_times(int64_t now_s, char *ret_date, char *ret_day)
{
    text_format_amz_date(now_s, ret_date);
    memcpy(ret_day, ret_date, 8);
    ret_day[8] = '\0';
}

static bool format_scope(const char *day, const char *region, const char *service, char *ret)
{
    int length = snprintf(ret, SCOPE_SIZE, "%s/%s/%s/aws4_request", day, region, service);
    return length > 0 && length < SCOPE_SIZE;
}

bool sigv4_string_to_sign(const char *region, const char *service, int64_t now_s, const char *canonical_request,
                          struct buf *ret)
{
    char date[32];
    char day[9];
    char scope[SCOPE_SIZE];
    char hash[SIGNATURE_HEX_SIZE];
    format_times(now_s, date, day);
    if (!format_scope(day, region, service, scope) || !sha256_hex(canonical_request, strlen(canonical_request), hash))
        return false;
    return buf_add_f(ret, "%s\n%s\n%s\n%s", algorithm, date, scope, hash);
}

/* ------------------------------------------------------------------------------------------------ stage 3: signature
 */

static bool hmac(struct sigv4_signer *signer, const void *key, size_t key_len, const char *text, unsigned char *ret)
{
    char digest[] = "SHA256";
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                           OSSL_PARAM_construct_end()};
    size_t length = 0;
    return EVP_MAC_init(signer->context, key, key_len, params) == 1 &&
           EVP_MAC_update(signer->context, (const unsigned char *)text, strlen(text)) == 1 &&
           EVP_MAC_final(signer->context, ret, &length, SHA256_SIZE) == 1 && length == SHA256_SIZE;
}

/* The key changes once a day and with the secret. */
static bool derive_key(struct sigv4_signer *signer, const char *secret, const char *day)
{
    if (strcmp(signer->key_day, day) == 0 && strcmp(signer->key_secret, secret) == 0)
        return true;
    char seed[SECRET_MAX + 8];
    if (strlen(secret) >= SECRET_MAX)
        return false;
    signer->key_day[0] = '\0';
    snprintf(seed, sizeof(seed), "AWS4%s", secret);
    bool ok = hmac(signer, seed, strlen(seed), day, signer->key) &&
              hmac(signer, signer->key, SHA256_SIZE, signer->region, signer->key) &&
              hmac(signer, signer->key, SHA256_SIZE, signer->service, signer->key) &&
              hmac(signer, signer->key, SHA256_SIZE, "aws4_request", signer->key);
    OPENSSL_cleanse(seed, sizeof(seed));
    if (ok) {
        memcpy(signer->key_day, day, 9);
        memcpy(signer->key_secret, secret, strlen(secret) + 1);
    }
    return ok;
}

/* All three stages; ret holds SIGNATURE_HEX_SIZE. */
static bool signature(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                      const char *payload_sha256, const struct http_request *request, struct buf *ret_signed_headers,
                      char *ret)
{
    char date[32];
    char day[9];
    unsigned char mac[SHA256_SIZE];
    struct buf canonical;
    struct buf to_sign;
    buf_init(&canonical, CANONICAL_MAX);
    buf_init(&to_sign, 1024);
    format_times(now_s, date, day);
    bool ok = sigv4_canonical_request(request, payload_sha256, &canonical, ret_signed_headers) &&
              sigv4_string_to_sign(signer->region, signer->service, now_s, buf_str(&canonical), &to_sign) &&
              derive_key(signer, keys->secret_access_key, day) &&
              hmac(signer, signer->key, SHA256_SIZE, buf_str(&to_sign), mac);
    if (ok)
        text_hex(mac, sizeof(mac), ret);
    buf_free(&canonical);
    buf_free(&to_sign);
    return ok;
}

static bool has_token(const struct sigv4_keys *keys)
{
    return keys->session_token != NULL && keys->session_token[0] != '\0';
}

/* ------------------------------------------------------------------------------------------------ the two forms */

static bool add_authorization(struct sigv4_signer *signer, const struct sigv4_keys *keys, const char *day,
                              const char *signed_headers, const char *signature_hex, struct http_request *request)
{
    char scope[SCOPE_SIZE];
    struct buf value;
    buf_init(&value, 16 * 1024);
    bool ok = format_scope(day, signer->region, signer->service, scope) &&
              buf_add_f(&value, "%s Credential=%s/%s, SignedHeaders=%s, Signature=%s", algorithm, keys->access_key_id,
                        scope, signed_headers, signature_hex) &&
              http_headers_set(&request->headers, "authorization", buf_str(&value));
    buf_free(&value);
    return ok;
}

bool sigv4_sign_header(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                       const char *payload_sha256, struct http_request *request)
{
    char date[32];
    char day[9];
    char hex[SIGNATURE_HEX_SIZE];
    format_times(now_s, date, day);
    if (!http_headers_set(&request->headers, "x-amz-date", date))
        return false;
    bool is_s3 = strcmp(signer->service, "s3") == 0;
    if (is_s3 && !http_headers_set(&request->headers, "x-amz-content-sha256", payload_sha256))
        return false;
    if (has_token(keys) && !http_headers_set(&request->headers, "x-amz-security-token", keys->session_token))
        return false;
    struct buf signed_headers;
    buf_init(&signed_headers, HTTP_HEADERS_BYTES_MAX);
    bool ok = signature(signer, keys, now_s, payload_sha256, request, &signed_headers, hex) &&
              add_authorization(signer, keys, day, buf_str(&signed_headers), hex, request);
    buf_free(&signed_headers);
    return ok;
}

/* One "name=value" of a query: points into it. */
struct parameter {
    struct text name;
    struct text whole;
};

static int compare_text(struct text left, struct text right)
{
    size_t len = left.len < right.len ? left.len : right.len;
    int bytes = memcmp(left.p, right.p, len);
    if (bytes != 0)
        return bytes;
    return left.len < right.len ? -1 : left.len > right.len;
}

static int compare_parameters(const void *a, const void *b)
{
    const struct parameter *left = a;
    const struct parameter *right = b;
    int names = compare_text(left->name, right->name);
    return names != 0 ? names : compare_text(left->whole, right->whole);
}

static struct parameter parameter_of(struct text whole)
{
    struct parameter parameter = {.name = whole, .whole = whole};
    struct text rest = whole;
    (void)text_take_until(&rest, '=', &parameter.name);
    return parameter;
}

/* Sorts what is there by encoded name and value. At most 64 parameters. */
static bool sort_query(struct buf *query)
{
    struct parameter list[64];
    size_t count = 0;
    struct text rest = text_of(buf_str(query), query->len);
    while (rest.len > 0) {
        if (count == sizeof(list) / sizeof(list[0]))
            return false;
        struct text whole = rest;
        if (!text_take_until(&rest, '&', &whole))
            rest.len = 0;
        list[count++] = parameter_of(whole);
    }
    qsort(list, count, sizeof(list[0]), compare_parameters);
    struct buf sorted;
    buf_init(&sorted, HTTP_TARGET_MAX);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_add_char(&sorted, '&');
        buf_add(&sorted, list[i].whole.p, list[i].whole.len);
    }
    if (!buf_ok(&sorted))
        return false;
    buf_free(query);
    *query = sorted;
    return true;
}

static bool add_signing_query(const struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                              uint32_t expires_s, struct http_request *request)
{
    char date[32];
    char day[9];
    char scope[SCOPE_SIZE];
    char seconds[16];
    char credential[SCOPE_SIZE + 256];
    format_times(now_s, date, day);
    if (!format_scope(day, signer->region, signer->service, scope))
        return false;
    snprintf(seconds, sizeof(seconds), "%u", expires_s);
    int length = snprintf(credential, sizeof(credential), "%s/%s", keys->access_key_id, scope);
    if (length < 0 || (size_t)length >= sizeof(credential))
        return false;
    return http_request_add_query(request, "X-Amz-Algorithm", algorithm) &&
           http_request_add_query(request, "X-Amz-Credential", credential) &&
           http_request_add_query(request, "X-Amz-Date", date) &&
           http_request_add_query(request, "X-Amz-Expires", seconds) &&
           (!has_token(keys) || http_request_add_query(request, "X-Amz-Security-Token", keys->session_token));
}

/* The signed headers are a parameter of what is signed, so their list is made first, by a canonical request that is
 * thrown away. */
static bool add_signed_headers(struct http_request *request)
{
    struct buf canonical;
    struct buf names;
    buf_init(&canonical, CANONICAL_MAX);
    buf_init(&names, HTTP_HEADERS_BYTES_MAX);
    bool ok = sigv4_canonical_request(request, SIGV4_UNSIGNED_PAYLOAD, &canonical, &names) &&
              http_request_add_query(request, "X-Amz-SignedHeaders", buf_str(&names));
    buf_free(&canonical);
    buf_free(&names);
    return ok;
}

bool sigv4_sign_query(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s, uint32_t expires_s,
                      struct http_request *request)
{
    char hex[SIGNATURE_HEX_SIZE];
    struct buf names;
    buf_init(&names, HTTP_HEADERS_BYTES_MAX);
    bool ok = add_signing_query(signer, keys, now_s, expires_s, request) && add_signed_headers(request) &&
              sort_query(&request->query) &&
              signature(signer, keys, now_s, SIGV4_UNSIGNED_PAYLOAD, request, &names, hex) &&
              http_request_add_query(request, "X-Amz-Signature", hex);
    buf_free(&names);
    return ok;
}
