/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What DynamoDB would refuse whatever is in the table, and so does SQLite: OS_ERR_ARGUMENT, OS_ERR_TOO_LARGE, and
 * OS_ERR_NO_MEMORY. And what could be written, and not be read back. The name of a table is checked by who is asked: an
 * ARN is one for DynamoDB alone.
 */
#ifndef OSCOMMIT_ROWS_CHECK_H
#define OSCOMMIT_ROWS_CHECK_H

#include "base/text.h"
#include "rows/rows.h"

/* Developer Guide, "Quotas", "Naming rules and data types". */
enum {
    ROWS_NAME_MIN = 3, /* of a table or an index */
    ROWS_NAME_MAX = 255,
    ROWS_KEY_NAME_MAX = 255, /* bytes of the name of a key attribute */
    ROWS_PARTITION_MAX = 2048,
    ROWS_SORT_MAX = 1024 /* bytes of their values */
};

bool rows_is_name(struct text name); /* of a table or an index */
bool rows_is_attribute_name(const char *name);
os_code rows_check_name(const char *name, const char *what, os_error *err); /* `what`: "an index" */

os_code rows_check_key(const struct rows_key *key, os_error *err);
os_code rows_check_get(const struct rows_get *get, os_error *err);
/* In a transaction, where an UPDATE must change something; and alone, where no CHECK may stand. */
os_code rows_check_write(const struct rows_write *write, os_error *err);
os_code rows_check_write_alone(const struct rows_write *write, os_error *err);
os_code rows_check_list(const struct rows_list *list, os_error *err);
/* Also of the last key of a page, of a list that has been checked. */
os_code rows_check_start_key(const struct rows_list *list, os_error *err);

/* Several at once: their number, each of them, and that none comes twice. */
os_code rows_check_keys(const struct rows_key *keys, size_t count, os_error *err);
os_code rows_check_gets(const struct rows_get *gets, size_t count, os_error *err);
/* The number, the token, and that no item is to be returned; then, with the writes checked, that no item comes twice and
 * their size, as far as it can be known before: an update makes an item of a size that only the service sees. */
os_code rows_check_transaction(const struct rows_transaction *transaction, os_error *err);
os_code rows_check_together(const struct rows_transaction *transaction, os_error *err);
os_code rows_check_size(size_t bytes, os_error *err); /* of all that a transaction writes */

/* Whether a Query asks for the item, or for one of the key: by those attributes of its key that it has. A Scan asks for
 * every one. Of a list that has been checked. */
bool rows_list_asks_for(const struct rows_list *list, const json_t *item);

/* For the parts of this. The value of a key has nothing inside, so no path leads there; the paths need not be checked. */
os_code rows_check_paths_of_keys(const struct rows_keys *keys, const struct path *paths, size_t count, os_error *err);
os_code rows_check_condition_on_keys(const struct rows_keys *keys, const struct condition *condition, os_error *err);
os_code rows_check_key_names(const struct rows_keys *keys, os_error *err);
os_code rows_check_key_value(const char *name, const json_t *value, bool is_sort, os_error *err);
/* The values of the key of an item, which may have more attributes. */
os_code rows_check_key_values(const struct rows_keys *keys, const json_t *item, os_error *err);

#endif
