/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A model of the place of one document, as small numbers, and of what programs other than ours do there: those that keep to
 * versions; the Go code, which makes a document at any version where none is, and repeats a token that it has seen; those that
 * delete; and those that spell otherwise and write over all that they do not see.
 */
#ifndef OSCOMMIT_TEST_UNIT_DOCUMENT_DOCUMENT_PLACE_H
#define OSCOMMIT_TEST_UNIT_DOCUMENT_DOCUMENT_PLACE_H

#include "document/document_judge.h"

enum { PLACE_EMPTY = 0, PLACE_FOREIGN /* of the other spelling */, PLACE_DOCUMENTS /* the first of them */ };
enum place_token { PLACE_TOKEN_NONE = 0, PLACE_TOKEN_THEIRS, PLACE_TOKEN_OURS, PLACE_TOKENS };
enum { PLACE_VERSION_MAX = 5, PLACE_COUNT = PLACE_DOCUMENTS + PLACE_VERSION_MAX * PLACE_TOKENS };

#define PLACE_OURS "write-1"

unsigned place_of(unsigned version, enum place_token token);
unsigned place_version(unsigned place); /* 0: no document */
enum place_token place_token(unsigned place);
json_t *place_item(unsigned place); /* NULL: there is none */

enum place_change {
    PLACE_WRITTEN = 1,  /* the next version */
    PLACE_CREATED,      /* where nothing was */
    PLACE_DELETED,      /* a document */
    PLACE_CLEARED,      /* of what is of the other spelling */
    PLACE_SPELLED_AWAY, /* a document, written over in the other spelling */
    PLACE_SPELLED_BACK  /* the reverse, at any version */
};
struct place_move {
    enum place_change change;
    unsigned to;
};
enum { PLACE_MOVES_MAX = 32 };
/* Versions end at `version_max`. The token of ours can be repeated once it was seen. */
size_t place_moves(unsigned from, bool ours_was_seen, unsigned version_max, struct place_move ret[PLACE_MOVES_MAX]);

/* Says what is wrong, and where. */
void place_fail(const char *what, unsigned place, bool is_answer_lost, bool is_promised,
                enum document_standing standing);

#endif
