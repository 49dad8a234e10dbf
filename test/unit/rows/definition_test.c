/* SPDX-License-Identifier: Apache-2.0 */
/* What can be a table, and who asks for it by its keys. */
#include "rows/definition.h"

#include "support/test.h"

#include <string.h>

#define S_KEY(attribute)                    \
    {                                       \
        .partition = { attribute, VALUE_S } \
    }

static const char *const twice[] = {"a", "b", "a"};
static const char *const names_21[21] = {"a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k",
                                         "l", "m", "n", "o", "q", "r", "s", "t", "u", "v"};

static struct rows_definition with_index(const struct rows_index *index)
{
    return (struct rows_definition){
        .keys = {.partition = {"p", VALUE_S}, .sort = {"s", VALUE_N}}, .indexes = index, .index_count = 1};
}

static void check_refused(const struct rows_definition *definition, const char *words)
{
    os_error error;
    assert_int_equal(rows_definition_check(definition, &error), OS_ERR_ARGUMENT);
    if (strstr(error.message, words) == NULL)
        fail_msg("\"%s\" is not in: %s", words, error.message);
}

TEST(what_cannot_be_a_table_is_refused)
{
    check_refused(&(struct rows_definition){.ttl = "t"}, "no partition key");
    check_refused(&(struct rows_definition){.keys = S_KEY("")}, "1 to 255 bytes");
    check_refused(&(struct rows_definition){.keys = {.partition = {"p", VALUE_BOOL}}}, "S, N or B");
    check_refused(&(struct rows_definition){.keys = {.partition = {"p", VALUE_S}, .sort = {"p", VALUE_S}}}, "both");
    check_refused(&(struct rows_definition){.keys = S_KEY("p"), .ttl = ""}, "TTL");
    check_refused(&(struct rows_definition){.keys = S_KEY("p"), .index_count = 21}, "at most 20 indexes");
}

static const struct index_case {
    const char *name;
    struct rows_index index;
    const char *words;
} index_cases[] = {
    {"no name", {.keys = S_KEY("g"), .projection = ROWS_PROJECT_ALL}, "not the name of an index"},
    {"no key", {.name = "idx", .projection = ROWS_PROJECT_ALL}, "The index \"idx\" has no partition key"},
    {"another type", {.name = "idx", .keys = S_KEY("s"), .projection = ROWS_PROJECT_ALL}, "type N and one of type S"},
    {"names of all",
     {.name = "idx", .keys = S_KEY("g"), .projection = ROWS_PROJECT_ALL, .names = names_21, .name_count = 1},
     "ALL and KEYS_ONLY have none"},
    {"no names", {.name = "idx", .keys = S_KEY("g"), .projection = ROWS_PROJECT_INCLUDE}, "INCLUDE has 1 to 20"},
    {"too many names",
     {.name = "idx", .keys = S_KEY("g"), .projection = ROWS_PROJECT_INCLUDE, .names = names_21, .name_count = 21},
     "INCLUDE has 1 to 20"},
    {"a name twice",
     {.name = "idx", .keys = S_KEY("g"), .projection = ROWS_PROJECT_INCLUDE, .names = twice, .name_count = 3},
     "The index \"idx\" includes the attribute \"a\" twice"},
};

TEST_ROWS(index_cases, what_cannot_be_an_index_is_refused)
{
    const struct rows_definition definition = with_index(&row->index);
    check_refused(&definition, row->words);
}

TEST(what_a_table_has_more_than_is_wanted_may_be_allowed)
{
    char difference[512];
    const struct rows_index index = {.name = "idx", .keys = S_KEY("g"), .projection = ROWS_PROJECT_ALL};
    const struct rows_index other = {.name = "idx", .keys = S_KEY("h"), .projection = ROWS_PROJECT_ALL};
    struct rows_definition there = with_index(&index);
    struct rows_definition wanted = {.keys = there.keys};
    there.ttl = "t";
    assert_non_null(rows_definition_difference(&there, &wanted, difference));
    wanted.allows_more = true;
    assert_null(rows_definition_difference(&there, &wanted, difference));
    assert_non_null(rows_definition_difference(&wanted, &there, difference));
    wanted.ttl = "u";
    assert_string_equal(rows_definition_difference(&there, &wanted, difference), "the TTL attribute is t, not u");
    wanted.ttl = NULL;
    wanted.indexes = &other;
    wanted.index_count = 1;
    assert_non_null(rows_definition_difference(&there, &wanted, difference));
    wanted = (struct rows_definition){.keys = S_KEY("p"), .allows_more = true};
    assert_non_null(rows_definition_difference(&there, &wanted, difference));
}

TEST(two_indexes_have_two_names)
{
    const struct rows_index indexes[] = {
        {.name = "idx", .keys = S_KEY("g"), .projection = ROWS_PROJECT_ALL},
        {.name = "idx", .keys = S_KEY("h"), .projection = ROWS_PROJECT_ALL},
    };
    check_refused(&(struct rows_definition){.keys = S_KEY("p"), .indexes = indexes, .index_count = 2},
                  "Two indexes are called");
}

/* ---------------------------------------------------------------------------------------------------------- keys */

static const struct fit_row {
    const char *name;
    struct rows_key_schema schema;
    struct rows_keys asked;
    const char *says; /* NULL: they fit */
} fit_rows[] = {
    {"both", {{"p", VALUE_S}, {"s", VALUE_N}}, {"p", "s"}, NULL},
    {"the partition alone", {.partition = {"p", VALUE_S}}, {"p", NULL}, NULL},
    {"another partition",
     {{"p", VALUE_S}, {"s", VALUE_N}},
     {"q", "s"},
     "The key of the table t is \"p\" and \"s\", and it was asked for by \"q\" and \"s\". Give the names that it has."},
    {"another sort", {{"p", VALUE_S}, {"s", VALUE_N}}, {"p", "t"}, "asked for by \"p\" and \"t\""},
    {"no sort", {{"p", VALUE_S}, {"s", VALUE_N}}, {"p", NULL}, "asked for by \"p\". Give"},
    {"a sort more", {.partition = {"p", VALUE_S}}, {"p", "s"}, "is \"p\", and it was asked for by \"p\" and \"s\""},
    {"turned round", {{"p", VALUE_S}, {"s", VALUE_N}}, {"s", "p"}, "asked for by \"s\" and \"p\""},
};

TEST_ROWS(fit_rows, a_table_is_asked_by_the_names_of_its_keys)
{
    os_error err;
    os_code code = rows_key_schema_fit(&row->schema, &row->asked, "the table t", &err);
    assert_int_equal(code, row->says == NULL ? OS_OK : OS_ERR_ARGUMENT);
    if (row->says != NULL && strstr(err.message, row->says) == NULL)
        fail_msg("\"%s\" is not in: %s", row->says, err.message);
}

TEST(long_names_are_cut_in_the_sentence)
{
    os_error err;
    char name[256];
    memset(name, 'x', sizeof(name));
    name[255] = '\0';
    const struct rows_key_schema schema = {{"p", VALUE_S}, {name, VALUE_S}};
    assert_int_equal(rows_key_schema_fit(&schema, &(struct rows_keys){name, name}, "the table t", &err),
                     OS_ERR_ARGUMENT);
    assert_non_null(strstr(err.message, "xxx\". Give the names that it has."));
}
