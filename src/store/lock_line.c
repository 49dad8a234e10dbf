/* SPDX-License-Identifier: Apache-2.0 */
#include "store/lock_line.h"

#include "base/container.h"

#include <stdlib.h>

/* Its timer is set as long as anybody waits. */
struct lock_line {
    struct lock_lines *lines;
    struct lock_waiter *first; /* by `came` */
    struct lock_waiter *last;
    struct loop_timer timer;
    uint32_t pause_ms;
    uint64_t try_at_ms;       /* the first one's next try */
    uint64_t streak_since_ms; /* 0: the lock was not handed on last time */
    uint64_t rests_until_ms;
};

struct lock_lines {
    struct loop *loop;
    lock_line_fn out;
    lock_line_fn late;
    uint64_t came_count;
    size_t count;
    struct lock_line lines[];
};

/* ------------------------------------------------------------------------------------------------ the list */

static void put_in(struct lock_line *line, struct lock_waiter *waiter)
{
    struct lock_waiter *before = line->last; /* most come last */
    while (before && before->came > waiter->came)
        before = before->previous;
    struct lock_waiter *after = before ? before->next : line->first;
    waiter->line = line;
    waiter->previous = before;
    waiter->next = after;
    if (before)
        before->next = waiter;
    else
        line->first = waiter;
    if (after)
        after->previous = waiter;
    else
        line->last = waiter;
}

static void take_out(struct lock_waiter *waiter)
{
    struct lock_line *line = waiter->line;
    if (waiter->previous)
        waiter->previous->next = waiter->next;
    else
        line->first = waiter->next;
    if (waiter->next)
        waiter->next->previous = waiter->previous;
    else
        line->last = waiter->previous;
    waiter->line = NULL;
}

/* ------------------------------------------------------------------------------------------------ the time */

static uint64_t earliest(const struct lock_line *line)
{
    uint64_t at_ms = line->try_at_ms;
    for (const struct lock_waiter *each = line->first; each; each = each->next)
        at_ms = each->deadline_ms < at_ms ? each->deadline_ms : at_ms;
    return at_ms;
}

static void set_timer(struct lock_line *line, uint64_t now)
{
    if (line->first == NULL) {
        loop_timer_clear(line->lines->loop, &line->timer);
        return;
    }
    uint64_t at_ms = earliest(line);
    loop_timer_set(line->lines->loop, &line->timer, at_ms > now ? at_ms - now : 0);
}

static void let_out(struct lock_waiter *waiter)
{
    lock_line_fn out = waiter->line->lines->out;
    take_out(waiter);
    out(waiter);
}

static struct lock_waiter *first_late(const struct lock_line *line, uint64_t now)
{
    struct lock_waiter *waiter = line->first;
    while (waiter && waiter->deadline_ms > now)
        waiter = waiter->next;
    return waiter;
}

/* Looked for anew each time: whoever is told of an end may have others leave as well. */
static void send_away_late(struct lock_line *line, uint64_t now)
{
    struct lock_waiter *waiter;
    while ((waiter = first_late(line, now)) != NULL) {
        take_out(waiter);
        line->lines->late(waiter);
    }
}

static void lock_line_on_timer(struct loop_timer *timer)
{
    struct lock_line *line = container_of(timer, struct lock_line, timer);
    uint64_t now = clock_monotonic_ms();
    send_away_late(line, now);
    if (line->first && line->try_at_ms <= now) {
        line->pause_ms = line->pause_ms * 2 < LOCK_LINE_MOST_MS ? line->pause_ms * 2 : LOCK_LINE_MOST_MS;
        line->try_at_ms = now + line->pause_ms;
        let_out(line->first);
    }
    set_timer(line, now);
}

/* ------------------------------------------------------------------------------------------------ the interface */

struct lock_lines *lock_lines_new(struct loop *loop, size_t count, lock_line_fn out, lock_line_fn late)
{
    struct lock_lines *lines = calloc(1, sizeof(*lines) + count * sizeof(lines->lines[0]));
    if (lines == NULL)
        return NULL;
    *lines = (struct lock_lines){.loop = loop, .out = out, .late = late, .count = count};
    for (size_t i = 0; i < count; i++)
        lines->lines[i] =
            (struct lock_line){.lines = lines, .timer = {.fire = lock_line_on_timer}, .pause_ms = LOCK_LINE_FIRST_MS};
    return lines;
}

void lock_lines_free(struct lock_lines *lines)
{
    free(lines);
}

uint64_t lock_line_number(struct lock_lines *lines)
{
    return lines->came_count++;
}

bool lock_line_is_empty(const struct lock_lines *lines, size_t number)
{
    return lines->lines[number].first == NULL;
}

void lock_line_wait(struct lock_lines *lines, size_t number, struct lock_waiter *waiter)
{
    struct lock_line *line = &lines->lines[number];
    uint64_t now = clock_monotonic_ms();
    if (line->first == NULL && line->try_at_ms <= now) /* else the pause goes on that he came out of */
        line->try_at_ms = now + line->pause_ms;
    put_in(line, waiter);
    set_timer(line, now);
}

void lock_line_leave(struct lock_waiter *waiter)
{
    struct lock_line *line = waiter->line;
    if (line == NULL)
        return;
    take_out(waiter);
    set_timer(line, clock_monotonic_ms());
}

static void let_out_first(struct lock_line *line)
{
    bool shares = line->first->shares;
    let_out(line->first);
    while (shares && line->first && line->first->shares)
        let_out(line->first);
}

/* Whether the lock was handed on for so long that others must have a chance. */
static bool has_to_rest(struct lock_line *line, uint64_t now)
{
    if (line->streak_since_ms == 0)
        line->streak_since_ms = now;
    if (now - line->streak_since_ms >= LOCK_LINE_STREAK_MS) {
        line->streak_since_ms = 0;
        line->rests_until_ms = now + LOCK_LINE_REST_MS;
        line->try_at_ms = line->rests_until_ms;
    }
    return now < line->rests_until_ms;
}

void lock_line_let_go(struct lock_lines *lines, size_t number)
{
    struct lock_line *line = &lines->lines[number];
    uint64_t now = clock_monotonic_ms();
    line->pause_ms = LOCK_LINE_FIRST_MS;
    if (line->first == NULL) {
        line->streak_since_ms = 0;
        return;
    }
    if (!has_to_rest(line, now))
        let_out_first(line);
    set_timer(line, now);
}
