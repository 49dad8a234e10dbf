/* SPDX-License-Identifier: Apache-2.0 */
#include "attribute/path.h"

#include "base/text.h"
#include "case_reading.h"
#include "support/test.h"

#include <string.h>

static enum path_relation relation(const char *a, const char *b)
{
    struct case_path path_a;
    struct case_path path_b;
    enum path_relation found = path_relate(case_path(a, &path_a), case_path(b, &path_b));
    assert_int_equal(path_relate(&path_b.path, &path_a.path), found);
    return found;
}

TEST(paths_overlap_when_one_leads_through_the_other)
{
    assert_int_equal(relation("a", "a"), PATHS_OVERLAP);
    assert_int_equal(relation("a", "a.b[0]"), PATHS_OVERLAP);
    assert_int_equal(relation("a.b[0]", "a.b[0].c"), PATHS_OVERLAP);
    assert_int_equal(relation("a.b[0]", "a.b.c"), PATHS_CONFLICT);
    assert_int_equal(relation("a[1].x", "a.x"), PATHS_CONFLICT);
    assert_int_equal(relation("a", "ab"), PATHS_APART);
    assert_int_equal(relation("a.b", "a.c"), PATHS_APART);
    assert_int_equal(relation("a.b[0]", "a.b[1]"), PATHS_APART);
    assert_int_equal(relation("a[0].x", "b.x"), PATHS_APART);
}

TEST(paths_come_by_name_and_elements_by_index)
{
    static const char *const ascending[] = {"a", "a.b", "a.b[2]", "a.b[2].c", "a.b[10]", "a.c", "a[0]", "b"};
    const size_t count = sizeof(ascending) / sizeof(ascending[0]);
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < count; j++) {
            struct case_path a;
            struct case_path b;
            int order = path_compare(case_path(ascending[i], &a), case_path(ascending[j], &b));
            assert_int_equal((order > 0) - (order < 0), (i > j) - (i < j));
        }
}

static void shown_as(const char *path, const char *wanted)
{
    struct case_path read;
    char text[PATH_TEXT_SIZE];
    assert_string_equal(path_text(case_path(path, &read), text), wanted);
}

TEST(a_path_is_shown_as_people_write_it)
{
    shown_as("a", "a");
    shown_as("owner.names[3]", "owner.names[3]");
    shown_as("a[0][12].b", "a[0][12].b");
}

TEST(a_long_path_is_cut_between_characters)
{
    char name[PATH_TEXT_SIZE + 2] = "n";
    char text[PATH_TEXT_SIZE];
    for (size_t i = 1; i < PATH_TEXT_SIZE; i += 2)
        memcpy(name + i, "\xc3\xa4", 2);
    const struct path_step step = {.name = name};
    (void)path_text(&(struct path){&step, 1}, text);
    assert_true(text_is_utf8(text_from(text)));
    assert_int_equal(strlen(text), PATH_TEXT_SIZE - 2);
    assert_string_equal(text + strlen(text) - 5, "\xc3\xa4...");
}

TEST(a_path_is_cut_when_it_has_no_room)
{
    char name[PATH_TEXT_SIZE] = "";
    char text[PATH_TEXT_SIZE];
    const struct path_step steps[] = {{.name = name}, {.index = 1}};
    memset(name, 'n', PATH_TEXT_SIZE - sizeof("[1]"));
    assert_string_equal(path_text(&(struct path){steps, 2}, text) + PATH_TEXT_SIZE - sizeof("[1]"), "[1]");
    name[strlen(name)] = 'n';
    assert_string_equal(path_text(&(struct path){steps, 2}, text) + PATH_TEXT_SIZE - sizeof("..."), "...");
}

static void refused(const struct path_step *steps, size_t count, const char *message)
{
    os_error err;
    assert_int_equal(path_check(&(struct path){steps, count}, &err), OS_ERR_ARGUMENT);
    assert_string_equal(err.message, message);
}

TEST(what_leads_nowhere_is_refused)
{
    struct path_step steps[PATH_STEPS_MAX + 1] = {{.name = "a"}};
    assert_int_equal(path_check(&(struct path){steps, PATH_STEPS_MAX}, NULL), OS_OK);
    assert_int_equal(path_check(&(struct path){steps, PATH_STEPS_MAX + 1}, NULL), OS_ERR_ARGUMENT);
    refused(steps, 0, "\"\": a document path has 1 to 32 steps.");
    refused(steps + 1, 1, "\"[0]\": a document path begins with the name of an attribute.");
    steps[1].name = "";
    refused(steps, 2, "\"a.\"\"\": the name of an attribute has 1 to 65535 bytes.");
    steps[1].name = "b\xff";
    refused(steps, 2, "\"a.b\\xff\": the name of an attribute is UTF-8.");
    steps[1] = (struct path_step){.index = PATH_INDEX_MAX};
    assert_int_equal(path_check(&(struct path){steps, 2}, NULL), OS_OK);
    steps[1].index++;
    refused(steps, 2, "\"a[2147483648]\": the index of an element is at most 2147483647.");
}

TEST(what_stands_there_is_found)
{
    struct case_path path;
    json_t *item = case_json("{'a':{'M':{'b':{'L':[{'N':'1'},{'M':{'c':{'S':'x'}}}]},'s':{'SS':['p']}}}}");
    json_t *wanted = case_json("{'S':'x'}");
    assert_true(json_equal(path_find(item, case_path("a.b[1].c", &path)), wanted));
    static const char *const absent[] = {"b", "a.c", "a[0]", "a.b.c", "a.b[2]", "a.b[0].N", "a.M", "a.s[0]", "a.M.b"};
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++)
        assert_null(path_find(item, case_path(absent[i], &path)));
    assert_null(path_find(NULL, case_path("a", &path)));
    json_decref(item);
    json_decref(wanted);
}
