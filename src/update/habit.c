/* SPDX-License-Identifier: Apache-2.0 */
#include "update/habit.h"

#include "base/fnv.h"

#include <string.h>

enum {
    FRESH_MS = 2000,
    STREAK_MOST = 16, /* so many updates in a row, before others have their turn */
    PAUSE_ROUNDS = 2, /* for so many rounds' time: one of theirs fits in whole */
    CONTENTION_MOST = 32,
    WAIT_LONGEST_MS = 1000
};

/* Two keys that share it share a habit, which costs a pause at most. */
static uint64_t hash_of(const char *text)
{
    return fnv_of(text) | 1; /* 0: none */
}

struct update_habit update_habit_of(const os_client *client, const char *key)
{
    uint64_t hash = hash_of(key);
    const struct update_habit *kept = &client->update_habits[hash / 2 % CLIENT_UPDATE_HABITS];
    if (kept->key_hash == hash && clock_monotonic_ms() - kept->ended_ms < FRESH_MS)
        return *kept;
    return (struct update_habit){.key_hash = hash};
}

void update_habit_keep(os_client *client, const struct update_habit *habit)
{
    client->update_habits[habit->key_hash / 2 % CLIENT_UPDATE_HABITS] = *habit;
}

uint64_t update_habit_wait_ms(struct update_habit *habit, uint64_t *random)
{
    uint64_t wait_ms = 0;
    if (habit->contention > 0) {
        wait_ms = random_next(random) % (habit->contention * habit->round_ms + 1);
    } else if (habit->streak >= STREAK_MOST) {
        habit->streak = 0;
        wait_ms = PAUSE_ROUNDS * habit->round_ms;
    }
    return wait_ms < WAIT_LONGEST_MS ? wait_ms : WAIT_LONGEST_MS;
}

void update_habit_note_read(struct update_habit *habit, const char *etag)
{
    if (habit->etag_hash == 0 || habit->etag_hash == hash_of(etag))
        return;
    habit->streak = 0;
    if (habit->contention == 0)
        habit->contention = 1;
}

void update_habit_note_end(struct update_habit *habit, uint32_t conflicts, uint64_t round_ms, const char *etag)
{
    if (conflicts > 0) {
        habit->streak = 0;
        habit->contention = conflicts < CONTENTION_MOST ? conflicts : CONTENTION_MOST;
    } else {
        habit->streak++;
        habit->contention /= 2;
    }
    habit->round_ms = round_ms;
    habit->etag_hash = etag[0] ? hash_of(etag) : 0;
    habit->ended_ms = clock_monotonic_ms();
}
