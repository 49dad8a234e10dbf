/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts and writes that are wrong, planted: the oracle must notice. */
#include "selftest.h"

#include "choice.h"
#include "model.h"
#include "oracle.h"

#include <string.h>

/* A's attempt is on its way, nothing of B was begun. */
static void attempt_under_way(struct world *world)
{
    config = config_by_name("create-create-tiny");
    memset(&finding, 0, sizeof(finding));
    world_init(world);
    world_canonical(world);
    choice_apply(world, choice_make(CHOICE_START, 0, 0, 0));
    while (world->flights[0].kind != FLIGHT_SEND) {
        choice_apply(world, choice_make(CHOICE_SERVE, 0, 0, 0));
        choice_apply(world, choice_make(CHOICE_DELIVER, 0, 0, 0));
    }
    must(finding.name == NULL, "a good beginning is called a violation");
}

static bool found(const char *name)
{
    return finding.name && strcmp(finding.name, name) == 0;
}

static void a_write_after_its_denial_is_caught(void)
{
    static struct world world;
    attempt_under_way(&world);
    world.writers[0].verdict[0] = VERDICT_NOT_EXECUTED;
    choice_apply(&world, choice_make(CHOICE_SERVE, 0, 0, 0));
    must(found(APPLIED_LATE), "a write that is applied after `not executed` is not noticed");
}

static void a_write_on_another_version_is_caught(void)
{
    static struct world world;
    attempt_under_way(&world);
    world.object.exists = 1;
    world.object.etag = ETAG_B;
    choice_apply(&world, choice_make(CHOICE_SERVE, 0, 0, 0));
    must(found(LOST_UPDATE), "a write on a version that was not expected is not noticed");
}

/* The guard hears of a success that never was. */
static void a_false_commit_is_caught(void)
{
    static struct world world;
    attempt_under_way(&world);
    world.flights[0].served = 1;
    world.flights[0].outcome = ATTEMPT_OK;
    choice_apply(&world, choice_make(CHOICE_DELIVER, 0, 0, 0));
    must(found(FALSE_COMMITTED), "a false `committed` is not noticed");
}

/* The guard hears that its copy was refused, but it was applied. */
static void a_false_denial_is_caught(void)
{
    static struct world world;
    attempt_under_way(&world);
    choice_apply(&world, choice_make(CHOICE_SERVE, 0, 0, 0));
    world.flights[0].outcome = ATTEMPT_REFUSED;
    choice_apply(&world, choice_make(CHOICE_DELIVER, 0, 0, 0));
    must(found(FALSE_NOT_EXECUTED), "a false `not executed` is not noticed");
}

void model_self_test(void)
{
    a_write_after_its_denial_is_caught();
    a_write_on_another_version_is_caught();
    a_false_commit_is_caught();
    a_false_denial_is_caught();
}
