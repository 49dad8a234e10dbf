/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fake_sigv4_internal.h"

#include <openssl/core_names.h>
#include <openssl/crypto.h>
#include <openssl/params.h>
#include <stdlib.h>
#include <string.h>

#define UNSIGNED_PAYLOAD "UNSIGNED-PAYLOAD"

/* ------------------------------------------------------------------------------------------------------ lifetime */

static bool fetch(struct fake_sigv4 *sigv4)
{
    char digest[] = "SHA256";
    OSSL_PARAM params[] = {OSSL_PARAM_construct_utf8_string(OSSL_MAC_PARAM_DIGEST, digest, 0),
                           OSSL_PARAM_construct_end()};
    sigv4->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
    sigv4->hash = EVP_MD_CTX_new();
    sigv4->mac = EVP_MAC_fetch(NULL, "HMAC", NULL);
    sigv4->hmac = sigv4->mac != NULL ? EVP_MAC_CTX_new(sigv4->mac) : NULL;
    return sigv4->sha256 != NULL && sigv4->hash != NULL && sigv4->hmac != NULL &&
           EVP_MAC_CTX_set_params(sigv4->hmac, params) == 1;
}

struct fake_sigv4 *fake_sigv4_new(const char *region, const char *service, int64_t skew_s)
{
    struct fake_sigv4 *sigv4 = calloc(1, sizeof(*sigv4));
    if (sigv4 == NULL)
        return NULL;
    sigv4->region = strdup(region);
    sigv4->service = strdup(service);
    sigv4->is_s3 = strcmp(service, "s3") == 0;
    sigv4->skew_s = skew_s;
    buf_init(&sigv4->canonical, FAKE_CANONICAL_MAX);
    buf_init(&sigv4->parts, FAKE_PARTS_MAX);
    buf_init(&sigv4->query, FAKE_PARTS_MAX);
    buf_init(&sigv4->to_sign, FAKE_PARTS_MAX);
    if (sigv4->region == NULL || sigv4->service == NULL || !fetch(sigv4)) {
        fake_sigv4_free(sigv4);
        return NULL;
    }
    return sigv4;
}

static void free_keys(struct fake_keys *keys)
{
    free(keys->access);
    free(keys->secret);
    free(keys->token);
}

void fake_sigv4_free(struct fake_sigv4 *sigv4)
{
    if (sigv4 == NULL)
        return;
    for (size_t i = 0; i < sigv4->key_count; i++)
        free_keys(&sigv4->keys[i]);
    free(sigv4->keys);
    EVP_MAC_CTX_free(sigv4->hmac);
    EVP_MAC_free(sigv4->mac);
    EVP_MD_CTX_free(sigv4->hash);
    EVP_MD_free(sigv4->sha256);
    buf_free(&sigv4->canonical);
    buf_free(&sigv4->parts);
    buf_free(&sigv4->query);
    buf_free(&sigv4->to_sign);
    free(sigv4->region);
    free(sigv4->service);
    free(sigv4);
}

bool fake_sigv4_rotate(struct fake_sigv4 *sigv4, const char *access_key, const char *secret_key,
                       const char *session_token)
{
    struct fake_keys *grown = realloc(sigv4->keys, (sigv4->key_count + 1) * sizeof(*grown));
    if (grown == NULL)
        return false;
    sigv4->keys = grown;
    struct fake_keys keys = {strdup(access_key), strdup(secret_key),
                             strdup(session_token != NULL ? session_token : "")};
    if (keys.access == NULL || keys.secret == NULL || keys.token == NULL) {
        free_keys(&keys);
        return false;
    }
    sigv4->keys[sigv4->key_count++] = keys;
    sigv4->derived_day[0] = '\0';
    return true;
}

/* -------------------------------------------------------------------------------------------------------- hashes */

static bool hash_hex(struct fake_sigv4 *sigv4, struct text text, char ret[FAKE_HASH_HEX])
{
    static const char digits[] = "0123456789abcdef";
    unsigned char bytes[FAKE_HASH_SIZE];
    if (EVP_DigestInit_ex2(sigv4->hash, sigv4->sha256, NULL) != 1 ||
        EVP_DigestUpdate(sigv4->hash, text.p, text.len) != 1 || EVP_DigestFinal_ex(sigv4->hash, bytes, NULL) != 1)
        return false;
    for (size_t i = 0; i < FAKE_HASH_SIZE; i++) {
        ret[2 * i] = digits[bytes[i] >> 4];
        ret[2 * i + 1] = digits[bytes[i] & 15];
    }
    return true;
}

static bool keyed(struct fake_sigv4 *sigv4, const void *key, size_t key_len, struct text text, unsigned char *ret)
{
    size_t len = 0;
    return EVP_MAC_init(sigv4->hmac, key, key_len, NULL) == 1 &&
           EVP_MAC_update(sigv4->hmac, (const unsigned char *)text.p, text.len) == 1 &&
           EVP_MAC_final(sigv4->hmac, ret, &len, FAKE_HASH_SIZE) == 1 && len == FAKE_HASH_SIZE;
}

static bool derive(struct fake_sigv4 *sigv4, size_t index, struct text day)
{
    if (sigv4->derived_for == index && text_is(day, sigv4->derived_day))
        return true;
    unsigned char *key = sigv4->derived;
    struct buf seed;
    buf_init(&seed, FAKE_PARTS_MAX);
    buf_add_str(&seed, "AWS4");
    buf_add_str(&seed, sigv4->keys[index].secret);
    bool ok = buf_ok(&seed) && keyed(sigv4, seed.data, seed.len, day, key) &&
              keyed(sigv4, key, FAKE_HASH_SIZE, text_from(sigv4->region), key) &&
              keyed(sigv4, key, FAKE_HASH_SIZE, text_from(sigv4->service), key) &&
              keyed(sigv4, key, FAKE_HASH_SIZE, text_from("aws4_request"), key);
    buf_free(&seed);
    sigv4->derived_for = index;
    sigv4->derived_day[0] = '\0';
    return ok && text_copy(day, sigv4->derived_day, sizeof(sigv4->derived_day));
}

/* ----------------------------------------------------------------------------------------------------- judgement */

static enum fake_sigv4_verdict read_claim(struct fake_sigv4 *sigv4, const struct fake_request *request,
                                          struct fake_claim *ret)
{
    const struct text *authorization = fake_request_header(request, "authorization");
    bool in_query = fake_request_param(request, "X-Amz-Signature") != NULL;
    ret->in_query = in_query;
    ret->signed_count = 0;
    if (authorization == NULL && !in_query)
        return FAKE_SIGV4_MISSING;
    if (authorization != NULL && in_query)
        return FAKE_SIGV4_MALFORMED; /* S3 takes one of the two */
    bool ok =
        in_query ? fake_claim_from_query(sigv4, request, ret) : fake_claim_from_header(request, *authorization, ret);
    return ok && text_is(ret->region, sigv4->region) && text_is(ret->service, sigv4->service) ? FAKE_SIGV4_OK
                                                                                              : FAKE_SIGV4_MALFORMED;
}

/* A moment still counts as within its end: the kindest reading for a late request, the hardest for the library. */
static enum fake_sigv4_verdict judge_times(const struct fake_sigv4 *sigv4, const struct fake_claim *claim,
                                           uint64_t now_ms, bool ignores_expiry, struct fake_sigv4_times *ret)
{
    int64_t now = (int64_t)now_ms;
    int64_t signed_ms = claim->date_s * 1000;
    ret->signed_ms = (uint64_t)signed_ms;
    ret->ends_ms = claim->in_query ? (uint64_t)(signed_ms + claim->expires_s * 1000) : UINT64_MAX;
    bool too_early = signed_ms > now + sigv4->skew_s * 1000;
    if (claim->in_query) {
        if (too_early)
            return FAKE_SIGV4_NOT_YET;
        return now_ms > ret->ends_ms && !ignores_expiry ? FAKE_SIGV4_EXPIRED : FAKE_SIGV4_OK;
    }
    return too_early || signed_ms < now - sigv4->skew_s * 1000 ? FAKE_SIGV4_SKEWED : FAKE_SIGV4_OK;
}

/* The hash that the client says, or that the service has to make itself. S3 wants to be told; others are not. */
static bool find_payload(struct fake_sigv4 *sigv4, const struct fake_request *request, const struct fake_claim *claim,
                         char hex[FAKE_HASH_HEX], struct text *ret)
{
    const struct text *said = fake_request_header(request, "x-amz-content-sha256");
    if (!sigv4->is_s3) {
        *ret = text_of(hex, FAKE_HASH_HEX);
        return hash_hex(sigv4, request->body, hex);
    }
    if (said != NULL) {
        *ret = *said;
        return true;
    }
    *ret = text_from(UNSIGNED_PAYLOAD);
    return claim->in_query;
}

static bool signature_fits(struct fake_sigv4 *sigv4, const struct fake_claim *claim, size_t index, bool *ret)
{
    static const char digits[] = "0123456789abcdef";
    unsigned char mac[FAKE_HASH_SIZE];
    if (!derive(sigv4, index, claim->day) ||
        !keyed(sigv4, sigv4->derived, FAKE_HASH_SIZE, text_of(buf_str(&sigv4->to_sign), sigv4->to_sign.len), mac))
        return false;
    *ret = true;
    for (size_t i = 0; i < FAKE_HASH_SIZE; i++) {
        *ret = *ret && claim->signature.p[2 * i] == digits[mac[i] >> 4] &&
               claim->signature.p[2 * i + 1] == digits[mac[i] & 15];
    }
    return true;
}

static bool make_to_sign(struct fake_sigv4 *sigv4, const struct fake_claim *claim)
{
    char hex[FAKE_HASH_HEX];
    if (!hash_hex(sigv4, text_of(buf_str(&sigv4->canonical), sigv4->canonical.len), hex))
        return false;
    buf_reset(&sigv4->to_sign);
    return buf_add_f(&sigv4->to_sign, FAKE_ALGORITHM "\n%.*s\n%.*s/%s/%s/aws4_request\n%.*s", (int)claim->date.len,
                     claim->date.p, (int)claim->day.len, claim->day.p, sigv4->region, sigv4->service, FAKE_HASH_HEX,
                     hex);
}

static bool is_known(const struct fake_sigv4 *sigv4, struct text access)
{
    for (size_t i = 0; i < sigv4->key_count; i++)
        if (text_is(access, sigv4->keys[i].access))
            return true;
    return false;
}

/* Against the credentials in force, then against those before them. */
static enum fake_sigv4_verdict judge_signature(struct fake_sigv4 *sigv4, const struct fake_claim *claim)
{
    enum fake_sigv4_verdict verdict = FAKE_SIGV4_INVALID_TOKEN;
    for (size_t i = sigv4->key_count; i-- > 0;) {
        bool fits = false;
        if (!text_is(claim->access, sigv4->keys[i].access) || !text_is(claim->token, sigv4->keys[i].token))
            continue;
        if (!signature_fits(sigv4, claim, i, &fits))
            return FAKE_SIGV4_NO_MEMORY;
        if (fits)
            return i + 1 == sigv4->key_count ? FAKE_SIGV4_OK : FAKE_SIGV4_EXPIRED_TOKEN;
        verdict = FAKE_SIGV4_MISMATCH;
    }
    return verdict;
}

static enum fake_sigv4_verdict judge_payload(struct fake_sigv4 *sigv4, const struct fake_request *request,
                                             struct text payload)
{
    char hex[FAKE_HASH_HEX];
    if (text_is(payload, UNSIGNED_PAYLOAD) || !sigv4->is_s3)
        return FAKE_SIGV4_OK;
    if (!hash_hex(sigv4, request->body, hex))
        return FAKE_SIGV4_NO_MEMORY;
    bool fits = payload.len == FAKE_HASH_HEX && memcmp(payload.p, hex, FAKE_HASH_HEX) == 0;
    return fits ? FAKE_SIGV4_OK : FAKE_SIGV4_PAYLOAD;
}

enum fake_sigv4_verdict fake_sigv4_judge(struct fake_sigv4 *sigv4, const struct fake_request *request, uint64_t now_ms,
                                         bool ignores_expiry, struct fake_sigv4_times *ret_times)
{
    struct fake_claim claim;
    struct fake_sigv4_times times;
    struct text payload;
    char hex[FAKE_HASH_HEX];
    enum fake_sigv4_verdict verdict = read_claim(sigv4, request, &claim);
    if (verdict != FAKE_SIGV4_OK)
        return verdict;
    if (!is_known(sigv4, claim.access))
        return FAKE_SIGV4_UNKNOWN_KEY;
    verdict = judge_times(sigv4, &claim, now_ms, ignores_expiry, &times);
    if (ret_times != NULL)
        *ret_times = times;
    if (verdict != FAKE_SIGV4_OK)
        return verdict;
    if (!fake_claim_covers(request, &claim))
        return FAKE_SIGV4_UNSIGNED;
    if (!find_payload(sigv4, request, &claim, hex, &payload))
        return sigv4->is_s3 ? FAKE_SIGV4_MALFORMED : FAKE_SIGV4_NO_MEMORY;
    if (!fake_canonical_request(sigv4, request, &claim, payload)) {
        bool has_memory = buf_ok(&sigv4->canonical) && buf_ok(&sigv4->query) && buf_ok(&sigv4->to_sign);
        return has_memory ? FAKE_SIGV4_MALFORMED : FAKE_SIGV4_NO_MEMORY;
    }
    if (!make_to_sign(sigv4, &claim))
        return FAKE_SIGV4_NO_MEMORY;
    verdict = judge_signature(sigv4, &claim);
    return verdict == FAKE_SIGV4_OK ? judge_payload(sigv4, request, payload) : verdict;
}
