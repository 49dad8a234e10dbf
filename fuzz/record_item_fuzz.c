/* SPDX-License-Identifier: Apache-2.0 */
/*
 * An item and the record in it: what is read is written and read again as the same record; what is written is of type S
 * or a plain unsigned N (T1), which is all that object_store can read.
 */
#include "fuzz.h"

#include "unit/dynamo/records.h"

#include <stdlib.h>
#include <string.h>

static void check_plain(const json_t *item)
{
    const char *name;
    json_t *value;

    json_object_foreach((json_t *)item, name, value)
    {
        uint64_t number;
        const char *digits = json_string_value(json_object_get(value, "N"));
        FUZZ_CHECK(json_object_size(value) == 1);
        FUZZ_CHECK(digits != NULL || json_is_string(json_object_get(value, "S")));
        FUZZ_CHECK(digits == NULL || text_parse_u64(text_from(digits), &number));
    }
}

static void check_again(const char *path, const char *etag, const struct record *record, const char *upload)
{
    char again_upload[RECORD_UPLOAD_SIZE];
    struct record again;
    char *again_path = NULL;
    char *again_etag = NULL;
    os_error err;

    json_t *item = record_json(path, etag, record, upload, NULL);
    FUZZ_CHECK(item != NULL);
    check_plain(item);
    FUZZ_CHECK(record_of_json(item, &again, &again_path, &again_etag, again_upload, &err) == OS_OK);
    FUZZ_CHECK(strcmp(path, again_path) == 0 && strcmp(etag, again_etag) == 0);
    FUZZ_CHECK(again.generation == record->generation && again.timeout_ms == record->timeout_ms);
    FUZZ_CHECK(again.ttl_s == record->ttl_s && again.has_fence == record->has_fence);
    FUZZ_CHECK(!record->has_fence || again.fence_s == record->fence_s);
    FUZZ_CHECK(strcmp(again.nonce, record->nonce) == 0 && strcmp(again.saw, record->saw) == 0);
    FUZZ_CHECK(again.upload == record->upload && strcmp(again_upload, upload) == 0);
    free(again_path);
    free(again_etag);
    json_decref(item);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char untouched;
    struct record record;
    char upload[RECORD_UPLOAD_SIZE];
    char *path = &untouched;
    char *etag = &untouched;
    os_error err = {.code = OS_OK};

    char *text = fuzz_copy(data, size);
    json_t *item = json_read(text, size);
    free(text);
    if (item == NULL)
        return 0;
    os_code code = record_of_json(item, &record, &path, &etag, upload, &err);
    if (code == OS_OK) {
        check_again(path, etag, &record, upload);
        free(path);
        free(etag);
    } else {
        fuzz_check_error(code, &err);
        FUZZ_CHECK(path == &untouched && etag == &untouched);
    }
    char *other = record_others(item);
    FUZZ_CHECK(other != NULL && other[0] == '{');
    free(other);
    json_decref(item);
    return 0;
}
