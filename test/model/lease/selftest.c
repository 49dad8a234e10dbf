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

/* With `whole` it is served and answered at once. */
static void start(struct world *world, unsigned h)
{
    choice_apply(world, choice_make(CHOICE_START, h, 0, 0));
    while (world->flights[0].kind != 0) {
        choice_apply(world, choice_make(CHOICE_SERVE, 0, 0, 0));
        if (world->flights[0].kind != 0 && world->flights[0].served)
            choice_apply(world, choice_make(CHOICE_DELIVER, 0, 0, 0));
    }
}

static bool found(const char *name)
{
    return finding.name && strcmp(finding.name, name) == 0;
}

static void a_second_holder_is_caught(void)
{
    static struct world world;
    begin(&world, "pair");
    start(&world, 0);
    must(finding.name == NULL && world_believes(&world, 0), "one who takes what is free does not hold it");
    memset(&world.item, 0, sizeof(world.item));
    start(&world, 1);
    must(found("two-holders"), "two who hold at a time are not noticed");
}

static void a_smaller_token_is_caught(void)
{
    static struct world world;
    begin(&world, "fenced");
    world.last_token = UINT64_MAX;
    start(&world, 0);
    must(found("token-shrinks"), "a token that is smaller than one before is not noticed");
}

static void a_holder_that_had_lost_is_caught(void)
{
    static struct world world;
    begin(&world, "pair");
    start(&world, 0);
    world.handles[0].was_lost = true;
    choice_apply(&world, choice_make(CHOICE_TIMER, 0, 0, 0));
    must(found("held-again"), "one who holds again after a loss is not noticed");
}

void model_self_test(void)
{
    a_second_holder_is_caught();
    a_smaller_token_is_caught();
    a_holder_that_had_lost_is_caught();
}
