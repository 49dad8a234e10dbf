/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/log_store/world.h"

#include "base/random.h"
#include "base/text.h"
#include "delta/log_name.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct world *sim_world;

uint64_t world_draw(struct world *world, uint64_t below)
{
    return random_next(&world->random) % below;
}

void world_fail(struct world *world, const char *format, ...)
{
    va_list arguments;
    if (world->failure[0] != '\0')
        return;
    va_start(arguments, format);
    (void)vsnprintf(world->failure, sizeof(world->failure), format, arguments);
    va_end(arguments);
}

void world_trace(struct world *world, const char *format, ...)
{
    va_list arguments;
    if (!world->traces)
        return;
    va_start(arguments, format);
    (void)vprintf(format, arguments);
    va_end(arguments);
    (void)putchar('\n');
}

void world_init(struct world *world, uint64_t seed)
{
    bool traces = world->traces;
    bool is_planted = world->is_planted;
    memset(world, 0, sizeof(*world));
    world->traces = traces;
    world->is_planted = is_planted;
    world->seed = seed;
    world->random = seed * 0x9e3779b97f4a7c15U + 1;
    world->store.settings.store_scheme = SETTINGS_S3;
    world->store.settings.bucket = (char *)"bucket";
    world->store.settings.prefix = (char *)"";
    world->log_store.ledger = &world->table;
}

void world_free(struct world *world)
{
    for (size_t i = 0; i < world->object_count; i++)
        free(world->objects[i].bytes);
    for (size_t i = 0; i < LATE_MAX; i++)
        free(world->late[i].bytes);
    for (unsigned i = 0; i <= world->lane_count; i++) {
        coroutine_free(world->lanes[i].coroutine);
        for (unsigned k = 0; k < COMMITS_MAX; k++)
            free(world->lanes[i].told[k].ticket);
    }
}

/* ---------------------------------------------------------------------------------------------------------- requests */

static enum fate draw_fate(struct world *world, struct lane *lane, bool writes)
{
    if (lane->is_calm || lane->harms == 0 || world_draw(world, 8) != 0)
        return FATE_NONE;
    lane->harms--;
    enum fate fate = (enum fate)(1 + world_draw(world, FATES - 1));
    if (!writes && (fate == FATE_UNANSWERED || fate == FATE_LATE || fate == FATE_TORN))
        fate = FATE_LOST;
    return fate;
}

static void die(struct world *world)
{
    world->at->is_dead = true;
    for (;;)
        coroutine_yield(); /* nobody resumes it */
}

enum fate world_request(struct world *world, const char *what, bool writes)
{
    static const char *const fates[FATES] = {"",     "refused", "lost",  "unanswered",
                                             "late", "torn",    "death", "death behind it"};
    struct lane *lane = world->at;
    coroutine_yield();
    world->requests++;
    enum fate fate = draw_fate(world, lane, writes);
    world->struck[fate]++;
    world_trace(world, "lane %u: %s %s", lane->number, what, fates[fate]);
    if (fate == FATE_DEATH)
        die(world);
    return fate;
}

void world_after(struct world *world, enum fate fate)
{
    if (fate == FATE_LAST_DEED)
        die(world);
}

/* ----------------------------------------------------------------------------------------------------------- objects */

struct object *world_find(struct world *world, const char *name)
{
    for (size_t i = 0; i < world->object_count; i++)
        if (world->objects[i].bytes != NULL && strcmp(world->objects[i].name, name) == 0)
            return &world->objects[i];
    return NULL;
}

static bool is_version(const char *name)
{
    uint64_t version;
    const char *slash = strrchr(name, '/');
    return slash != NULL && delta_log_name_read(text_from(slash + 1), &version) == DELTA_LOG_COMMIT;
}

bool world_is_torn(const struct object *object)
{
    return object->length == 0 || object->bytes[object->length - 1] != '\n';
}

void world_tear(struct world *world, const char *name, const char *bytes, size_t length)
{
    const struct object *object = world_find(world, name);
    if (is_version(name) && (object == NULL || world_is_torn(object)))
        world_put(world, name, bytes, (size_t)world_draw(world, length));
}

void world_put(struct world *world, const char *name, const char *bytes, size_t length)
{
    struct object *object = world_find(world, name);
    size_t common = object != NULL && object->length < length ? object->length : length;
    if (object != NULL && is_version(name) &&
        ((object->length != length && !world_is_torn(object)) || memcmp(object->bytes, bytes, common) != 0))
        world_fail(world, "%s was overwritten with other bytes.", name);
    if (object == NULL) {
        if (world->object_count == OBJECTS_MAX || strlen(name) >= NAME_SIZE) {
            world_fail(world, "The world has no room for %s.", name);
            return;
        }
        object = &world->objects[world->object_count++];
        (void)snprintf(object->name, sizeof(object->name), "%s", name);
    }
    free(object->bytes);
    object->bytes = malloc(length + 1);
    if (object->bytes == NULL)
        abort();
    memcpy(object->bytes, bytes, length);
    object->length = length;
}

void world_remove(struct world *world, const char *name)
{
    struct object *object = world_find(world, name);
    if (object == NULL)
        return;
    if (is_version(name))
        world_fail(world, "%s was removed.", name);
    free(object->bytes);
    object->bytes = NULL;
}

/* ----------------------------------------------------------------------------------------------------------- entries */

struct entry *world_entry(struct world *world, const char *file_name)
{
    for (size_t i = 0; i < world->entry_count; i++)
        if (world->entries[i].found && strcmp(world->entries[i].file_name, file_name) == 0)
            return &world->entries[i];
    return NULL;
}

bool world_put_entry(struct world *world, const struct entry *entry)
{
    if (world_entry(world, entry->file_name) != NULL)
        return false;
    if (world->entry_count == VERSIONS_MAX)
        world_fail(world, "The world has no room for an entry.");
    else
        world->entries[world->entry_count++] = *entry;
    return true;
}

/* -------------------------------------------------------------------------------------------------------------- late */

struct late *world_later(struct world *world, const char *name, const char *bytes, size_t length)
{
    size_t at = 0;
    while (at < LATE_MAX && world->late[at].is_waiting)
        at++;
    if (at == LATE_MAX)
        abort();
    struct late *late = &world->late[at];
    memset(late, 0, sizeof(*late));
    late->is_waiting = true;
    (void)snprintf(late->name, sizeof(late->name), "%s", name);
    late->bytes = bytes != NULL ? malloc(length + 1) : NULL;
    if (late->bytes != NULL)
        memcpy(late->bytes, bytes, length);
    late->length = length;
    return late;
}

void world_deliver(struct world *world, size_t which)
{
    struct late *late = &world->late[which];
    if (!late->is_waiting)
        return;
    late->is_waiting = false;
    world_trace(world, "late: %s", late->name[0] != '\0' ? late->name : late->entry.file_name);
    if (late->name[0] == '\0')
        (void)world_put_entry(world, &late->entry);
    else if (late->bytes != NULL)
        world_put(world, late->name, late->bytes, late->length);
    else
        world_remove(world, late->name);
    free(late->bytes);
    late->bytes = NULL;
}
