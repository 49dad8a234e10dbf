/* SPDX-License-Identifier: Apache-2.0 */
#include "dynamo/expression.h"

#include "dynamo/item.h"

static expression_names bit_of(size_t attribute)
{
    return (expression_names)1 << attribute;
}

expression_names expression_names_of(const struct item_condition *condition)
{
    expression_names names = 0;
    for (size_t i = 0; i < condition->count; i++)
        names |= bit_of(condition->terms[i].attribute);
    return names;
}

expression_names expression_names_changed(const struct item_change *changes, size_t count)
{
    expression_names names = 0;
    for (size_t i = 0; i < count; i++)
        names |= bit_of(changes[i].attribute);
    return names;
}

expression_names expression_names_known(const struct item_schema *schema)
{
    expression_names names = 0;
    for (size_t i = 0; i < schema->count; i++)
        names |= schema->attributes[i].presence != ITEM_REMARK ? bit_of(i) : 0;
    return names;
}

expression_names expression_names_key(const struct item_schema *schema)
{
    return bit_of(schema->keys) - 1;
}

/* ---------------------------------------------------------------------------------------------------- conditions */

static void add_term(struct buf *out, const char *name, enum item_test test)
{
    switch (test) {
    case ITEM_IS_ABSENT: buf_add_strs(out, "attribute_not_exists(#", name, ")", NULL); break;
    case ITEM_IS_THERE: buf_add_strs(out, "attribute_exists(#", name, ")", NULL); break;
    case ITEM_EQUALS: buf_add_strs(out, "#", name, " = :", name, NULL); break;
    case ITEM_IS_BELOW: buf_add_strs(out, "#", name, " < :", name, NULL); break;
    case ITEM_IS_AT_LEAST: buf_add_strs(out, "#", name, " >= :", name, NULL); break;
    }
}

/* AND binds more than OR (Developer Guide, "Condition expressions"). */
void expression_add_condition(struct buf *out, const struct item_schema *schema, const struct item_condition *condition)
{
    for (size_t i = 0; i < condition->count; i++) {
        const struct item_term *term = &condition->terms[i];
        const char *between = term->is_alternative ? " OR " : " AND ";
        buf_add_str(out, i == 0 ? ",\"ConditionExpression\":\"" : between);
        add_term(out, schema->attributes[term->attribute].name, term->test);
    }
    buf_add_str(out, condition->count > 0 ? "\"" : "");
}

/* ------------------------------------------------------------------------------------------------------- changes */

static void add_change(struct buf *out, const char *name, enum item_change_kind kind)
{
    switch (kind) {
    case ITEM_SET: buf_add_strs(out, "#", name, " = :new_", name, NULL); break;
    case ITEM_ADD: buf_add_strs(out, "#", name, " :new_", name, NULL); break;
    case ITEM_REMOVE: buf_add_strs(out, "#", name, NULL); break;
    }
}

/* An expression has one clause of each kind (API Reference, UpdateItem). */
void expression_add_changes(struct buf *out, const struct item_schema *schema, const struct item_change *changes,
                            size_t count)
{
    static const char *const clauses[] = {[ITEM_SET] = "SET ", [ITEM_ADD] = "ADD ", [ITEM_REMOVE] = "REMOVE "};
    bool first_clause = true;
    buf_add_str(out, ",\"UpdateExpression\":\"");
    for (int kind = ITEM_SET; kind <= ITEM_REMOVE; kind++) {
        bool first = true;
        for (size_t i = 0; i < count; i++) {
            if ((int)changes[i].kind != kind)
                continue;
            buf_add_strs(out, first && !first_clause ? " " : "", first ? clauses[kind] : ", ", NULL);
            add_change(out, schema->attributes[changes[i].attribute].name, changes[i].kind);
            first = false;
            first_clause = false;
        }
    }
    buf_add_char(out, '"');
}

/* ---------------------------------------------------------------------------------------------- names and values */

void expression_add_projection(struct buf *out, const struct item_schema *schema, expression_names names)
{
    bool first = true;
    for (size_t i = 0; i < schema->count; i++) {
        if ((names & bit_of(i)) == 0)
            continue;
        buf_add_strs(out, first ? ",\"ProjectionExpression\":\"#" : ", #", schema->attributes[i].name, NULL);
        first = false;
    }
    buf_add_str(out, first ? "" : "\"");
}

void expression_add_names(struct buf *out, const struct item_schema *schema, expression_names names)
{
    bool first = true;
    for (size_t i = 0; i < schema->count; i++) {
        if ((names & bit_of(i)) == 0)
            continue;
        const char *name = schema->attributes[i].name;
        buf_add_strs(out, first ? ",\"ExpressionAttributeNames\":{\"#" : ",\"#", name, "\":\"", name, "\"", NULL);
        first = false;
    }
    buf_add_str(out, first ? "" : "}");
}

static void add_value(struct buf *out, const char *prefix, const char *name, const struct item_value *value,
                      bool *first)
{
    if (value->type == ITEM_NONE)
        return;
    buf_add_strs(out, *first ? ",\"ExpressionAttributeValues\":{\"" : ",\"", prefix, name, "\":", NULL);
    dynamo_value_write(out, value);
    *first = false;
}

void expression_add_values(struct buf *out, const struct item_schema *schema, const struct item_condition *condition,
                           const struct item_change *changes, size_t count)
{
    bool first = true;
    for (size_t i = 0; i < condition->count; i++)
        add_value(out, ":", schema->attributes[condition->terms[i].attribute].name, &condition->terms[i].value, &first);
    for (size_t i = 0; i < count; i++)
        add_value(out, ":new_", schema->attributes[changes[i].attribute].name, &changes[i].value, &first);
    buf_add_str(out, first ? "" : "}");
}
