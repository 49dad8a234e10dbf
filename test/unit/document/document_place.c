/* SPDX-License-Identifier: Apache-2.0 */
#include "document_place.h"

#include "document_reading.h"
#include "support/test.h"

unsigned place_of(unsigned version, enum place_token token)
{
    return PLACE_DOCUMENTS + (version - 1) * PLACE_TOKENS + (unsigned)token;
}

unsigned place_version(unsigned place)
{
    return place < PLACE_DOCUMENTS ? 0 : (place - PLACE_DOCUMENTS) / PLACE_TOKENS + 1;
}

enum place_token place_token(unsigned place)
{
    return place < PLACE_DOCUMENTS ? PLACE_TOKEN_NONE : (enum place_token)((place - PLACE_DOCUMENTS) % PLACE_TOKENS);
}

json_t *place_item(unsigned place)
{
    static const char *const tokens[] = {NULL, "write-2", PLACE_OURS};
    if (place == PLACE_EMPTY)
        return NULL;
    if (place == PLACE_FOREIGN)
        return reading_json("{'Version':{'N':'1'},'ClientToken':{'S':'" PLACE_OURS "'}}");
    return reading_item(place_version(place), tokens[place_token(place)]);
}

static void add(enum place_change change, unsigned to, struct place_move *ret, size_t *count)
{
    assert_true(*count < PLACE_MOVES_MAX);
    ret[(*count)++] = (struct place_move){change, to};
}

/* With each token that the writer may have. */
static void add_versions(enum place_change change, unsigned first, unsigned last, bool ours_was_seen,
                         struct place_move *ret, size_t *count)
{
    for (unsigned version = first; version <= last; version++) {
        add(change, place_of(version, PLACE_TOKEN_NONE), ret, count);
        add(change, place_of(version, PLACE_TOKEN_THEIRS), ret, count);
        if (ours_was_seen)
            add(change, place_of(version, PLACE_TOKEN_OURS), ret, count);
    }
}

size_t place_moves(unsigned from, bool ours_was_seen, unsigned version_max, struct place_move ret[PLACE_MOVES_MAX])
{
    size_t count = 0;
    unsigned version = place_version(from);
    if (from == PLACE_EMPTY) {
        add(PLACE_CREATED, PLACE_FOREIGN, ret, &count);
        add_versions(PLACE_CREATED, 1, version_max, ours_was_seen, ret, &count);
    } else if (from == PLACE_FOREIGN) {
        add(PLACE_CLEARED, PLACE_EMPTY, ret, &count);
        add_versions(PLACE_SPELLED_BACK, 1, version_max, ours_was_seen, ret, &count);
    } else {
        add(PLACE_DELETED, PLACE_EMPTY, ret, &count);
        add(PLACE_SPELLED_AWAY, PLACE_FOREIGN, ret, &count);
        if (version < version_max)
            add_versions(PLACE_WRITTEN, version + 1, version + 1, ours_was_seen, ret, &count);
    }
    return count;
}

void place_fail(const char *what, unsigned place, bool is_answer_lost, bool is_promised,
                enum document_standing standing)
{
    static const char *const forms[] = {"nothing", "the other spelling", "a document"};
    fail_msg("%s: found %s, version %u, token %d, answer lost %d, promised %d, standing %d", what,
             forms[place < PLACE_DOCUMENTS ? place : PLACE_DOCUMENTS], place_version(place), (int)place_token(place),
             is_answer_lost, is_promised, (int)standing);
}
