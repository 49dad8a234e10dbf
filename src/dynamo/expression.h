/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expressions of requests: conditions, changes, projections. Names go through placeholders everywhere, "#ttl" for ttl:
 * path, ttl, timeout and others are reserved words (Developer Guide, "Reserved words in DynamoDB"), and that list
 * grows. DynamoDB refuses a name or value that no expression uses, so exactly the used ones are given.
 */
#ifndef OSCOMMIT_DYNAMO_EXPRESSION_H
#define OSCOMMIT_DYNAMO_EXPRESSION_H

#include "base/buf.h"
#include "item/item.h"

/* Attributes of a schema, as bits. */
typedef uint32_t expression_names;
expression_names expression_names_of(const struct item_condition *condition);
expression_names expression_names_changed(const struct item_change *changes, size_t count);
expression_names expression_names_known(const struct item_schema *schema); /* all but remarks */
expression_names expression_names_key(const struct item_schema *schema);

/* Each appends a member, with the comma before it; none where there is nothing to say. */
void expression_add_condition(struct buf *out, const struct item_schema *schema,
                              const struct item_condition *condition);
void expression_add_changes(struct buf *out, const struct item_schema *schema, const struct item_change *changes,
                            size_t count);
void expression_add_projection(struct buf *out, const struct item_schema *schema, expression_names names);
void expression_add_names(struct buf *out, const struct item_schema *schema, expression_names names);
void expression_add_values(struct buf *out, const struct item_schema *schema, const struct item_condition *condition,
                           const struct item_change *changes, size_t count);

#endif
