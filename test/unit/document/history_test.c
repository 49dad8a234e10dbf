/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All histories of one document up to version 5: our write, or our delete, is sent twice, with copies that arrive at any time or never, and
 * answers that are lost or refuse; others do what document_place.h has. In each state that can be reached we look. What is said
 * must be true of that history; and of all histories that look the same it must be the most that is true.
 */
#include "document_place.h"
#include "support/test.h"

#include <string.h>

enum { SENDINGS = 2, APPLIED_MAX = 2 };

struct asking {
    enum { ASKING_WRITE, ASKING_DELETE, ASKING_DELETE_ANY } what;
    unsigned version; /* that is expected; 0: none, of a write */
};

struct history {
    unsigned place;
    unsigned applied;  /* how often */
    unsigned copies;   /* in flight */
    unsigned sendings; /* left */
    bool is_answer_lost;
    bool ours_was_seen;
    bool was_there; /* a document, at any time */
    bool is_broken; /* the promise */
};
enum { STATES = PLACE_COUNT * (APPLIED_MAX + 1) * (SENDINGS + 1) * (SENDINGS + 1) * 16 };

static unsigned number_of(const struct history *history)
{
    unsigned number = history->place;
    number = number * (APPLIED_MAX + 1) + history->applied;
    number = number * (SENDINGS + 1) + history->copies;
    number = number * (SENDINGS + 1) + history->sendings;
    return number * 16 + (history->is_answer_lost ? 8 : 0) + (history->ours_was_seen ? 4 : 0) +
           (history->was_there ? 2 : 0) + (history->is_broken ? 1 : 0);
}

/* What those who see the same have to reckon with. */
struct possible {
    bool applied;
    bool not_applied;
    bool may_be; /* it was not, and a copy may still be */
};

struct exploration {
    struct asking asking;
    struct history histories[STATES];
    size_t count;
    bool is_known[STATES];
    bool may_be[2][STATES]; /* with the promise; a copy in flight can still be applied */
    struct possible possible[PLACE_COUNT][2][2];
};

/* ----------------------------------------------------------------------------------------------------------- steps */

static bool is_expected(const struct asking *asking, unsigned place)
{
    if (asking->what == ASKING_DELETE_ANY)
        return place >= PLACE_DOCUMENTS;
    return asking->version == 0 ? place == PLACE_EMPTY : place_version(place) == asking->version;
}

static struct history arrived(const struct asking *asking, struct history history)
{
    bool is_write = asking->what == ASKING_WRITE;
    history.copies--;
    if (is_expected(asking, history.place)) {
        history.place = is_write ? place_of(asking->version + 1, PLACE_TOKEN_OURS) : PLACE_EMPTY;
        history.applied++;
        history.ours_was_seen |= is_write;
        history.was_there = true;
    }
    return history;
}

/* A document that is written over in the other spelling comes back as one that is made again. */
static bool breaks(const struct asking *asking, const struct history *history, const struct place_move *move)
{
    if (asking->what == ASKING_WRITE)
        return move->change == PLACE_DELETED || move->change == PLACE_SPELLED_AWAY;
    return history->was_there && move->to >= PLACE_DOCUMENTS && move->change != PLACE_WRITTEN;
}

enum { NEXT_MAX = PLACE_MOVES_MAX + 4 };

static size_t next_of_others(const struct asking *asking, const struct history *history, struct history *ret)
{
    struct place_move moves[PLACE_MOVES_MAX];
    size_t count = place_moves(history->place, history->ours_was_seen, PLACE_VERSION_MAX, moves);
    for (size_t i = 0; i < count; i++) {
        ret[i] = *history;
        ret[i].place = moves[i].to;
        ret[i].was_there |= moves[i].to >= PLACE_DOCUMENTS;
        ret[i].is_broken |= breaks(asking, history, &moves[i]);
    }
    return count;
}

static size_t next_of_copies(const struct asking *asking, const struct history *history, struct history *ret)
{
    if (history->copies == 0)
        return 0;
    ret[0] = arrived(asking, *history);
    ret[1] = *history; /* it never arrives */
    ret[1].copies--;
    return 2;
}

static size_t next_of_ours(const struct asking *asking, const struct history *history, struct history *ret)
{
    size_t count = 0;
    struct history sent = *history;
    if (history->sendings == 0)
        return 0;
    sent.sendings--;
    if (!is_expected(asking, history->place))
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
            reach(all, &(struct history){.place = place, .sendings = SENDINGS, .was_there = place >= PLACE_DOCUMENTS});
    for (size_t i = 0; i < all->count; i++) {
        const struct history history = all->histories[i];
        size_t count = next_of_others(&all->asking, &history, next);
        count += next_of_copies(&all->asking, &history, next + count);
        count += next_of_ours(&all->asking, &history, next + count);
        for (size_t k = 0; k < count; k++)
            reach(all, &next[k]);
    }
}

static bool leads_to_application(const struct exploration *all, const struct history *history, bool is_promised)
{
    struct history next[NEXT_MAX];
    if (history->copies == 0)
        return false;
    if (is_expected(&all->asking, history->place))
        return true;
    size_t count = next_of_others(&all->asking, history, next);
    count += next_of_copies(&all->asking, history, next + count);
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

static struct exploration *explore(const struct asking *asking)
{
    struct exploration *all = calloc(1, sizeof(*all));
    assert_non_null(all);
    all->asking = *asking;
    reach_all(all);
    look_ahead(all, false);
    look_ahead(all, true);
    return all;
}

/* ------------------------------------------------------------------------------------------------------------- looks */

static enum document_standing judge(const struct asking *asking, unsigned place, bool is_answer_lost, bool is_promised)
{
    int64_t version;
    enum document_standing standing;
    const struct document_mark wrote = {.version = asking->version + 1, .client_token = text_from(PLACE_OURS)};
    const struct document_sending write = {.is_answer_lost = is_answer_lost, .is_never_deleted = is_promised};
    const struct document_sending delete = {.is_answer_lost = is_answer_lost, .is_never_created_again = is_promised};
    json_t *found = place_item(place);
    if (asking->what == ASKING_WRITE)
        standing = document_judge(found, &wrote, write, &version);
    else
        standing = document_judge_delete(found, asking->version, DOCUMENT_TAGS, delete, &version);
    assert_int_equal(version, place_version(place));
    if (asking->what == ASKING_WRITE)
        assert_int_equal(document_is_expected(found, &wrote), is_expected(asking, place));
    json_decref(found);
    return standing;
}

static bool is_true(enum document_standing standing, const struct history *history, bool may_be,
                    const struct asking *asking)
{
    bool was_not = history->applied == 0;
    switch (standing) {
    case DOCUMENT_OURS: return !was_not;
    case DOCUMENT_CONFLICT: return was_not && !may_be && place_version(history->place) > 0;
    case DOCUMENT_ABSENT: return was_not && !may_be && history->place == PLACE_EMPTY;
    case DOCUMENT_UNREADABLE: return history->place == PLACE_FOREIGN && (was_not || history->is_answer_lost);
    case DOCUMENT_UNCHANGED: return was_not && is_expected(asking, history->place);
    case DOCUMENT_UNKNOWN: return history->is_answer_lost;
    case DOCUMENT_GONE: return history->is_answer_lost && history->place == PLACE_EMPTY && asking->what != ASKING_WRITE;
    }
    return false;
}

static void look(struct exploration *all, const struct history *history, bool is_promised)
{
    bool may_be = all->may_be[is_promised][number_of(history)];
    enum document_standing standing = judge(&all->asking, history->place, history->is_answer_lost, is_promised);
    struct possible *possible = &all->possible[history->place][history->is_answer_lost][is_promised];
    if (!is_true(standing, history, may_be, &all->asking))
        place_fail("untrue", history->place, history->is_answer_lost, is_promised, standing);
    possible->applied |= history->applied > 0;
    possible->not_applied |= history->applied == 0;
    possible->may_be |= history->applied == 0 && may_be;
}

/* The most that is true. By the token alone more would be: who repeats it has seen our write. But it is the pair of version and
 * token that proves. */
static enum document_standing best(const struct possible *possible, const struct asking *asking, unsigned place,
                                   bool is_answer_lost)
{
    if (place == PLACE_FOREIGN)
        return DOCUMENT_UNREADABLE;
    if (place == PLACE_EMPTY && asking->what != ASKING_WRITE)
        return is_answer_lost ? DOCUMENT_GONE : DOCUMENT_ABSENT;
    if (!possible->not_applied)
        return asking->what == ASKING_WRITE && place_version(place) == asking->version + 1 ? DOCUMENT_OURS
                                                                                           : DOCUMENT_UNKNOWN;
    if (possible->applied)
        return DOCUMENT_UNKNOWN;
    if (is_expected(asking, place))
        return DOCUMENT_UNCHANGED;
    if (possible->may_be)
        return DOCUMENT_UNKNOWN;
    return place == PLACE_EMPTY ? DOCUMENT_ABSENT : DOCUMENT_CONFLICT;
}

/* With a look that nobody can have there is nothing to compare. */
static void compare(const struct exploration *all, unsigned place, bool is_answer_lost, bool is_promised)
{
    const struct possible *possible = &all->possible[place][is_answer_lost][is_promised];
    enum document_standing standing = judge(&all->asking, place, is_answer_lost, is_promised);
    if ((possible->applied || possible->not_applied) && standing != best(possible, &all->asking, place, is_answer_lost))
        place_fail("not the most", place, is_answer_lost, is_promised, standing);
}

static void check(const struct asking *asking)
{
    struct exploration *all = explore(asking);
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
    for (unsigned version = 0; version < 3; version++)
        check(&(struct asking){ASKING_WRITE, version});
}

TEST(of_a_delete_the_most_is_said_that_is_true)
{
    for (unsigned version = 1; version < 4; version++)
        check(&(struct asking){ASKING_DELETE, version});
    check(&(struct asking){.what = ASKING_DELETE_ANY});
}
