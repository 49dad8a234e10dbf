/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A whole Parquet file, read as a checkpoint: a chunk that is asked for lies where the file says, or is left out; what is read
 * of it is a protocol and metadata, or a sentence.
 */
#include "fuzz.h"

#include "delta/checkpoint.h"

#include <stdlib.h>
#include <string.h>

struct file {
    const char *data;
    size_t size;
    struct checkpoint checkpoint;
    os_error error;
};

static os_code take(void *context, const struct chunk *chunk)
{
    struct file *file = context;

    FUZZ_CHECK(chunk->path[0] != '\0' && strlen(chunk->path) <= CHUNK_PATH_MAX);
    FUZZ_CHECK(chunk->type < PARQUET_GROUP);
    if (!checkpoint_wants(chunk->path) || chunk->offset > file->size || chunk->length > file->size - chunk->offset)
        return OS_OK;
    return checkpoint_take(&file->checkpoint, chunk, file->data + chunk->offset, chunk->length, &file->error);
}

static void check_actions(const struct checkpoint *checkpoint)
{
    os_error err = {.code = OS_OK};
    struct delta_actions actions;

    os_code code = checkpoint_give(checkpoint, "app", &actions, &err);
    if (code == OS_OK)
        FUZZ_CHECK(json_is_object(actions.protocol) && json_is_object(actions.metadata));
    else
        fuzz_check_error(code, &err);
    delta_actions_clear(&actions);
}

static void read_file(struct file *file, const char *footer, size_t length)
{
    struct parquet parquet;

    os_code code = parquet_read(footer, length, &parquet, &file->error);
    if (code == OS_OK)
        code = chunks_read(footer, length, &parquet, take, file, &file->error);
    if (code == OS_OK)
        check_actions(&file->checkpoint);
    else
        fuzz_check_error(code, &file->error);
    parquet_free(&parquet);
    checkpoint_free(&file->checkpoint);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct file file = {.size = size};
    uint64_t length = 0;
    char *copy = fuzz_copy(data, size);

    file.data = copy;
    if (size >= PARQUET_TAIL && parquet_footer_length(data + size - PARQUET_TAIL, &length) &&
        length <= size - PARQUET_TAIL)
        read_file(&file, copy + size - PARQUET_TAIL - length, (size_t)length);
    free(copy);
    return 0;
}
