/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_pattern.h"

#include <string.h>

enum {
    STEPS_MAX = 256, /* of the row, x{8} being eight */
    RANGES_MAX = 256
};

struct range {
    uint32_t first;
    uint32_t last;
};

/* One character of a text, or none if it may be left out, or several if it repeats. */
struct step {
    size_t first_range;
    size_t range_count;
    bool is_negated;
    bool may_be_left_out;
    bool repeats;
};

struct row {
    struct step steps[STEPS_MAX];
    size_t count;
    struct range ranges[RANGES_MAX];
    size_t range_count;
    bool begins; /* with the text */
    bool ends;
    const char *fault;
};

static const struct range digits[] = {{'0', '9'}};
static const struct range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
/* ECMAScript: WhiteSpace and LineTerminator. */
static const struct range blanks[] = {{'\t', '\r'},     {' ', ' '},       {0xa0, 0xa0},     {0x1680, 0x1680},
                                      {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
                                      {0x3000, 0x3000}, {0xfeff, 0xfeff}};
static const struct range line_ends[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

static bool fail(struct row *row, const char *fault)
{
    row->fault = fault;
    return false;
}

/* The next character; false at the end, and at what is no UTF-8. */
static bool take_character(struct text *cursor, uint32_t *ret)
{
    static const unsigned char masks[] = {0, 0x7f, 0x1f, 0x0f, 0x07};
    size_t len = cursor->len > 0 ? text_utf8_sequence(*cursor) : 0;
    if (len == 0)
        return false;
    *ret = (unsigned char)cursor->p[0] & masks[len];
    for (size_t i = 1; i < len; i++)
        *ret = *ret << 6 | ((unsigned char)cursor->p[i] & 0x3f);
    *cursor = text_of(cursor->p + len, cursor->len - len);
    return true;
}

/* ----------------------------------------------------------------------------------------------------------- parsing */

static bool add_ranges(struct row *row, struct step *step, const struct range *ranges, size_t count)
{
    if (row->range_count + count > RANGES_MAX)
        return fail(row, "has more than 256 ranges of characters");
    memcpy(row->ranges + row->range_count, ranges, count * sizeof(*ranges));
    row->range_count += count;
    step->range_count += count;
    return true;
}

static bool add_range(struct row *row, struct step *step, uint32_t first, uint32_t last)
{
    return add_ranges(row, step, &(struct range){first, last}, 1);
}

#define ADD_ALL(row, step, ranges) add_ranges(row, step, ranges, sizeof(ranges) / sizeof((ranges)[0]))

/* Behind a backslash: a class of characters, and whether it was one. */
static bool add_class(struct row *row, struct step *step, char letter, bool *ret_is_class)
{
    *ret_is_class = true;
    switch (letter | 0x20) {
    case 'd': return ADD_ALL(row, step, digits);
    case 'w': return ADD_ALL(row, step, words);
    case 's': return ADD_ALL(row, step, blanks);
    default: *ret_is_class = false; return true;
    }
}

/* Behind a backslash: one character. */
static bool take_escaped(struct row *row, struct text *cursor, bool in_class, uint32_t *ret)
{
    static const char letters[] = "nrtfv";
    static const char meant[] = "\n\r\t\f\v";
    static const char signs[] = "^$\\.*+?()[]{}|/";
    char c = cursor->len > 0 ? cursor->p[0] : '\0';
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    bool is_sign = c != '\0' && (strchr(signs, c) != NULL || (in_class && c == '-'));
    if (letter == NULL && !is_sign)
        return fail(row, "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign");
    *ret = (unsigned char)(letter != NULL ? meant[letter - letters] : c);
    *cursor = text_of(cursor->p + 1, cursor->len - 1);
    return true;
}

static bool take_class_character(struct row *row, struct text *cursor, uint32_t *ret)
{
    if (text_take_char(cursor, '\\'))
        return take_escaped(row, cursor, true, ret);
    return take_character(cursor, ret) || fail(row, "has a [ without its ]");
}

static bool take_class_member(struct row *row, struct text *cursor, struct step *step)
{
    uint32_t first;
    uint32_t last;
    bool is_class = false;
    if (cursor->len >= 2 && cursor->p[0] == '\\' && strchr("dws", cursor->p[1]) != NULL && cursor->p[1] != '\0') {
        char letter = cursor->p[1];
        *cursor = text_of(cursor->p + 2, cursor->len - 2);
        return add_class(row, step, letter, &is_class);
    }
    if (!take_class_character(row, cursor, &first))
        return false;
    last = first;
    bool is_range = cursor->len >= 2 && cursor->p[0] == '-' && cursor->p[1] != ']';
    if (is_range && (!text_take_char(cursor, '-') || !take_class_character(row, cursor, &last)))
        return false;
    return first <= last ? add_range(row, step, first, last) : fail(row, "has a range of characters that runs back");
}

static bool take_class(struct row *row, struct text *cursor, struct step *step)
{
    step->is_negated = text_take_char(cursor, '^');
    while (!text_take_char(cursor, ']'))
        if (!take_class_member(row, cursor, step))
            return false;
    return true;
}

static bool take_escape(struct row *row, struct text *cursor, struct step *step)
{
    uint32_t character;
    bool is_class = false;
    char letter = cursor->len > 0 ? cursor->p[0] : '\0';
    if (!add_class(row, step, letter, &is_class))
        return false;
    if (is_class) {
        step->is_negated = letter < 'a';
        *cursor = text_of(cursor->p + 1, cursor->len - 1);
        return true;
    }
    return take_escaped(row, cursor, false, &character) && add_range(row, step, character, character);
}

static bool take_step(struct row *row, struct text *cursor, struct step *step)
{
    uint32_t character;
    *step = (struct step){.first_range = row->range_count};
    if (text_take_char(cursor, '\\'))
        return take_escape(row, cursor, step);
    if (text_take_char(cursor, '['))
        return take_class(row, cursor, step);
    if (text_take_char(cursor, '.')) {
        step->is_negated = true;
        return ADD_ALL(row, step, line_ends);
    }
    if (!take_character(cursor, &character))
        return fail(row, "is no UTF-8");
    if (character == '(' || character == ')' || character == '|')
        return fail(row, "has a group or alternatives");
    if (character == '^' || character == '$')
        return fail(row, "has a ^ or a $ inside");
    if (character < 0x80 && character != '\0' && strchr("*+?{}]", (char)character) != NULL)
        return fail(row, "has a *, +, ?, {, } or ] where a character should be");
    return add_range(row, step, character, character);
}

static bool add_step(struct row *row, struct step step, bool may_be_left_out, bool repeats)
{
    if (row->count == STEPS_MAX)
        return fail(row, "is longer than 256 characters, each as often as it repeats");
    step.may_be_left_out = may_be_left_out;
    step.repeats = repeats;
    row->steps[row->count++] = step;
    return true;
}

/* {n}, {n,} or {n,m}, behind its brace. */
static bool take_counts(struct text *cursor, uint64_t *ret_least, uint64_t *ret_most, bool *ret_repeats)
{
    if (!text_take_u64(cursor, ret_least))
        return false;
    *ret_most = *ret_least;
    if (text_take_char(cursor, ',') && !text_take_u64(cursor, ret_most))
        *ret_repeats = true;
    return text_take_char(cursor, '}') && *ret_least <= *ret_most;
}

/* How often the step stands there: least times, up to most times, or as often as there is. A "?" behind asks for as few as
 * will do, which finds the same texts. */
static bool take_times(struct row *row, struct text *cursor, struct step step)
{
    uint64_t least = 1;
    uint64_t most = 1;
    bool repeats = false;
    bool is_counted = true;
    if (text_take_char(cursor, '*') || text_take_char(cursor, '+')) {
        repeats = true;
        least = most = cursor->p[-1] == '+' ? 1 : 0;
    } else if (text_take_char(cursor, '?')) {
        least = 0;
    } else if (!text_take_char(cursor, '{')) {
        is_counted = false;
    } else if (!take_counts(cursor, &least, &most, &repeats)) {
        return fail(row, "has a { without the numbers of a count and its }");
    }
    if (is_counted)
        (void)text_take_char(cursor, '?');
    for (uint64_t i = 0; i < most; i++)
        if (!add_step(row, step, i >= least, false))
            return false;
    return !repeats || add_step(row, step, true, true);
}

static void parse(struct text pattern, struct row *ret)
{
    struct step step;
    ret->count = ret->range_count = 0;
    ret->fault = NULL;
    ret->ends = false;
    ret->begins = text_take_char(&pattern, '^');
    while (pattern.len > 0 && !ret->ends)
        if (text_is(pattern, "$"))
            ret->ends = true;
        else if (!take_step(ret, &pattern, &step) || !take_times(ret, &pattern, step))
            return;
}

const char *model_pattern_fault(struct text pattern)
{
    struct row row;
    parse(pattern, &row);
    return row.fault;
}

/* ---------------------------------------------------------------------------------------------------------- matching */

static bool step_takes(const struct row *row, const struct step *step, uint32_t character)
{
    bool is_inside = false;
    for (size_t i = 0; i < step->range_count && !is_inside; i++) {
        const struct range *range = &row->ranges[step->first_range + i];
        is_inside = character >= range->first && character <= range->last;
    }
    return is_inside != step->is_negated;
}

/* Steps that may be left out lead on to those behind them. */
static void spread(const struct row *row, bool *reached)
{
    for (size_t i = 0; i < row->count; i++)
        if (reached[i] && row->steps[i].may_be_left_out)
            reached[i + 1] = true;
}

static void advance(const struct row *row, uint32_t character, const bool *reached, bool *ret)
{
    memset(ret, 0, row->count + 1);
    ret[0] = !row->begins;
    for (size_t i = 0; i < row->count; i++)
        if (reached[i] && step_takes(row, &row->steps[i], character))
            ret[row->steps[i].repeats ? i : i + 1] = true;
    spread(row, ret);
}

bool model_pattern_matches(struct text pattern, struct text text)
{
    struct row row;
    uint32_t character;
    bool reached[2][STEPS_MAX + 1] = {{true}};
    size_t now = 0;
    parse(pattern, &row);
    spread(&row, reached[now]);
    while ((row.ends || !reached[now][row.count]) && take_character(&text, &character)) {
        advance(&row, character, reached[now], reached[1 - now]);
        now = 1 - now;
    }
    return reached[now][row.count];
}
