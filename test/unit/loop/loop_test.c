/* SPDX-License-Identifier: Apache-2.0 */
/* Jobs, timers and blocking work of the loop. */
#include "loop/workers.h"
#include "unit/loop/on_loop.h"

#include <poll.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------ jobs */

enum { POSTERS = 4, POSTS_EACH = 2000 };

struct numbered {
    struct loop_job job;
    int poster;
    int number;
    struct tally *tally;
};

struct tally {
    int last[POSTERS];
    int out_of_order;
    int count;
    struct event all;
};

struct poster {
    struct loop *loop;
    struct numbered *jobs;
};

static void tally_one(struct loop_job *job)
{
    struct numbered *numbered = (struct numbered *)job;
    struct tally *tally = numbered->tally;
    tally->out_of_order += numbered->number != tally->last[numbered->poster] + 1;
    tally->last[numbered->poster] = numbered->number;
    if (++tally->count == POSTERS * POSTS_EACH)
        event_set(&tally->all);
}

static void *post_all(void *argument)
{
    struct poster *poster = argument;
    for (int i = 0; i < POSTS_EACH; i++)
        loop_post(poster->loop, &poster->jobs[i].job);
    return NULL;
}

TEST_WITH(on_loop, jobs_of_every_thread_run_once_and_in_its_order)
{
    struct tally tally = {.all = EVENT_INIT};
    struct poster posters[POSTERS];
    pthread_t threads[POSTERS];
    for (int i = 0; i < POSTERS; i++) {
        tally.last[i] = -1;
        posters[i] = (struct poster){.loop = on_loop->loop, .jobs = calloc(POSTS_EACH, sizeof(struct numbered))};
        assert_non_null(posters[i].jobs);
        for (int k = 0; k < POSTS_EACH; k++)
            posters[i].jobs[k] = (struct numbered){.job.run = tally_one, .poster = i, .number = k, .tally = &tally};
    }
    for (int i = 0; i < POSTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, post_all, &posters[i]), 0);
    event_wait(&tally.all);
    for (int i = 0; i < POSTERS; i++) {
        pthread_join(threads[i], NULL);
        free(posters[i].jobs);
    }
    assert_int_equal(tally.out_of_order, 0);
    assert_int_equal(tally.count, POSTERS * POSTS_EACH);
}

struct reposting {
    struct loop_job job;
    struct loop *loop;
    int left;
    bool inside;
    bool nested;
    struct event ended;
};

static void post_itself_again(struct loop_job *job)
{
    struct reposting *reposting = (struct reposting *)job;
    reposting->nested = reposting->nested || reposting->inside;
    reposting->inside = true;
    bool more = --reposting->left > 0;
    if (more)
        loop_post(reposting->loop, job);
    reposting->inside = false;
    if (!more)
        event_set(&reposting->ended); /* the last touch: the test may end now */
}

TEST_WITH(on_loop, a_job_posted_from_a_job_runs_later)
{
    struct reposting reposting = {
        .job.run = post_itself_again, .loop = on_loop->loop, .left = 100, .ended = EVENT_INIT};
    loop_post(on_loop->loop, &reposting.job);
    event_wait(&reposting.ended);
    assert_false(reposting.nested);
}

TEST_WITH(on_loop, jobs_that_are_left_when_the_loop_is_stopped_still_run)
{
    struct tally tally = {.all = EVENT_INIT};
    tally.last[0] = -1;
    struct numbered numbered = {.job.run = tally_one, .tally = &tally};
    loop_stop(on_loop->loop);
    pthread_join(on_loop->thread, NULL);
    loop_post(on_loop->loop, &numbered.job);
    loop_free(on_loop->loop);
    on_loop->loop = NULL;
    assert_int_equal(tally.count, 1);
}

/* ------------------------------------------------------------------------------------------------ timers */

struct timed {
    struct loop_timer timer;
    struct timers *all;
    int name;
    struct timed *victim; /* cleared when this one fires */
};

struct timers {
    struct loop *loop;
    struct timed list[8];
    int fired[8];
    int count;
    int wanted;
    struct event ended;
};

static void note_fired(struct loop_timer *timer)
{
    struct timed *timed = (struct timed *)timer;
    struct timers *all = timed->all;
    assert_false(timer->node.inside);
    if (timed->victim)
        loop_timer_clear(all->loop, &timed->victim->timer);
    all->fired[all->count++] = timed->name;
    if (all->count == all->wanted)
        event_set(&all->ended);
}

static void name_timers(struct timers *all, struct loop *loop, int wanted)
{
    memset(all, 0, sizeof(*all));
    all->loop = loop;
    all->wanted = wanted;
    all->ended = (struct event)EVENT_INIT;
    for (int i = 0; i < 8; i++)
        all->list[i] = (struct timed){.timer.fire = note_fired, .all = all, .name = i};
}

static void set_out_of_order(void *context)
{
    static const uint64_t delays[8] = {30, 10, 30, 0, 20, 10, 1, 40};
    struct timers *all = context;
    for (int i = 0; i < 8; i++)
        loop_timer_set(all->loop, &all->list[i].timer, delays[i]);
}

TEST_WITH(on_loop, timers_fire_in_the_order_of_their_times_and_equal_ones_as_they_were_set)
{
    struct timers all;
    name_timers(&all, on_loop->loop, 8);
    on_loop_call(on_loop, set_out_of_order, &all);
    event_wait(&all.ended);
    uint64_t before = 0;
    for (int i = 0; i < 8; i++) {
        assert_true(all.list[all.fired[i]].timer.node.key >= before);
        if (i > 0 && all.list[all.fired[i]].timer.node.key == before)
            assert_true(all.fired[i] > all.fired[i - 1]);
        before = all.list[all.fired[i]].timer.node.key;
    }
}

static void set_and_set_again(void *context)
{
    struct timers *all = context;
    loop_timer_set(all->loop, &all->list[0].timer, 0);
    loop_timer_set(all->loop, &all->list[0].timer, 20); /* replaces */
    loop_timer_set(all->loop, &all->list[1].timer, 1);
    all->list[1].victim = &all->list[2];
    loop_timer_set(all->loop, &all->list[2].timer, 2);
    loop_timer_set(all->loop, &all->list[3].timer, 3);
    loop_timer_clear(all->loop, &all->list[3].timer);
    loop_timer_clear(all->loop, &all->list[3].timer);           /* twice is fine */
    loop_timer_clear(all->loop, &all->list[4].timer);           /* never set */
    loop_timer_set(all->loop, &all->list[5].timer, UINT64_MAX); /* beyond the end of time */
}

static void clear_the_last(void *context)
{
    struct timers *all = context;
    assert_true(all->list[5].timer.node.inside);
    assert_int_equal(all->list[5].timer.node.key, UINT64_MAX);
    loop_timer_clear(all->loop, &all->list[5].timer);
}

TEST_WITH(on_loop, a_cleared_timer_never_fires_and_a_replaced_one_fires_once)
{
    struct timers all;
    name_timers(&all, on_loop->loop, 2);
    on_loop_call(on_loop, set_and_set_again, &all);
    event_wait(&all.ended);
    on_loop_call(on_loop, clear_the_last, &all);
    assert_int_equal(all.count, 2);
    assert_int_equal(all.fired[0], 1);
    assert_int_equal(all.fired[1], 0);
}

/* ------------------------------------------------------------------------------------------------ blocking work */

enum { WORKS = 200 };

struct works {
    struct on_loop *on;
    atomic_int worked;
    int done;
    int on_wrong_thread;
    struct event all;
};

struct work {
    struct loop_blocking blocking;
    struct works *works;
};

static void do_work(struct loop_blocking *blocking)
{
    struct work *work = (struct work *)blocking;
    atomic_fetch_add(&work->works->worked, 1);
    if (pthread_equal(pthread_self(), work->works->on->thread))
        atomic_fetch_add(&work->works->worked, 1000000);
}

static void work_done(struct loop_blocking *blocking)
{
    struct works *works = ((struct work *)blocking)->works;
    works->on_wrong_thread += !pthread_equal(pthread_self(), works->on->thread);
    if (++works->done == WORKS)
        event_set(&works->all);
}

struct starting {
    struct works works;
    struct work list[WORKS];
};

static void start_all(void *context)
{
    struct starting *starting = context;
    for (int i = 0; i < WORKS; i++) {
        starting->list[i] = (struct work){.blocking = {.work = do_work, .done = work_done}, .works = &starting->works};
        loop_run_blocking(starting->works.on->loop, &starting->list[i].blocking);
    }
}

TEST_WITH(on_loop, blocking_work_runs_on_other_threads_and_ends_on_the_loops)
{
    static struct starting starting;
    starting.works = (struct works){.on = on_loop, .all = EVENT_INIT};
    on_loop_call(on_loop, start_all, &starting);
    event_wait(&starting.works.all);
    assert_int_equal(atomic_load(&starting.works.worked), WORKS);
    assert_int_equal(starting.works.on_wrong_thread, 0);
}

TEST_WITH(on_loop, a_loop_that_ends_waits_for_all_blocking_work)
{
    static struct starting starting;
    starting.works = (struct works){.on = on_loop, .all = EVENT_INIT};
    on_loop_call(on_loop, start_all, &starting);
    on_loop_settle(on_loop);
    assert_int_equal(atomic_load(&starting.works.worked), WORKS);
    assert_int_equal(starting.works.done, WORKS);
}

/* ------------------------------------------------------------------------------------------------ without threads */

static bool no_threads;

bool __real_thread_start(struct thread *ret, void (*run)(void *context), void *context);
bool __wrap_thread_start(struct thread *ret, void (*run)(void *context), void *context);
bool __wrap_thread_start(struct thread *ret, void (*run)(void *context), void *context)
{
    return !no_threads && __real_thread_start(ret, run, context);
}

struct lone {
    struct loop_blocking blocking;
    atomic_bool worked;
};

static void lone_work(struct loop_blocking *blocking)
{
    atomic_store(&((struct lone *)blocking)->worked, true);
}

static void lone_done(struct loop_blocking *blocking)
{
    (void)blocking;
}

struct hardship {
    struct loop *loop;
    struct lone inline_ones[WORKERS_LEDGER];
    struct lone first_thread;
    struct lone after_it;
};

static void begin_lone(struct loop *loop, struct lone *lone, enum loop_lane lane)
{
    lone->blocking = (struct loop_blocking){.work = lone_work, .done = lone_done, .lane = lane};
    loop_run_blocking(loop, &lone->blocking);
}

static void go_without_threads_for_a_while(void *context)
{
    struct hardship *hardship = context;
    no_threads = true;
    for (int i = 0; i < WORKERS_LEDGER; i++)
        begin_lone(hardship->loop, &hardship->inline_ones[i], LOOP_RECORDS_READ);
    no_threads = false;
    begin_lone(hardship->loop, &hardship->first_thread, LOOP_LOOKS);
    begin_lone(hardship->loop, &hardship->after_it, LOOP_RECORDS_READ);
}

TEST_WITH(on_loop, what_was_worked_off_without_a_thread_takes_no_place_in_its_lane)
{
    static struct hardship hardship;
    hardship.loop = on_loop->loop;
    on_loop_call(on_loop, go_without_threads_for_a_while, &hardship);
    for (int ms = 0; ms < 60000 && !atomic_load(&hardship.after_it.worked); ms++)
        (void)poll(NULL, 0, 1);
    if (!atomic_load(&hardship.after_it.worked)) {
        print_error("work waits for ever in a lane where nobody is\n");
        _exit(EXIT_FAILURE); /* the teardown waits for it */
    }
    for (int i = 0; i < WORKERS_LEDGER; i++)
        assert_true(atomic_load(&hardship.inline_ones[i].worked));
}
