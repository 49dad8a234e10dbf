/* SPDX-License-Identifier: Apache-2.0 */
#include "selftest.h"

#include "choice.h"
#include "configs.h"
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
    config = &configs[0];
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

int self_test(void)
{
    the_fingerprint_notices_every_bit();
    packing_loses_nothing();
    if (failures == 0)
        printf("explore: the self tests hold\n");
    return failures == 0 ? 0 : 1;
}
