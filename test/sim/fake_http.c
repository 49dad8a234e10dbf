/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/fake_http.h"

#include "proxy/head.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------------ request */

static struct text text_from_head(struct head_text text)
{
    return (struct text){text.p, text.len};
}

static bool split_params(struct fake_request *ret)
{
    struct text rest = ret->query;
    while (rest.len > 0) {
        if (ret->param_count == FAKE_PARAMS_MAX)
            return false;
        const char *end = memchr(rest.p, '&', rest.len);
        size_t whole = end != NULL ? (size_t)(end - rest.p) : rest.len;
        const char *equals = memchr(rest.p, '=', whole);
        size_t name = equals != NULL ? (size_t)(equals - rest.p) : whole;
        size_t skip = equals != NULL ? name + 1 : whole;
        ret->params[ret->param_count++] = (struct fake_field){{rest.p, name}, {rest.p + skip, whole - skip}};
        size_t taken = end != NULL ? whole + 1 : whole;
        rest.p += taken;
        rest.len -= taken;
    }
    return true;
}

static bool read_request_line(struct head_text line, struct fake_request *ret)
{
    struct head_text method;
    struct head_text target;
    if (!head_read_request_line(line, &method, &target) || target.p[0] != '/')
        return false;
    const char *mark = memchr(target.p, '?', target.len);
    size_t path = mark != NULL ? (size_t)(mark - target.p) : target.len;
    ret->method = text_from_head(method);
    ret->path = (struct text){target.p, path};
    ret->query = mark != NULL ? (struct text){mark + 1, target.len - path - 1} : (struct text){"", 0};
    return split_params(ret);
}

static bool read_header(struct head_text line, struct fake_request *ret, struct head_framing *framing)
{
    struct head_field field;
    if (ret->header_count == FAKE_HEADERS_MAX || !head_read_field(line, &field) || !head_note_framing(&field, framing))
        return false;
    ret->headers[ret->header_count++] = (struct fake_field){text_from_head(field.name), text_from_head(field.value)};
    return true;
}

/* No chunked bodies: the library sends none. */
static bool read_body(struct head_text rest, const struct head_framing *framing, struct fake_request *ret)
{
    ret->body = text_from_head(rest);
    ret->cut_short = framing->length > rest.len;
    return !framing->chunked && framing->length >= rest.len;
}

bool fake_request_parse(const char *bytes, size_t length, struct fake_request *ret)
{
    struct head_text rest = {bytes, length};
    struct head_text line;
    struct head_framing framing = {0};
    ret->header_count = 0;
    ret->param_count = 0;
    if (!head_take_line(&rest, &line) || !read_request_line(line, ret))
        return false;
    while (head_take_line(&rest, &line)) {
        if (line.len == 0)
            return read_body(rest, &framing, ret);
        if (!read_header(line, ret, &framing))
            return false;
    }
    return false;
}

const struct text *fake_request_header(const struct fake_request *request, const char *name)
{
    for (size_t i = 0; i < request->header_count; i++)
        if (head_is((struct head_text){request->headers[i].name.p, request->headers[i].name.len}, name))
            return &request->headers[i].value;
    return NULL;
}

const struct text *fake_request_param(const struct fake_request *request, const char *name)
{
    for (size_t i = 0; i < request->param_count; i++)
        if (text_is(request->params[i].name, name))
            return &request->params[i].value;
    return NULL;
}

/* ------------------------------------------------------------------------------------------------------- codings */

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    c = c >= 'a' && c <= 'f' ? (char)(c - 'a' + 'A') : c;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

bool fake_decode(struct buf *out, struct text text)
{
    for (size_t i = 0; i < text.len; i++) {
        char c = text.p[i];
        if (c == '%') {
            int high = text.len - i > 2 ? hex_digit(text.p[i + 1]) : -1;
            int low = text.len - i > 2 ? hex_digit(text.p[i + 2]) : -1;
            if (high < 0 || low < 0)
                return false;
            c = (char)(high * 16 + low);
            i += 2;
        }
        buf_add_char(out, c);
    }
    return buf_ok(out);
}

static bool is_plain(unsigned char c, bool keep_slash)
{
    return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '.' ||
           c == '_' || c == '~' || (keep_slash && c == '/');
}

bool fake_encode(struct buf *out, struct text text, bool keep_slash)
{
    static const char digits[] = "0123456789ABCDEF";
    size_t plain = 0; /* how many bytes before i are still to be written as they are */
    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.p[i];
        if (is_plain(c, keep_slash)) {
            plain++;
            continue;
        }
        const char escape[3] = {'%', digits[c >> 4], digits[c & 15]};
        buf_add(out, text.p + i - plain, plain);
        buf_add(out, escape, sizeof(escape));
        plain = 0;
    }
    buf_add(out, text.p + text.len - plain, plain);
    return buf_ok(out);
}

/* --------------------------------------------------------------------------------------------------------- dates */

struct civil {
    int64_t year;
    unsigned month; /* 1 to 12 */
    unsigned day;
    unsigned weekday; /* 0: Sunday */
};

/* Days since 1970-01-01 of the Gregorian calendar, counted in years that begin in March, so that the leap day is the
 * last of its year. */
static int64_t days_of(int64_t year, unsigned month, unsigned day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    unsigned shifted = month <= 2 ? month + 9 : month - 3;
    int64_t days_before_month = (int64_t)((153 * shifted + 2) / 5);
    return 365 * y + y / 4 - y / 100 + y / 400 + days_before_month + (int64_t)day - 1 - 719468;
}

static struct civil civil_of(int64_t days)
{
    struct civil ret = {0};
    ret.weekday = (unsigned)((days + 4) % 7);
    int64_t year = 1970 + days / 366; /* never too late */
    while (days_of(year + 1, 1, 1) <= days)
        year++;
    unsigned month = 1;
    while (month < 12 && days_of(year, month + 1, 1) <= days)
        month++;
    ret.year = year;
    ret.month = month;
    ret.day = (unsigned)(days - days_of(year, month, 1)) + 1;
    return ret;
}

static bool digits_at(const char *p, size_t count, unsigned *ret)
{
    unsigned value = 0;
    for (size_t i = 0; i < count; i++) {
        if (p[i] < '0' || p[i] > '9')
            return false;
        value = value * 10 + (unsigned)(p[i] - '0');
    }
    *ret = value;
    return true;
}

bool fake_parse_amz_date(struct text text, int64_t *ret_s)
{
    /* year, month, day, hour, minute, second: where they stand, and what they may be */
    static const struct {
        unsigned char at, digits;
        unsigned short least, most;
    } parts[] = {{0, 4, 1970, 9999}, {4, 2, 1, 12}, {6, 2, 1, 31}, {9, 2, 0, 23}, {11, 2, 0, 59}, {13, 2, 0, 59}};
    unsigned value[6];
    if (text.len != 16 || text.p[8] != 'T' || text.p[15] != 'Z')
        return false;
    for (size_t i = 0; i < 6; i++)
        if (!digits_at(text.p + parts[i].at, parts[i].digits, &value[i]) || value[i] < parts[i].least ||
            value[i] > parts[i].most)
            return false;
    *ret_s = days_of(value[0], value[1], value[2]) * 86400 + (int64_t)value[3] * 3600 + (int64_t)value[4] * 60 +
             (int64_t)value[5];
    return true;
}

void fake_format_amz_date(int64_t epoch_s, char ret[17])
{
    struct civil date = civil_of(epoch_s / 86400);
    unsigned s = (unsigned)(epoch_s % 86400);
    char text[64];
    snprintf(text, sizeof(text), "%04u%02u%02uT%02u%02u%02uZ", (unsigned)date.year % 10000, date.month, date.day,
             s / 3600, s / 60 % 60, s % 60);
    memcpy(ret, text, 16);
    ret[16] = '\0';
}

void fake_format_http_date(int64_t epoch_s, char ret[30])
{
    static const char days[] = "SunMonTueWedThuFriSat";
    static const char months[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
    struct civil date = civil_of(epoch_s / 86400);
    unsigned s = (unsigned)(epoch_s % 86400);
    char text[64];
    snprintf(text, sizeof(text), "%.3s, %02u %.3s %04u %02u:%02u:%02u GMT", days + 3 * (size_t)date.weekday, date.day,
             months + 3 * (size_t)(date.month - 1), (unsigned)date.year % 10000, s / 3600, s / 60 % 60, s % 60);
    memcpy(ret, text, 29);
    ret[29] = '\0';
}

void fake_format_iso_date(uint64_t epoch_ms, char ret[32])
{
    struct civil date = civil_of((int64_t)(epoch_ms / 86400000));
    unsigned s = (unsigned)(epoch_ms / 1000 % 86400);
    char text[64];
    snprintf(text, sizeof(text), "%04u-%02u-%02uT%02u:%02u:%02u.%03uZ", (unsigned)date.year % 10000, date.month,
             date.day, s / 3600, s / 60 % 60, s % 60, (unsigned)(epoch_ms % 1000));
    memcpy(ret, text, 24);
    ret[24] = '\0';
}

/* -------------------------------------------------------------------------------------------------------- answer */

void fake_answer_init(struct fake_answer *answer)
{
    *answer = (struct fake_answer){0};
    buf_init(&answer->headers, FAKE_HEAD_MAX);
    buf_init(&answer->body, FAKE_MESSAGE_MAX);
}

void fake_answer_free(struct fake_answer *answer)
{
    buf_free(&answer->headers);
    buf_free(&answer->body);
}

void fake_answer_reset(struct fake_answer *answer, int status)
{
    buf_reset(&answer->headers);
    buf_reset(&answer->body);
    answer->status = status;
    answer->is_head = false;
    answer->head_length = 0;
}

void fake_answer_header(struct fake_answer *answer, const char *name, const char *value)
{
    buf_add_str(&answer->headers, name);
    buf_add(&answer->headers, ": ", 2);
    buf_add_str(&answer->headers, value);
    buf_add(&answer->headers, "\r\n", 2);
}

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {{200, "OK"},
                   {204, "No Content"},
                   {206, "Partial Content"},
                   {400, "Bad Request"},
                   {403, "Forbidden"},
                   {404, "Not Found"},
                   {405, "Method Not Allowed"},
                   {409, "Conflict"},
                   {411, "Length Required"},
                   {412, "Precondition Failed"},
                   {413, "Request Entity Too Large"},
                   {416, "Requested Range Not Satisfiable"},
                   {501, "Not Implemented"}};
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "Unknown";
}

bool fake_answer_write(const struct fake_answer *answer, struct buf *ret)
{
    buf_reset(ret);
    if (!buf_ok(&answer->headers) || !buf_ok(&answer->body))
        return false;
    buf_add_f(ret, "HTTP/1.1 %d %s\r\n", answer->status, reason(answer->status));
    buf_add(ret, buf_str(&answer->headers), answer->headers.len);
    if (answer->status != 204 && answer->status != 304) {
        uint64_t length = answer->is_head && answer->body.len == 0 ? answer->head_length : answer->body.len;
        buf_add_f(ret, "Content-Length: %" PRIu64 "\r\n", length);
    }
    buf_add_str(ret, "\r\n");
    if (!answer->is_head && answer->status != 204 && answer->status != 304)
        buf_add(ret, buf_str(&answer->body), answer->body.len);
    return buf_ok(ret);
}
