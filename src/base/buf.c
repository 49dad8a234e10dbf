/* SPDX-License-Identifier: Apache-2.0 */
#include "base/buf.h"

#include "base/text.h"

#include <assert.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST_CAP = 64 };

void buf_init(struct buf *buf, size_t max)
{
    assert(max < SIZE_MAX);
    *buf = (struct buf){.max = max};
}

static void give_back(const struct buf *buf)
{
    if (buf->secret && buf->data != NULL)
        explicit_bzero(buf->data, buf->cap);
    free(buf->data);
}

static void make_empty(struct buf *buf)
{
    bool secret = buf->secret;
    buf_init(buf, buf->max);
    buf->secret = secret;
}

void buf_free(struct buf *buf)
{
    give_back(buf);
    make_empty(buf);
}

void buf_reset(struct buf *buf)
{
    buf->failed = false;
    buf->len = 0;
    if (buf->data != NULL)
        buf->data[0] = '\0';
}

static bool give_up(struct buf *buf)
{
    buf_free(buf);
    buf->failed = true;
    return false;
}

/* realloc would leave what is secret where it was. */
static char *resize(const struct buf *buf, size_t cap)
{
    char *data = buf->secret ? malloc(cap) : realloc(buf->data, cap);
    if (data == NULL || !buf->secret)
        return data;
    if (buf->data != NULL)
        memcpy(data, buf->data, buf->len + 1);
    give_back(buf);
    return data;
}

/* Makes room for `more` bytes and a NUL. */
static bool buf_grow(struct buf *buf, size_t more)
{
    if (buf->failed || more > buf->max - buf->len)
        return give_up(buf);
    size_t needed = buf->len + more + 1;
    if (needed <= buf->cap)
        return true;
    size_t cap = buf->cap > 0 ? buf->cap : FIRST_CAP;
    while (cap < needed)
        cap = cap > SIZE_MAX / 2 ? needed : cap * 2;
    if (cap > buf->max + 1)
        cap = buf->max + 1;
    char *data = resize(buf, cap);
    if (data == NULL)
        return give_up(buf);
    buf->data = data;
    buf->cap = cap;
    assert(buf->len < buf->cap);
    return true;
}

bool buf_add(struct buf *buf, const void *data, size_t len)
{
    if (!buf_grow(buf, len))
        return false;
    if (len > 0)
        memcpy(buf->data + buf->len, data, len);
    buf->len += len;
    buf->data[buf->len] = '\0';
    return true;
}

bool buf_add_str(struct buf *buf, const char *str)
{
    return buf_add(buf, str, strlen(str));
}

bool buf_add_char(struct buf *buf, char c)
{
    if (!buf_grow(buf, 1))
        return false;
    buf->data[buf->len++] = c;
    buf->data[buf->len] = '\0';
    return true;
}

bool buf_add_number(struct buf *buf, uint64_t value)
{
    char digits[TEXT_NUMBER_SIZE];
    return buf_add(buf, digits, text_number(value, digits));
}

bool buf_add_strs(struct buf *buf, const char *first, ...)
{
    va_list args;
    va_start(args, first);
    for (const char *str = first; str != NULL; str = va_arg(args, const char *))
        buf_add_str(buf, str);
    va_end(args);
    return buf_ok(buf);
}

bool buf_reserve(struct buf *buf, size_t more)
{
    size_t left = buf->max - buf->len;
    if (!buf_grow(buf, more < left ? more : left))
        return false;
    buf->data[buf->len] = '\0';
    return true;
}

bool buf_add_f(struct buf *buf, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int needed = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (needed < 0)
        return give_up(buf);
    if (!buf_grow(buf, (size_t)needed))
        return false;
    va_start(args, format);
    int written = vsnprintf(buf->data + buf->len, (size_t)needed + 1, format, args);
    va_end(args);
    if (written != needed)
        return give_up(buf);
    buf->len += (size_t)needed;
    return true;
}

bool buf_ok(const struct buf *buf)
{
    return !buf->failed;
}

const char *buf_str(const struct buf *buf)
{
    return buf->data != NULL ? buf->data : "";
}

char *buf_take(struct buf *buf)
{
    if (buf->failed)
        return NULL;
    char *data = buf->data != NULL ? buf->data : calloc(1, 1);
    make_empty(buf);
    return data;
}
