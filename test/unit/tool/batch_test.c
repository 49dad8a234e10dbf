/* SPDX-License-Identifier: Apache-2.0 */
#include "common/batch.h"
#include "support/test.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void add(struct batch_items *items, const char *name)
{
    assert_true(batch_items_add(items, strdup(name), 1));
}

/* The refused ones, with blanks between. */
static void refused(const struct batch_items *items, char *ret, size_t ret_size)
{
    ret[0] = '\0';
    for (size_t i = 0; i < items->count; i++)
        if (items->list[i].refusal != NULL)
            (void)snprintf(ret + strlen(ret), ret_size - strlen(ret), "%s ", items->list[i].name);
}

TEST(a_file_that_is_a_folder_of_others_collides)
{
    static const char *const names[] = {"b/c/d", "b", "a-b", "b-", "b/c", "c", "cc/x", "b!"};
    struct batch_items items = {.list = NULL};
    char found[64];

    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        add(&items, names[i]);
    batch_items_sort(&items);
    refused(&items, found, sizeof(found));
    assert_string_equal(found, "b b/c ");
    for (size_t i = 1; i < items.count; i++)
        assert_true(strcmp(items.list[i - 1].name, items.list[i].name) < 0);
    batch_items_clear(&items);
}

TEST(what_only_stands_for_a_folder_collides_with_nothing)
{
    struct batch_items items = {.list = NULL};
    char found[64];

    add(&items, "a");
    add(&items, "a/");
    items.list[1].is_marker = true;
    batch_items_sort(&items);
    refused(&items, found, sizeof(found));
    assert_string_equal(found, "");
    add(&items, "a/x");
    batch_items_sort(&items);
    refused(&items, found, sizeof(found));
    assert_string_equal(found, "a ");
    batch_items_clear(&items);
}

TEST(the_worst_status_is_that_which_needs_somebody_first)
{
    static const enum status order[] = {STATUS_UNKNOWN, STATUS_UNDECIDABLE, STATUS_USAGE,  STATUS_NOT_EXECUTED,
                                        STATUS_DENIED,  STATUS_UNREACHABLE, STATUS_ABSENT, STATUS_CONFLICT,
                                        STATUS_OUTPUT,  STATUS_DONE};
    enum { COUNT = sizeof(order) / sizeof(order[0]) };

    for (size_t i = 0; i < COUNT; i++)
        for (size_t j = i; j < COUNT; j++) {
            assert_int_equal(batch_worse(order[i], order[j]), order[i]);
            assert_int_equal(batch_worse(order[j], order[i]), order[i]);
        }
}

struct counting {
    atomic_uint calls;
    unsigned stop_at;
};

static enum status count_call(struct batch *batch, const struct batch_item *item)
{
    struct counting *counting = batch->context;
    unsigned call = atomic_fetch_add(&counting->calls, 1) + 1;

    if (call == counting->stop_at) {
        batch_lock(batch);
        batch_stop(batch);
        batch_unlock(batch);
    }
    return item->refusal == NULL ? STATUS_DONE : STATUS_CONFLICT;
}

static void run_some(struct counting *counting, unsigned jobs, struct batch *ret)
{
    static struct session session;
    struct batch_items items = {.list = NULL};
    char name[16];

    assert_true(interrupt_start(&session.interrupt, -1, NULL, NULL));
    for (int i = 0; i < 100; i++) {
        (void)snprintf(name, sizeof(name), "%03d", i);
        add(&items, name);
    }
    items.list[50].refusal = "x";
    *ret = (struct batch){.session = &session, .items = &items, .work = count_call, .context = counting};
    (void)batch_run(ret, jobs);
    ret->items = NULL;
    batch_items_clear(&items);
    interrupt_stop(&session.interrupt);
}

TEST(each_item_is_done_once_by_however_many)
{
    static const unsigned jobs[] = {1, 2, 8, 64, 1000};

    for (size_t i = 0; i < sizeof(jobs) / sizeof(jobs[0]); i++) {
        struct counting counting = {.calls = 0};
        struct batch batch;
        run_some(&counting, jobs[i], &batch);
        assert_int_equal(atomic_load(&counting.calls), 100);
        assert_int_equal(batch.worst, STATUS_CONFLICT);
        assert_int_equal(batch.not_begun, 0);
    }
}

TEST(what_was_not_begun_is_counted_and_not_done)
{
    struct counting counting = {.calls = 0, .stop_at = 10};
    struct batch batch;

    run_some(&counting, 1, &batch);
    assert_int_equal(atomic_load(&counting.calls), 10);
    assert_int_equal(batch.not_begun, 90);
    assert_int_equal(batch.worst, STATUS_NOT_EXECUTED);
}
