/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the simulator puts in the place of update/line.c: the lines of a process (V6.4) are its own, and gone when it
 * dies. A simulated process has one client, so that a key says which line it is.
 */
#include "update/line.h"

#include "sim/world.h"

#include <string.h>

static struct line_member **lines(void)
{
    return &task_running->process->lines;
}

void line_place_of(const struct settings *settings, const char *key, struct line_place *ret)
{
    (void)settings;
    *ret = (struct line_place){.key = key};
}

static struct line_member *first_of(const char *key)
{
    struct line_member *each = *lines();
    while (each != NULL && strcmp(each->place.key, key) != 0)
        each = each->next;
    return each;
}

static struct line_member **place_of(const struct line_member *member)
{
    struct line_member **link = lines();
    while (*link != member)
        link = &(*link)->next;
    return link;
}

enum line_arrival line_arrive(struct line_member *member)
{
    const struct line_member *first = first_of(member->place.key);
    if (first != NULL && thread_same(&first->thread, &member->thread))
        return LINE_OWN;
    member->called = first == NULL;
    member->next = NULL;
    *place_of(NULL) = member;
    return member->called ? LINE_FIRST : LINE_BEHIND;
}

bool line_give_up(struct line_member *member)
{
    if (member->called)
        return false;
    *place_of(member) = member->next;
    return true;
}

struct line_member *line_leave(struct line_member *member)
{
    *place_of(member) = member->next;
    struct line_member *next = first_of(member->place.key);
    if (next != NULL)
        next->called = true;
    return next;
}
