/* SPDX-License-Identifier: Apache-2.0 */
/* The canonical request, made anew from what arrived. */
#include "sim/fake_sigv4_internal.h"

#include <string.h>

static bool names_equal(struct text header, struct text lower)
{
    if (header.len != lower.len)
        return false;
    for (size_t i = 0; i < header.len; i++) {
        char c = header.p[i];
        if ((c >= 'A' && c <= 'Z' ? c + 32 : c) != lower.p[i])
            return false;
    }
    return true;
}

static void add_squeezed(struct buf *out, struct text value)
{
    bool blank = false;
    for (size_t i = 0; i < value.len; i++) {
        bool is_blank = value.p[i] == ' ' || value.p[i] == '\t';
        if (!is_blank)
            buf_add_char(out, value.p[i]);
        else if (!blank)
            buf_add_char(out, ' ');
        blank = is_blank;
    }
}

/* Its values, in the order of sending, with commas between them. False when there is none. */
static bool add_header_line(struct buf *out, const struct fake_request *request, struct text name)
{
    size_t found = 0;
    buf_add(out, name.p, name.len);
    for (size_t i = 0; i < request->header_count; i++) {
        if (names_equal(request->headers[i].name, name)) {
            buf_add_char(out, found++ == 0 ? ':' : ',');
            add_squeezed(out, request->headers[i].value);
        }
    }
    buf_add_char(out, '\n');
    return found > 0;
}

struct pair {
    size_t name_at; /* in `query` */
    size_t name_len;
    size_t value_at;
    size_t value_len;
};

static int compare_at(const char *base, size_t a, size_t a_len, size_t b, size_t b_len)
{
    int order = memcmp(base + a, base + b, a_len < b_len ? a_len : b_len);
    return order != 0 ? order : (a_len > b_len) - (a_len < b_len);
}

static bool comes_after(const char *base, const struct pair *a, const struct pair *b)
{
    int order = compare_at(base, a->name_at, a->name_len, b->name_at, b->name_len);
    return order > 0 || (order == 0 && compare_at(base, a->value_at, a->value_len, b->value_at, b->value_len) > 0);
}

/* Decodes and encodes again, so that what a client wrote in another way is signed as the service writes it. */
static bool add_encoded(struct fake_sigv4 *sigv4, struct text text, size_t *ret_at, size_t *ret_len)
{
    buf_reset(&sigv4->to_sign);
    if (!fake_decode(&sigv4->to_sign, text))
        return false;
    *ret_at = sigv4->query.len;
    bool ok = fake_encode(&sigv4->query, text_of(buf_str(&sigv4->to_sign), sigv4->to_sign.len), false);
    *ret_len = sigv4->query.len - *ret_at;
    return ok;
}

static bool add_query(struct fake_sigv4 *sigv4, const struct fake_request *request)
{
    struct pair pairs[FAKE_PARAMS_MAX];
    size_t count = 0;
    buf_reset(&sigv4->query);
    buf_add_char(&sigv4->query, '?');
    for (size_t i = 0; i < request->param_count; i++) {
        struct pair pair;
        if (text_is(request->params[i].name, "X-Amz-Signature"))
            continue;
        if (!add_encoded(sigv4, request->params[i].name, &pair.name_at, &pair.name_len) ||
            !add_encoded(sigv4, request->params[i].value, &pair.value_at, &pair.value_len))
            return false;
        size_t at = count++;
        for (; at > 0 && comes_after(sigv4->query.data, &pairs[at - 1], &pair); at--)
            pairs[at] = pairs[at - 1];
        pairs[at] = pair;
    }
    for (size_t i = 0; i < count; i++) {
        if (i > 0)
            buf_add_char(&sigv4->canonical, '&');
        buf_add(&sigv4->canonical, sigv4->query.data + pairs[i].name_at, pairs[i].name_len);
        buf_add_char(&sigv4->canonical, '=');
        buf_add(&sigv4->canonical, sigv4->query.data + pairs[i].value_at, pairs[i].value_len);
    }
    buf_add_char(&sigv4->canonical, '\n');
    return buf_ok(&sigv4->canonical);
}

static bool add_path(struct fake_sigv4 *sigv4, struct text path)
{
    buf_reset(&sigv4->to_sign);
    bool ok = fake_decode(&sigv4->to_sign, path) &&
              fake_encode(&sigv4->canonical, text_of(buf_str(&sigv4->to_sign), sigv4->to_sign.len), true);
    buf_add_char(&sigv4->canonical, '\n');
    return ok;
}

static bool is_named(const struct fake_claim *claim, struct text header)
{
    for (size_t i = 0; i < claim->signed_count; i++)
        if (names_equal(header, claim->signed_names[i]))
            return true;
    return false;
}

static bool must_be_signed(struct text header)
{
    static const char prefix[] = "x-amz-";
    size_t len = sizeof(prefix) - 1;
    return names_equal(header, text_from("host")) ||
           (header.len > len && names_equal(text_of(header.p, len), text_from(prefix)));
}

bool fake_claim_covers(const struct fake_request *request, const struct fake_claim *claim)
{
    for (size_t i = 0; i < request->header_count; i++) {
        struct text name = request->headers[i].name;
        if (must_be_signed(name) && !is_named(claim, name))
            return false;
    }
    bool has_host = false;
    for (size_t i = 0; i < claim->signed_count; i++) {
        bool found = false;
        for (size_t j = 0; j < request->header_count && !found; j++)
            found = names_equal(request->headers[j].name, claim->signed_names[i]);
        if (!found)
            return false;
        has_host = has_host || text_is(claim->signed_names[i], "host");
    }
    return has_host;
}

bool fake_canonical_request(struct fake_sigv4 *sigv4, const struct fake_request *request,
                            const struct fake_claim *claim, struct text payload)
{
    struct buf *out = &sigv4->canonical;
    buf_reset(out);
    buf_add(out, request->method.p, request->method.len);
    buf_add_char(out, '\n');
    if (!add_path(sigv4, request->path) || !add_query(sigv4, request))
        return false;
    for (size_t i = 0; i < claim->signed_count; i++)
        if (!add_header_line(out, request, claim->signed_names[i]))
            return false;
    buf_add_char(out, '\n');
    buf_add(out, claim->signed_headers.p, claim->signed_headers.len);
    buf_add_char(out, '\n');
    buf_add(out, payload.p, payload.len);
    return buf_ok(out);
}
