/* SPDX-License-Identifier: Apache-2.0 */
/* Conditions on an item: how one is put together, and whether it holds. */
#include "item/item.h"

#include <assert.h>
#include <string.h>

static struct item_term *next_term(struct item_condition *condition, size_t attribute, enum item_test test)
{
    assert(condition->count < ITEM_TERMS_MAX);
    struct item_term *term = &condition->terms[condition->count++];
    term->attribute = attribute;
    term->test = test;
    return term;
}

void item_require_absent(struct item_condition *condition, size_t attribute)
{
    (void)next_term(condition, attribute, ITEM_IS_ABSENT);
}

void item_require_there(struct item_condition *condition, size_t attribute)
{
    (void)next_term(condition, attribute, ITEM_IS_THERE);
}

/* An empty text is none. */
void item_require_text(struct item_condition *condition, size_t attribute, const char *text)
{
    struct item_value value = item_text(text);
    if (value.type == ITEM_NONE)
        item_require_absent(condition, attribute);
    else
        next_term(condition, attribute, ITEM_EQUALS)->value = value;
}

void item_require_number(struct item_condition *condition, size_t attribute, uint64_t number)
{
    next_term(condition, attribute, ITEM_EQUALS)->value = item_number(number);
}

void item_require_below(struct item_condition *condition, size_t attribute, uint64_t number)
{
    next_term(condition, attribute, ITEM_IS_BELOW)->value = item_number(number);
}

void item_require_at_least(struct item_condition *condition, size_t attribute, uint64_t number)
{
    next_term(condition, attribute, ITEM_IS_AT_LEAST)->value = item_number(number);
}

void item_or(struct item_condition *condition)
{
    assert(condition->count > 0 && condition->count < ITEM_TERMS_MAX);
    condition->terms[condition->count].is_alternative = true;
}

static bool values_equal(const struct item_value *a, const struct item_value *b)
{
    if (a->type != b->type)
        return false;
    return a->type == ITEM_STRING ? strcmp(a->text, b->text) == 0 : a->number == b->number;
}

static bool term_holds(const struct item_term *term, const struct item_value *value)
{
    switch (term->test) {
    case ITEM_IS_ABSENT: return value->type == ITEM_NONE;
    case ITEM_IS_THERE: return value->type != ITEM_NONE;
    case ITEM_EQUALS: return values_equal(value, &term->value);
    case ITEM_IS_BELOW: return value->type == ITEM_NUMBER && value->number < term->value.number;
    case ITEM_IS_AT_LEAST: return value->type == ITEM_NUMBER && value->number >= term->value.number;
    }
    return false;
}

bool item_condition_holds(const struct item_condition *condition, const struct item *item)
{
    static const struct item nothing = {.values = {{.type = ITEM_NONE}}};
    bool holds = true;
    for (size_t i = 0; i < condition->count; i++) {
        const struct item_term *term = &condition->terms[i];
        if (term->is_alternative && holds)
            return true;
        holds = (holds || term->is_alternative) &&
                term_holds(term, &(item != NULL ? item : &nothing)->values[term->attribute]);
    }
    return holds;
}
