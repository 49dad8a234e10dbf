/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The values of key attributes as bytes whose order (memcmp, a shorter one before what it begins) is the order of the
 * values: SQLite compares blobs so. S is its UTF-8 and B its bytes, as DynamoDB orders them.
 *
 * N: 0x80 is zero. A positive number is 0x81, its power of ten + 130, then a byte for each two of its digits, their value
 * + 1, so that 1.05 comes behind 1. A negative one is 0x7f, and the same bytes from there on inverted, with an 0xff behind
 * them: what would come first comes last. At most 22 bytes for 38 digits, and different bytes for different numbers.
 */
#ifndef OSCOMMIT_SQLITE_ROWS_KEY_H
#define OSCOMMIT_SQLITE_ROWS_KEY_H

#include "attribute/number.h"
#include "rows/check.h"
#include "rows/definition.h"

#include <stdint.h>

#define ROWS_HASHES (INT64_C(1) << 32)

/* One byte more than a partition has: what follows a value directly is that with a 0 behind it. */
struct rows_bytes {
    size_t size;
    unsigned char bytes[ROWS_PARTITION_MAX + 1];
};

void rows_number_bytes(const struct number *number, struct rows_bytes *ret);
int rows_bytes_compare(const struct rows_bytes *a, const struct rows_bytes *b); /* < 0, 0, > 0 */

/* Where an item stands in its table, or an index. */
struct encoded_key {
    int64_t hash; /* of the partition, 0 to ROWS_HASHES - 1: a segment of a scan is a part of them */
    struct rows_bytes partition;
    struct rows_bytes sort; /* empty where the table has no sort key */
};
void encoded_key_hash(struct encoded_key *key); /* sets `hash` */
bool encoded_keys_equal(const struct encoded_key *a, const struct encoded_key *b);

/* Of a value that has no fault. */
void rows_bytes_of(const json_t *value, struct rows_bytes *ret);

/* What is wrong with a value of a key attribute; NULL: nothing. */
const char *rows_value_fault(const struct rows_attribute *attribute, const json_t *value, size_t size_max);
/* The key of an item, which may have more attributes. OS_ERR_ARGUMENT: a sentence about the attribute of `table`. */
os_code encoded_key_of(const char *table, const struct rows_key_schema *keys, const json_t *item,
                       struct encoded_key *ret, os_error *err);

/* False: the index does not have the item, which lacks one of its keys. */
bool encoded_key_of_index(const struct rows_key_schema *keys, const json_t *item, struct encoded_key *ret);
/* The service refuses an item with a value of another type in an index's key, with an empty one, or one too long (seen at
 * DynamoDB Local, which does not look at what an update sets; the service does). OS_ERR_ARGUMENT. */
os_code rows_index_keys_check(const struct rows_definition *definition, const json_t *item, os_error *err);

/* The attributes of a key, of an item that has them; for json_decref. `index`: NULL, or those of its keys, too. NULL when
 * out of memory. */
json_t *rows_key_attributes(const struct rows_key_schema *keys, const struct rows_index *index, const json_t *item);

#endif
