/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest.h"

#include "choice.h"
#include "configs.h"
#include "oracle.h"
#include "pack.h"
#include "trace.h"

#include <string.h>

static int failures;

static void must(bool good, const char *sentence)
{
    if (good)
        return;
    failures++;
    fprintf(stderr, "explore: self test failed: %s\n", sentence);
}

/* Some world in the middle of things. */
static void some_world(struct world *ret)
{
    config = config_at(0);
    world_init(ret);
    world_canonical(ret);
    for (unsigned i = 0; i < 7; i++) {
        struct choices choices;
        choices_of(ret, &choices);
        choice_apply(ret, choices.list[i % choices.count]);
    }
}

/* Every byte is part of some field or zero for ever, so every bit must count. */
static void the_fingerprint_notices_every_bit(void)
{
    static struct world world;
    some_world(&world);
    uint8_t *bytes = (uint8_t *)&world;
    struct fingerprint before = fingerprint_of(&world);
    size_t unnoticed = 0;
    for (size_t bit = 0; bit < sizeof(world) * 8; bit++) {
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
        struct fingerprint after = fingerprint_of(&world);
        unnoticed += after.a == before.a || after.b == before.b;
        bytes[bit / 8] ^= (uint8_t)(1U << bit % 8);
    }
    must(unnoticed == 0, "a bit of the world is not in the fingerprint");
}

static void packing_loses_nothing(void)
{
    static struct world world;
    static struct world back;
    static uint8_t packed[PACKED_MAX];
    uint8_t *bytes = (uint8_t *)&world;
    uint32_t random = 12345;
    for (unsigned round = 0; round < 50; round++) {
        for (size_t i = 0; i < sizeof(world); i++) {
            random = random * 1664525 + 1013904223;
            bytes[i] = random >> 24 < round * 5 ? (uint8_t)(random >> 16) : 0;
        }
        size_t size = pack(&world, packed);
        must(size <= PACKED_MAX, "a packed world is longer than its bound");
        unpack(packed, &back);
        must(memcmp(&world, &back, sizeof(world)) == 0, "packing a world loses something");
    }
}

/* ------------------------------------------------------------------------------------------------ planted verdicts */

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

/* ------------------------------------------------------------------------------------------------ traces */

static void a_printed_trace_can_be_played_again(void)
{
    static struct search_result result;
    static struct schedule again;
    static struct world end;
    static char text[16 * SCHEDULE_MAX];
    const struct search_limits limits = {0, 0};
    const struct config *of = config_by_name("peer-late-write");
    search(of, &limits, &result);
    must(result.finding.name != NULL, "the known counterexample is not found");
    FILE *out = fmemopen(text, sizeof(text), "w");
    if (out == NULL) {
        must(false, "no memory for a trace");
        return;
    }
    trace_print_schedule(&result.schedule, out);
    fclose(out);
    must(trace_read_schedule(text, &again), "a printed schedule cannot be read");
    must(trace_play(of, &again, NULL, &end), "a printed schedule cannot be played");
    must(finding.name && strcmp(finding.text, result.finding.text) == 0, "a schedule ends otherwise when played again");
    again.choices[0] = choice_make(CHOICE_TTL, 0, 0, 0);
    must(!trace_play(of, &again, NULL, &end), "a schedule that is not possible is played");
}

int self_test(void)
{
    the_fingerprint_notices_every_bit();
    packing_loses_nothing();
    a_write_after_its_denial_is_caught();
    a_write_on_another_version_is_caught();
    a_false_commit_is_caught();
    a_false_denial_is_caught();
    a_printed_trace_can_be_played_again();
    if (failures == 0)
        printf("explore: the self tests hold\n");
    return failures == 0 ? 0 : 1;
}
