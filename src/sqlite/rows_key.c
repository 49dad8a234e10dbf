/* SPDX-License-Identifier: Apache-2.0 */
#include "sqlite/rows_key.h"

#include "attribute/binary.h"
#include "attribute/scalar.h"
#include "base/error.h"
#include "base/fnv.h"

#include <string.h>

/* --------------------------------------------------------------------------------------------------------- bytes */

enum { ZERO = 0x80, POSITIVE = 0x81, NEGATIVE = 0x7f, NEGATIVE_END = 0xff };

static unsigned digit_at(const struct number *number, size_t at)
{
    return at < number->count ? number->digits[at] : 0;
}

void rows_number_bytes(const struct number *number, struct rows_bytes *ret)
{
    unsigned char inverted = number->is_negative ? 0xff : 0;
    unsigned char *at = ret->bytes;
    if (number->count == 0) {
        *at++ = ZERO;
    } else {
        *at++ = number->is_negative ? NEGATIVE : POSITIVE;
        *at++ = (unsigned char)(number->power - NUMBER_SMALLEST) ^ inverted;
        for (size_t i = 0; i < number->count; i += 2)
            *at++ = (unsigned char)(10 * digit_at(number, i) + digit_at(number, i + 1) + 1) ^ inverted;
        if (number->is_negative)
            *at++ = NEGATIVE_END;
    }
    ret->size = (size_t)(at - ret->bytes);
}

int rows_bytes_compare(const struct rows_bytes *a, const struct rows_bytes *b)
{
    int order = memcmp(a->bytes, b->bytes, a->size < b->size ? a->size : b->size);
    return order != 0 ? order : (a->size > b->size) - (a->size < b->size);
}

bool encoded_keys_equal(const struct encoded_key *a, const struct encoded_key *b)
{
    return a->hash == b->hash && rows_bytes_compare(&a->partition, &b->partition) == 0 &&
           rows_bytes_compare(&a->sort, &b->sort) == 0;
}

/* FNV leaves its upper bits alike where texts differ only at their end, and segments go by those: they are mixed with the
 * lower ones (MurmurHash3's last step). Files depend on it. */
void encoded_key_hash(struct encoded_key *key)
{
    uint64_t hash = fnv_of_bytes(key->partition.bytes, key->partition.size);
    hash = (hash ^ hash >> 33) * UINT64_C(0xff51afd7ed558ccd);
    key->hash = (int64_t)(hash >> 32);
}

static size_t bytes_size(const json_t *value)
{
    struct text text = scalar_text(value_inside(value));
    return value_type(value) == VALUE_B ? binary_size(text) : text.len;
}

void rows_bytes_of(const json_t *value, struct rows_bytes *ret)
{
    const json_t *inside = value_inside(value);
    struct text text = scalar_text(inside);
    if (value_type(value) == VALUE_N) {
        struct number number = scalar_number(inside);
        rows_number_bytes(&number, ret);
        return;
    }
    ret->size = bytes_size(value);
    if (value_type(value) == VALUE_B)
        binary_decode(text, ret->bytes);
    else
        memcpy(ret->bytes, text.p, text.len);
}

/* The values have no fault. */
static void encode(const json_t *partition, const json_t *sort, struct encoded_key *ret)
{
    rows_bytes_of(partition, &ret->partition);
    encoded_key_hash(ret);
    ret->sort.size = 0;
    if (sort != NULL)
        rows_bytes_of(sort, &ret->sort);
}

/* ---------------------------------------------------------------------------------------------------------- keys */

const char *rows_value_fault(const struct rows_attribute *attribute, const json_t *value, size_t size_max)
{
    if (value == NULL)
        return "is missing";
    if (value_type(value) != attribute->type)
        return "is of another type than the key";
    if (attribute->type == VALUE_N)
        return NULL; /* it has 22 bytes at most */
    if (bytes_size(value) == 0)
        return "is empty, which the value of a key cannot be";
    return bytes_size(value) > size_max ? "is too long: a partition key has at most 2048 bytes, a sort key 1024" : NULL;
}

static os_code refuse(const char *table, const struct rows_attribute *attribute, const char *key, const char *fault,
                      os_error *err)
{
    return error_set(err, OS_ERR_ARGUMENT, "\"%.255s\", the %s key of the table %.255s (type %s), %s.", attribute->name,
                     key, table, value_type_name(attribute->type), fault);
}

os_code encoded_key_of(const char *table, const struct rows_key_schema *keys, const json_t *item,
                       struct encoded_key *ret, os_error *err)
{
    const json_t *partition = json_object_get(item, keys->partition.name);
    const char *fault = rows_value_fault(&keys->partition, partition, ROWS_PARTITION_MAX);
    if (fault != NULL)
        return refuse(table, &keys->partition, "partition", fault, err);
    const json_t *sort = keys->sort.name != NULL ? json_object_get(item, keys->sort.name) : NULL;
    fault = keys->sort.name != NULL ? rows_value_fault(&keys->sort, sort, ROWS_SORT_MAX) : NULL;
    if (fault != NULL)
        return refuse(table, &keys->sort, "sort", fault, err);
    encode(partition, sort, ret);
    return OS_OK;
}

bool encoded_key_of_index(const struct rows_key_schema *keys, const json_t *item, struct encoded_key *ret)
{
    const json_t *partition = json_object_get(item, keys->partition.name);
    const json_t *sort = keys->sort.name != NULL ? json_object_get(item, keys->sort.name) : NULL;
    if (rows_value_fault(&keys->partition, partition, ROWS_PARTITION_MAX) != NULL ||
        (keys->sort.name != NULL && rows_value_fault(&keys->sort, sort, ROWS_SORT_MAX) != NULL))
        return false;
    encode(partition, sort, ret);
    return true;
}

os_code rows_index_keys_check(const struct rows_definition *definition, const json_t *item, os_error *err)
{
    for (size_t i = 0; i < 2 * definition->index_count; i++) {
        const struct rows_index *index = &definition->indexes[i / 2];
        bool is_sort = i % 2 == 1;
        const struct rows_attribute *attribute = is_sort ? &index->keys.sort : &index->keys.partition;
        const json_t *value = attribute->name != NULL ? json_object_get(item, attribute->name) : NULL;
        const char *fault =
            value != NULL ? rows_value_fault(attribute, value, is_sort ? ROWS_SORT_MAX : ROWS_PARTITION_MAX) : NULL;
        if (fault != NULL)
            return error_set(err, OS_ERR_ARGUMENT, "\"%.255s\", the %s key of the index %.255s (type %s), %s.",
                             attribute->name, is_sort ? "sort" : "partition", index->name,
                             value_type_name(attribute->type), fault);
    }
    return OS_OK;
}

/* ---------------------------------------------------------------------------------------------------- attributes */

static bool add_attribute(json_t *key, const char *name, const json_t *item)
{
    return name == NULL || json_object_set(key, name, json_object_get(item, name)) == 0;
}

json_t *rows_key_attributes(const struct rows_key_schema *keys, const struct rows_index *index, const json_t *item)
{
    json_t *key = json_object();
    bool done =
        key != NULL && add_attribute(key, keys->partition.name, item) && add_attribute(key, keys->sort.name, item) &&
        (index == NULL ||
         (add_attribute(key, index->keys.partition.name, item) && add_attribute(key, index->keys.sort.name, item)));
    if (done)
        return key;
    json_decref(key);
    return NULL;
}
