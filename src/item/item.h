/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item of a table, as plain data: typed attributes under a key, what a table's items look like, and on what a change
 * of one may depend. Every kind of table speaks of items in these words (dynamo/, sqlite/); what an item means is for
 * whoever has the schema. Values are numbered as the schema's attributes are.
 */
#ifndef OSCOMMIT_ITEM_ITEM_H
#define OSCOMMIT_ITEM_ITEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { ITEM_ATTRIBUTES_MAX = 10, ITEM_KEYS_MAX = 2, ITEM_TERMS_MAX = 8 };

enum item_type {
    ITEM_NONE = 0, /* it is not there */
    ITEM_STRING,   /* UTF-8, at least one byte, no NUL */
    ITEM_NUMBER    /* 0 to 2^64 - 1 */
};

struct item_value {
    enum item_type type;
    const char *text; /* of a STRING; borrowed */
    uint64_t number;  /* of a NUMBER */
};

struct item {
    struct item_value values[ITEM_ATTRIBUTES_MAX];
};

enum item_presence {
    ITEM_REQUIRED = 1,
    ITEM_OPTIONAL,
    /* Nothing rests on it: a read does not ask for it, and one of another type is as one that is not there. Not every
     * table keeps it. */
    ITEM_REMARK
};

struct item_attribute {
    const char *name; /* letters and '_': it becomes a placeholder in expressions */
    enum item_type type;
    enum item_presence presence;
    size_t max; /* STRING: bytes */
};

/* Which table of a file that has several. */
enum item_kind { ITEM_RECORDS = 0, ITEM_LEASES, ITEM_LOCKS, ITEM_KINDS };

/* What sentences call the items of a table. Static data. */
struct item_words {
    const char *what;    /* "record" */
    const char *plural;  /* "records" */
    const char *subject; /* "record of key", before the key */
    const char *mend;    /* what a person can do about an item that does not fit; a sentence */
    const char
        *flag; /* " --leases": what `oscommit table create` and `check` need for a table of them; or "". NULL: the
                            tool makes no such table */
    const char *sweep; /* "oscommit gc URL --remove": the command that removes old ones where no TTL does */
};

/* Static data. The key comes first: the partition, then (with two) the sort key. */
struct item_schema {
    enum item_kind kind;
    struct item_words words;
    const struct item_attribute *attributes;
    size_t count;
    size_t keys;
    size_t ttl; /* the attribute that says when an item may be removed, in epoch seconds */
};

/* ---------------------------------------------------------------------------------------------------- conditions */

enum item_test {
    ITEM_IS_ABSENT = 1,
    ITEM_IS_THERE,
    ITEM_EQUALS,
    ITEM_IS_BELOW,   /* a NUMBER that is there, and less */
    ITEM_IS_AT_LEAST /* a NUMBER that is there, and not less */
};

struct item_term {
    size_t attribute;
    enum item_test test;
    struct item_value value; /* EQUALS, IS_BELOW, IS_AT_LEAST */
    bool is_alternative;     /* begins one: the terms before it hold, or these */
};

/* Alternatives, of which one must hold with all its terms. Within an expression an attribute is compared once. */
struct item_condition {
    struct item_term terms[ITEM_TERMS_MAX];
    size_t count;
};

/* For building one, term by term. */
void item_require_absent(struct item_condition *condition, size_t attribute);
void item_require_there(struct item_condition *condition, size_t attribute);
void item_require_text(struct item_condition *condition, size_t attribute, const char *text);
void item_require_number(struct item_condition *condition, size_t attribute, uint64_t number);
void item_require_below(struct item_condition *condition, size_t attribute, uint64_t number);
void item_require_at_least(struct item_condition *condition, size_t attribute, uint64_t number);
void item_or(struct item_condition *condition); /* the next term begins an alternative */

/* `item` NULL: there is none, which has no attributes. */
bool item_condition_holds(const struct item_condition *condition, const struct item *item);

/* ------------------------------------------------------------------------------------------------------- changes */

enum item_change_kind { ITEM_SET = 1, ITEM_ADD /* to a NUMBER; to 0 where there is none */, ITEM_REMOVE };

struct item_change {
    size_t attribute;
    enum item_change_kind kind;
    struct item_value value; /* SET, ADD */
};

/* `item` becomes what it is after the changes. False: a sum that no NUMBER can be; `item` is changed in part then. */
bool item_change(struct item *item, const struct item_change *changes, size_t count);

/* ------------------------------------------------------------------------------------------------------ outcomes */

/* What a table says to a request. */
enum table_outcome {
    TABLE_OK = 1,             /* a write was applied; a read was answered (the item may be absent) */
    TABLE_CONFLICT = 2,       /* the condition failed, here is the item */
    TABLE_CONFLICT_BLIND = 3, /* the condition failed, and the answer has no item: read it */
    TABLE_THROTTLED = 4,      /* definitely not applied, try again later (E1) */
    TABLE_AMBIGUOUS = 5,      /* no answer, 5xx, wrong checksum: may have been applied */
    TABLE_REFUSED = 6,        /* definitely not applied, and trying again will not help */
    TABLE_UNREADABLE = 7      /* there is an item, but it does not fit the schema */
};

static inline struct item_value item_text(const char *text) /* "" and NULL: none */
{
    bool is_there = text != NULL && text[0] != '\0';
    return (struct item_value){.type = is_there ? ITEM_STRING : ITEM_NONE, .text = is_there ? text : NULL};
}

static inline struct item_value item_number(uint64_t number)
{
    return (struct item_value){.type = ITEM_NUMBER, .number = number};
}

/* "" where it is not there. */
static inline const char *item_text_of(const struct item *item, size_t attribute)
{
    return item->values[attribute].type == ITEM_STRING ? item->values[attribute].text : "";
}

#endif
