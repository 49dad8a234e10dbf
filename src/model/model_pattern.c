/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_pattern.h"

#include <string.h>

enum {
    STEPS_MAX = 512, /* x{8} takes eight */
    RANGES_MAX = 256,
    GROUPS_MAX = 16, /* one inside the other */
    PARTS_MAX = 4096 /* read, each as often as it is repeated: a bound where groups have no steps */
};

struct range {
    uint32_t first;
    uint32_t last;
};

enum step_kind {
    STEP_TAKE,  /* a character out of ranges, or of none of them */
    STEP_SPLIT, /* go on at either of two */
    STEP_BEGIN, /* only at the beginning of the text */
    STEP_END,
    STEP_DONE
};

struct step {
    enum step_kind kind;
    bool is_negated;
    size_t first_range;
    size_t range_count;
    size_t next[2]; /* of a STEP_SPLIT; both may be the same */
};

struct program {
    struct step steps[STEPS_MAX];
    size_t count;
    struct range ranges[RANGES_MAX];
    size_t range_count;
    size_t groups;
    size_t parts;
    const char *fault;
};

static const struct range digits[] = {{'0', '9'}};
static const struct range words[] = {{'0', '9'}, {'A', 'Z'}, {'_', '_'}, {'a', 'z'}};
/* ECMAScript: WhiteSpace and LineTerminator. */
static const struct range blanks[] = {{'\t', '\r'},     {' ', ' '},       {0xa0, 0xa0},     {0x1680, 0x1680},
                                      {0x2000, 0x200a}, {0x2028, 0x2029}, {0x202f, 0x202f}, {0x205f, 0x205f},
                                      {0x3000, 0x3000}, {0xfeff, 0xfeff}};
static const struct range line_ends[] = {{'\n', '\n'}, {'\r', '\r'}, {0x2028, 0x2029}};

static bool fail(struct program *program, const char *fault)
{
    program->fault = fault;
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

static bool add_ranges(struct program *program, struct step *step, const struct range *ranges, size_t count)
{
    if (program->range_count + count > RANGES_MAX)
        return fail(program, "has more than 256 ranges of characters");
    memcpy(program->ranges + program->range_count, ranges, count * sizeof(*ranges));
    program->range_count += count;
    step->range_count += count;
    return true;
}

static bool add_range(struct program *program, struct step *step, uint32_t first, uint32_t last)
{
    return add_ranges(program, step, &(struct range){first, last}, 1);
}

#define ADD_ALL(program, step, ranges) add_ranges(program, step, ranges, sizeof(ranges) / sizeof((ranges)[0]))

/* Behind a backslash: a class of characters, and whether it was one. */
static bool add_class(struct program *program, struct step *step, char letter, bool *ret_is_class)
{
    *ret_is_class = true;
    switch (letter | 0x20) {
    case 'd': return ADD_ALL(program, step, digits);
    case 'w': return ADD_ALL(program, step, words);
    case 's': return ADD_ALL(program, step, blanks);
    default: *ret_is_class = false; return true;
    }
}

/* Behind a backslash: one character. */
static bool take_escaped(struct program *program, struct text *cursor, bool in_class, uint32_t *ret)
{
    static const char letters[] = "nrtfv";
    static const char meant[] = "\n\r\t\f\v";
    static const char signs[] = "^$\\.*+?()[]{}|/";
    char c = cursor->len > 0 ? cursor->p[0] : '\0';
    const char *letter = c != '\0' ? strchr(letters, c) : NULL;
    bool is_sign = c != '\0' && (strchr(signs, c) != NULL || (in_class && c == '-'));
    if (letter == NULL && !is_sign)
        return fail(program, "has an escape other than \\d \\w \\s \\D \\W \\S \\n \\r \\t \\f \\v and that of a sign");
    *ret = (unsigned char)(letter != NULL ? meant[letter - letters] : c);
    *cursor = text_of(cursor->p + 1, cursor->len - 1);
    return true;
}

static bool take_class_character(struct program *program, struct text *cursor, uint32_t *ret)
{
    if (text_take_char(cursor, '\\'))
        return take_escaped(program, cursor, true, ret);
    return take_character(cursor, ret) || fail(program, "has a [ without its ]");
}

static bool take_class_member(struct program *program, struct text *cursor, struct step *step)
{
    uint32_t first;
    uint32_t last;
    bool is_class = false;
    if (cursor->len >= 2 && cursor->p[0] == '\\' && strchr("dws", cursor->p[1]) != NULL && cursor->p[1] != '\0') {
        char letter = cursor->p[1];
        *cursor = text_of(cursor->p + 2, cursor->len - 2);
        return add_class(program, step, letter, &is_class);
    }
    if (!take_class_character(program, cursor, &first))
        return false;
    last = first;
    bool is_range = cursor->len >= 2 && cursor->p[0] == '-' && cursor->p[1] != ']';
    if (is_range && (!text_take_char(cursor, '-') || !take_class_character(program, cursor, &last)))
        return false;
    return first <= last ? add_range(program, step, first, last)
                         : fail(program, "has a range of characters that runs back");
}

static bool take_class(struct program *program, struct text *cursor, struct step *step)
{
    step->is_negated = text_take_char(cursor, '^');
    while (!text_take_char(cursor, ']'))
        if (!take_class_member(program, cursor, step))
            return false;
    return true;
}

static bool take_escape(struct program *program, struct text *cursor, struct step *step)
{
    uint32_t character;
    bool is_class = false;
    char letter = cursor->len > 0 ? cursor->p[0] : '\0';
    if (!add_class(program, step, letter, &is_class))
        return false;
    if (is_class) {
        step->is_negated = letter < 'a';
        *cursor = text_of(cursor->p + 1, cursor->len - 1);
        return true;
    }
    return take_escaped(program, cursor, false, &character) && add_range(program, step, character, character);
}

/* ----------------------------------------------------------------------------------------------------- what takes room */

static bool add_step(struct program *program, struct step step)
{
    if (program->count == STEPS_MAX)
        return fail(program, "is longer than 512 characters, each as often as it is repeated");
    program->steps[program->count++] = step;
    return true;
}

/* A step from which two ways lead on; the first to what follows it. The other is set when it is known. */
static bool add_split(struct program *program, size_t *ret_at)
{
    *ret_at = program->count;
    return add_step(program, (struct step){.kind = STEP_SPLIT, .next = {program->count + 1, program->count + 1}});
}

static void lead(struct program *program, size_t from, size_t to)
{
    program->steps[from].next[1] = to;
}

/* Past a character, or an escape; what it is, or 0 of an escape and of what is no ASCII. */
static char skip_character(struct text *cursor)
{
    bool is_escape = cursor->p[0] == '\\' && cursor->len > 1;
    *cursor = text_of(cursor->p + is_escape, cursor->len - is_escape);
    size_t len = text_utf8_sequence(*cursor);
    char c = is_escape || len > 1 ? '\0' : cursor->p[0];
    len += len == 0 ? 1 : 0;
    *cursor = text_of(cursor->p + len, cursor->len - len);
    return c;
}

/* Past a character, an escape, a class or a group. */
static void skip_part(struct text *cursor)
{
    size_t depth = 0;
    bool in_class = false;
    do {
        char c = skip_character(cursor);
        if (in_class)
            in_class = c != ']';
        else if (c == '[')
            in_class = true;
        else if (c == '(')
            depth++;
        else if (c == ')' && depth > 0)
            depth--;
    } while (cursor->len > 0 && (depth > 0 || in_class));
}

static struct text up_to(struct text whole, struct text rest)
{
    return text_of(whole.p, whole.len - rest.len);
}

/* ------------------------------------------------------------------------------------------------------------- parts */

static bool add_alternatives(struct program *program, struct text text);

static bool add_group(struct program *program, struct text text)
{
    (void)text_take_char(&text, '(');
    if (text.len == 0 || text.p[text.len - 1] != ')')
        return fail(program, "has a ( without its )");
    text.len--;
    if (!text_take_str(&text, "?:") && text_starts(text, "?"))
        return fail(program, "has a (? other than (?:");
    if (program->groups == GROUPS_MAX)
        return fail(program, "has more than 16 groups inside each other");
    program->groups++;
    bool done = add_alternatives(program, text);
    program->groups--;
    return done;
}

static bool read_character(struct program *program, struct text *cursor, struct step *step)
{
    uint32_t character;
    if (text_take_char(cursor, '\\'))
        return take_escape(program, cursor, step);
    if (text_take_char(cursor, '['))
        return take_class(program, cursor, step);
    if (text_take_char(cursor, '.')) {
        step->is_negated = true;
        return ADD_ALL(program, step, line_ends);
    }
    if (!take_character(cursor, &character))
        return fail(program, "is no UTF-8");
    if (character == ')')
        return fail(program, "has a ) without its (");
    if (character < 0x80 && character != '\0' && strchr("*+?{}]", (char)character) != NULL)
        return fail(program, "has a *, +, ?, {, } or ] where a character should be");
    return add_range(program, step, character, character);
}

/* A part that is repeated has the ranges that it had before. */
static void share_ranges(struct program *program, struct step *step)
{
    size_t size = step->range_count * sizeof(*program->ranges);
    for (size_t first = 0; first + step->range_count <= step->first_range; first++) {
        if (memcmp(program->ranges + first, program->ranges + step->first_range, size) != 0)
            continue;
        program->range_count = step->first_range;
        step->first_range = first;
        return;
    }
}

static bool add_part(struct program *program, struct text text)
{
    struct step step = {.kind = STEP_TAKE, .first_range = program->range_count};
    if (++program->parts > PARTS_MAX)
        return fail(program, "has too many groups and repetitions");
    if (text_is(text, "^") || text_is(text, "$"))
        return add_step(program, (struct step){.kind = text.p[0] == '^' ? STEP_BEGIN : STEP_END});
    if (text_starts(text, "("))
        return add_group(program, text);
    if (!read_character(program, &text, &step))
        return false;
    share_ranges(program, &step);
    return add_step(program, step);
}

/* ------------------------------------------------------------------------------------------------------- repetitions */

struct times {
    uint64_t least;
    uint64_t most; /* but for what repeats without end */
    bool repeats;
    bool is_counted; /* something is said */
};

/* {n}, {n,} or {n,m}, behind its brace. */
static bool take_counts(struct text *cursor, struct times *times)
{
    if (!text_take_u64(cursor, &times->least))
        return false;
    times->most = times->least;
    if (text_take_char(cursor, ',') && !text_take_u64(cursor, &times->most))
        times->repeats = true;
    return text_take_char(cursor, '}') && times->least <= times->most;
}

/* A "?" behind asks for as few as will do, which finds the same texts. */
static bool take_times(struct program *program, struct text *cursor, struct times *ret)
{
    *ret = (struct times){.least = 1, .most = 1, .is_counted = true};
    if (text_take_char(cursor, '*'))
        *ret = (struct times){.repeats = true, .is_counted = true};
    else if (text_take_char(cursor, '+'))
        ret->repeats = true;
    else if (text_take_char(cursor, '?'))
        ret->least = 0;
    else if (!text_take_char(cursor, '{'))
        ret->is_counted = false;
    else if (!take_counts(cursor, ret))
        return fail(program, "has a { without the numbers of a count and its }");
    if (ret->is_counted)
        (void)text_take_char(cursor, '?');
    return true;
}

/* As often as there is: a split before it, which it comes back to. */
static bool add_endless(struct program *program, struct text part)
{
    size_t split;
    size_t back;
    if (!add_split(program, &split) || !add_part(program, part) || !add_split(program, &back))
        return false;
    program->steps[back].next[0] = program->steps[back].next[1] = split;
    lead(program, split, program->count);
    return true;
}

static bool add_optional(struct program *program, struct text part)
{
    size_t split;
    if (!add_split(program, &split) || !add_part(program, part))
        return false;
    lead(program, split, program->count);
    return true;
}

static bool add_repeated(struct program *program, struct text part, const struct times *times)
{
    if (times->is_counted && (text_is(part, "^") || text_is(part, "$")))
        return fail(program, "repeats a ^ or a $");
    for (uint64_t i = 0; i < times->most; i++)
        if (!(i < times->least ? add_part(program, part) : add_optional(program, part)))
            return false;
    return !times->repeats || add_endless(program, part);
}

/* ------------------------------------------------------------------------------------------------------- alternatives */

static bool add_sequence(struct program *program, struct text text)
{
    struct times times;
    while (text.len > 0) {
        struct text rest = text;
        skip_part(&rest);
        struct text part = up_to(text, rest);
        if (!take_times(program, &rest, &times) || !add_repeated(program, part, &times))
            return false;
        text = rest;
    }
    return true;
}

static bool add_alternatives(struct program *program, struct text text)
{
    size_t first;
    size_t end;
    struct text rest = text;
    while (rest.len > 0 && rest.p[0] != '|')
        skip_part(&rest);
    if (rest.len == 0)
        return add_sequence(program, text);
    if (!add_split(program, &first) || !add_sequence(program, up_to(text, rest)) || !add_split(program, &end))
        return false;
    lead(program, first, program->count);
    (void)text_take_char(&rest, '|');
    if (!add_alternatives(program, rest))
        return false;
    program->steps[end].next[0] = program->steps[end].next[1] = program->count;
    return true;
}

static void parse(struct text pattern, struct program *ret)
{
    ret->count = ret->range_count = ret->groups = ret->parts = 0;
    ret->fault = NULL;
    if (add_alternatives(ret, pattern))
        (void)add_step(ret, (struct step){.kind = STEP_DONE});
}

const char *model_pattern_fault(struct text pattern)
{
    struct program program;
    parse(pattern, &program);
    return program.fault;
}

/* ---------------------------------------------------------------------------------------------------------- matching */

static bool step_takes(const struct program *program, const struct step *step, uint32_t character)
{
    bool is_inside = false;
    for (size_t i = 0; i < step->range_count && !is_inside; i++) {
        const struct range *range = &program->ranges[step->first_range + i];
        is_inside = character >= range->first && character <= range->last;
    }
    return is_inside != step->is_negated;
}

/* The steps that the match is at. */
struct places {
    bool is_at[STEPS_MAX];
    size_t steps[STEPS_MAX];
    size_t count;
};

static void clear(struct places *places)
{
    memset(places->is_at, 0, sizeof(places->is_at));
    places->count = 0;
}

static void reach(struct places *places, size_t step)
{
    if (places->is_at[step])
        return;
    places->is_at[step] = true;
    places->steps[places->count++] = step;
}

/* Where splits, and the ends of the text, lead on to. True when the match is done. */
static bool spread(const struct program *program, struct places *places, bool is_begin, bool is_end)
{
    bool is_done = false;
    for (size_t i = 0; i < places->count; i++) {
        size_t at = places->steps[i];
        const struct step *step = &program->steps[at];
        if (step->kind == STEP_SPLIT) {
            reach(places, step->next[0]);
            reach(places, step->next[1]);
        } else if ((step->kind == STEP_BEGIN && is_begin) || (step->kind == STEP_END && is_end)) {
            reach(places, at + 1);
        }
        is_done = is_done || step->kind == STEP_DONE;
    }
    return is_done;
}

static void advance(const struct program *program, uint32_t character, const struct places *from, struct places *ret)
{
    clear(ret);
    for (size_t i = 0; i < from->count; i++) {
        const struct step *step = &program->steps[from->steps[i]];
        if (step->kind == STEP_TAKE && step_takes(program, step, character))
            reach(ret, from->steps[i] + 1);
    }
}

/* From each character of the text on, and all at once. */
bool model_pattern_matches(struct text pattern, struct text text)
{
    struct program program;
    struct places places[2];
    uint32_t character;
    size_t now = 0;
    bool is_begin = true;
    clear(&places[now]);
    parse(pattern, &program);
    for (;;) {
        reach(&places[now], 0);
        if (spread(&program, &places[now], is_begin, text.len == 0))
            return true;
        if (!take_character(&text, &character))
            return false;
        advance(&program, character, &places[now], &places[1 - now]);
        now = 1 - now;
        is_begin = false;
    }
}
