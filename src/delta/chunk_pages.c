/* SPDX-License-Identifier: Apache-2.0 */
/* The pages of a column chunk, and their values. */
#include "delta/chunk.h"

#include "base/error.h"
#include "delta/runs.h"
#include "delta/snappy.h"
#include "delta/thrift.h"

#include <string.h>

enum page_type { PAGE_DATA = 0, PAGE_DICTIONARY = 2, PAGE_DATA_V2 = 3 };
enum encoding { ENCODING_PLAIN = 0, ENCODING_PLAIN_DICTIONARY = 2, ENCODING_DICTIONARY = 8 };

struct page {
    uint32_t type;
    uint32_t length; /* as it lies in the file */
    uint32_t values;
    uint32_t encoding;
    uint32_t definition_length; /* of version 2 */
    uint32_t repetition_length;
    bool is_uncompressed; /* the same */
};

/* Bytes that are left. */
struct rest {
    const unsigned char *at;
    size_t length;
};

struct decoding {
    const struct chunk *chunk;
    json_t *dictionary; /* own */
    json_t *values;
    uint64_t left; /* values of the chunk that are still to come */
};

static uint32_t small(struct thrift *thrift, const struct thrift_field *field)
{
    int64_t number = thrift_number(thrift, field);
    if (number < 0 || number > INT32_MAX)
        thrift->failed = true;
    return (uint32_t)number;
}

/* DataPageHeader, DictionaryPageHeader: values and encoding are its first two. Version 2 has more before them. */
static void take_inner(struct thrift *thrift, struct page *page, bool is_v2)
{
    struct thrift_field field = {0};
    while (thrift_next(thrift, &field))
        if (field.id == 1)
            page->values = small(thrift, &field);
        else if (field.id == (is_v2 ? 4 : 2))
            page->encoding = small(thrift, &field);
        else if (is_v2 && field.id == 5)
            page->definition_length = small(thrift, &field);
        else if (is_v2 && field.id == 6)
            page->repetition_length = small(thrift, &field);
        else if (is_v2 && field.id == 7)
            page->is_uncompressed = !thrift_bool(thrift, &field);
        else
            thrift_skip(thrift, &field);
}

static bool take_header(struct rest *rest, struct page *ret)
{
    struct thrift thrift;
    struct thrift_field field = {0};
    memset(ret, 0, sizeof(*ret));
    thrift_init(&thrift, rest->at, rest->length);
    while (thrift_next(&thrift, &field))
        if (field.id == 1)
            ret->type = small(&thrift, &field);
        else if (field.id == 3)
            ret->length = small(&thrift, &field);
        else if ((field.id == 5 || field.id == 7 || field.id == 8) && field.type == THRIFT_STRUCT)
            take_inner(&thrift, ret, field.id == 8);
        else
            thrift_skip(&thrift, &field);
    size_t used = (size_t)(thrift.at - rest->at);
    if (thrift.failed || ret->length > rest->length - used)
        return false;
    rest->at += used;
    rest->length -= used;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- values */

static bool take(struct rest *rest, size_t length, const unsigned char **ret)
{
    if (length > rest->length)
        return false;
    *ret = rest->at;
    rest->at += length;
    rest->length -= length;
    return true;
}

static bool take_number(struct rest *rest, size_t length, uint64_t *ret)
{
    const unsigned char *bytes;
    uint64_t value = 0;
    if (!take(rest, length, &bytes))
        return false;
    for (size_t i = 0; i < length; i++)
        value |= (uint64_t)bytes[i] << (8 * i);
    *ret = value;
    return true;
}

/* NULL: there is none, or it is no text of UTF-8. */
static json_t *plain_value(const struct chunk *chunk, struct rest *rest)
{
    const unsigned char *text;
    uint64_t number = 0;
    switch (chunk->type) {
    case PARQUET_INT32: return take_number(rest, 4, &number) ? json_integer((int32_t)(uint32_t)number) : NULL;
    case PARQUET_INT64: return take_number(rest, 8, &number) ? json_integer((json_int_t)number) : NULL;
    case PARQUET_BYTE_ARRAY:
        if (!take_number(rest, 4, &number) || !take(rest, (size_t)number, &text))
            return NULL;
        return json_stringn((const char *)text, (size_t)number);
    default: return NULL;
    }
}

static bool add(json_t *values, json_t *value)
{
    return value != NULL && json_array_append_new(values, value) == 0;
}

static bool take_dictionary(struct decoding *decoding, const struct page *page, struct rest *rest)
{
    if (page->values > CHUNK_VALUES_MAX || json_array_size(decoding->dictionary) > 0)
        return false;
    for (uint32_t i = 0; i < page->values; i++)
        if (!add(decoding->dictionary, plain_value(decoding->chunk, rest)))
            return false;
    return true;
}

/* ---------------------------------------------------------------------------------------------------------- levels */

static unsigned bits_of(uint32_t most)
{
    unsigned bits = 0;
    for (; most > 0; most >>= 1)
        bits++;
    return bits;
}

/* In version 1 their length stands in front. */
static bool take_levels(struct rest *rest, uint32_t most, uint32_t length, bool is_v2, struct runs *ret)
{
    const unsigned char *bytes = NULL;
    uint64_t counted = length;
    if (most > 0 && !is_v2 && !take_number(rest, 4, &counted))
        return false;
    if (!take(rest, (size_t)counted, &bytes))
        return false;
    (void)runs_init(ret, bytes, most > 0 ? (size_t)counted : 0, bits_of(most)); /* 32 at most */
    return true;
}

static bool next_value(struct decoding *decoding, const struct page *page, struct rest *rest, struct runs *indices)
{
    uint32_t index = 0;
    if (page->encoding == ENCODING_PLAIN)
        return add(decoding->values, plain_value(decoding->chunk, rest));
    json_t *value = runs_next(indices, &index) ? json_array_get(decoding->dictionary, index) : NULL;
    return value != NULL && json_array_append(decoding->values, value) == 0;
}

/* False where they cannot be. Without any value there need be none. */
static bool begin_indices(const struct page *page, struct rest *rest, struct runs *ret)
{
    memset(ret, 0, sizeof(*ret));
    if (page->encoding == ENCODING_PLAIN)
        return true;
    if (page->encoding != ENCODING_DICTIONARY && page->encoding != ENCODING_PLAIN_DICTIONARY)
        return false;
    if (rest->length == 0)
        return true;
    return runs_init(ret, rest->at + 1, rest->length - 1, rest->at[0]);
}

/* What stands at a level: a value at the highest; null where only its parent is there; else nothing. */
static bool take_value(struct decoding *decoding, const struct page *page, struct rest *rest, struct runs *indices,
                       uint32_t level)
{
    const struct chunk *chunk = decoding->chunk;
    if (json_array_size(decoding->values) > CHUNK_VALUES_MAX)
        return false;
    if (level == chunk->max_definition)
        return next_value(decoding, page, rest, indices);
    bool is_null = chunk->is_optional && level + 1 == chunk->max_definition;
    return !is_null || add(decoding->values, json_null());
}

static bool take_values(struct decoding *decoding, const struct page *page, struct rest *rest, struct runs *definitions)
{
    struct runs indices;
    if (!begin_indices(page, rest, &indices))
        return false;
    for (uint32_t i = 0; i < page->values; i++) {
        uint32_t level = 0;
        if (decoding->chunk->max_definition > 0 && !runs_next(definitions, &level))
            return false;
        if (!take_value(decoding, page, rest, &indices, level))
            return false;
    }
    return true;
}

static bool take_data(struct decoding *decoding, const struct page *page, struct rest *rest)
{
    struct runs repetitions;
    struct runs definitions;
    bool is_v2 = page->type == PAGE_DATA_V2;
    if (page->values > decoding->left)
        return false;
    decoding->left -= page->values;
    /* In version 2 they lie in front of what is compressed, and were taken off. */
    return take_levels(rest, decoding->chunk->max_repetition, page->repetition_length, is_v2, &repetitions) &&
           take_levels(rest, decoding->chunk->max_definition, page->definition_length, is_v2, &definitions) &&
           take_values(decoding, page, rest, &definitions);
}

/* ----------------------------------------------------------------------------------------------------------- pages */

static bool take_content(struct decoding *decoding, const struct page *page, struct rest *rest)
{
    if (page->type == PAGE_DICTIONARY)
        return take_dictionary(decoding, page, rest);
    return page->type == PAGE_DATA || page->type == PAGE_DATA_V2 ? take_data(decoding, page, rest) : true;
}

/* The levels of version 2 stay as they are, and the rest behind them is unpacked. */
static bool take_packed(struct decoding *decoding, const struct page *page, const unsigned char *bytes)
{
    struct buf unpacked;
    uint64_t levels = (uint64_t)page->definition_length + page->repetition_length;
    buf_init(&unpacked, CHUNK_LENGTH_MAX);
    bool good = levels <= page->length && buf_add(&unpacked, bytes, (size_t)levels) &&
                snappy_decode(bytes + levels, page->length - (size_t)levels, &unpacked);
    struct rest rest = {(const unsigned char *)buf_str(&unpacked), unpacked.len};
    good = good && take_content(decoding, page, &rest);
    buf_free(&unpacked);
    return good;
}

static bool take_page(struct decoding *decoding, struct rest *rest)
{
    struct page page;
    if (!take_header(rest, &page))
        return false;
    const unsigned char *bytes = rest->at;
    struct rest content = {bytes, page.length};
    rest->at += page.length;
    rest->length -= page.length;
    bool is_plain = decoding->chunk->codec == CHUNK_PLAIN || page.is_uncompressed;
    return is_plain ? take_content(decoding, &page, &content) : take_packed(decoding, &page, bytes);
}

os_code chunk_decode(const struct chunk *chunk, const void *data, size_t length, json_t *values, os_error *err)
{
    struct decoding decoding = {.chunk = chunk, .dictionary = json_array(), .values = values, .left = chunk->values};
    struct rest rest = {data, length};
    bool good = decoding.dictionary != NULL && chunk->values <= CHUNK_ROWS_MAX;
    if (chunk->codec != CHUNK_PLAIN && chunk->codec != CHUNK_SNAPPY) {
        json_decref(decoding.dictionary);
        return error_set(err, OS_ERR_UNSUPPORTED,
                         "The column %s is compressed in a way (codec %u of Parquet) that oscommit does not read.",
                         chunk->path, chunk->codec);
    }
    while (good && rest.length > 0 && decoding.left > 0)
        good = take_page(&decoding, &rest);
    good = good && decoding.left == 0;
    json_decref(decoding.dictionary);
    return good ? OS_OK : error_set(err, OS_ERR_PROTOCOL, "The column %s cannot be read.", chunk->path);
}
