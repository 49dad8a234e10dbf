/* SPDX-License-Identifier: Apache-2.0 */
/* Which chunks a file has, and where. */
#include "delta/chunk.h"

#include "base/error.h"
#include "delta/thrift.h"

#include <string.h>

struct chunk_walk {
    struct thrift thrift;
    const struct parquet *parquet;
    chunk_fn each;
    void *context;
    os_code code;
};

static uint64_t take_size(struct thrift *thrift, const struct thrift_field *field)
{
    int64_t number = thrift_number(thrift, field);
    if (number < 0)
        thrift->failed = true;
    return number < 0 ? 0 : (uint64_t)number;
}

static size_t skip_tree(const struct parquet *parquet, size_t at)
{
    for (uint64_t left = 1; left > 0; at++)
        left += (uint64_t)parquet->elements[at].children - 1; /* a tree: parquet_read has seen to that */
    return at;
}

/* The child of that name, or 0. */
static size_t child_named(const struct parquet *parquet, size_t parent, struct text name)
{
    size_t at = parent + 1;
    for (uint32_t i = 0; i < parquet->elements[parent].children; i++) {
        const struct text found = parquet->elements[at].name;
        if (found.len == name.len && memcmp(found.p, name.p, name.len) == 0)
            return at;
        at = skip_tree(parquet, at);
    }
    return 0;
}

/* Each name of a path leads one level down. */
struct descent {
    size_t at;
    size_t used; /* of chunk->path */
    bool is_lost;
};

static void descend(const struct parquet *parquet, struct descent *descent, struct text name, struct chunk *chunk)
{
    size_t child = descent->is_lost ? 0 : child_named(parquet, descent->at, name);
    descent->is_lost = child == 0 || descent->used + name.len + 1 > CHUNK_PATH_MAX;
    if (descent->is_lost)
        return;
    const struct parquet_element *element = &parquet->elements[child];
    if (descent->used > 0)
        chunk->path[descent->used++] = '.';
    memcpy(chunk->path + descent->used, name.p, name.len);
    descent->used += name.len;
    chunk->path[descent->used] = '\0';
    chunk->is_optional = element->repetition == PARQUET_OPTIONAL;
    chunk->max_definition += element->repetition != PARQUET_REQUIRED;
    chunk->max_repetition += element->repetition == PARQUET_REPEATED;
    chunk->type = element->type;
    descent->at = child;
}

static void take_path(struct chunk_walk *walk, const struct thrift_field *field, struct chunk *chunk)
{
    struct thrift *thrift = &walk->thrift;
    struct descent descent = {0};
    const struct thrift_field text = {.type = THRIFT_BINARY};
    size_t count = thrift_list(thrift, field, THRIFT_BINARY);
    for (size_t i = 0; i < count && !thrift->failed; i++)
        descend(walk->parquet, &descent, thrift_binary(thrift, &text), chunk);
    if (descent.is_lost || chunk->type == PARQUET_GROUP)
        chunk->path[0] = '\0';
}

static void take_metadata(struct chunk_walk *walk, struct chunk *chunk)
{
    struct thrift *thrift = &walk->thrift;
    struct thrift_field field = {0};
    uint64_t data = 0;
    uint64_t dictionary = 0;
    while (thrift_next(thrift, &field)) {
        switch (field.id) {
        case 3: take_path(walk, &field, chunk); break;
        case 4: chunk->codec = (uint32_t)take_size(thrift, &field); break;
        case 5: chunk->values = take_size(thrift, &field); break;
        case 7: chunk->length = take_size(thrift, &field); break;
        case 9: data = take_size(thrift, &field); break;
        case 11: dictionary = take_size(thrift, &field); break;
        default: thrift_skip(thrift, &field);
        }
    }
    chunk->offset = dictionary != 0 && dictionary < data ? dictionary : data;
}

static void take_chunk(struct chunk_walk *walk)
{
    struct thrift *thrift = &walk->thrift;
    struct thrift_field field = {0};
    struct chunk chunk = {.path = "", .type = PARQUET_GROUP};
    while (thrift_next(thrift, &field))
        if (field.id == 3 && field.type == THRIFT_STRUCT)
            take_metadata(walk, &chunk);
        else
            thrift_skip(thrift, &field);
    if (!thrift->failed && chunk.path[0] != '\0')
        walk->code = walk->each(walk->context, &chunk);
}

static void take_row_group(struct chunk_walk *walk)
{
    struct thrift *thrift = &walk->thrift;
    struct thrift_field field = {0};
    while (walk->code == OS_OK && thrift_next(thrift, &field)) {
        size_t count = field.id == 1 ? thrift_list(thrift, &field, THRIFT_STRUCT) : 0;
        if (field.id != 1)
            thrift_skip(thrift, &field);
        for (size_t i = 0; i < count && !thrift->failed && walk->code == OS_OK; i++)
            take_chunk(walk);
    }
}

os_code chunks_read(const void *footer, size_t length, const struct parquet *parquet, chunk_fn each, void *context,
                    os_error *err)
{
    struct chunk_walk walk = {.parquet = parquet, .each = each, .context = context};
    struct thrift_field field = {0};
    thrift_init(&walk.thrift, footer, length);
    while (walk.code == OS_OK && thrift_next(&walk.thrift, &field)) {
        size_t count = field.id == 4 ? thrift_list(&walk.thrift, &field, THRIFT_STRUCT) : 0;
        if (field.id != 4)
            thrift_skip(&walk.thrift, &field);
        for (size_t i = 0; i < count && !walk.thrift.failed && walk.code == OS_OK; i++)
            take_row_group(&walk);
    }
    if (walk.code == OS_OK && walk.thrift.failed)
        return error_set(err, OS_ERR_PROTOCOL, "The row groups in the Parquet footer cannot be read.");
    return walk.code;
}
