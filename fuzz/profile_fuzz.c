/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of profile files: the first line is a profile's name, the rest is the credentials file up to a byte 0xff and
 * the config file behind it. What is found lies inside the file that it was found in, and is one line.
 */
#include "fuzz.h"

#include "aws/profile.h"

#include <stdlib.h>
#include <string.h>

static void check_found(const struct profile_files *files, struct text found)
{
    bool inside = found.len == 0;

    for (int i = 0; i < PROFILE_FILES && !inside; i++) {
        const char *data = files->data[i];
        inside = data != NULL && found.p >= data && found.p + found.len <= data + files->len[i];
    }
    FUZZ_CHECK(inside);
    FUZZ_CHECK(found.len == 0 || memchr(found.p, '\n', found.len) == NULL);
}

static void check_places(const struct profile_files *files, const char *name)
{
    static const char *const settings[] = {"region", "endpoint_url", "aws_access_key_id", "services"};
    struct profile_place places[PROFILE_PLACES_MAX];
    size_t count = profile_places(name, places);

    FUZZ_CHECK(count <= PROFILE_PLACES_MAX);
    for (size_t i = 0; i < count; i++) {
        check_found(files, profile_find(files, &places[i], NULL, "region"));
        check_found(files, profile_find(files, &places[i], "s3", "endpoint_url"));
    }
    for (size_t i = 0; i < sizeof(settings) / sizeof(settings[0]); i++)
        check_found(files, profile_setting(files, name, settings[i]));
    check_found(files, profile_service_setting(files, name, "s3", "endpoint_url"));
    check_found(files, profile_service_setting(files, name, "dynamodb", "endpoint_url"));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile_files files;
    const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
    size_t name_len = end ? (size_t)(end - data) : size;
    char *name = fuzz_string(data, name_len);
    const uint8_t *rest = end ? end + 1 : data + size;
    size_t rest_len = size - (size_t)(rest - data);
    const uint8_t *cut = rest_len > 0 ? memchr(rest, 0xff, rest_len) : NULL;
    size_t first = cut ? (size_t)(cut - rest) : rest_len;

    memset(&files, 0, sizeof(files));
    files.data[PROFILE_CREDENTIALS] = fuzz_copy(rest, first);
    files.len[PROFILE_CREDENTIALS] = first;
    if (cut) {
        files.data[PROFILE_CONFIG] = fuzz_copy(cut + 1, rest_len - first - 1);
        files.len[PROFILE_CONFIG] = rest_len - first - 1;
    }
    check_places(&files, "default");
    check_places(&files, name);
    profile_free(&files);
    free(name);
    return 0;
}
