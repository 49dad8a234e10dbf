/* SPDX-License-Identifier: Apache-2.0 */
/* A checkpoint in the store: its footer, and then the few columns that are of interest. */
#include "append/checkpoint.h"

#include "base/error.h"
#include "delta/checkpoint.h"
#include "plain/plain.h"

#include <stdlib.h>
#include <string.h>

struct reading {
    struct append *append;
    const char *name; /* below the log */
    struct checkpoint checkpoint;
};

static os_code read_range(struct append *append, const char *name, uint64_t offset, uint64_t count, struct buf *ret)
{
    void *data = NULL;
    size_t length = 0;
    char *key = append_key(append, DELTA_LOG_FOLDER, name);
    os_call call = append_rest_of_call(append);
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &data;
    sink.ret_length = &length;
    sink.max_length = count;
    sink.offset = offset;
    sink.count = count;
    const struct plain_arguments get = {.key = key, .sink = &sink, .call = &call};
    os_code code =
        key != NULL ? plain_call(append->client, &get, plain_get, &append->error) : error_no_memory(&append->error);
    buf_init(ret, count);
    if (code == OS_OK && !buf_add(ret, data, length))
        code = error_no_memory(&append->error);
    free(data);
    free(key);
    return code;
}

static os_code damaged(struct append *append, const char *name)
{
    return error_set(&append->error, OS_ERR_PROTOCOL, "The checkpoint \"%.200s\" is no Parquet file that can be read.",
                     name);
}

static os_code read_footer(struct append *append, const char *name, struct buf *ret)
{
    os_object object = OS_OBJECT_INIT;
    char *key = append_key(append, DELTA_LOG_FOLDER, name);
    os_call call = append_rest_of_call(append);
    const struct plain_arguments head = {.key = key, .call = &call, .ret = &object};
    uint64_t length = 0;
    buf_init(ret, PARQUET_TAIL);
    os_code code =
        key != NULL ? plain_call(append->client, &head, plain_head, &append->error) : error_no_memory(&append->error);
    free(key);
    if (code == OS_OK && object.length < PARQUET_TAIL)
        return damaged(append, name);
    if (code == OS_OK)
        code = read_range(append, name, object.length - PARQUET_TAIL, PARQUET_TAIL, ret);
    if (code != OS_OK)
        return code;
    bool good = parquet_footer_length((const unsigned char *)buf_str(ret), &length) && length > 0 &&
                length <= PARQUET_FOOTER_MAX && length <= object.length - PARQUET_TAIL;
    buf_free(ret);
    return good ? read_range(append, name, object.length - PARQUET_TAIL - length, length, ret) : damaged(append, name);
}

static os_code read_chunk(void *context, const struct chunk *chunk)
{
    struct reading *reading = context;
    struct append *append = reading->append;
    struct buf data;
    if (!checkpoint_wants(chunk->path))
        return OS_OK;
    if (chunk->length == 0 || chunk->length > CHUNK_LENGTH_MAX)
        return damaged(append, reading->name);
    os_code code = read_range(append, reading->name, chunk->offset, chunk->length, &data);
    if (code == OS_OK)
        code = checkpoint_take(&reading->checkpoint, chunk, buf_str(&data), data.len, &append->error);
    buf_free(&data);
    return code;
}

static os_code read_columns(struct reading *reading, const struct buf *footer)
{
    struct parquet parquet;
    os_error *err = &reading->append->error;
    os_code code = parquet_read(buf_str(footer), footer->len, &parquet, err);
    if (code == OS_OK)
        code = chunks_read(buf_str(footer), footer->len, &parquet, read_chunk, reading, err);
    parquet_free(&parquet);
    return code;
}

os_code checkpoint_read(struct append *append, uint64_t version, struct delta_actions *ret)
{
    char digits[DELTA_FILE_NAME_SIZE];
    char name[DELTA_CHECKPOINT_NAME_SIZE];
    struct reading reading = {.append = append, .name = name};
    struct buf footer;
    memset(ret, 0, sizeof(*ret));
    delta_log_name_commit(version, digits);
    digits[DELTA_VERSION_DIGITS] = '\0';
    (void)text_concat(name, sizeof(name), digits, ".checkpoint.parquet", NULL);
    os_code code = read_footer(append, name, &footer);
    if (code == OS_OK)
        code = read_columns(&reading, &footer);
    buf_free(&footer);
    if (code == OS_OK)
        code = checkpoint_give(&reading.checkpoint, append->options.app_id, ret, &append->error);
    checkpoint_free(&reading.checkpoint);
    if (code == OS_ERR_NOT_FOUND)
        code = error_set(&append->error, OS_ERR_UNSUPPORTED,
                         "The checkpoint of version %llu of the table \"%.200s\" is in several parts, or of the second "
                         "version, which oscommit does not read.",
                         (unsigned long long)version, append->prefix);
    return code;
}
