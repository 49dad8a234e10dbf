/* SPDX-License-Identifier: Apache-2.0 */
/* Names below `_delta_log/`, and the hint of a checkpoint. */
#include "delta/log_name.h"

#include "support/test.h"

#include <string.h>

static const struct {
    const char *name;
    enum delta_log_kind kind;
    uint64_t version;
} names[] = {
    {"00000000000000000000.json", DELTA_LOG_COMMIT, 0},
    {"00000000000000000107.json", DELTA_LOG_COMMIT, 107},
    {"09223372036854775807.json", DELTA_LOG_COMMIT, INT64_MAX},
    {"09223372036854775808.json", DELTA_LOG_OTHER, 0},
    {"99999999999999999999.json", DELTA_LOG_OTHER, 0},
    {"0000000000000000107.json", DELTA_LOG_OTHER, 0},
    {"00000000000000000107.crc", DELTA_LOG_OTHER, 0},
    {"00000000000000000107.jso", DELTA_LOG_OTHER, 0},
    {"00000000000000000100.checkpoint.parquet", DELTA_LOG_CHECKPOINT, 100},
    {"00000000000000000100.checkpoint.0000000001.0000000002.parquet", DELTA_LOG_CHECKPOINT, 100},
    {"00000000000000000100.checkpoint.80a083e8-7026-4e79-81be-64bd76c43a11.json", DELTA_LOG_CHECKPOINT, 100},
    {"00000000000000000100.checkpoint.tmp", DELTA_LOG_OTHER, 0},
    {"_last_checkpoint", DELTA_LOG_OTHER, 0},
    {"_commit_", DELTA_LOG_OTHER, 0},
    {"_commit_of_somebody_else.json", DELTA_LOG_OTHER, 0},
    {"_commit_80a083e8-7026-4e79-81be-64bd76c43a11.json.tmp", DELTA_LOG_TEMP, 0},
    {"_commits/00000000000000000100.80a083e8.json", DELTA_LOG_OTHER, 0},
    {".tmp/00000000000000000100.json.80a083e8", DELTA_LOG_TEMP, 0},
    {"", DELTA_LOG_OTHER, 0},
};

TEST_ROWS(names, a_name_says_what_it_is)
{
    uint64_t version = 0;
    assert_int_equal(delta_log_name_read(text_from(row->name), &version), row->kind);
    assert_int_equal(version, row->version);
}

TEST(a_commit_is_named_by_its_version)
{
    char name[DELTA_FILE_NAME_SIZE];
    delta_log_name_commit(107, name);
    assert_string_equal(name, "00000000000000000107.json");
    delta_log_name_commit(DELTA_VERSION_MOST, name);
    assert_string_equal(name, "09223372036854775807.json");
}

TEST(a_temp_file_has_a_name_of_its_own)
{
    char one[DELTA_TEMP_NAME_SIZE];
    char other[DELTA_TEMP_NAME_SIZE];
    char uuid[DELTA_UUID_SIZE];
    assert_true(delta_log_name_temp(one) && delta_log_name_temp(other));
    assert_string_not_equal(one, other);
    assert_true(delta_log_is_temp(one));
    assert_true(delta_uuid(uuid));
    assert_int_equal(strlen(uuid), DELTA_UUID_SIZE - 1);
    assert_int_equal(uuid[14], '4'); /* the version, and the variant */
    assert_non_null(strchr("89ab", uuid[19]));
}

/* An entry of a log store is a stranger's: it must not make a version of a file that lies elsewhere. */
TEST(a_temp_file_lies_in_the_log)
{
    assert_true(delta_log_is_temp(".tmp/00000000000000000001.json.x"));
    assert_false(delta_log_is_temp(".tmp/../../00000000000000000001.json"));
    assert_false(delta_log_is_temp(".tmp/a/b"));
    assert_false(delta_log_is_temp("_commit_/../../x.json.tmp"));
    assert_false(delta_log_is_temp("_commit_a/b.json.tmp"));
    assert_false(delta_log_is_temp("00000000000000000001.json"));
    assert_false(delta_log_is_temp(""));
}

static const struct {
    const char *name;
    bool good;
    uint64_t version;
} hints[] = {
    {"{\"version\":100,\"size\":7}", true, 100},
    {"{\"version\":0}", true, 0},
    {"{\"version\":-1}", false, 0},
    {"{\"version\":\"7\"}", false, 0},
    {"{\"version\":1.5}", false, 0},
    {"{\"size\":7}", false, 0},
    {"[7]", false, 0},
    {"{\"version\":7", false, 0},
    {"", false, 0},
};

TEST_ROWS(hints, a_hint_is_read_or_is_none)
{
    uint64_t version = 0;
    assert_int_equal(delta_last_checkpoint_read(row->name, strlen(row->name), &version), row->good);
    assert_int_equal(version, row->version);
}
