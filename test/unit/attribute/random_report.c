/* SPDX-License-Identifier: Apache-2.0 */
#include "random_report.h"

#include "support/test.h"

#include <inttypes.h>
#include <string.h>

static size_t differences;

static json_t *report_path(const struct path *path)
{
    char text[PATH_TEXT_SIZE];
    return json_string(path_text(path, text));
}

static void append(json_t *list, json_t *element)
{
    assert_int_equal(json_array_append_new(list, element), 0);
}

json_t *report_condition(const struct condition *condition)
{
    json_t *list = json_array();
    for (size_t i = 0; i < condition->count; i++) {
        const struct condition_term *term = &condition->terms[i];
        append(list, json_pack("[b,o,i,O?,O?]", term->is_alternative, report_path(&term->path), term->test, term->value,
                               term->upper));
    }
    return list;
}

json_t *report_changes(const struct change *changes, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        append(list, json_pack("[i,o,O?]", changes[i].kind, report_path(&changes[i].path), changes[i].value));
    return list;
}

json_t *report_paths(const struct path *paths, size_t count)
{
    json_t *list = json_array();
    for (size_t i = 0; i < count; i++)
        append(list, report_path(&paths[i]));
    return list;
}

void report_difference(uint64_t seed, const char *what, const json_t *item, json_t *asked, const json_t *ours,
                       const json_t *theirs, const char *sentence)
{
    const char *const titles[] = {"of", "asked", "ours", "theirs"};
    const json_t *const parts[] = {item, asked, ours, theirs};
    print_error("seed %" PRIu64 ": %s. %s\n", seed, what, sentence);
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        char *text = parts[i] != NULL ? json_dumps(parts[i], JSON_ENCODE_ANY) : NULL;
        if (text != NULL)
            print_error("  %s: %.2000s\n", titles[i], text);
        free(text);
    }
    json_decref(asked);
    differences++;
}

void assert_no_differences(void)
{
    size_t count = differences;
    differences = 0;
    assert_int_equal(count, 0);
}
