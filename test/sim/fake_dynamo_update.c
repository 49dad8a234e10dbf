/* SPDX-License-Identifier: Apache-2.0 */
/* UpdateItem and DeleteItem, as far as leases have them (L5, L7, L8). */
#include "sim/fake_dynamo_internal.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ expressions */

static bool set_attribute(struct fake_expressions *expressions, json_t *item)
{
    const char *name = fake_take_name(expressions);
    if (name == NULL || !text_take_str(&expressions->rest, " = "))
        return false;
    const json_t *value = fake_take_value(expressions);
    return value != NULL && json_object_set_new(item, name, json_deep_copy(value)) == 0;
}

/* What is not there counts from 0. */
static bool add_to_attribute(struct fake_expressions *expressions, json_t *item)
{
    char digits[24];
    uint64_t was = 0;
    uint64_t more;
    const char *name = fake_take_name(expressions);
    if (name == NULL || !text_take_char(&expressions->rest, ' '))
        return false;
    const json_t *value = fake_take_value(expressions);
    const json_t *old = json_object_get(item, name);
    if (!fake_typed_number(value, &more) || (old != NULL && !fake_typed_number(old, &was)))
        return false;
    snprintf(digits, sizeof(digits), "%" PRIu64, was + more);
    return json_object_set_new(item, name, json_pack("{s:s}", "N", digits)) == 0;
}

static bool remove_attribute(struct fake_expressions *expressions, json_t *item)
{
    const char *name = fake_take_name(expressions);
    if (name != NULL)
        (void)json_object_del(item, name);
    return name != NULL;
}

/* Each clause once, in the order in which the library has them. */
static const char *apply_changes(struct fake_expressions *expressions, json_t *item)
{
    static const struct {
        const char *word;
        bool (*apply)(struct fake_expressions *, json_t *);
    } clauses[] = {{"SET ", set_attribute}, {"ADD ", add_to_attribute}, {"REMOVE ", remove_attribute}};
    const char *expression = json_string_value(json_object_get(expressions->request, "UpdateExpression"));
    bool ok = expression != NULL && expression[0] != '\0';
    expressions->rest = text_from(expression);
    for (size_t i = 0; i < sizeof(clauses) / sizeof(clauses[0]) && ok; i++) {
        if (!text_take_str(&expressions->rest, clauses[i].word))
            continue;
        do {
            ok = clauses[i].apply(expressions, item);
        } while (ok && text_take_str(&expressions->rest, ", "));
        ok = ok && (expressions->rest.len == 0 || text_take_char(&expressions->rest, ' '));
    }
    return ok && expressions->rest.len == 0 ? NULL : "Invalid UpdateExpression: Syntax error, or not of the protocol";
}

/* ------------------------------------------------------------------------------------------------ the request */

/* Only the count of the epochs goes on whatever it is (L8.2). */
static bool is_count_of_epochs(const char *key)
{
    static const char suffix[] = "#fencing-epoch";
    size_t length = strlen(key);
    return length > strlen(suffix) && strcmp(key + length - strlen(suffix), suffix) == 0;
}

static const char *judge_condition(struct fake_expressions *expressions, const char *key, const json_t *old, bool *ret)
{
    *ret = true;
    if (is_count_of_epochs(key) && json_object_get(expressions->request, "ConditionExpression") == NULL)
        return NULL;
    return fake_condition(expressions, old, ret);
}

/* NULL, or what is wrong. *ret is the item as it will be, with a reference for the caller, if the condition holds. */
static const char *change(struct fake_dynamo *dynamo, const json_t *request, const char *key, json_t *old,
                          struct fake_item *ret, bool *ret_holds)
{
    struct fake_expressions expressions;
    const char *wanted = json_string_value(json_object_get(request, "ReturnValues"));
    json_t *item = old != NULL ? json_deep_copy(old) : json_deep_copy(json_object_get(request, "Key"));
    *ret = (struct fake_item){.item = NULL};
    fake_expressions_of(dynamo->schema, request, &expressions);
    const char *fault = judge_condition(&expressions, key, old, ret_holds);
    if (fault == NULL)
        fault = apply_changes(&expressions, item);
    if (fault == NULL)
        fault = fake_expressions_end(&expressions);
    if (fault == NULL && (wanted == NULL || strcmp(wanted, "ALL_NEW") != 0))
        fault = "An update must ask for the item as it is then";
    if (fault == NULL && *ret_holds)
        fault = dynamo->schema->read(item, ret);
    json_decref(item);
    return fault;
}

/* False, and answered, when the request names no item. *ret_old: borrowed, NULL when there is none. */
static bool find(struct fake_dynamo *dynamo, const json_t *request, const char **ret_key, size_t *ret_at,
                 json_t **ret_old)
{
    const char *etag;
    bool is_there;
    if (!fake_dynamo_table_is_there(dynamo, request))
        return false;
    if (!fake_key_read(dynamo->schema, json_object_get(request, "Key"), ret_key, &etag)) {
        fake_dynamo_invalid(dynamo, "The provided key element does not match the schema");
        return false;
    }
    *ret_at = fake_items_position(dynamo, *ret_key, etag, &is_there);
    *ret_old = is_there ? dynamo->items[*ret_at].item : NULL;
    return true;
}

void fake_dynamo_update_item(struct fake_dynamo *dynamo, const json_t *request)
{
    struct fake_item item;
    const char *key;
    size_t at;
    json_t *old;
    bool holds = false;
    if (!find(dynamo, request, &key, &at, &old))
        return;
    const char *fault = change(dynamo, request, key, old, &item, &holds);
    if (fault != NULL) {
        fake_dynamo_violate(dynamo, fault);
    } else if (!holds) {
        fake_dynamo_check_failed(dynamo, request, old);
    } else {
        json_t *kept = item.item;
        dynamo->no_memory = !fake_items_put(dynamo, &item);
        if (!dynamo->no_memory)
            fake_dynamo_answer(dynamo, json_pack("{s:O}", "Attributes", kept));
    }
}

void fake_dynamo_delete_item(struct fake_dynamo *dynamo, const json_t *request)
{
    const char *key;
    size_t at;
    json_t *old;
    bool holds = false;
    if (!find(dynamo, request, &key, &at, &old))
        return;
    const char *fault = fake_condition_holds(dynamo->schema, request, old, &holds);
    if (fault != NULL) {
        fake_dynamo_violate(dynamo, fault);
    } else if (!holds) {
        fake_dynamo_check_failed(dynamo, request, old);
    } else {
        if (old != NULL)
            fake_items_remove(dynamo, at);
        fake_dynamo_answer(dynamo, json_object());
    }
}
