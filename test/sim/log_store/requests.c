/* SPDX-License-Identifier: Apache-2.0 */
/* What src/append calls of the library, as the world answers it. The linker takes these, as they are found first. */
#include "sim/log_store/world.h"

#include "base/error.h"
#include "client/inside.h"
#include "client/pause.h"
#include "guarded/guarded.h"
#include "holding/asking.h"
#include "plain/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A request without an answer, or with one that says nothing. */
static os_code unclear(os_code code, os_error *err)
{
    return error_set(err, code, "The world says so.");
}

os_code client_enter(os_client *client, struct inside *inside, os_error *err)
{
    (void)client;
    (void)inside;
    (void)err;
    return OS_OK;
}

void client_leave(os_client *client, struct inside *inside)
{
    (void)client;
    (void)inside;
}

/* False: the time is up. */
bool client_pause(os_client *client, os_cancel *cancel, uint64_t ms)
{
    (void)client;
    (void)cancel;
    (void)ms;
    return sim_world->at->is_calm || world_draw(sim_world, 4) != 0;
}

/* ------------------------------------------------------------------------------------------------------------ objects */

/* Never called: each stands for what is asked. */
#define STEP(name)                            \
    enum steps_next name(struct plain *plain) \
    {                                         \
        (void)plain;                          \
        abort();                              \
    }
STEP(plain_head)
STEP(plain_get)
STEP(plain_put)
STEP(plain_delete)
STEP(plain_list)

static os_code give_object(const struct plain_arguments *arguments, bool reads, os_error *err)
{
    struct object *object = world_find(sim_world, arguments->key);
    if (object == NULL)
        return unclear(OS_ERR_NOT_FOUND, err);
    if (!reads)
        return OS_OK;
    char *copy = malloc(object->length + 1);
    if (copy == NULL)
        abort();
    memcpy(copy, object->bytes, object->length);
    *arguments->sink->ret_data = copy;
    *arguments->sink->ret_length = object->length;
    return OS_OK;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(const char *const *)left, *(const char *const *)right);
}

static os_code list(const struct plain_arguments *arguments)
{
    const os_list_options *options = arguments->list_options;
    const char *names[OBJECTS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < sim_world->object_count; i++) {
        const struct object *object = &sim_world->objects[i];
        if (object->bytes != NULL && strncmp(object->name, options->prefix, strlen(options->prefix)) == 0 &&
            strcmp(object->name, options->start_after) > 0)
            names[count++] = object->name;
    }
    qsort(names, count, sizeof(names[0]), by_name);
    for (size_t i = 0; i < count; i++) {
        os_object object = OS_OBJECT_INIT;
        object.key = names[i];
        (void)arguments->each_object(arguments->each_context, &object);
    }
    return OS_OK;
}

/* What is asked is known by its first step. */
static const char *name_of(plain_step_fn first)
{
    if (first == plain_head)
        return "HEAD";
    if (first == plain_get)
        return "GET";
    if (first == plain_list)
        return "LIST";
    return first == plain_put ? "PUT" : "DELETE";
}

static os_code apply_write(const struct plain_arguments *arguments, bool puts, enum fate fate)
{
    const char *bytes = puts ? arguments->body->data : NULL;
    size_t length = puts ? (size_t)arguments->body->length : 0;
    if (fate == FATE_TORN && puts)
        world_tear(sim_world, arguments->key, bytes, length);
    else if (fate == FATE_LATE)
        (void)world_later(sim_world, arguments->key, bytes, length);
    else if (puts)
        world_put(sim_world, arguments->key, bytes, length);
    else
        world_remove(sim_world, arguments->key);
    return OS_OK;
}

os_code plain_call(os_client *client, const struct plain_arguments *arguments, plain_step_fn first, os_error *err)
{
    char what[NAME_SIZE + 16];
    bool writes = first == plain_put || first == plain_delete;
    os_code code = OS_OK;
    (void)client;
    (void)snprintf(what, sizeof(what), "%s %s", name_of(first), arguments->key != NULL ? arguments->key : "");
    enum fate fate = world_request(sim_world, what, writes);
    if (fate == FATE_REFUSED || (fate == FATE_LOST && !writes))
        return unclear(OS_ERR_NETWORK, err);
    if (writes && fate != FATE_LOST)
        code = apply_write(arguments, first == plain_put, fate);
    else if (first == plain_list)
        code = list(arguments);
    else if (!writes)
        code = give_object(arguments, first == plain_get, err);
    world_after(sim_world, fate);
    if (fate == FATE_LOST || fate == FATE_UNANSWERED || fate == FATE_LATE || fate == FATE_TORN)
        return unclear(OS_ERR_UNDECIDED, err);
    if (code == OS_OK)
        error_clear(err);
    return code;
}

/* ---------------------------------------------------------------------------------------------------------- the table */

static struct item item_of(const struct entry *entry, const char *table_path)
{
    struct item item = {0};
    item.values[ENTRY_AT_TABLE_PATH] = item_text(table_path);
    item.values[ENTRY_AT_FILE_NAME] = item_text(entry->file_name);
    item.values[ENTRY_AT_TEMP_PATH] = item_text(entry->temp);
    item.values[ENTRY_AT_COMPLETE] = item_text(entry->is_complete ? ENTRY_COMPLETE : ENTRY_INCOMPLETE);
    if (entry->expires_s != 0)
        item.values[ENTRY_AT_EXPIRE_TIME] = item_number(entry->expires_s);
    return item;
}

static struct entry entry_of(const struct item *item)
{
    struct entry entry = {.found = true};
    (void)snprintf(entry.file_name, sizeof(entry.file_name), "%s", item_text_of(item, ENTRY_AT_FILE_NAME));
    (void)snprintf(entry.temp, sizeof(entry.temp), "%s", item_text_of(item, ENTRY_AT_TEMP_PATH));
    entry.is_complete = strcmp(item_text_of(item, ENTRY_AT_COMPLETE), ENTRY_COMPLETE) == 0;
    entry.expires_s = item->values[ENTRY_AT_EXPIRE_TIME].number;
    return entry;
}

/* The condition holds. */
static void change(const struct table_request *request, struct entry *found, struct item *item)
{
    if (request->verb == TABLE_PUT) {
        struct entry entry = entry_of(request->item);
        (void)world_put_entry(sim_world, &entry);
    } else if (request->verb == TABLE_DELETE && found != NULL) {
        found->found = false;
    } else if (request->verb == TABLE_UPDATE && found != NULL) {
        (void)item_change(item, request->changes, request->change_count);
        struct entry entry = entry_of(item);
        *found = entry;
    }
}

static enum table_outcome carry_out(struct holding_asking *asking)
{
    const struct table_request *request = &asking->request;
    struct entry *found = world_entry(sim_world, item_text_of(request->item, ENTRY_AT_FILE_NAME));
    struct entry copy = found != NULL ? *found : (struct entry){0};
    struct item item = item_of(&copy, item_text_of(request->item, ENTRY_AT_TABLE_PATH));
    bool holds = request->condition == NULL || item_condition_holds(request->condition, found != NULL ? &item : NULL);
    if (holds)
        change(request, found, &item);
    if (found != NULL && (request->verb == TABLE_GET || !holds))
        asking->take(asking->context, &item);
    return holds ? TABLE_OK : TABLE_CONFLICT;
}

static enum table_outcome ask_once(struct holding_asking *asking, const char *name)
{
    char what[NAME_SIZE];
    bool writes = asking->request.verb != TABLE_GET;
    (void)snprintf(what, sizeof(what), "%s %s", name, item_text_of(asking->request.item, ENTRY_AT_FILE_NAME));
    enum fate fate = world_request(sim_world, what, writes);
    asking->restart(asking->context);
    if (fate == FATE_REFUSED)
        return TABLE_THROTTLED;
    if (fate == FATE_LOST || fate == FATE_TORN)
        return TABLE_AMBIGUOUS;
    if (fate == FATE_LATE && asking->request.verb == TABLE_PUT) {
        world_later(sim_world, "", NULL, 0)->entry = entry_of(asking->request.item);
        return TABLE_AMBIGUOUS;
    }
    enum table_outcome outcome = carry_out(asking);
    world_after(sim_world, fate);
    return fate == FATE_UNANSWERED || fate == FATE_LATE ? TABLE_AMBIGUOUS : outcome;
}

os_code asking_run(struct holding_asking *asking, const os_call *call, os_error *err)
{
    static const char *const names[] = {
        [TABLE_PUT] = "PutItem", [TABLE_UPDATE] = "UpdateItem", [TABLE_DELETE] = "DeleteItem", [TABLE_GET] = "GetItem"};
    (void)call;
    for (;;) {
        asking->outcome = ask_once(asking, names[asking->request.verb]);
        if (asking->outcome == TABLE_OK || asking->outcome == TABLE_CONFLICT)
            return OS_OK;
        if (!client_pause(asking->client, NULL, 0))
            return unclear(asking->outcome == TABLE_AMBIGUOUS ? OS_ERR_UNDECIDED : OS_ERR_THROTTLED, err);
    }
}

/* ---------------------------------------------------------------------------------------------- what is not asked here */

enum steps_next guarded_put(struct guarded *guarded)
{
    (void)guarded;
    abort();
}

enum steps_next guarded_resolve(struct guarded *guarded)
{
    (void)guarded;
    abort();
}

os_verdict guarded_call(os_client *client, const struct guarded_arguments *arguments, guarded_step_fn first,
                        os_result *ret, os_error *err)
{
    (void)client;
    (void)first;
    (void)ret;
    (void)err;
    world_fail(sim_world, "A commit through a log store called %s.", arguments->name);
    return OS_NOT_EXECUTED;
}

os_code client_object_key(const os_client *client, const char *key, char **ret, os_error *err)
{
    (void)client;
    (void)key;
    (void)ret;
    return unclear(OS_ERR_ARGUMENT, err);
}

/* The store is known for nothing. */
void client_write_plan_rules(const os_client *client, struct write_plan_rules *ret)
{
    (void)client;
    memset(ret, 0, sizeof(*ret));
}

/* A log store needs no guarded put. */
os_code client_may_put(const os_client *client, bool create, os_error *err)
{
    (void)client;
    (void)create;
    return unclear(OS_ERR_ARGUMENT, err);
}

os_code client_perform(os_client *client, client_perform_fn perform, const void *arguments, os_error *err)
{
    (void)client;
    (void)perform;
    (void)arguments;
    return unclear(OS_ERR_ARGUMENT, err);
}
