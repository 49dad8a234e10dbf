/* SPDX-License-Identifier: Apache-2.0 */
/* Names as pylance 14.0.2 makes them, and what is none of those. */
#include "lance/manifest_name.h"

#include "support/test.h"

#include <string.h>

struct row {
    const char *name;
    const char *text;
    enum lance_name_kind kind;
    uint64_t version;
};

static const struct row rows[] = {
    {"a manifest", "18446744073709551614.manifest", LANCE_NAME_MANIFEST, 1},
    {"a later one", "18446744073709551605.manifest", LANCE_NAME_MANIFEST, 10},
    {"the last one", "00000000000000000000.manifest", LANCE_NAME_MANIFEST, UINT64_MAX},
    {"version 0", "18446744073709551615.manifest", LANCE_NAME_OTHER, 0},
    {"no number of 64 bits", "18446744073709551616.manifest", LANCE_NAME_OTHER, 0},
    {"a staged one", "18446744073709551613.manifest-f9ddd29a-40b0-4cd3-b42f-21efe3d9e665", LANCE_NAME_STAGED, 2},
    {"a staged one without a name", "18446744073709551613.manifest-", LANCE_NAME_OTHER, 0},
    {"a staged one elsewhere", "18446744073709551613.manifest-a/b", LANCE_NAME_OTHER, 0},
    {"a staged one with a blank", "18446744073709551613.manifest-a b", LANCE_NAME_OTHER, 0},
    {"another ending", "18446744073709551613.manifest.tmp", LANCE_NAME_OTHER, 0},
    {"a staged one that is too long",
     "18446744073709551613.manifest-"
     "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890123456789",
     LANCE_NAME_OTHER, 0},
    {"the first scheme", "7.manifest", LANCE_NAME_FIRST_SCHEME, 7},
    {"version 0 of the first scheme", "0.manifest", LANCE_NAME_OTHER, 0},
    {"a staged one of the first scheme", "7.manifest-a", LANCE_NAME_OTHER, 0},
    {"a detached version", "d9223372036854775809.manifest", LANCE_NAME_OTHER, 0},
    {"the hint", "latest_version_hint.json", LANCE_NAME_OTHER, 0},
    {"a number alone", "18446744073709551614", LANCE_NAME_OTHER, 0},
    {"nothing", "", LANCE_NAME_OTHER, 0},
};

TEST_ROWS(rows, a_name_is_read)
{
    uint64_t version = 0;
    assert_int_equal(lance_name_read(text_from(row->text), &version), row->kind);
    assert_int_equal(version, row->version);
}

TEST(a_name_is_written_as_it_is_read)
{
    char name[LANCE_NAME_SIZE];
    lance_name_manifest(1, name);
    assert_string_equal(name, "18446744073709551614.manifest");
    lance_name_manifest(UINT64_MAX, name);
    assert_string_equal(name, "00000000000000000000.manifest");
}
