/* SPDX-License-Identifier: Apache-2.0 */
#include "delta/log_name.h"

#include "base/random.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

#define TEMP_PREFIX   "_commit_"
#define TEMP_SUFFIX   ".json.tmp"
#define JAVA_TEMP     ".tmp/"
#define CHECKPOINT_OF ".checkpoint."

static bool take_version(struct text *cursor, uint64_t *ret)
{
    struct text digits = text_of(cursor->p, DELTA_VERSION_DIGITS);
    if (cursor->len < DELTA_VERSION_DIGITS || !text_parse_u64(digits, ret) || *ret > DELTA_VERSION_MOST)
        return false;
    cursor->p += DELTA_VERSION_DIGITS;
    cursor->len -= DELTA_VERSION_DIGITS;
    return true;
}

static bool ends_with(struct text name, const char *suffix)
{
    size_t length = strlen(suffix);
    return name.len >= length && memcmp(name.p + name.len - length, suffix, length) == 0;
}

static bool is_checkpoint(struct text rest)
{
    return text_starts(rest, CHECKPOINT_OF) && (ends_with(rest, ".parquet") || ends_with(rest, ".json"));
}

enum delta_log_kind delta_log_name_read(struct text name, uint64_t *ret_version)
{
    uint64_t version = 0;
    struct text rest = name;
    if ((text_starts(name, TEMP_PREFIX) && ends_with(name, TEMP_SUFFIX)) || text_starts(name, JAVA_TEMP))
        return DELTA_LOG_TEMP;
    if (!take_version(&rest, &version))
        return DELTA_LOG_OTHER;
    bool is_commit = text_is(rest, ".json");
    if (!is_commit && !is_checkpoint(rest))
        return DELTA_LOG_OTHER;
    *ret_version = version;
    return is_commit ? DELTA_LOG_COMMIT : DELTA_LOG_CHECKPOINT;
}

void delta_log_name_commit(uint64_t version, char ret[DELTA_FILE_NAME_SIZE])
{
    (void)snprintf(ret, DELTA_FILE_NAME_SIZE, "%020llu.json", (unsigned long long)version);
}

bool delta_uuid(char ret[DELTA_UUID_SIZE])
{
    unsigned char bytes[16];
    char hex[2 * sizeof(bytes) + 1];
    if (!random_bytes(bytes, sizeof(bytes)))
        return false;
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40); /* RFC 9562, version 4 */
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    text_hex(bytes, sizeof(bytes), hex);
    (void)snprintf(ret, DELTA_UUID_SIZE, "%.8s-%.4s-%.4s-%.4s-%.12s", hex, hex + 8, hex + 12, hex + 16, hex + 20);
    return true;
}

bool delta_log_name_temp(char ret[DELTA_TEMP_NAME_SIZE])
{
    char uuid[DELTA_UUID_SIZE];
    bool good = delta_uuid(uuid);
    (void)snprintf(ret, DELTA_TEMP_NAME_SIZE, "%s%s%s", TEMP_PREFIX, good ? uuid : "", TEMP_SUFFIX);
    return good;
}

bool delta_log_is_temp(const char *name)
{
    uint64_t version;
    struct text text = text_from(name);
    return delta_log_name_read(text, &version) == DELTA_LOG_TEMP && strstr(name, "..") == NULL &&
           strchr(name + (text_starts(text, JAVA_TEMP) ? strlen(JAVA_TEMP) : 0), '/') == NULL;
}

bool delta_last_checkpoint_read(const char *data, size_t length, uint64_t *ret_version)
{
    json_t *json = json_loadb(data, length, JSON_REJECT_DUPLICATES, NULL);
    const json_t *version = json_object_get(json, "version");
    bool good = json_is_integer(version) && json_integer_value(version) >= 0;
    if (good)
        *ret_version = (uint64_t)json_integer_value(version);
    json_decref(json);
    return good;
}
