/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Source of the algorithm: AWS General Reference, "Create a signed AWS API request", and Amazon S3 API Reference,
 * "Authenticating Requests (AWS Signature Version 4)". S3's deviations hold for all services: the path is signed as it
 * is sent, encoded once and not normalised.
 */
#include "aws/sigv4.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

enum {
    CANONICAL_MAX = 256 * 1024,
    TO_SIGN_MAX = 1024,
    /* What they mostly take: the buffers begin with that. */
    CANONICAL_USUAL = 512,
    NAMES_USUAL = 255,
    TO_SIGN_USUAL = 255,
    QUERY_USUAL = 511,
    SIGNATURE_BYTES = sizeof("&X-Amz-Signature=") + 2 * SHA256_SIZE,
    SECRET_SIZE = sizeof("AWS4") + SIGV4_SECRET_MAX,
    SCOPE_SIZE = 160,
    CREDENTIAL_SIZE = SCOPE_SIZE + 1 + SIGV4_ACCESS_KEY_ID_MAX,
    HEX_SIZE = 2 * SHA256_SIZE + 1,
    PARAMETERS_MAX = 64,
    EXPIRES_MAX_S = 604800 /* seven days: Amazon S3 API Reference, "Authenticating Requests: Using Query Parameters" */
};

static const char algorithm[] = "AWS4-HMAC-SHA256";

struct sigv4_signer {
    char region[64];
    char service[32];
    EVP_MD *sha256;
    EVP_MD_CTX *hash;
    EVP_MAC *mac;
    EVP_MAC_CTX *hmac; /* knows its digest */
    /* The signing key of the last day and secret; key_day is empty while there is none. */
    char key_day[9];
    char key_secret[SECRET_SIZE];
    unsigned char key[SHA256_SIZE];
};

struct times {
    char date[32]; /* 20130524T000000Z */
    char day[9];   /* 20130524 */
};

/* Fetches once what OpenSSL would look up again for every request. */
static bool fetch(struct sigv4_signer *signer)
{
    signer->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    signer->hash = EVP_MD_CTX_new();
    signer->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    signer->hmac = signer->mac != NULL ? EVP_MAC_CTX_new(signer->mac) : NULL;
    if (signer->sha256 == NULL || signer->hash == NULL || signer->hmac == NULL)
        return false;
    char digest[] = "SHA256";
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                           OSSL_PARAM_construct_end()};
    return EVP_MAC_CTX_set_params(signer->hmac, params) == 1;
}

struct sigv4_signer *sigv4_signer_new(const char *region, const char *service)
{
    struct sigv4_signer *signer = calloc(1, sizeof(*signer));
    if (signer == NULL)
        return NULL;
    if (!TEXT_COPY_STR(region, signer->region) || !TEXT_COPY_STR(service, signer->service) || !fetch(signer)) {
        sigv4_signer_free(signer);
        return NULL;
    }
    return signer;
}

void sigv4_signer_free(struct sigv4_signer *signer)
{
    if (signer == NULL)
        return;
    EVP_MAC_CTX_free(signer->hmac);
    EVP_MAC_free(signer->mac);
    EVP_MD_CTX_free(signer->hash);
    EVP_MD_free(signer->sha256);
    OPENSSL_cleanse(signer, sizeof(*signer));
    free(signer);
}

static bool is_s3(const struct sigv4_signer *signer)
{
    return strcmp(signer->service, "s3") == 0;
}

static bool hash_hex(struct sigv4_signer *signer, const void *data, size_t len, char *ret)
{
    unsigned char bytes[SHA256_SIZE];
    if (EVP_DigestInit_ex2(signer->hash, signer->sha256, NULL) != 1 || EVP_DigestUpdate(signer->hash, data, len) != 1 ||
        EVP_DigestFinal_ex(signer->hash, bytes, NULL) != 1)
        return false;
    text_hex(bytes, sizeof(bytes), ret);
    return true;
}

static bool hmac(struct sigv4_signer *signer, const void *key, size_t key_len, const char *text, unsigned char *ret)
{
    size_t len = 0;
    return EVP_MAC_init(signer->hmac, key, key_len, NULL) == 1 &&
           EVP_MAC_update(signer->hmac, (const unsigned char *)text, strlen(text)) == 1 &&
           EVP_MAC_final(signer->hmac, ret, &len, SHA256_SIZE) == 1 && len == SHA256_SIZE;
}

/* ---------------------------------------------------------------------------------- stage 1: canonical request */

struct canonical_header {
    const char *name;
    const char *value;
    size_t order; /* among equal names: the order of sending */
};

static int compare_headers(const void *a, const void *b)
{
    const struct canonical_header *left = a;
    const struct canonical_header *right = b;
    int names = strcmp(left->name, right->name);
    if (names != 0)
        return names;
    return left->order < right->order ? -1 : left->order > right->order;
}

static size_t collect_headers(const struct http_request *request, struct canonical_header *ret)
{
    size_t count = 0;
    ret[count++] = (struct canonical_header){.name = "host", .value = request->host, .order = 0};
    for (size_t i = 0; i < request->headers.count; i++) {
        const struct http_header *header = &request->headers.list[i];
        ret[count++] = (struct canonical_header){.name = header->name, .value = header->value, .order = i + 1};
    }
    qsort(ret, count, sizeof(*ret), compare_headers);
    return count;
}

/* Outer blanks are off already (http_headers_add); a run of inner ones counts as one space. */
static void add_value(struct buf *out, const char *value)
{
    while (*value != '\0') {
        size_t plain = strcspn(value, " \t");
        buf_add(out, value, plain);
        value += plain;
        size_t blanks = strspn(value, " \t");
        if (blanks > 0)
            buf_add_char(out, ' ');
        value += blanks;
    }
}

static void add_headers(const struct canonical_header *headers, size_t count, struct buf *out, struct buf *names)
{
    for (size_t i = 0; i < count; i++) {
        bool again = i > 0 && strcmp(headers[i].name, headers[i - 1].name) == 0;
        if (again) {
            buf_add_char(out, ',');
        } else {
            buf_add_strs(out, i > 0 ? "\n" : "", headers[i].name, ":", NULL);
            buf_add_strs(names, i > 0 ? ";" : "", headers[i].name, NULL);
        }
        add_value(out, headers[i].value);
    }
    buf_add_char(out, '\n');
}

bool sigv4_canonical_request(const struct http_request *request, const char *payload_sha256, struct buf *ret,
                             struct buf *ret_signed_headers)
{
    struct canonical_header headers[HTTP_HEADERS_MAX + 1];
    if (request->host == NULL || !buf_ok(&request->path) || !buf_ok(&request->query))
        return false;
    size_t count = collect_headers(request, headers);
    buf_reserve(ret, request->path.len + request->query.len + request->headers.bytes + CANONICAL_USUAL);
    buf_reserve(ret_signed_headers, NAMES_USUAL);
    buf_add_strs(ret, request->method, "\n", buf_str(&request->path), "\n", buf_str(&request->query), "\n", NULL);
    add_headers(headers, count, ret, ret_signed_headers);
    buf_add_strs(ret, "\n", buf_str(ret_signed_headers), "\n", payload_sha256, NULL);
    return buf_ok(ret) && buf_ok(ret_signed_headers);
}

/* ------------------------------------------------------------------------------------ stage 2: string to sign */

static void format_times(int64_t now_s, struct times *ret)
{
    text_format_amz_date(now_s, ret->date);
    memcpy(ret->day, ret->date, sizeof(ret->day) - 1);
    ret->day[sizeof(ret->day) - 1] = '\0';
}

static bool format_scope(const char *day, const char *region, const char *service, char *ret)
{
    return text_concat(ret, SCOPE_SIZE, day, "/", region, "/", service, "/aws4_request", NULL);
}

static bool string_to_sign(const char *region, const char *service, int64_t now_s, const char *canonical_hash,
                           struct buf *ret)
{
    struct times times;
    char scope[SCOPE_SIZE];
    format_times(now_s, &times);
    return format_scope(times.day, region, service, scope) && buf_reserve(ret, TO_SIGN_USUAL) &&
           buf_add_strs(ret, algorithm, "\n", times.date, "\n", scope, "\n", canonical_hash, NULL);
}

bool sigv4_string_to_sign(const char *region, const char *service, int64_t now_s, const char *canonical_request,
                          struct buf *ret)
{
    char hash[HEX_SIZE];
    return sha256_hex(canonical_request, strlen(canonical_request), hash) &&
           string_to_sign(region, service, now_s, hash, ret);
}

/* ----------------------------------------------------------------------------------------- stage 3: signature */

/* The key changes with the day and with the secret only. */
static bool derive_key(struct sigv4_signer *signer, const char *secret, const char *day)
{
    if (strcmp(signer->key_day, day) == 0 && strcmp(signer->key_secret, secret) == 0)
        return true;
    signer->key_day[0] = '\0';
    char seed[SECRET_SIZE + 4];
    if (!TEXT_COPY_STR(secret, signer->key_secret))
        return false;
    (void)text_concat(seed, sizeof(seed), "AWS4", secret, NULL); /* the copy before it has seen that it fits */
    unsigned char *key = signer->key;
    bool ok = hmac(signer, seed, strlen(seed), day, key) && hmac(signer, key, SHA256_SIZE, signer->region, key) &&
              hmac(signer, key, SHA256_SIZE, signer->service, key) &&
              hmac(signer, key, SHA256_SIZE, "aws4_request", key);
    OPENSSL_cleanse(seed, sizeof(seed));
    if (ok)
        memcpy(signer->key_day, day, sizeof(signer->key_day));
    return ok;
}

static bool sigv4_sign(struct sigv4_signer *signer, const char *secret, int64_t now_s, const struct buf *canonical,
                       char *ret)
{
    struct times times;
    char hash[HEX_SIZE];
    unsigned char mac[SHA256_SIZE];
    struct buf to_sign;
    buf_init(&to_sign, TO_SIGN_MAX);
    format_times(now_s, &times);
    bool ok = hash_hex(signer, buf_str(canonical), canonical->len, hash) &&
              string_to_sign(signer->region, signer->service, now_s, hash, &to_sign) &&
              derive_key(signer, secret, times.day) && hmac(signer, signer->key, SHA256_SIZE, buf_str(&to_sign), mac);
    buf_free(&to_sign);
    if (ok)
        text_hex(mac, sizeof(mac), ret);
    return ok;
}

/* All three stages. `ret` holds HEX_SIZE. */
static bool sign_request(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                         const char *payload_sha256, const struct http_request *request, struct buf *ret_signed_headers,
                         char *ret)
{
    struct buf canonical;
    buf_init(&canonical, CANONICAL_MAX);
    canonical.secret = true; /* it has the session token */
    bool ok = sigv4_canonical_request(request, payload_sha256, &canonical, ret_signed_headers) &&
              sigv4_sign(signer, keys->secret_access_key, now_s, &canonical, ret);
    buf_free(&canonical);
    return ok;
}

/* --------------------------------------------------------------------------------------- the order of a query */

/* One "name=value" of a query: points into it. */
struct parameter {
    struct text name;
    struct text value;
};

static int compare_text(struct text left, struct text right)
{
    int bytes = memcmp(left.p, right.p, left.len < right.len ? left.len : right.len);
    if (bytes != 0)
        return bytes;
    return left.len < right.len ? -1 : left.len > right.len;
}

static int compare_parameters(const void *a, const void *b)
{
    const struct parameter *left = a;
    const struct parameter *right = b;
    int names = compare_text(left->name, right->name);
    return names != 0 ? names : compare_text(left->value, right->value);
}

static bool split_query(struct text rest, struct parameter *ret, size_t *ret_count)
{
    size_t count = 0;
    while (rest.len > 0) {
        if (count == PARAMETERS_MAX)
            return false;
        struct text whole = rest;
        if (!text_take_until(&rest, '&', &whole))
            rest.len = 0;
        struct text name = whole;
        if (!text_take_until(&whole, '=', &name))
            whole.len = 0;
        ret[count++] = (struct parameter){.name = name, .value = whole};
    }
    *ret_count = count;
    return true;
}

/* By encoded name, then encoded value, each with its '=' (so that "uploads" is sent as it is signed: "uploads="). */
static bool sort_query(struct buf *query)
{
    struct parameter list[PARAMETERS_MAX];
    size_t count = 0;
    if (!split_query(text_of(buf_str(query), query->len), list, &count))
        return false;
    qsort(list, count, sizeof(list[0]), compare_parameters);
    struct buf sorted;
    buf_init(&sorted, query->max);
    sorted.secret = query->secret;
    if (count > 0) /* in one piece with the signature that may follow */
        buf_reserve(&sorted, query->len + count + SIGNATURE_BYTES);
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_add_char(&sorted, '&');
        buf_add(&sorted, list[i].name.p, list[i].name.len);
        buf_add_char(&sorted, '=');
        buf_add(&sorted, list[i].value.p, list[i].value.len);
    }
    if (!buf_ok(&sorted))
        return false;
    buf_free(query);
    *query = sorted;
    return true;
}

/* ---------------------------------------------------------------------------------------------- the two forms */

static bool has_token(const struct sigv4_keys *keys)
{
    return keys->session_token != NULL && keys->session_token[0] != '\0';
}

static bool format_credential(const struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                              char *ret)
{
    struct times times;
    char scope[SCOPE_SIZE];
    format_times(now_s, &times);
    return format_scope(times.day, signer->region, signer->service, scope) &&
           text_concat(ret, CREDENTIAL_SIZE, keys->access_key_id, "/", scope, NULL);
}

static bool add_amz_headers(const struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                            const char *payload_sha256, struct http_headers *headers)
{
    struct times times;
    format_times(now_s, &times);
    http_headers_remove(headers, "authorization");
    http_headers_remove(headers, "x-amz-security-token");
    return http_headers_set(headers, "x-amz-date", times.date) &&
           (!is_s3(signer) || http_headers_set(headers, "x-amz-content-sha256", payload_sha256)) &&
           (!has_token(keys) || http_headers_add(headers, "x-amz-security-token", keys->session_token));
}

bool sigv4_sign_header(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                       const char *payload_sha256, struct http_request *request)
{
    char hex[HEX_SIZE];
    char credential[CREDENTIAL_SIZE];
    struct buf names;
    struct buf value;
    buf_init(&names, HTTP_HEADERS_BYTES_MAX);
    buf_init(&value, HTTP_HEADERS_BYTES_MAX);
    bool ok = add_amz_headers(signer, keys, now_s, payload_sha256, &request->headers) && sort_query(&request->query) &&
              sign_request(signer, keys, now_s, payload_sha256, request, &names, hex) &&
              format_credential(signer, keys, now_s, credential) &&
              buf_reserve(&value, names.len + CREDENTIAL_SIZE + TO_SIGN_USUAL) &&
              buf_add_strs(&value, algorithm, " Credential=", credential, ", SignedHeaders=", buf_str(&names),
                           ", Signature=", hex, NULL) &&
              http_headers_add(&request->headers, "authorization", buf_str(&value));
    buf_free(&names);
    buf_free(&value);
    return ok;
}

static bool add_amz_query(const struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s,
                          uint32_t expires_s, struct http_request *request)
{
    struct times times;
    char credential[CREDENTIAL_SIZE];
    char seconds[TEXT_NUMBER_SIZE];
    format_times(now_s, &times);
    text_number(expires_s, seconds);
    return format_credential(signer, keys, now_s, credential) && buf_reserve(&request->query, QUERY_USUAL) &&
           http_request_add_query(request, "X-Amz-Algorithm", algorithm) &&
           http_request_add_query(request, "X-Amz-Credential", credential) &&
           http_request_add_query(request, "X-Amz-Date", times.date) &&
           http_request_add_query(request, "X-Amz-Expires", seconds) &&
           (!has_token(keys) || http_request_add_query(request, "X-Amz-Security-Token", keys->session_token));
}

/* The list of signed headers is part of what is signed, so it is made first, from the headers alone. */
static bool add_signed_headers(struct http_request *request)
{
    struct canonical_header headers[HTTP_HEADERS_MAX + 1];
    struct buf values;
    struct buf names;
    buf_init(&values, CANONICAL_MAX);
    buf_init(&names, HTTP_HEADERS_BYTES_MAX);
    add_headers(headers, collect_headers(request, headers), &values, &names);
    bool ok =
        buf_ok(&values) && buf_ok(&names) && http_request_add_query(request, "X-Amz-SignedHeaders", buf_str(&names));
    buf_free(&values);
    buf_free(&names);
    return ok;
}

/* S3 signs no body in this form; the other services sign its hash. */
static bool query_payload(struct sigv4_signer *signer, const struct http_body *body, char *ret)
{
    if (is_s3(signer)) {
        memcpy(ret, SIGV4_UNSIGNED_PAYLOAD, sizeof(SIGV4_UNSIGNED_PAYLOAD));
        return true;
    }
    bool in_memory = body->kind == HTTP_BODY_MEMORY && body->length > 0;
    return body->kind != HTTP_BODY_FILE &&
           hash_hex(signer, in_memory ? body->data : "", in_memory ? (size_t)body->length : 0, ret);
}

bool sigv4_sign_query(struct sigv4_signer *signer, const struct sigv4_keys *keys, int64_t now_s, uint32_t expires_s,
                      struct http_request *request)
{
    char payload[HEX_SIZE];
    char hex[HEX_SIZE];
    if (expires_s == 0 || expires_s > EXPIRES_MAX_S || request->host == NULL ||
        !query_payload(signer, &request->body, payload))
        return false;
    struct buf names;
    buf_init(&names, HTTP_HEADERS_BYTES_MAX);
    bool ok = add_amz_query(signer, keys, now_s, expires_s, request) && add_signed_headers(request) &&
              sort_query(&request->query) && sign_request(signer, keys, now_s, payload, request, &names, hex) &&
              http_request_add_query(request, "X-Amz-Signature", hex);
    buf_free(&names);
    return ok;
}
