/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/held.h"
#include "common/lease.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TTL_S = 60,
    GRACE_S = 5,
    GRACE_DIVISOR = 8,  /* a lease is extended when two thirds of its time are left: nearer than that it is in danger */
    RELEASE_MS = 10000, /* whoever waits for the program's status does not wait for a table that is away */
    SIGNALLED_STATUS = 128, /* as a shell has it */
    NOT_RUNNABLE = 126,
    NOT_FOUND = 127
};

struct lock_times {
    uint64_t ttl_s;
    uint64_t wait_s; /* 0: not at all */
    uint64_t grace_ms;
};

static bool take_times(const struct options *options, struct lock_times *ret, struct usage *usage)
{
    uint64_t grace_s;

    if (!lease_time(options, OPTION_TTL, TTL_S, &ret->ttl_s, usage) ||
        !lease_time(options, OPTION_WAIT, 0, &ret->wait_s, usage) ||
        !lease_time(options, OPTION_GRACE, GRACE_S, &grace_s, usage))
        return false;
    ret->grace_ms = grace_s * 1000;
    if (ret->grace_ms > ret->ttl_s * 1000 / GRACE_DIVISOR)
        ret->grace_ms = ret->ttl_s * 1000 / GRACE_DIVISOR;
    return true;
}

/* ---------------------------------------------------------------------------------------------------- the end */

static int status_of_program(int wait_status)
{
    return WIFSIGNALED(wait_status) ? SIGNALLED_STATUS + WTERMSIG(wait_status) : WEXITSTATUS(wait_status);
}

static void lock_json(struct output *output, const struct held *held, uint64_t token, const os_error *error)
{
    struct json_line line;

    output_json_begin(output, &line, held->name, status_name(held->is_lost ? STATUS_LOST : STATUS_DONE));
    json_line_number(&line, "token", token);
    if (WIFSIGNALED(held->wait_status))
        json_line_signed(&line, "signal", WTERMSIG(held->wait_status));
    else
        json_line_signed(&line, "exit_status", WEXITSTATUS(held->wait_status));
    json_line_error(&line, error);
    (void)output_json_print(output, &line);
}

static enum status report(struct held *held, uint64_t token, const os_error *error)
{
    struct output *output = &held->session->output;

    if (error->code == OS_ERR_CONFLICT)
        held->is_lost = true;
    if (error->code != OS_OK)
        output_message(output, error->message);
    if (output->json)
        lock_json(output, held, token, error);
    return held->is_lost ? STATUS_LOST : (enum status)status_of_program(held->wait_status);
}

static enum status report_not_run(const struct held *held, int failure)
{
    (void)session_fail(held->session, held->name, OS_ERR_IO, "%.300s could not be run: %s.", held->program[0],
                       strerror(failure));
    return (enum status)(failure == ENOENT ? NOT_FOUND : NOT_RUNNABLE);
}

static os_code release(struct held *held, os_error *error)
{
    os_call call = OS_CALL_INIT;

    call.deadline_ms = held->session->call.deadline_ms;
    if (call.deadline_ms == 0 || call.deadline_ms > RELEASE_MS)
        call.deadline_ms = RELEASE_MS;
    return os_lease_release(held->lease, &call, error);
}

/* -------------------------------------------------------------------------------------------------- the lease */

static enum status run_while_held(struct held *held)
{
    struct session *session = held->session;
    uint64_t token = os_lease_token(held->lease);
    os_error error = {0};
    bool is_stopped;
    int failure = 0;

    interrupt_divert(&session->interrupt, held->signals[1]);
    is_stopped = interrupt_seen(&session->interrupt); /* just before that */
    progress_end(&session->output.progress);
    if (!is_stopped)
        failure = held_run(held);
    interrupt_divert(&session->interrupt, -1);
    (void)release(held, &error);
    if (is_stopped)
        return session_fail(session, held->name, OS_ERR_CANCELLED, "A signal came before %.300s was run.",
                            held->program[0]);
    return failure != 0 ? report_not_run(held, failure) : report(held, token, &error);
}

static enum status lock(struct held *held, const struct lock_times *times)
{
    struct session *session = held->session;
    os_lease_options how = OS_LEASE_OPTIONS_INIT;
    os_call call = session->call;
    os_error error = {0};
    os_code code;

    how.ttl_s = times->ttl_s;
    how.wait = times->wait_s != 0 ? 1 : 0;
    how.fencing = 1;
    how.owner = options_text(session->options, OPTION_OWNER);
    how.changed = held_changed;
    how.context = held;
    if (times->wait_s != 0)
        call.deadline_ms = times->wait_s * 1000;
    code = os_lease_acquire(session->client, held->name, &how, &call, &held->lease, &error);
    if (code != OS_OK)
        return output_outcome(&session->output, held->name, status_of_lease(&error), &error);
    return run_while_held(held);
}

/* Ctrl-C was for everything in the foreground: whoever waits for this process is to see that it ended so. What ended it
 * before the program was run did so as it would end any other process that waits. */
static void end_as_it_was_ended(const struct held *held, const struct session *session, enum status status)
{
    int number = atomic_load(&session->interrupt.number);
    bool is_of_terminal = held->is_over && held->was_in_front && held->last_signal == 0 && !held->is_lost;

    if (is_of_terminal && WIFSIGNALED(held->wait_status) && WTERMSIG(held->wait_status) == SIGINT)
        interrupt_end_by(SIGINT, true);
    else if (!held->is_over && number != 0 && status == STATUS_NOT_EXECUTED)
        interrupt_end_by(number, false);
}

static enum status refuse_start(const struct options *options)
{
    struct output output;
    os_error error = {.code = OS_ERR_IO};

    output_start(&output, options);
    (void)snprintf(error.message, sizeof(error.message), "What watches over the program could not be started: %s.",
                   strerror(errno));
    return output_outcome(&output, options->operand[0], STATUS_NOT_EXECUTED, &error);
}

static enum status lock_run(const struct options *options)
{
    struct usage usage = {0};
    struct lock_times times;
    struct session session;
    struct held held = {.session = &session, .program = options->program, .name = options->operand[0]};
    enum status status;

    if (!take_times(options, &times, &usage))
        return output_usage(options, &usage);
    held.grace_ms = times.grace_ms;
    if (!held_open(&held))
        return refuse_start(options);
    status = lease_session_open(&session, options);
    held_receive_stops();
    if (status == STATUS_DONE)
        status = lock(&held, &times);
    status = lease_session_close(&session, status);
    held_close(&held);
    end_as_it_was_ended(&held, &session, status);
    return status;
}

static const enum option_id own_options[] = {OPTION_WAIT, OPTION_TTL, OPTION_OWNER, OPTION_GRACE, OPTION_COUNT};

const struct command command_lock = {
    .name = "lock",
    .operands = "NAME -- PROGRAM [ARGUMENTS]",
    .summary = "run a program while a lease is held, on one machine at a time",
    .description =
        "Acquires the lease NAME, runs PROGRAM, and releases the lease when PROGRAM has ended: flock(1) for a fleet.\n"
        "If another holds the lease, ends with status 3 at once; with --wait, when that time is over. One who died\n"
        "is followed when his --ttl was waited out: without --wait too, but not by a shorter one. The table of\n"
        "leases is that of --ledger (made by `oscommit table create --leases`), or any file of records in SQLite.\n"
        "No store is needed. NAME is 1 to 1,024 bytes of UTF-8.\n"
        "The environment of PROGRAM has OSCOMMIT_LEASE_NAME and OSCOMMIT_FENCING_TOKEN, a number that is larger for\n"
        "each later holder. Let what PROGRAM writes carry it, and refuse smaller ones: no lease keeps a machine that\n"
        "stands still from writing late. `oscommit put`, `cp`, `mv` and `update` do so by themselves.\n"
        "The lease is extended while PROGRAM runs. When that does not succeed, PROGRAM and all that is in its process\n"
        "group get SIGTERM as long before the lease is lost as --grace says, and SIGKILL when it is lost. One who "
        "finds\n"
        "it lost (the machine was suspended, somebody deleted the item) sends SIGTERM at once, and SIGKILL after the\n"
        "grace. SIGINT, SIGTERM and SIGHUP are passed on to PROGRAM, whose end is waited for.\n"
        "If this process is killed or stopped, a second one ends PROGRAM in the same way; the lease then ends by "
        "itself\n"
        "when --ttl is over. PROGRAM has the terminal. What leaves the process group (a daemon) is not ended, and "
        "what\n"
        "PROGRAM leaves behind when it ends by itself is not waited for.\n",
    .examples = "oscommit lock nightly --ledger dynamodb://leases -- ./compact.sh\n"
                "oscommit lock nightly --ledger dynamodb://leases --wait 10m --ttl 30s -- ./compact.sh --all\n"
                "oscommit lock deploy --ledger sqlite:///srv/leases.db -- sh -c 'echo $OSCOMMIT_FENCING_TOKEN'\n",
    .options = own_options,
    .min_operands = 1,
    .max_operands = 1,
    .exit_status =
        "     that of PROGRAM, or 128 and the number of the signal that ended it. Otherwise:\n"
        "   1  PROGRAM was not run, for another reason than those below. (A signal that comes before it is run ends\n"
        "      this as it ends other programs.)\n"
        "   2  bad usage or settings\n"
        "   3  another holds the lease\n"
        "  69  the table cannot be reached\n"
        "  75  the lease was lost while PROGRAM ran, or would have been: what it did may be incomplete, or be\n"
        "      done by another, too\n"
        "  77  access denied, or no usable credentials\n"
        " 126  PROGRAM could not be run\n"
        " 127  there is no such program\n",
    .runs_program = true,
    .run = lock_run,
};
