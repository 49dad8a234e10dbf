/* SPDX-License-Identifier: Apache-2.0 */
/* What a request says of its signature, read strictly. */
#include "sim/fake_sigv4_internal.h"

#include <string.h>

static struct text cut_at(struct text *rest, char stop)
{
    const char *end = rest->len > 0 ? memchr(rest->p, stop, rest->len) : NULL;
    struct text ret = {rest->p, end != NULL ? (size_t)(end - rest->p) : rest->len};
    size_t taken = ret.len + (end != NULL ? 1 : 0);
    rest->p += taken;
    rest->len -= taken;
    return ret;
}

/* KEY/20150830/us-east-1/s3/aws4_request */
static bool read_credential(struct text text, struct fake_claim *ret)
{
    ret->access = cut_at(&text, '/');
    ret->day = cut_at(&text, '/');
    ret->region = cut_at(&text, '/');
    ret->service = cut_at(&text, '/');
    return text_is(text, "aws4_request") && ret->access.len > 0 && ret->day.len == 8;
}

/* Lower case, each once, in order: that is what the canonical request has to have. */
static bool read_signed_headers(struct fake_claim *ret)
{
    struct text rest = ret->signed_headers;
    struct text last = {"", 0};
    while (rest.len > 0) {
        struct text name = cut_at(&rest, ';');
        size_t common = name.len < last.len ? name.len : last.len;
        int order = memcmp(last.p, name.p, common);
        if (name.len == 0 || ret->signed_count == FAKE_SIGNED_MAX || order > 0 || (order == 0 && last.len >= name.len))
            return false;
        for (size_t i = 0; i < name.len; i++)
            if (name.p[i] >= 'A' && name.p[i] <= 'Z')
                return false;
        ret->signed_names[ret->signed_count++] = name;
        last = name;
    }
    return ret->signed_count > 0;
}

static bool is_signature(struct text text)
{
    for (size_t i = 0; i < text.len; i++)
        if (memchr("0123456789abcdef", text.p[i], 16) == NULL)
            return false;
    return text.len == FAKE_HASH_HEX;
}

static bool read_times(struct fake_claim *ret)
{
    return fake_parse_amz_date(ret->date, &ret->date_s) && memcmp(ret->date.p, ret->day.p, 8) == 0;
}

/* "AWS4-HMAC-SHA256 Credential=..., SignedHeaders=..., Signature=..." */
bool fake_claim_from_header(const struct fake_request *request, struct text authorization, struct fake_claim *ret)
{
    struct text credential = {"", 0};
    if (!text_is(cut_at(&authorization, ' '), FAKE_ALGORITHM))
        return false;
    while (authorization.len > 0) {
        struct text part = text_trim(cut_at(&authorization, ','));
        struct text name = cut_at(&part, '=');
        if (text_is(name, "Credential"))
            credential = part;
        else if (text_is(name, "SignedHeaders"))
            ret->signed_headers = part;
        else if (text_is(name, "Signature"))
            ret->signature = part;
        else
            return false;
    }
    const struct text *date = fake_request_header(request, "x-amz-date");
    const struct text *token = fake_request_header(request, "x-amz-security-token");
    ret->date = date != NULL ? *date : (struct text){"", 0};
    ret->token = token != NULL ? *token : (struct text){"", 0};
    return read_credential(credential, ret) && read_signed_headers(ret) && is_signature(ret->signature) &&
           read_times(ret);
}

/* A parameter, decoded into `parts`. The buffer has its full size from the start, so that slices of it stay. */
static bool decoded(struct fake_sigv4 *sigv4, const struct fake_request *request, const char *name, struct text *ret)
{
    const struct text *value = fake_request_param(request, name);
    size_t at = sigv4->parts.len;
    if (value == NULL || !fake_decode(&sigv4->parts, *value))
        return false;
    *ret = (struct text){sigv4->parts.data + at, sigv4->parts.len - at};
    return true;
}

/* Decoding never makes longer: with this much room at once the block never moves. */
static bool reserve_parts(struct fake_sigv4 *sigv4, size_t room)
{
    static const char zeros[1024] = {0};
    buf_reset(&sigv4->parts);
    while (buf_ok(&sigv4->parts) && sigv4->parts.cap <= room)
        buf_add(&sigv4->parts, zeros, sizeof(zeros));
    bool ok = buf_ok(&sigv4->parts);
    buf_reset(&sigv4->parts);
    return ok;
}

bool fake_claim_from_query(struct fake_sigv4 *sigv4, const struct fake_request *request, struct fake_claim *ret)
{
    struct text algorithm;
    struct text credential;
    struct text expires;
    const struct {
        const char *name;
        struct text *ret;
    } wanted[] = {{"X-Amz-Algorithm", &algorithm},
                  {"X-Amz-Credential", &credential},
                  {"X-Amz-Date", &ret->date},
                  {"X-Amz-Expires", &expires},
                  {"X-Amz-SignedHeaders", &ret->signed_headers},
                  {"X-Amz-Signature", &ret->signature}};
    uint64_t seconds = 0;
    ret->in_query = true;
    ret->token = (struct text){"", 0};
    if (!reserve_parts(sigv4, request->query.len))
        return false;
    for (size_t i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
        if (!decoded(sigv4, request, wanted[i].name, wanted[i].ret))
            return false;
    if (fake_request_param(request, "X-Amz-Security-Token") != NULL &&
        !decoded(sigv4, request, "X-Amz-Security-Token", &ret->token))
        return false;
    bool in_range = text_parse_u64(expires, &seconds) && seconds >= 1 && seconds <= FAKE_EXPIRES_MAX;
    ret->expires_s = (int64_t)seconds;
    return in_range && text_is(algorithm, FAKE_ALGORITHM) && read_credential(credential, ret) &&
           read_signed_headers(ret) && is_signature(ret->signature) && read_times(ret);
}
