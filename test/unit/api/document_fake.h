/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A made-up DynamoDB with the items of documents, for the ends that no real one gives at will. Each write takes the next
 * letter of a script, and at its end 'a'; reads are answered truthfully, and lists with all that is there.
 */
#ifndef OSCOMMIT_TEST_API_DOCUMENT_FAKE_H
#define OSCOMMIT_TEST_API_DOCUMENT_FAKE_H

#include "support/http_server.h"

#include <jansson.h>
#include <pthread.h>

/* What becomes of a write. */
#define FAKE_ANSWERS       'a' /* it is done, if its condition holds */
#define FAKE_LOSES         'l' /* the same, and the connection is closed without an answer */
#define FAKE_NEVER_GETS    'x' /* nothing is done, and there is no answer */
#define FAKE_OTHER_FIRST   'o' /* another makes the version that was wanted; no answer */
#define FAKE_OTHER_LATER   'p' /* it is done, and another makes the next version; no answer */
#define FAKE_DELETED_LATER 'd' /* it is done, and deleted; no answer */
#define FAKE_THROTTLES     't'
#define FAKE_CONTENDS      'c' /* another transaction is under way */
#define FAKE_DENIES        'r'
#define FAKE_KNOWS_NO_KEY  'k'
#define FAKE_IS_ANOTHER    'h' /* a page of a web server */
#define FAKE_MADE_AGAIN    'm' /* it is done, deleted, and made again as it was expected; no answer */
#define FAKE_DONE_TWICE    'e' /* it is done, and the answer is that to a second copy, which found the first */
#define FAKE_MISTAKES      'i' /* nothing is done: the token is said to have been used for something else */
#define FAKE_LATER         'j' /* nothing is done, a while passes, no answer */
#define FAKE_HOLDS         'n' /* it is done, and the answer never comes */
#define FAKE_BREAKS        'b' /* 500 */

enum { FAKE_LOOKS = 3 };

struct document_fake {
    struct http_server *server;
    pthread_mutex_t mutex;
    const char *script;
    json_t *items;              /* by "PK SK" */
    json_t *tokens;             /* of transactions that were done */
    char operation[40];         /* of the last write */
    size_t writes;              /* requests */
    size_t looks;               /* reads of single items, or of both at once */
    void (*pass)(void);         /* the while of FAKE_LATER */
    void (*pass_at_last)(void); /* with the last of FAKE_LOOKS looks; NULL: no time passes */
};
void document_fake_start(struct document_fake *fake);
void document_fake_stop(struct document_fake *fake);
void document_fake_play(struct document_fake *fake, const char *script); /* from the next write on */
size_t document_fake_writes(struct document_fake *fake);                 /* since document_fake_play */
size_t document_fake_looks(struct document_fake *fake);                  /* the same */
/* An item there, or none, as another has left it: JSON with ' for ". */
void document_fake_set(struct document_fake *fake, const char *key, const char *item);
bool document_fake_has(struct document_fake *fake, const char *key);

#endif
