/* SPDX-License-Identifier: Apache-2.0 */
/* Worlds that are wrong, planted: the oracle must notice. */
#include "selftest.h"

#include "choice.h"
#include "model.h"

#include <string.h>

static void begin(struct world *world, const char *name)
{
    config = config_by_name(name);
    memset(&finding, 0, sizeof(finding));
    world_init(world);
    world_canonical(world);
}

static void choose(struct world *world, enum choice_kind kind, unsigned a)
{
    choice_apply(world, choice_make(kind, a, 0, 0));
}

/* The call begins, and its request is served. */
static void serve(struct world *world, unsigned c)
{
    choose(world, CHOICE_START, c);
    choose(world, CHOICE_SERVE, 0);
}

static bool found(const char *name)
{
    return finding.name && strcmp(finding.name, name) == 0;
}

static void a_commit_is_good(void)
{
    static struct world world;
    begin(&world, "write");
    serve(&world, 0);
    choose(&world, CHOICE_DELIVER, 0);
    must(finding.name == NULL && world.attempts[1].verdict == TRANSACTION_COMMITTED, "a write alone is not committed");
}

static void a_second_application_is_caught(void)
{
    static struct world world;
    begin(&world, "write");
    choose(&world, CHOICE_START, 0);
    world.attempts[1].applied = 1;
    choose(&world, CHOICE_SERVE, 0);
    must(found("applied-twice"), "an attempt that is applied twice is not noticed");
}

static void a_late_application_is_caught(void)
{
    static struct world world;
    begin(&world, "write");
    choose(&world, CHOICE_START, 0);
    world.attempts[1].verdict = TRANSACTION_CONFLICT;
    choose(&world, CHOICE_SERVE, 0);
    must(found("applied-late"), "an attempt that is applied after a conflict is not noticed");
}

static void a_commit_of_nothing_is_caught(void)
{
    static struct world world;
    begin(&world, "write");
    serve(&world, 0);
    world.attempts[1].applied = 0;
    choose(&world, CHOICE_DELIVER, 0);
    must(found("false-committed"), "a commit that did not happen is not noticed");
}

static void a_false_conflict_is_caught(void)
{
    static struct world world;
    begin(&world, "write");
    serve(&world, 0);
    world.flights[0].outcome = TRANSACTION_FAILED;
    world.flights[0].rows[0] = (struct transaction_row){.failed = true, .seen = TRANSACTION_ABSENT};
    choose(&world, CHOICE_DELIVER, 0);
    must(found("false-conflict"), "a conflict of what was applied is not noticed");
}

static void an_unknown_for_nothing_is_caught(void)
{
    static struct world world;
    begin(&world, "write");
    choose(&world, CHOICE_START, 0);
    choose(&world, CHOICE_LOSE, 0);
    world.calls[0].is_lost = 0;
    world.flights[0].awaited = 0;
    choose(&world, CHOICE_STOP, 0);
    must(found("unknown-for-nothing"), "unknown without a lost answer is not noticed");
}

static void a_fence_that_makes_a_row_is_caught(void)
{
    static struct world world;
    begin(&world, "create");
    choose(&world, CHOICE_START, 0);
    world.flights[0].kind = TRANSACTION_SEND_FENCE;
    choose(&world, CHOICE_SERVE, 0);
    must(found("fence-destroys"), "a fence that makes a row is not noticed");
}

void model_self_test(void)
{
    a_commit_is_good();
    a_second_application_is_caught();
    a_late_application_is_caught();
    a_commit_of_nothing_is_caught();
    a_false_conflict_is_caught();
    an_unknown_for_nothing_is_caught();
    a_fence_that_makes_a_row_is_caught();
}
