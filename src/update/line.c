/* SPDX-License-Identifier: Apache-2.0 */
#include "update/line.h"

#include "base/fnv.h"

#include <assert.h>
#include <pthread.h>
#include <string.h>

static pthread_once_t registered = PTHREAD_ONCE_INIT;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* of the list; held for no system call but fork */
static struct line_member *list;                          /* of all lines, in order of arrival */

static void before_fork(void)
{
    (void)pthread_mutex_lock(&mutex);
}

static void in_parent(void)
{
    (void)pthread_mutex_unlock(&mutex);
}

static void in_child(void)
{
    list = NULL;
    (void)pthread_mutex_unlock(&mutex);
}

static void register_handlers(void)
{
    (void)pthread_atfork(before_fork, in_parent, in_child); /* without memory for it a child may wait for nobody */
}

void line_place_of(const struct settings *settings, const char *key, struct line_place *ret)
{
    struct ticket_place place;
    ticket_place_of(settings, &place);
    ret->store = place.part[TICKET_STORE];
    ret->endpoint = place.part[TICKET_ENDPOINT];
    ret->bucket = place.part[TICKET_BUCKET];
    ret->key = key;
}

static bool is_same_line(const struct line_member *a, const struct line_member *b)
{
    return a->hash == b->hash && strcmp(a->place.key, b->place.key) == 0 &&
           strcmp(a->place.bucket, b->place.bucket) == 0 && strcmp(a->place.endpoint, b->place.endpoint) == 0 &&
           strcmp(a->place.store, b->place.store) == 0;
}

/* The first of its line. */
static struct line_member *line_first(const struct line_member *member)
{
    struct line_member *each = list;
    while (each && !is_same_line(each, member))
        each = each->next;
    return each;
}

/* False: it stood in none, as in a child that was forked since. */
static bool line_unlink(struct line_member *member)
{
    struct line_member **link = &list;
    while (*link && *link != member)
        link = &(*link)->next;
    if (*link == NULL)
        return false;
    *link = member->next;
    return true;
}

static void line_append(struct line_member *member)
{
    struct line_member **link = &list;
    while (*link)
        link = &(*link)->next;
    member->next = NULL;
    *link = member;
}

enum line_arrival line_arrive(struct line_member *member)
{
    enum line_arrival arrival = LINE_OWN;
    (void)pthread_once(&registered, register_handlers);
    member->hash = fnv_of(member->place.key);
    (void)pthread_mutex_lock(&mutex);
    const struct line_member *first = line_first(member);
    if (first == NULL || !thread_same(&first->thread, &member->thread)) {
        arrival = first ? LINE_BEHIND : LINE_FIRST;
        member->called = first == NULL;
        line_append(member);
    }
    (void)pthread_mutex_unlock(&mutex);
    return arrival;
}

bool line_give_up(struct line_member *member)
{
    (void)pthread_mutex_lock(&mutex);
    bool gone = !member->called;
    if (gone)
        (void)line_unlink(member);
    (void)pthread_mutex_unlock(&mutex);
    return gone;
}

struct line_member *line_leave(struct line_member *member)
{
    assert(member->called);
    (void)pthread_mutex_lock(&mutex);
    struct line_member *next = line_unlink(member) ? line_first(member) : NULL;
    if (next)
        next->called = true;
    (void)pthread_mutex_unlock(&mutex);
    return next;
}
