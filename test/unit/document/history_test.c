/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All histories of one document up to version 5: our write is sent twice, with copies that arrive at any time or never, and
 * answers that are lost or refuse; others do what document_place.h has. In each state that can be reached we look. What is said
 * must be true of that history; and of all histories that look the same it must be the most that is true.
 */
#include "document_place.h"
#include "support/test.h"

#include <string.h>

enum { SENDINGS = 2, APPLIED_MAX = 2 };

struct history {
    unsigned place;
    unsigned applied;  /* how often */
    unsigned copies;   /* in flight */
    unsigned sendings; /* left */
    bool is_answer_lost;
    bool ours_was_seen;
    bool is_broken; /* the promise */
};
enum { STATES = PLACE_COUNT * (APPLIED_MAX + 1) * (SENDINGS + 1) * (SENDINGS + 1) * 8 };

static unsigned number_of(const struct history *history)
{
    unsigned number = history->place;
    number = number * (APPLIED_MAX + 1) + history->applied;
    number = number * (SENDINGS + 1) + history->copies;
    number = number * (SENDINGS + 1) + history->sendings;
    return number * 8 + (history->is_answer_lost ? 4 : 0) + (history->ours_was_seen ? 2 : 0) +
           (history->is_broken ? 1 : 0);
}

/* What those who see the same have to reckon with. */
struct possible {
    bool applied;
    bool not_applied;
    bool may_be; /* it was not, and a copy may still be */
};

struct exploration {
    unsigned base; /* our write is base + 1 */
    struct history histories[STATES];
    size_t count;
    bool is_known[STATES];
    bool may_be[2][STATES]; /* with the promise; a copy in flight can still be applied */
    struct possible possible[PLACE_COUNT][2][2];
};

/* ----------------------------------------------------------------------------------------------------------- steps */

static bool is_expected(unsigned base, unsigned place)
{
    return base == 0 ? place == PLACE_EMPTY : place_version(place) == base;
}

static struct history arrived(unsigned base, struct history history)
{
    history.copies--;
    if (is_expected(base, history.place)) {
        history.place = place_of(base + 1, PLACE_TOKEN_OURS);
        history.applied++;
        history.ours_was_seen = true;
    }
    return history;
}

static bool breaks(enum place_change change)
{
    return change == PLACE_DELETED || change == PLACE_SPELLED_AWAY;
}

enum { NEXT_MAX = PLACE_MOVES_MAX + 4 };

static size_t next_of_others(const struct history *history, struct history *ret)
{
    struct place_move moves[PLACE_MOVES_MAX];
    size_t count = place_moves(history->place, history->ours_was_seen, PLACE_VERSION_MAX, moves);
    for (size_t i = 0; i < count; i++) {
        ret[i] = *history;
        ret[i].place = moves[i].to;
        ret[i].is_broken = history->is_broken || breaks(moves[i].change);
    }
    return count;
}

static size_t next_of_copies(unsigned base, const struct history *history, struct history *ret)
{
    if (history->copies == 0)
        return 0;
    ret[0] = arrived(base, *history);
    ret[1] = *history; /* it never arrives */
    ret[1].copies--;
    return 2;
}

static size_t next_of_ours(unsigned base, const struct history *history, struct history *ret)
{
    size_t count = 0;
    struct history sent = *history;
    if (history->sendings == 0)
        return 0;
    sent.sendings--;
    if (!is_expected(base, history->place))
        ret[count++] = sent; /* it is refused, and we hear of it */
    sent.copies++;
    sent.is_answer_lost = true;
    ret[count++] = sent;
    return count;
}

/* ---------------------------------------------------------------------------------------------------------- all of them */

static void reach(struct exploration *all, const struct history *history)
{
    unsigned number = number_of(history);
    assert_true(number < STATES);
    if (all->is_known[number])
        return;
    all->is_known[number] = true;
    all->histories[all->count++] = *history;
}

static void reach_all(struct exploration *all)
{
    struct history next[NEXT_MAX];
    for (unsigned place = 0; place < PLACE_COUNT; place++)
        if (place_token(place) != PLACE_TOKEN_OURS)
            reach(all, &(struct history){.place = place, .sendings = SENDINGS});
    for (size_t i = 0; i < all->count; i++) {
        const struct history history = all->histories[i];
        size_t count = next_of_others(&history, next);
        count += next_of_copies(all->base, &history, next + count);
        count += next_of_ours(all->base, &history, next + count);
        for (size_t k = 0; k < count; k++)
            reach(all, &next[k]);
    }
}

static bool leads_to_application(const struct exploration *all, const struct history *history, bool is_promised)
{
    struct history next[NEXT_MAX];
    if (history->copies == 0)
        return false;
    if (is_expected(all->base, history->place))
        return true;
    size_t count = next_of_others(history, next);
    count += next_of_copies(all->base, history, next + count);
    for (size_t i = 0; i < count; i++)
        if (!(is_promised && next[i].is_broken) && all->may_be[is_promised][number_of(&next[i])])
            return true;
    return false;
}

static void look_ahead(struct exploration *all, bool is_promised)
{
    bool *may_be = all->may_be[is_promised];
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t i = 0; i < all->count; i++) {
            unsigned number = number_of(&all->histories[i]);
            if (!may_be[number] && leads_to_application(all, &all->histories[i], is_promised))
                is_changed = may_be[number] = true;
        }
    }
}

static struct exploration *explore(unsigned base)
{
    struct exploration *all = calloc(1, sizeof(*all));
    assert_non_null(all);
    all->base = base;
    reach_all(all);
    look_ahead(all, false);
    look_ahead(all, true);
    return all;
}

/* ------------------------------------------------------------------------------------------------------------- looks */

static enum document_standing judge(unsigned base, unsigned place, bool is_answer_lost, bool is_promised)
{
    int64_t version;
    const struct document_mark wrote = {.version = base + 1, .client_token = text_from(PLACE_OURS)};
    json_t *found = place_item(place);
    enum document_standing standing =
        document_judge(found, &wrote, (struct document_sending){is_answer_lost, is_promised}, &version);
    assert_int_equal(version, place_version(place));
    json_decref(found);
    return standing;
}

static bool is_true(enum document_standing standing, const struct history *history, bool may_be, unsigned base)
{
    bool was_not = history->applied == 0;
    switch (standing) {
    case DOCUMENT_OURS: return !was_not;
    case DOCUMENT_CONFLICT: return was_not && !may_be && place_version(history->place) > 0;
    case DOCUMENT_ABSENT: return was_not && !may_be && history->place == PLACE_EMPTY;
    case DOCUMENT_UNREADABLE: return history->place == PLACE_FOREIGN && (was_not || history->is_answer_lost);
    case DOCUMENT_UNCHANGED: return was_not && is_expected(base, history->place);
    case DOCUMENT_UNKNOWN: return history->is_answer_lost;
    }
    return false;
}

static void look(struct exploration *all, const struct history *history, bool is_promised)
{
    bool may_be = all->may_be[is_promised][number_of(history)];
    enum document_standing standing = judge(all->base, history->place, history->is_answer_lost, is_promised);
    struct possible *possible = &all->possible[history->place][history->is_answer_lost][is_promised];
    if (!is_true(standing, history, may_be, all->base))
        place_fail("untrue", history->place, history->is_answer_lost, is_promised, standing);
    possible->applied |= history->applied > 0;
    possible->not_applied |= history->applied == 0;
    possible->may_be |= history->applied == 0 && may_be;
}

/* The most that is true. By the token alone more would be: who repeats it has seen our write. But it is the pair of version and
 * token that proves. */
static enum document_standing best(const struct possible *possible, unsigned base, unsigned place)
{
    if (place == PLACE_FOREIGN)
        return DOCUMENT_UNREADABLE;
    if (!possible->not_applied)
        return place_version(place) == base + 1 ? DOCUMENT_OURS : DOCUMENT_UNKNOWN;
    if (possible->applied)
        return DOCUMENT_UNKNOWN;
    if (is_expected(base, place))
        return DOCUMENT_UNCHANGED;
    if (possible->may_be)
        return DOCUMENT_UNKNOWN;
    return place == PLACE_EMPTY ? DOCUMENT_ABSENT : DOCUMENT_CONFLICT;
}

/* With a look that nobody can have there is nothing to compare. */
static void compare(const struct exploration *all, unsigned place, bool is_answer_lost, bool is_promised)
{
    const struct possible *possible = &all->possible[place][is_answer_lost][is_promised];
    enum document_standing standing = judge(all->base, place, is_answer_lost, is_promised);
    if ((possible->applied || possible->not_applied) && standing != best(possible, all->base, place))
        place_fail("not the most", place, is_answer_lost, is_promised, standing);
}

static void check(unsigned base)
{
    struct exploration *all = explore(base);
    for (size_t i = 0; i < all->count; i++) {
        const struct history *history = &all->histories[i];
        look(all, history, false);
        if (!history->is_broken) {
            look(all, history, true);
            assert_true(history->applied <= 1);
        }
    }
    for (unsigned place = 0; place < PLACE_COUNT; place++)
        for (unsigned i = 0; i < 4; i++)
            compare(all, place, i % 2 == 1, i / 2 == 1);
    free(all);
}

TEST(of_a_write_the_most_is_said_that_is_true)
{
    for (unsigned base = 0; base < 3; base++)
        check(base);
}
