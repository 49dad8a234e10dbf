/* SPDX-License-Identifier: Apache-2.0 */
/* Several items at once, of several tables. */
#include "attribute/value.h"
#include "base/error.h"
#include "rows/check.h"

#include <string.h>

static const char a_read[] = "A read of several items";
static const char a_transaction[] = "A transaction";

static os_code check_count(const char *what, size_t count, os_error *err)
{
    if (count >= 1 && count <= ROWS_AT_ONCE_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_ARGUMENT,
                     "%s names 1 to %d items, and this one would name %zu: give it as many as it may have.", what,
                     ROWS_AT_ONCE_MAX, count);
}

/* The items that were named so far. A key is compared with those of its hash alone: comparing values takes long. */
struct named {
    const char *what; /* names them */
    struct rows_key keys[ROWS_AT_ONCE_MAX];
    uint64_t hashes[ROWS_AT_ONCE_MAX];
    size_t count;
};

/* A name and an ARN are two tables here; the service finds out itself. `key` may be that of a whole item. */
static os_code name_once(struct named *named, struct rows_key key, os_error *err)
{
    char text[ROWS_KEY_TEXT_SIZE];
    const struct rows_keys *names = &key.table->keys;
    uint64_t hash = rows_key_hash(names, key.key);
    for (size_t i = 0; i < named->count; i++) {
        const struct rows_key *other = &named->keys[i];
        if (named->hashes[i] == hash && strcmp(other->table->name, key.table->name) == 0 &&
            rows_same_key(names, other->key, key.key))
            return error_set(err, OS_ERR_ARGUMENT,
                             "%s names the item %s of table \"%s\" twice, which DynamoDB refuses.", named->what,
                             rows_key_text(names, key.key, text), key.table->name);
    }
    named->keys[named->count] = key;
    named->hashes[named->count++] = hash;
    return OS_OK;
}

/* --------------------------------------------------------------------------------------------------------- reads */

os_code rows_check_keys(const struct rows_key *keys, size_t count, os_error *err)
{
    struct named named = {.what = a_read};
    os_code code = check_count(a_read, count, err);
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        code = rows_check_key(&keys[i], err);
        if (code == OS_OK)
            code = name_once(&named, keys[i], err);
    }
    return code;
}

os_code rows_check_gets(const struct rows_get *gets, size_t count, os_error *err)
{
    struct named named = {.what = a_read};
    os_code code = check_count(a_read, count, err);
    for (size_t i = 0; i < count && code == OS_OK; i++) {
        code = rows_check_get(&gets[i], err);
        if (code == OS_OK)
            code = name_once(&named, gets[i].of, err);
    }
    return code;
}

/* -------------------------------------------------------------------------------------------------- transactions */

os_code rows_check_transaction(const struct rows_transaction *transaction, os_error *err)
{
    struct text token = text_from(transaction->token);
    if (token.len == 0 || token.len > ROWS_TOKEN_MAX || !text_is_visible(token)) {
        return error_set(err, OS_ERR_ARGUMENT,
                         "A transaction needs a token of 1 to %d visible ASCII characters, and each its own: by it one "
                         "that is sent again is known.",
                         ROWS_TOKEN_MAX);
    }
    os_code code = check_count(a_transaction, transaction->count, err);
    for (size_t i = 0; i < transaction->count && code == OS_OK; i++)
        if (transaction->writes[i].returns_item)
            code = error_set(err, OS_ERR_ARGUMENT, "A transaction returns no items. Read them afterwards.");
    return code;
}

os_code rows_check_size(size_t bytes, os_error *err)
{
    if (bytes <= ROWS_TRANSACTION_SIZE_MAX)
        return OS_OK;
    return error_set(err, OS_ERR_TOO_LARGE,
                     "The items of the transaction have %zu bytes together; DynamoDB takes at most 4 MB. Make the "
                     "transaction smaller.",
                     bytes);
}

static struct rows_key key_of(const struct rows_write *write)
{
    return (struct rows_key){write->table, write->item};
}

os_code rows_check_together(const struct rows_transaction *transaction, os_error *err)
{
    struct named named = {.what = a_transaction};
    size_t bytes = 0;
    for (size_t i = 0; i < transaction->count; i++) {
        os_code code = name_once(&named, key_of(&transaction->writes[i]), err);
        if (code != OS_OK)
            return code;
        bytes += item_size(transaction->writes[i].item);
    }
    return rows_check_size(bytes, err);
}
