/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a client remembers of its last updates of a key, so that other processes have their turn. Who has just written
 * would always be first again: the others wait, and each of their rounds meets a write of his. He cannot know of them,
 * as he has no conflicts. So he pauses now and then; and once he knows of others, he waits at random as they do.
 * Decides nothing but when a round begins.
 */
#ifndef OSCOMMIT_UPDATE_HABIT_H
#define OSCOMMIT_UPDATE_HABIT_H

#include "client/client.h"

/* The client's habit of a whole key, empty unless it is fresh. Loop's thread, as the next one. */
struct update_habit update_habit_of(const os_client *client, const char *key);
void update_habit_keep(os_client *client, const struct update_habit *habit);

/* How long to wait before the first round. */
uint64_t update_habit_wait_ms(struct update_habit *habit, uint64_t *random);

/* An object was read that is not what this client wrote last. */
void update_habit_note_read(struct update_habit *habit, const char *etag);
/* An update has ended after so many conflicts; its last round took so long. `etag` is what it wrote; "": nothing. */
void update_habit_note_end(struct update_habit *habit, uint32_t conflicts, uint64_t round_ms, const char *etag);

#endif
