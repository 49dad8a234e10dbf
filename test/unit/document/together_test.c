/* SPDX-License-Identifier: Apache-2.0 */
/*
 * All histories of two documents up to version 3 that our transaction writes, which is sent once. Others change one of them at
 * a time. We look at the one, and at any later time at the other: what is said of both must be true then.
 */
#include "document_place.h"
#include "support/test.h"

enum { VERSION_MAX = 3, PLACES = PLACE_DOCUMENTS + VERSION_MAX * PLACE_TOKENS, STANDINGS = DOCUMENT_UNCHANGED + 1 };
enum phase { PHASE_BEFORE = 0, PHASE_IN_FLIGHT, PHASE_APPLIED, PHASE_NOT_APPLIED, PHASE_REFUSED, PHASES };
enum { STATES = PLACES * PLACES * PHASES * STANDINGS, NEXT_MAX = 2 * PLACE_MOVES_MAX + 4 };

struct history {
    unsigned places[2];
    enum phase phase;
    enum document_standing first; /* what was said of the first; 0: nothing so far */
};

struct exploration {
    unsigned bases[2];
    bool is_promised;
    struct history histories[STATES];
    size_t count;
    bool is_known[STATES];
    bool may_be[STATES];
    enum document_standing standings[2][PLACES][2]; /* by whether the answer is lost */
};

static unsigned number_of(const struct history *history)
{
    return ((history->places[0] * PLACES + history->places[1]) * PHASES + (unsigned)history->phase) * STANDINGS +
           (unsigned)history->first;
}

static bool is_expected(const struct exploration *all, const struct history *history)
{
    for (int i = 0; i < 2; i++) {
        unsigned place = history->places[i];
        if (all->bases[i] == 0 ? place != PLACE_EMPTY : place_version(place) != all->bases[i])
            return false;
    }
    return true;
}

static bool is_lost(const struct history *history)
{
    return history->phase != PHASE_BEFORE && history->phase != PHASE_REFUSED;
}

/* ----------------------------------------------------------------------------------------------------------- steps */

static size_t next_of_others(const struct exploration *all, const struct history *history, struct history *ret)
{
    size_t count = 0;
    for (int i = 0; i < 2; i++) {
        struct place_move moves[PLACE_MOVES_MAX];
        size_t move_count = place_moves(history->places[i], history->phase == PHASE_APPLIED, VERSION_MAX, moves);
        for (size_t k = 0; k < move_count; k++) {
            if (all->is_promised && (moves[k].change == PLACE_DELETED || moves[k].change == PLACE_SPELLED_AWAY))
                continue;
            ret[count] = *history;
            ret[count++].places[i] = moves[k].to;
        }
    }
    return count;
}

static size_t next_of_ours(const struct exploration *all, const struct history *history, struct history *ret)
{
    size_t count = 0;
    struct history next = *history;
    if (history->phase == PHASE_BEFORE && history->first == 0) {
        next.phase = PHASE_IN_FLIGHT;
        ret[count++] = next;
        next.phase = PHASE_REFUSED;
        if (!is_expected(all, history))
            ret[count++] = next;
    }
    if (history->phase == PHASE_IN_FLIGHT) {
        next.phase = PHASE_NOT_APPLIED;
        ret[count++] = next;
        next.phase = PHASE_APPLIED;
        for (int i = 0; i < 2; i++)
            next.places[i] = place_of(all->bases[i] + 1, PLACE_TOKEN_OURS);
        if (is_expected(all, history))
            ret[count++] = next;
    }
    return count;
}

static size_t next_of_look(const struct exploration *all, const struct history *history, struct history *ret)
{
    if (history->phase == PHASE_BEFORE || history->first != 0)
        return 0;
    *ret = *history;
    ret->first = all->standings[0][history->places[0]][is_lost(history)];
    return 1;
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
    for (unsigned a = 0; a < PLACES; a++)
        for (unsigned b = 0; b < PLACES; b++)
            if (place_token(a) != PLACE_TOKEN_OURS && place_token(b) != PLACE_TOKEN_OURS)
                reach(all, &(struct history){.places = {a, b}});
    for (size_t i = 0; i < all->count; i++) {
        const struct history history = all->histories[i];
        size_t count = next_of_others(all, &history, next);
        count += next_of_ours(all, &history, next + count);
        count += next_of_look(all, &history, next + count);
        for (size_t k = 0; k < count; k++)
            reach(all, &next[k]);
    }
}

static bool leads_to_application(const struct exploration *all, const struct history *history)
{
    struct history next[NEXT_MAX];
    if (history->phase != PHASE_IN_FLIGHT)
        return false;
    if (is_expected(all, history))
        return true;
    size_t count = next_of_others(all, history, next);
    for (size_t i = 0; i < count; i++)
        if (all->may_be[number_of(&next[i])])
            return true;
    return false;
}

static void look_ahead(struct exploration *all)
{
    for (bool is_changed = true; is_changed;) {
        is_changed = false;
        for (size_t i = all->count; i-- > 0;) {
            unsigned number = number_of(&all->histories[i]);
            if (!all->may_be[number] && leads_to_application(all, &all->histories[i]))
                is_changed = all->may_be[number] = true;
        }
    }
}

static void judge_places(struct exploration *all)
{
    int64_t version;
    for (int i = 0; i < 2; i++)
        for (unsigned place = 0; place < PLACES; place++)
            for (int lost = 0; lost < 2; lost++) {
                const struct document_mark wrote = {.version = all->bases[i] + 1,
                                                    .client_token = text_from(PLACE_OURS)};
                const struct document_sending sending = {.is_answer_lost = lost == 1,
                                                         .is_never_deleted = all->is_promised};
                json_t *found = place_item(place);
                all->standings[i][place][lost] = document_judge(found, &wrote, sending, &version);
                json_decref(found);
            }
}

static bool is_true(enum document_standing standing, const struct history *history, bool may_be)
{
    switch (standing) {
    case DOCUMENT_OURS: return history->phase == PHASE_APPLIED;
    case DOCUMENT_CONFLICT:
    case DOCUMENT_ABSENT: return history->phase != PHASE_APPLIED && !may_be;
    case DOCUMENT_UNCHANGED: return history->phase != PHASE_APPLIED;
    case DOCUMENT_UNREADABLE:
    case DOCUMENT_UNKNOWN: return true;
    case DOCUMENT_GONE: return false; /* it is of deletes */
    }
    return false;
}

static void look(const struct exploration *all, const struct history *history)
{
    enum document_standing second = all->standings[1][history->places[1]][is_lost(history)];
    enum document_standing standing = document_judge_both(history->first, second);
    if (!is_true(standing, history, all->may_be[number_of(history)]))
        place_fail("untrue", history->places[1], is_lost(history), all->is_promised, standing);
}

static void check(unsigned first, unsigned second, bool is_promised)
{
    struct exploration *all = calloc(1, sizeof(*all));
    assert_non_null(all);
    all->bases[0] = first;
    all->bases[1] = second;
    all->is_promised = is_promised;
    judge_places(all);
    reach_all(all);
    look_ahead(all);
    for (size_t i = 0; i < all->count; i++)
        if (all->histories[i].first != 0)
            look(all, &all->histories[i]);
    free(all);
}

TEST(nothing_is_said_of_a_transaction_that_is_not_true)
{
    for (unsigned i = 0; i < 8; i++)
        check(i % 2, i / 2 % 2, i / 4 == 1);
}
