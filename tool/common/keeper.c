/* SPDX-License-Identifier: Apache-2.0 */
#include "common/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,     /* poll(2) does not count the time in which the machine is suspended */
    GONE_AGAIN_MS = 20, /* the end of a process group tells nobody */
    LATER_MS = 200      /* what `oscommit lock` kills itself is gone by then; less than the margin of every lease */
};

struct word {
    uint64_t until_ms;
    int64_t group;     /* 0: none yet */
    uint64_t is_ended; /* it was sent SIGTERM, and has until then */
};

uint64_t keeper_now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_BOOTTIME, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* ------------------------------------------------------------------------------------------ the process itself */

static void keeper_say(const char *sentence)
{
    ssize_t written = write(STDERR_FILENO, sentence, strlen(sentence));
    (void)written;
}

static void end_group(const struct word *word, uint64_t grace_ms)
{
    pid_t group = (pid_t)word->group;
    uint64_t now_ms = keeper_now_ms();
    uint64_t kill_ms = now_ms + grace_ms;

    if ((word->until_ms > now_ms || word->is_ended != 0) && word->until_ms < kill_ms)
        kill_ms = word->until_ms; /* one that is found lost by now has the whole grace */
    if (kill(-group, SIGTERM) != 0)
        _exit(0);
    (void)kill(-group, SIGCONT); /* one that is stopped would not notice */
    keeper_say("oscommit: `oscommit lock` is gone or stopped, so its program is ended.\n");
    while (kill(-group, 0) == 0 && keeper_now_ms() < kill_ms)
        (void)poll(NULL, 0, GONE_AGAIN_MS);
    (void)kill(-group, SIGKILL);
    _exit(0);
}

/* When the group is to be ended if there is no other word: half of the grace later than `oscommit lock` itself would. */
static uint64_t due_ms(const struct word *word, uint64_t grace_ms)
{
    uint64_t lead_ms = grace_ms / 2;

    if (word->group == 0 || word->until_ms == UINT64_MAX)
        return UINT64_MAX;
    if (word->is_ended != 0)
        return word->until_ms + LATER_MS;
    return word->until_ms > lead_ms ? word->until_ms - lead_ms : 0;
}

static int keeper_pause_ms(uint64_t until_ms)
{
    uint64_t now_ms = keeper_now_ms();

    if (until_ms <= now_ms)
        return 0;
    return until_ms - now_ms < TICK_MS ? (int)(until_ms - now_ms) : TICK_MS;
}

static void keep(int words, uint64_t grace_ms)
{
    struct word word = {0};

    while (true) {
        struct pollfd fd = {.fd = words, .events = POLLIN};
        if (poll(&fd, 1, keeper_pause_ms(due_ms(&word, grace_ms))) > 0) {
            struct word next;
            ssize_t got = read(words, &next, sizeof(next)); /* whole, as writes of this size to a pipe are */
            if (got == (ssize_t)sizeof(next))
                word = next;
            else if (got == 0 && word.group == 0)
                _exit(0);
            else if (got == 0)
                end_group(&word, grace_ms);
        }
        if (keeper_now_ms() >= due_ms(&word, grace_ms))
            end_group(&word, grace_ms);
    }
}

/* Of its own group, so that what is meant for `oscommit lock` does not meet it; deaf to signals; with a name of its own,
 * so that `killall -9 oscommit` does not meet it either. */
static void become_keeper(int words, uint64_t grace_ms)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)sigprocmask(SIG_BLOCK, &all, NULL);
    (void)setpgid(0, 0);
    (void)prctl(PR_SET_NAME, "lock-keeper");
    (void)close(STDIN_FILENO); /* whoever reads what the program prints must see the end of it */
    (void)close(STDOUT_FILENO);
    keep(words, grace_ms);
}

/* --------------------------------------------------------------------------------------------------- who has it */

bool keeper_start(struct keeper *ret, uint64_t grace_ms)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC | O_NONBLOCK) != 0)
        return false;
    ret->words = ends[1];
    ret->process = fork();
    if (ret->process == 0) {
        (void)close(ends[1]);
        become_keeper(ends[0], grace_ms);
    }
    (void)close(ends[0]);
    if (ret->process < 0) {
        int failure = errno;
        (void)close(ends[1]);
        errno = failure;
    }
    return ret->process > 0;
}

static void tell(const struct keeper *keeper, const struct word *word)
{
    ssize_t written = write(keeper->words, word, sizeof(*word));

    (void)written; /* one that is not read counts too, or the keeper is gone: then the death signal is left */
}

void keeper_tell(const struct keeper *keeper, pid_t group, uint64_t until_ms)
{
    const struct word word = {.until_ms = until_ms, .group = group};

    tell(keeper, &word);
}

void keeper_tell_ended(const struct keeper *keeper, pid_t group, uint64_t kill_ms)
{
    const struct word word = {.until_ms = kill_ms, .group = group, .is_ended = 1};

    tell(keeper, &word);
}

void keeper_end(struct keeper *keeper)
{
    if (keeper->process == 0)
        return;
    (void)kill(keeper->process, SIGKILL);
    while (waitpid(keeper->process, NULL, 0) < 0 && errno == EINTR)
        ;
    (void)close(keeper->words);
    keeper->process = 0;
}
