/* SPDX-License-Identifier: Apache-2.0 */
/* Who waits for a lock without a thread: in which order, how often it is tried, and how they leave. The lock is played.
 */
#include "store/lock_line.h"
#include "unit/loop/on_loop.h"

#include "base/clock.h"

enum { CROWD = 64, NUMBER = 7, LINES = 8, FAR_MS = 600000 };

/* What a busy machine leaves of a time: how often the same loop's own timer came in it. */
struct beat {
    struct loop_timer timer;
    struct loop *loop;
    int count;
};

static void on_beat(struct loop_timer *timer)
{
    struct beat *beat = (struct beat *)timer;
    beat->count++;
    loop_timer_set(beat->loop, timer, LOCK_LINE_MOST_MS);
}

static void start_beat(void *context)
{
    struct beat *beat = context;
    beat->timer.fire = on_beat;
    loop_timer_set(beat->loop, &beat->timer, LOCK_LINE_MOST_MS);
}

static void end_beat(void *context)
{
    struct beat *beat = context;
    loop_timer_clear(beat->loop, &beat->timer);
}

struct room;

struct guest {
    struct lock_waiter waiter;
    struct room *room;
    int outs;
    int lates;
};

struct room {
    struct on_loop *on;
    struct lock_lines *lines;
    struct guest guests[CROWD];
    size_t order[2 * CROWD]; /* of those who got it */
    size_t got_count;
    bool is_free;
    int tries;
    int lates;
    uint64_t start_ms;
    uint64_t free_at_ms; /* by another process; 0: as is_free says */
    struct beat beat;
    int beats; /* when the last of them got it */
    struct event all;
};

/* Nobody keeps the lock of the room: who is let out gets it, lets go, and is done; or has to come back. */
static void try_it(struct lock_waiter *waiter)
{
    struct guest *guest = (struct guest *)waiter;
    struct room *room = guest->room;
    room->tries++;
    guest->outs++;
    bool is_free = room->is_free || (room->free_at_ms != 0 && now_ms() >= room->free_at_ms);
    if (!is_free) {
        lock_line_wait(room->lines, NUMBER, waiter);
        return;
    }
    assert_true(room->got_count < 2 * CROWD);
    room->order[room->got_count++] = (size_t)(guest - room->guests);
    if (room->got_count == CROWD) {
        room->beats = room->beat.count;
        event_set(&room->all);
    }
    lock_line_let_go(room->lines, NUMBER);
}

static void is_late(struct lock_waiter *waiter)
{
    struct guest *guest = (struct guest *)waiter;
    guest->lates++;
    guest->room->lates++;
}

static struct room *room_of(struct on_loop *on_loop)
{
    struct room *room = calloc(1, sizeof(*room));
    assert_non_null(room);
    room->on = on_loop;
    room->beat.loop = room->on->loop;
    room->all = (struct event)EVENT_INIT;
    room->lines = lock_lines_new(room->on->loop, LINES, try_it, is_late);
    assert_non_null(room->lines);
    for (size_t i = 0; i < CROWD; i++)
        room->guests[i] = (struct guest){.waiter = {.deadline_ms = now_ms() + FAR_MS}, .room = room};
    return room;
}

static void leave_all(void *context)
{
    struct room *room = context;
    for (size_t i = 0; i < CROWD; i++) {
        lock_line_leave(&room->guests[i].waiter);
        lock_line_leave(&room->guests[i].waiter); /* nothing, the second time */
    }
    assert_true(lock_line_is_empty(room->lines, NUMBER));
}

static void close_room(struct room *room)
{
    on_loop_call(room->on, leave_all, room);
    lock_lines_free(room->lines);
    free(room);
}

static void all_come(void *context)
{
    struct room *room = context;
    room->start_ms = now_ms();
    assert_true(lock_line_is_empty(room->lines, NUMBER));
    for (size_t i = 0; i < CROWD; i++) {
        room->guests[i].waiter.came = lock_line_number(room->lines);
        lock_line_wait(room->lines, NUMBER, &room->guests[i].waiter);
        assert_false(lock_line_is_empty(room->lines, NUMBER));
    }
    assert_true(lock_line_is_empty(room->lines, NUMBER - 1));
}

/* Until the loop has seen so much time pass. */
struct wake {
    struct loop_timer timer;
    struct loop *loop;
    uint64_t after_ms;
    struct event over;
};

static void wake_up(struct loop_timer *timer)
{
    event_set(&((struct wake *)timer)->over);
}

static void set_wake(void *context)
{
    struct wake *wake = context;
    wake->timer.fire = wake_up;
    loop_timer_set(wake->loop, &wake->timer, wake->after_ms);
}

static void let_pass(struct room *room, uint64_t time_ms)
{
    struct wake wake = {.loop = room->on->loop, .after_ms = time_ms, .over = EVENT_INIT};
    on_loop_call(room->on, set_wake, &wake);
    event_wait(&wake.over);
}

static void check_order(const struct room *room)
{
    assert_int_equal(room->got_count, CROWD);
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(room->order[i], i);
}

/* ------------------------------------------------------------------------------------------------ tests */

static void it_is_let_go(void *context)
{
    struct room *room = context;
    room->is_free = true;
    lock_line_let_go(room->lines, NUMBER);
}

/* In one turn of the loop, as all that the beats are counted for. */
static void it_is_let_go_with_a_beat(void *context)
{
    struct room *room = context;
    start_beat(&room->beat);
    it_is_let_go(room);
}

/* By tries alone it would take 64 pauses, each as long as a beat. */
TEST_WITH(on_loop, a_lock_let_go_here_is_handed_on_at_once_in_the_order_in_which_they_came)
{
    struct room *room = room_of(on_loop);
    on_loop_call(room->on, all_come, room);
    let_pass(room, 200); /* the pauses are long by then */
    on_loop_call(room->on, it_is_let_go_with_a_beat, room);
    event_wait(&room->all);
    on_loop_call(room->on, end_beat, &room->beat);
    assert_in_range(room->beats, 0, CROWD / 3);
    check_order(room);
    close_room(room);
}

static void note_out(struct lock_waiter *waiter)
{
    ((struct guest *)waiter)->outs++;
}

static void check_outs(const struct room *room, size_t first, size_t end)
{
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(room->guests[i].outs, i >= first && i < end);
}

static void let_go_three_times(void *context)
{
    enum { ALONE = CROWD / 2 };
    struct room *room = context;
    all_come(room);
    lock_line_let_go(room->lines, NUMBER);
    check_outs(room, 0, ALONE);
    lock_line_let_go(room->lines, NUMBER);
    check_outs(room, 0, ALONE + 1);
    lock_line_let_go(room->lines, NUMBER);
    check_outs(room, 0, CROWD);
}

TEST_WITH(on_loop, those_who_share_are_let_out_together_and_nobody_else_with_them)
{
    struct room *room = room_of(on_loop);
    lock_lines_free(room->lines);
    room->lines = lock_lines_new(room->on->loop, LINES, note_out, is_late);
    assert_non_null(room->lines);
    for (size_t i = 0; i < CROWD; i++)
        room->guests[i].waiter.shares = i != CROWD / 2;
    on_loop_call(room->on, let_go_three_times, room);
    close_room(room);
}

static void all_come_with_a_beat(void *context)
{
    struct room *room = context;
    all_come(room);
    start_beat(&room->beat);
}

static void all_leave_and_the_beat_ends(void *context)
{
    struct room *room = context;
    end_beat(&room->beat);
    leave_all(room);
}

/* One of them asks for all, and not the more often the more there are. */
TEST_WITH(on_loop, a_lock_of_another_process_is_tried_now_and_then_by_the_first_alone)
{
    struct room *room = room_of(on_loop);
    on_loop_call(room->on, all_come_with_a_beat, room);
    let_pass(room, 500);
    on_loop_call(room->on, all_leave_and_the_beat_ends, room);
    assert_in_range(room->tries, room->beat.count / 2, room->beat.count + 10);
    for (size_t i = 1; i < CROWD; i++)
        assert_int_equal(room->guests[i].outs, 0);
    close_room(room);
}

TEST_WITH(on_loop, it_is_had_when_another_process_has_let_go)
{
    struct room *room = room_of(on_loop);
    room->free_at_ms = now_ms() + 300;
    on_loop_call(room->on, all_come, room);
    event_wait(&room->all);
    assert_true(now_ms() >= room->free_at_ms);
    check_order(room);
    close_room(room);
}

static void come_back_in_another_order(void *context)
{
    struct room *room = context;
    struct guest *guests = room->guests;
    for (size_t i = 0; i < CROWD; i++) {
        guests[i].waiter.came = (i * 29) % CROWD; /* each number once; 0 is first */
        lock_line_wait(room->lines, NUMBER, &guests[i].waiter);
    }
    uint64_t expected = 0;
    for (const struct lock_waiter *each = &guests[0].waiter; each; each = each->next)
        assert_int_equal(each->came, expected++);
    assert_int_equal(expected, CROWD);
}

TEST_WITH(on_loop, who_comes_back_has_the_place_that_he_had)
{
    struct room *room = room_of(on_loop);
    on_loop_call(room->on, come_back_in_another_order, room);
    close_room(room);
}

TEST_WITH(on_loop, everybody_leaves_at_his_deadline)
{
    struct room *room = room_of(on_loop);
    uint64_t now = now_ms();
    for (size_t i = 0; i < CROWD; i++)
        room->guests[i].waiter.deadline_ms = now + (i % 2 == 0 ? 50 : FAR_MS);
    on_loop_call(room->on, all_come, room);
    let_pass(room, 300);
    on_loop_call(room->on, leave_all, room);
    for (size_t i = 0; i < CROWD; i++)
        assert_int_equal(room->guests[i].lates, i % 2 == 0);
    assert_int_equal(room->got_count, 0);
    close_room(room);
}

/* In one turn of the loop: whoever stands in the line between two of them may become late. */
static void all_come_and_leave(void *context)
{
    all_come(context);
    leave_all(context);
}

TEST_WITH(on_loop, who_has_left_is_neither_let_out_nor_late)
{
    struct room *room = room_of(on_loop);
    for (size_t i = 0; i < CROWD; i++)
        room->guests[i].waiter.deadline_ms = now_ms() + 50;
    on_loop_call(room->on, all_come_and_leave, room);
    room->tries = 0;
    on_loop_call(room->on, it_is_let_go, room);
    let_pass(room, 100);
    assert_int_equal(room->tries, 0);
    assert_int_equal(room->lates, 0);
    close_room(room);
}

/* ------------------------------------------------------------------------------------------------ a rest */

struct pulse {
    struct loop_timer timer;
    struct room *room;
    int count;
    int rests; /* let go, and nobody here was let out */
    uint64_t last_ms;
    uint64_t longest_ms; /* between two who got it */
    int last_beat;
    int most_beats; /* the same in beats */
    struct event over;
};

/* Each keeps it for a while: lets go on a timer, and has the next one come in his place, for ever. */
static void let_go_and_come_again(struct loop_timer *timer)
{
    struct pulse *pulse = (struct pulse *)timer;
    struct room *room = pulse->room;
    uint64_t now = now_ms();
    size_t before = room->got_count;
    room->is_free = true;
    lock_line_let_go(room->lines, NUMBER);
    room->is_free = false;
    pulse->rests += room->got_count == before;
    if (room->got_count > before) {
        uint64_t gap_ms = now - pulse->last_ms;
        pulse->longest_ms = gap_ms > pulse->longest_ms ? gap_ms : pulse->longest_ms;
        pulse->last_ms = now;
        int beats = room->beat.count - pulse->last_beat;
        pulse->most_beats = beats > pulse->most_beats ? beats : pulse->most_beats;
        pulse->last_beat = room->beat.count;
    }
    if (++pulse->count >= 200 && now - room->start_ms > 400) {
        event_set(&pulse->over);
        return;
    }
    loop_timer_set(room->on->loop, timer, 2);
}

static void start_pulse(void *context)
{
    struct pulse *pulse = context;
    pulse->last_ms = now_ms();
    start_beat(&pulse->room->beat);
    loop_timer_set(pulse->room->on->loop, &pulse->timer, 2);
}

static void one_at_a_time(struct lock_waiter *waiter)
{
    struct room *room = ((struct guest *)waiter)->room;
    room->got_count += room->is_free;
    room->is_free = false;
    waiter->came = lock_line_number(room->lines);
    lock_line_wait(room->lines, NUMBER, waiter); /* as another one */
}

struct counted {
    const struct room *room;
    size_t *ret;
};

static void count_got(void *context)
{
    const struct counted *counted = context;
    *counted->ret = counted->room->got_count;
}

TEST_WITH(on_loop, a_lock_that_is_handed_on_all_the_time_rests_for_other_processes)
{
    struct room *room = room_of(on_loop);
    lock_lines_free(room->lines);
    room->lines = lock_lines_new(room->on->loop, LINES, one_at_a_time, is_late);
    assert_non_null(room->lines);
    struct pulse pulse = {.timer = {.fire = let_go_and_come_again}, .room = room, .over = EVENT_INIT};
    on_loop_call(room->on, all_come, room);
    on_loop_call(room->on, start_pulse, &pulse);
    event_wait(&pulse.over);
    on_loop_call(room->on, end_beat, &room->beat);
    assert_true(pulse.rests > 0);
    assert_true(pulse.longest_ms >= LOCK_LINE_MOST_MS + 5);
    assert_in_range(pulse.most_beats, 0, 300 / LOCK_LINE_MOST_MS);
    size_t got_count = 0;
    on_loop_call(room->on, count_got, &(struct counted){.room = room, .ret = &got_count});
    assert_true(got_count > 20);
    close_room(room);
}
