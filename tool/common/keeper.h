/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process beside `oscommit lock`, for the time in which that cannot end its program: because it was killed, is
 * stopped, or hangs. It knows the program's process group and until when the lease is certain, and is told anew each
 * second. When that time comes without a word, or when `oscommit lock` is gone, it ends the group: SIGTERM, and SIGKILL
 * when the time is over. The death signal of prctl(2) would reach one process, and none if `oscommit lock` is stopped.
 */
#ifndef OSCOMMIT_TOOL_KEEPER_H
#define OSCOMMIT_TOOL_KEEPER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct keeper {
    pid_t process;
    int words; /* a pipe; its end tells that this process is gone */
};

/* On CLOCK_BOOTTIME, which goes on while the machine is suspended. */
uint64_t keeper_now_ms(void);

/* A process of one thread: to be called before there is a second one. False: errno says why. */
bool keeper_start(struct keeper *ret, uint64_t grace_ms);

/* The group may run until then. UINT64_MAX: for as long as this process is there. */
void keeper_tell(const struct keeper *keeper, pid_t group, uint64_t until_ms);

/* The group was sent SIGTERM, and this process kills it then; so does the keeper, at once, if that does not happen. */
void keeper_tell_ended(const struct keeper *keeper, pid_t group, uint64_t kill_ms);

/* Nothing is to be ended any more; does nothing the second time. */
void keeper_end(struct keeper *keeper);

#endif
