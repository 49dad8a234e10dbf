/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest.h"

#include "pack.h"
#include "search.h"

#include <string.h>

static int failures;

void must(bool good, const char *sentence)
{
    if (good)
        return;
    failures++;
    fprintf(stderr, "%s: self test failed: %s\n", model_name, sentence);
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

/* ------------------------------------------------------------------------------------------------ schedules */

static const struct config *one_with_a_counterexample(void)
{
    size_t i = 0;
    while (config_at(i)->expects == NULL)
        i++;
    return config_at(i);
}

static void a_printed_trace_can_be_played_again(void)
{
    static struct search_result result;
    static struct schedule again;
    static char text[16 * SCHEDULE_MAX];
    const struct search_limits limits = {0, 0};
    const struct config *of = one_with_a_counterexample();
    search(of, &limits, &result);
    must(result.finding.name != NULL, "the known counterexample is not found");
    FILE *out = fmemopen(text, sizeof(text), "w");
    if (out == NULL) {
        must(false, "no memory for a trace");
        return;
    }
    schedule_print(&result.schedule, out);
    fclose(out);
    must(schedule_read(text, &again), "a printed schedule cannot be read");
    must(schedule_play(of, &again, NULL), "a printed schedule cannot be played");
    must(finding.name && strcmp(finding.text, result.finding.text) == 0, "a schedule ends otherwise when played again");
    again.choices[0] = choice_make(UINT8_MAX, 0, 0, 0);
    must(!schedule_play(of, &again, NULL), "a schedule that is not possible is played");
}

int self_test(void)
{
    the_fingerprint_notices_every_bit();
    packing_loses_nothing();
    a_printed_trace_can_be_played_again();
    model_self_test();
    if (failures == 0)
        printf("%s: the self tests hold\n", model_name);
    return failures == 0 ? 0 : 1;
}
