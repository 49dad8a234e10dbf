/* SPDX-License-Identifier: Apache-2.0 */
#include "credentials/words.h"

#include "support/test.h"

#include <string.h>

enum { WORDS_MAX = 4 };

/* `words`: one behind the other, each with a '|' behind it; NULL: it is no command. */
static const struct {
    const char *name;
    const char *line;
    const char *words;
} rows[] = {
    {"nothing", "", NULL},
    {"blanks", " \t\r\n ", NULL},
    {"one", "a", "a|"},
    {"some", "aws-vault exec  work\t--json", "aws-vault|exec|work|--json|"},
    {"blanks around", "  a b \n", "a|b|"},
    {"as many as fit", "a b c d", "a|b|c|d|"},
    {"one too many", "a b c d e", NULL},
    {"one too many, empty", "a b c d ''", NULL},
    {"single quotes", "'a b' 'c\\'", "a b|c\\|"},
    {"single quotes keep the others", "'\"$x\"'", "\"$x\"|"},
    {"double quotes", "\"a b\" c", "a b|c|"},
    {"double quotes keep the others", "\"it's\"", "it's|"},
    {"escapes in double quotes", "\"a\\\"b\\\\c\\n\"", "a\"b\\c\\n|"},
    {"an escaped quote at the end", "\"a\\\"", NULL},
    {"a backslash at the end of quotes", "\"a\\", NULL},
    {"a backslash keeps a blank", "a\\ b", "a b|"},
    {"a backslash keeps a quote", "\\\"a\\'", "\"a'|"},
    {"a backslash at the end", "a\\", NULL},
    {"quotes within a word", "--x='a b'c", "--x=a bc|"},
    {"quotes side by side", "'a'\"b\"c", "abc|"},
    {"an empty word", "a '' b", "a||b|"},
    {"an empty word alone", "\"\"", "|"},
    {"a single quote that is open", "a 'b", NULL},
    {"a double quote that is open", "a \"b", NULL},
    {"nothing is expanded", "~ $HOME `id` *", "~|$HOME|`id`|*|"},
    {"other bytes", "\x01\xff #a", "\x01\xff|#a|"},
};

TEST_ROWS(rows, a_line_is_cut_as_a_shell_would)
{
    char line[64];
    char *words[WORDS_MAX + 2];
    char joined[80] = "";
    memset(words, 0x55, sizeof(words));
    strcpy(line, row->line);
    char *const beyond = words[WORDS_MAX + 1];
    bool ok = words_split(line, words, WORDS_MAX);
    assert_ptr_equal(words[WORDS_MAX + 1], beyond);
    assert_int_equal(ok, row->words != NULL);
    for (size_t i = 0; ok && words[i] != NULL; i++) {
        strcat(joined, words[i]);
        strcat(joined, "|");
    }
    assert_string_equal(joined, ok ? row->words : "");
}
