/* SPDX-License-Identifier: Apache-2.0 */
/* What an UpdateItem makes of an item. */
#include "item/item.h"

static bool add_to(struct item_value *value, uint64_t more)
{
    uint64_t sum = 0;
    uint64_t before = value->type == ITEM_NUMBER ? value->number : 0;
    if (value->type == ITEM_STRING || __builtin_add_overflow(before, more, &sum))
        return false;
    *value = item_number(sum);
    return true;
}

bool item_change(struct item *item, const struct item_change *changes, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct item_value *value = &item->values[changes[i].attribute];
        switch (changes[i].kind) {
        case ITEM_SET: *value = changes[i].value; break;
        case ITEM_REMOVE: *value = (struct item_value){.type = ITEM_NONE}; break;
        case ITEM_ADD:
            if (!add_to(value, changes[i].value.number))
                return false;
        }
    }
    return true;
}
