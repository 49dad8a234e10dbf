/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/toml.h"
#include "support/test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { HEARD_SIZE = 512 };

/* What was heard, as text. */
struct heard {
    char text[HEARD_SIZE];
    size_t stop_after; /* so many calls; 0: never */
    size_t calls;
};

static bool hear(struct heard *heard, const char *line)
{
    assert_true(strlen(heard->text) + strlen(line) < HEARD_SIZE);
    (void)strcat(heard->text, line);
    return ++heard->calls != heard->stop_after;
}

static bool hear_table(void *context, const char *name, const char *second, size_t line)
{
    char said[HEARD_SIZE];

    (void)snprintf(said, sizeof(said), "%zu[%s|%s]", line, name, second == NULL ? "" : second);
    return hear(context, said);
}

static bool hear_setting(void *context, const char *key, const struct toml_value *value, size_t line)
{
    static const char kinds[] = {[TOML_STRING] = 's', [TOML_NUMBER] = 'n', [TOML_BOOLEAN] = 'b'};
    char said[HEARD_SIZE];

    (void)snprintf(said, sizeof(said), "%zu(%s|%c|%s)", line, key, kinds[value->kind], value->text);
    return hear(context, said);
}

/* In a block of exactly its size, so that a read behind it is seen. */
static bool read_text(const char *text, size_t length, struct heard *ret, struct toml_fault *fault)
{
    const struct toml_listener listener = {hear_table, hear_setting, ret};
    char *copy = malloc(length + 1);

    assert_non_null(copy);
    memcpy(copy, text, length);
    copy[length] = '\0';
    bool good = toml_read(copy, length, &listener, fault);
    free(copy);
    return good;
}

static const struct {
    const char *name;
    const char *text;
    const char *heard;
} good[] = {
    {.name = "nothing", .text = "", .heard = ""},
    {.name = "blanks", .text = " \t", .heard = ""},
    {.name = "comments", .text = "# a \t\n\n  # \xc3\xa4\r\n#", .heard = ""},
    {.name = "strings", .text = "a=\"x\"\nb = 'y\\n'  # c\n", .heard = "1(a|s|x)2(b|s|y\\n)"},
    {.name = "an empty string", .text = "a = \"\"\nb=''", .heard = "1(a|s|)2(b|s|)"},
    {.name = "escapes",
     .text = "a = \"\\b\\t\\n\\f\\r\\\"\\\\\\u0041\\u00e4\\u20AC\\U0001f600|\"",
     .heard = "1(a|s|\b\t\n\f\r\"\\A\xc3\xa4\xe2\x82\xac\xf0\x9f\x98\x80|)"},
    {.name = "numbers",
     .text = "a=0\nb=1_000\nc = -5\nd=+7\ne=-0",
     .heard = "1(a|n|0)2(b|n|1000)3(c|n|-5)4(d|n|7)5(e|n|-0)"},
    {.name = "booleans", .text = "a=true\r\nb=false", .heard = "1(a|b|true)2(b|b|false)"},
    {.name = "tables",
     .text = "[a]\n[ b . \"s3://x\" ] # c\n[store.'y']\nk=1",
     .heard = "1[a|]2[b|s3://x]3[store|y]4(k|n|1)"},
    {.name = "quoted keys", .text = "\"a b\" = 1\n'-_Z9' = 2\n-_Z9=3", .heard = "1(a b|n|1)2(-_Z9|n|2)3(-_Z9|n|3)"},
};

TEST_ROWS(good, a_text_is_read)
{
    struct heard heard = {.text = ""};
    struct toml_fault fault;

    assert_true(read_text(row->text, strlen(row->text), &heard, &fault));
    assert_int_equal(fault.line, 0);
    assert_string_equal(heard.text, row->heard);
}

static const struct {
    const char *name;
    const char *text;
    size_t line;
    const char *about; /* some words of the sentence */
} bad[] = {
    {.name = "a control character in a comment", .text = "\n# \x01", .line = 2, .about = "comment has a control"},
    {.name = "DEL in a comment", .text = "# \x7f", .line = 1, .about = "comment has a control"},
    {.name = "a carriage return alone", .text = "a=1\rb=2", .line = 1, .about = "does not belong"},
    {.name = "words without quotes", .text = "a = true blue", .line = 1, .about = "needs quotes"},
    {.name = "a fraction", .text = "a = 1.5", .line = 1, .about = "does not belong"},
    {.name = "a number that begins with 0", .text = "a = 007", .line = 1, .about = "begin with 0"},
    {.name = "0_1", .text = "a = 0_1", .line = 1, .about = "begin with 0"},
    {.name = "two underscores", .text = "a = 1__0", .line = 1, .about = "does not belong"},
    {.name = "a sign alone", .text = "a = -", .line = 1, .about = "a value is"},
    {.name = "another word", .text = "a = yes", .line = 1, .about = "a value is"},
    {.name = "another word of four letters", .text = "a = trua", .line = 1, .about = "a value is"},
    {.name = "another word of five letters", .text = "a = falsy", .line = 1, .about = "a value is"},
    {.name = "no value", .text = "a =\n", .line = 1, .about = "a value is"},
    {.name = "a list", .text = "a = [1]", .line = 1, .about = "a value is"},
    {.name = "no equals sign", .text = "a 1", .line = 1, .about = "= and a value"},
    {.name = "another letter in a key", .text = "a{ = 1", .line = 1, .about = "= and a value"},
    {.name = "a key alone", .text = "a", .line = 1, .about = "= and a value"},
    {.name = "no key", .text = "\n= 1", .line = 2, .about = "a name is expected"},
    {.name = "a NUL", .text = "\0", .line = 1, .about = "a name is expected"},
    {.name = "a dotted key", .text = "a.b = 1", .line = 1, .about = "keys with dots"},
    {.name = "a string of several lines", .text = "a = \"\"\"x\"\"\"", .line = 1, .about = "several lines"},
    {.name = "a literal one", .text = "a = '''x'''", .line = 1, .about = "several lines"},
    {.name = "a string without an end", .text = "a = \"x", .line = 1, .about = "does not end"},
    {.name = "a string over two lines", .text = "a = 'x\n'", .line = 1, .about = "does not end"},
    {.name = "a quoted key without an end", .text = "\"a = 1", .line = 1, .about = "does not end"},
    {.name = "an unknown escape", .text = "a = \"\\x41\"", .line = 1, .about = "a backslash begins none"},
    {.name = "a backslash at the end", .text = "a = \"\\", .line = 1, .about = "a backslash begins none"},
    {.name = "too few digits", .text = "a = \"\\u00g1\"", .line = 1, .about = "four hexadecimal"},
    {.name = "too few digits of eight", .text = "a = \"\\U0001f6/0\"", .line = 1, .about = "four hexadecimal"},
    {.name = "NUL", .text = "a = \"\\u0000\"", .line = 1, .about = "stand for a character"},
    {.name = "half a pair", .text = "a = \"\\ud800\"", .line = 1, .about = "stand for a character"},
    {.name = "behind Unicode", .text = "a = \"\\U00110000\"", .line = 1, .about = "stand for a character"},
    {.name = "a list of tables", .text = "[[a]]", .line = 1, .about = "lists of tables"},
    {.name = "a table without a name", .text = "[ ]", .line = 1, .about = "a name is expected"},
    {.name = "a table without a second name", .text = "[a.]", .line = 1, .about = "a name is expected"},
    {.name = "a table of three names", .text = "[a.b.c]", .line = 1, .about = "two parts at most"},
    {.name = "a table without an end", .text = "[a", .line = 1, .about = "two parts at most"},
    {.name = "a URL without quotes", .text = "[store.s3://b]", .line = 1, .about = "needs quotes"},
    {.name = "something behind a table", .text = "[a] b", .line = 1, .about = "does not belong"},
};

TEST_ROWS(bad, a_text_is_refused_with_its_line)
{
    struct heard heard = {.text = ""};
    struct toml_fault fault;
    size_t length = row->text[0] == '\0' ? 1 : strlen(row->text); /* the NUL is the text */

    assert_false(read_text(row->text, length, &heard, &fault));
    assert_int_equal(fault.line, row->line);
    if (strstr(fault.sentence, row->about) == NULL)
        fail_msg("\"%s\" says nothing of \"%s\"", fault.sentence, row->about);
}

TEST(the_listener_ends_the_reading)
{
    for (size_t calls = 1; calls <= 3; calls++) {
        struct heard heard = {.stop_after = calls};
        struct toml_fault fault;
        const char text[] = "a=1\n[t]\nb=2\n";
        assert_false(read_text(text, strlen(text), &heard, &fault));
        assert_int_equal(fault.line, 0);
        assert_int_equal(heard.calls, calls);
    }
}
