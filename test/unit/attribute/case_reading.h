/* SPDX-License-Identifier: Apache-2.0 */
/* The cases of this folder as they are written, and as the library has them. */
#ifndef OSCOMMIT_TEST_UNIT_ATTRIBUTE_CASE_READING_H
#define OSCOMMIT_TEST_UNIT_ATTRIBUTE_CASE_READING_H

#include "attribute/change.h"
#include "attribute/condition.h"

/* JSON with ' in place of ", which C would have to escape. NULL gives NULL. */
json_t *case_json(const char *text);

/* So many lists, or maps, inside each other, and a text inside. */
json_t *case_nested(size_t levels, bool maps);
/* Whether two items are equal, as maps are. */
bool case_items_equal(json_t *a, json_t *b);

/* "a.b[0]", of names without dots and brackets. */
struct case_path {
    char names[64];
    struct path_step steps[PATH_STEPS_MAX];
    struct path path;
};
const struct path *case_path(const char *text, struct case_path *ret);

enum { CONDITION_CASE_TERMS = 4 };

enum condition_case_answer { FAILS = 0, HOLDS, REFUSED };

struct condition_case {
    const char *name;
    enum condition_case_answer answer;
    const char *item; /* as case_json has it; NULL: there is none */
    struct {
        enum condition_test test;
        const char *value;
        const char *upper;
        const char *path; /* as case_path has it; NULL: no term */
        bool is_alternative;
    } terms[CONDITION_CASE_TERMS];
};

struct case_condition {
    struct case_path paths[CONDITION_CASE_TERMS];
    struct condition_term terms[CONDITION_CASE_TERMS];
    struct condition condition;
};
void case_condition_read(const struct condition_case *row, struct case_condition *ret);
void case_condition_free(struct case_condition *condition);

enum { CHANGE_CASE_CHANGES = 3 };

struct change_case {
    const char *name;
    os_code code;
    const char *item;  /* as case_json has it; NULL: there is none */
    const char *after; /* NULL: it is refused */
    struct {
        enum change_kind kind;
        const char *path; /* as case_path has it; NULL: no change */
        const char *value;
    } changes[CHANGE_CASE_CHANGES];
};

struct case_changes {
    struct case_path paths[CHANGE_CASE_CHANGES];
    struct change changes[CHANGE_CASE_CHANGES];
    size_t count;
};
void case_changes_read(const struct change_case *row, struct case_changes *ret);
void case_changes_free(struct case_changes *changes);

#endif
