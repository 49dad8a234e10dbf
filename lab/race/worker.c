/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One of the racing processes; started by `race`, never by a person. Gets its task, and what it has to settle, on
 * stdin, and tells what it does on stdout, both in the lines of line.h. Ends when its parent does.
 */
#include "race/race.h"
#include "race/work.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

/* The next line of the parent. False: it is gone, or a signal came, or it is no line. */
static bool next_line(struct race_worker *worker, char ret[RACE_LINE_MAX])
{
    size_t len = 0;

    while (len < RACE_LINE_MAX && interrupt_wait(&worker->session.interrupt, STDIN_FILENO, POLLIN)) {
        ssize_t got = read(STDIN_FILENO, ret + len, 1); /* a few lines, once */
        if (got < 0 && errno == EINTR)
            continue;
        if (got != 1)
            return false;
        if (ret[len] == '\n') {
            ret[len] = '\0';
            return true;
        }
        len++;
    }
    return false;
}

/* True at "begin". What earlier processes of the lane left unknown is settled before. */
static bool take_task(struct race_worker *worker)
{
    char line[RACE_LINE_MAX];
    struct race_message message;

    while (next_line(worker, line) && race_line_parse(line, &message)) {
        switch (message.kind) {
        case RACE_MESSAGE_TASK:
            worker->task = message.task;
            worker->random = message.task.seed;
            break;
        case RACE_MESSAGE_TICKET: (void)race_settle(worker, message.call, message.ticket); break;
        case RACE_MESSAGE_BEGIN: return true;
        default: return false;
        }
    }
    return false;
}

static bool map_front(struct race_worker *worker)
{
    void *page = mmap(NULL, sizeof(struct race_front), PROT_READ | PROT_WRITE, MAP_SHARED, RACE_FRONT_FD, 0);

    (void)close(RACE_FRONT_FD);
    if (page == MAP_FAILED)
        return false;
    worker->front = page;
    return true;
}

static enum status run_task(struct race_worker *worker)
{
    race_send_kind(worker, RACE_MESSAGE_READY);
    if (take_task(worker)) {
        if (worker->lease_count > 0)
            race_contend(worker);
        else if (worker->bank.accounts > 0)
            race_trade(worker);
        else
            race_work(worker);
        if (!worker->stop)
            race_send_kind(worker, RACE_MESSAGE_DONE);
    }
    (void)munmap(worker->front, sizeof(struct race_front));
    return worker->stop ? STATUS_NOT_EXECUTED : STATUS_DONE;
}

/* Of a race in a table: what it is about stands behind the id. */
static void take_operands(struct race_worker *worker, const struct options *options, uint64_t *ret_accounts)
{
    *ret_accounts = options->operand_count == 3 ? strtoull(options->operand[2], NULL, 10) : 0;
    if (options->operand_count == 4) {
        worker->lease_count = strtoull(options->operand[2], NULL, 10);
        worker->lease_ttl_s = strtoull(options->operand[3], NULL, 10);
    }
}

static bool open_bank(struct race_worker *worker, uint64_t accounts)
{
    os_error error = {0};

    worker->ask = accounts > 0 ? race_ask_of_transaction : NULL;
    if (accounts == 0 ||
        bank_open(&worker->bank, worker->session.client, &worker->session.call,
                  options_text(worker->session.options, OPTION_LEDGER), worker->prefix, (unsigned)accounts, &error))
        return true;
    race_report_trouble(worker, &error);
    return false;
}

static enum status worker_run(const struct options *options)
{
    struct race_worker worker = {.prefix = options->operand[0]};
    struct usage usage = {0};
    struct location at = {0};
    uint64_t accounts;
    enum status status;

    /* A stopped process does not see its parent go. */
    (void)prctl(PR_SET_PDEATHSIG, SIGCONT);
    (void)snprintf(worker.id, sizeof(worker.id), "%.16s", options->operand[1]);
    if (!map_front(&worker)) {
        (void)usage_refuse(&usage, "Only `oscommit race` starts this command.");
        return output_usage(options, &usage);
    }
    take_operands(&worker, options, &accounts);
    if (options->operand_count == 2 && !location_store(options, &at, &usage))
        return output_usage(options, &usage);
    status = session_open_peered(&worker.session, options, at.store, STDIN_FILENO);
    if (status == STATUS_DONE)
        status = open_bank(&worker, accounts) ? run_task(&worker) : STATUS_NOT_EXECUTED;
    bank_close(&worker.bank);
    status = session_close(&worker.session, status);
    location_clear(&at);
    return status;
}

const struct command command_race_worker = {
    .name = RACE_WORKER_COMMAND,
    .operands = "PREFIX ID [LEASES TTL_S | ACCOUNTS]",
    .summary = "one process of a race",
    .description = "Started by `oscommit race`.\n",
    .examples = "oscommit race --help\n",
    .min_operands = 2,
    .max_operands = 4,
    .hidden = true,
    .run = worker_run,
};
