/* SPDX-License-Identifier: Apache-2.0 */
#include "common/held.h"

#include "cli/duration.h"
#include "common/held_start.h"
#include "common/surroundings.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    TICK_MS = 1000, /* a machine that was suspended tells nobody */
    GROUP_MS = 50,  /* nor does a process group that has ended */
    ECHO_MS = 500   /* timeout(1) sends its signal to the process and then to its group */
};

/* ------------------------------------------------------------------------------------------------ open, close */

/* SIGTSTP is for the thread that runs the program alone: so that stops before kill() returns. SIGCONT takes effect all the
 * same, and can be asked for afterwards. */
static void block_signals(sigset_t *ret_children)
{
    sigset_t set;

    (void)sigemptyset(ret_children);
    (void)sigaddset(ret_children, SIGCHLD);
    set = *ret_children;
    (void)sigaddset(&set, SIGTSTP);
    (void)sigaddset(&set, SIGCONT);
    (void)sigaddset(&set, SIGTTOU); /* of tcsetpgrp */
    (void)pthread_sigmask(SIG_BLOCK, &set, NULL);
}

static void close_one(int fd)
{
    if (fd >= 0)
        (void)close(fd);
}

static void close_descriptors(struct held *held)
{
    close_one(held->changed);
    close_one(held->children);
    close_one(held->signals[0]);
    close_one(held->signals[1]);
    close_one(held->terminal);
}

bool held_open(struct held *ret)
{
    sigset_t children;

    (void)signal(SIGCHLD, SIG_DFL);                  /* ignored, it would take the program's status away */
    (void)prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0); /* else orphans of the group may stay in it as zombies for ever */
    ret->signals[0] = ret->signals[1] = -1;
    ret->changed = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    block_signals(&children);
    ret->children = signalfd(-1, &children, SFD_CLOEXEC | SFD_NONBLOCK);
    ret->terminal = open("/dev/tty", O_RDWR | O_CLOEXEC | O_NOCTTY);
    if (ret->changed >= 0 && ret->children >= 0 && pipe2(ret->signals, O_CLOEXEC | O_NONBLOCK) == 0 &&
        keeper_start(&ret->keeper, ret->grace_ms))
        return true;
    int failure = errno;
    close_descriptors(ret);
    errno = failure;
    return false;
}

void held_close(struct held *held)
{
    keeper_end(&held->keeper);
    close_descriptors(held);
}

void held_receive_stops(void)
{
    sigset_t stops;

    (void)sigemptyset(&stops);
    (void)sigaddset(&stops, SIGTSTP);
    (void)pthread_sigmask(SIG_UNBLOCK, &stops, NULL);
}

void held_changed(void *context, os_lease *lease, os_lease_status status)
{
    const struct held *held = context;
    uint64_t one = 1;
    ssize_t written = write(held->changed, &one, sizeof(one));

    (void)written;
    (void)lease;
    (void)status;
}

/* --------------------------------------------------------------------------------------------------- its end */

static void signal_group(struct held *held, int number)
{
    held->was_signalled = true;
    (void)kill(-held->process, number);
    (void)kill(-held->process, SIGCONT); /* one that is stopped would not notice */
}

static void begin_end(struct held *held, uint64_t left_ms)
{
    uint64_t patience_ms = left_ms > 0 ? left_ms : held->grace_ms;
    char sentence[1024];

    held->stage = HELD_IS_ENDED;
    held->is_lost = true;
    held->kill_ms = keeper_now_ms() + patience_ms;
    keeper_tell_ended(&held->keeper, held->process, held->kill_ms);
    signal_group(held, SIGTERM);
    (void)snprintf(sentence, sizeof(sentence),
                   "The lease \"%.300s\" %s: %.300s is ended by SIGTERM, and by SIGKILL in %" PRIu64 " ms.", held->name,
                   left_ms > 0 ? "could not be extended, and is about to be lost" : "is lost", held->program[0],
                   patience_ms);
    output_message(&held->session->output, sentence);
}

/* Looks at the lease, and says to the keeper what it needs to know. */
static void look(struct held *held)
{
    uint64_t now_ms = keeper_now_ms();
    uint64_t left_ms = os_lease_remaining_ms(held->lease);

    if (held->stage == HELD_RUNS && left_ms <= held->grace_ms)
        begin_end(held, left_ms);
    else if (held->stage == HELD_RUNS)
        keeper_tell(&held->keeper, held->process, now_ms + left_ms);
    if (held->stage == HELD_IS_ENDED && now_ms >= held->kill_ms) {
        held->stage = HELD_IS_KILLED;
        (void)kill(-held->process, SIGKILL);
    }
}

static bool group_is_there(const struct held *held)
{
    return kill(-held->process, 0) == 0 || errno == EPERM;
}

/* What a program leaves behind when it ends by itself is its own affair. What a signal was sent to is still at work. */
static bool has_ended(const struct held *held)
{
    return held->is_over && !(held->was_signalled && group_is_there(held));
}

/* ------------------------------------------------------------------------------------------------ the terminal */

static bool is_in_front(const struct held *held, pid_t group)
{
    return held->terminal >= 0 && tcgetpgrp(held->terminal) == group;
}

static void give_terminal(const struct held *held)
{
    if (is_in_front(held, getpgrp()))
        (void)tcsetpgrp(held->terminal, held->process);
}

static void take_terminal(const struct held *held)
{
    if (is_in_front(held, held->process))
        (void)tcsetpgrp(held->terminal, getpgrp());
}

/* Until somebody lets it go on. False: it does not stop, as no shell is there that could. */
static bool stop_itself(void)
{
    const struct timespec at_once = {0};
    sigset_t continuation;

    (void)sigemptyset(&continuation);
    (void)sigaddset(&continuation, SIGCONT);
    (void)sigtimedwait(&continuation, NULL, &at_once); /* an earlier one */
    (void)kill(0, SIGTSTP);
    return sigtimedwait(&continuation, NULL, &at_once) == SIGCONT;
}

/* Ctrl-Z: whoever waits for this process must see it stopped. The lease runs on meanwhile, and may be over. One that wants
 * to read a terminal which it can never have is hung up, as the kernel does with groups that are orphaned. */
static void stop_along(struct held *held, int number)
{
    bool stopped;

    take_terminal(held);
    /* Also what the signal did not reach, or not stop: what is stopped does no harm. */
    (void)kill(-held->process, SIGSTOP);
    keeper_tell(&held->keeper, held->process, UINT64_MAX);
    stopped = stop_itself();
    look(held);
    give_terminal(held);
    if (!stopped && number != SIGTSTP && !is_in_front(held, held->process))
        signal_group(held, SIGHUP);
    else
        (void)kill(-held->process, SIGCONT);
}

/* ------------------------------------------------------------------------------------------------------ events */

static bool is_of_job_control(int number)
{
    return number == SIGTSTP || number == SIGTTIN || number == SIGTTOU;
}

static void note_end(struct held *held, int status)
{
    held->is_over = true;
    held->wait_status = status;
    held->was_in_front = is_in_front(held, held->process);
    held->was_signalled = held->was_signalled || WIFSIGNALED(status);
    held->is_lost = held->is_lost || os_lease_state(held->lease) == OS_LEASE_LOST;
}

/* The program, which may have gone to another group; and what it has left behind in its own: that is this process's now. */
static pid_t wait_for_one(const struct held *held, int *ret_status)
{
    const int how = WNOHANG | WUNTRACED;
    pid_t process = held->is_over ? 0 : waitpid(held->process, ret_status, how);

    return process > 0 ? process : waitpid(-held->process, ret_status, how);
}

static void reap(struct held *held)
{
    int status;

    for (pid_t process = wait_for_one(held, &status); process > 0; process = wait_for_one(held, &status)) {
        if (process != held->process)
            continue;
        if (!WIFSTOPPED(status))
            note_end(held, status);
        else if (held->terminal >= 0 && is_of_job_control(WSTOPSIG(status)))
            stop_along(held, WSTOPSIG(status));
    }
}

static void pass_on(struct held *held)
{
    unsigned char number;

    while (read(held->signals[0], &number, 1) == 1) {
        uint64_t now_ms = duration_now_ms();
        if (number == held->last_signal && now_ms - held->last_signal_ms < ECHO_MS)
            continue;
        held->last_signal = number;
        held->last_signal_ms = now_ms;
        signal_group(held, number);
    }
}

static void drain(int fd)
{
    char bytes[sizeof(struct signalfd_siginfo)];

    while (read(fd, bytes, sizeof(bytes)) > 0)
        ;
}

static int held_pause_ms(const struct held *held)
{
    uint64_t pause_ms = held->is_over ? GROUP_MS : TICK_MS;
    uint64_t now_ms = keeper_now_ms();
    uint64_t left_ms = UINT64_MAX;

    if (held->stage == HELD_RUNS) {
        left_ms = os_lease_remaining_ms(held->lease);
        left_ms = left_ms > held->grace_ms ? left_ms - held->grace_ms : 0;
    } else if (held->stage == HELD_IS_ENDED) {
        left_ms = held->kill_ms > now_ms ? held->kill_ms - now_ms : 0;
    }
    return (int)(left_ms < pause_ms ? left_ms : pause_ms);
}

static void watch(struct held *held)
{
    struct pollfd fds[3] = {{.fd = held->children, .events = POLLIN},
                            {.fd = held->changed, .events = POLLIN},
                            {.fd = held->signals[0], .events = POLLIN}};

    (void)poll(fds, 3, held_pause_ms(held));
    drain(held->children);
    drain(held->changed);
    reap(held);
    pass_on(held);
    give_terminal(held); /* it may have come back to the foreground */
    if (!has_ended(held))
        look(held);
}

static bool fill_environment(const struct held *held, struct surroundings *ret)
{
    char token[24];
    const struct surrounding own[] = {{"OSCOMMIT_LEASE_NAME", held->name}, {"OSCOMMIT_FENCING_TOKEN", token}};

    (void)snprintf(token, sizeof(token), "%" PRIu64, os_lease_token(held->lease));
    return surroundings_fill(ret, own, sizeof(own) / sizeof(own[0]));
}

int held_run(struct held *held)
{
    struct surroundings surroundings;
    int failure;

    if (!fill_environment(held, &surroundings))
        return ENOMEM;
    uint64_t now_ms = keeper_now_ms(); /* before the question: a stop between both must not make it longer */
    const struct held_watch its_end = {&held->keeper, now_ms + os_lease_remaining_ms(held->lease)};
    failure = held_start(held->program, surroundings.all, is_in_front(held, getpgrp()) ? held->terminal : -1, &its_end,
                         &held->process);
    surroundings_clear(&surroundings);
    if (failure != 0) {
        take_terminal(held);
        return failure;
    }
    look(held);
    while (!has_ended(held))
        watch(held);
    keeper_end(&held->keeper); /* what the program has left in its group is not to be ended */
    take_terminal(held);
    return 0;
}
