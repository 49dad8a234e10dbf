/* SPDX-License-Identifier: Apache-2.0 */
/* What the parts of `race` share: its task, its processes, the check afterwards, the report. */
#ifndef OSCOMMIT_LAB_RACE_H
#define OSCOMMIT_LAB_RACE_H

#include "cli/result_file.h"
#include "cli/session.h"
#include "history/judge.h"
#include "history/lease_judge.h"
#include "history/transaction_judge.h"
#include "race/content.h"
#include "race/faults.h"
#include "race/net.h"
#include "race/record.h"
#include "race/settings.h"
#include "race/summary.h"

#include <stdbool.h>
#include <sys/types.h>

#define RACE_WORKER_COMMAND "__race-worker"
extern const struct command command_race_worker; /* worker.c: this program started again by itself */

enum { RACE_OBJECT_MAX = 64 * 1024 }; /* more than any body of a race: foreign content is read too */

struct race {
    struct session *session;
    const struct location *at; /* its key is the race's prefix, "tests/race-<id>/" */
    char id[RACE_ID_SIZE];
    unsigned writers;
    uint64_t count[RACE_KINDS]; /* by time: which kinds are wanted */
    uint64_t duration_us;       /* 0: by counts */
    uint64_t seed;
    unsigned faults_wanted;
    struct race_record record;
    struct race_faults faults;
    struct race_net net;
    bool etags_are_md5;
    bool versioned;
    const char **name; /* of every object that may have been made; the history's */
    size_t name_count;
    uint64_t last_kill_us;
    struct race_progress progress;
    bool interrupted;
    struct race_summary summary;
    struct judge_result judged;
    unsigned lease_count; /* leases that are raced for; 0: it is a race for objects */
    uint64_t lease_ttl_s;
    struct lease_result leases;
    unsigned account_count; /* between which transactions transfer; 0: none race */
    struct transaction_result transactions;
    struct result_file history_file; /* not open: not wanted */
    struct result_file page_file;
};

/* race.c */
enum status race_run(const struct options *options);

/* prepare.c: its settings, its id and its record, and the prefix of its names below `at`. False: no memory, or no chance. */
bool race_prepare(struct race *race, const struct race_settings *settings, struct location *at);
void race_free(struct race *race);

/* A race in a table: for leases, or with transactions. The tables are those of the ledger, or of a file that is made for the
 * race. */
struct race_in_table {
    /* What it is asked for. `network`: requests can be harmed. */
    bool (*take)(const struct options *options, bool network, struct race_settings *ret, struct usage *usage);
    /* False: the tables are not there or not fit, which was said. */
    bool (*prepare)(struct race *race, bool network, enum status *ret_status);
    bool (*judge)(struct race *race); /* as race_judge */
    enum status (*print)(struct race *race);
};

/* table_race.c */
enum status race_in_table_run(const struct options *options, const struct race_in_table *kind);
static inline bool race_is_in_table(const struct race *race)
{
    return race->lease_count > 0 || race->account_count > 0;
}

extern const struct race_in_table race_for_leases;        /* lease_race.c */
extern const struct race_in_table race_with_transactions; /* transaction_race.c */

/* workers.c: starts the processes, runs them to their end, and settles what they left. False: they could not be
 * started, which was said. */
bool race_run_workers(struct race *race);

/* spawn.c: one process with these ends of pipes, and the front's page. 0 or an errno. */
struct race_process {
    pid_t pid;  /* 0: none */
    int task;   /* we write */
    int report; /* we read; -1: at its end */
};
int race_spawn(const struct race *race, int front, unsigned lane, struct race_process *ret);

/* probe.c: false: a first write was not made, which was said. */
bool race_probe(struct race *race, enum status *ret_status);

/* objects.c */
bool race_list_names(struct race *race);     /* false: no memory */
void race_await_the_dead(struct race *race); /* until nothing that a killed process has sent can be applied any more */
void race_read_back(struct race *race);
void race_remove_objects(struct race *race);

enum { RACE_FIRST_SERIAL = 1 }; /* of each lane: the probe's; its processes go on from there */

/* result.c: prints it, and gives the exit status. */
enum status race_print_result(struct race *race);
enum status race_print(struct race *race, enum race_judgement judgement, const char *sentence,
                       void (*human)(const struct race *race, enum race_judgement judgement, const char *sentence),
                       void (*json)(struct race *race, enum race_judgement judgement, const char *sentence));
enum status race_status_of(enum race_judgement judgement);
void race_print_faults(const struct race *race);
void race_add_faults(struct json_line *line, const struct race *race);

/* lease_result.c: the same for leases. */
enum status race_print_leases(struct race *race);

/* lease_record.c: what the process of a lane says of leases, in a line. False: it is nothing that it may say, or there
 * is no memory (record.no_memory). */
bool race_lease_line_is(const char *line);
bool race_lease_line_take(struct race *race, unsigned lane, uint64_t life, const char *line);
void race_lease_killed(struct race *race, unsigned lane, uint64_t life); /* once it is gone */
bool race_lease_pauses(struct race *race); /* hands over who stood still when; false: no memory */

/* transaction_result.c: the same for transactions. */
enum status race_print_transactions(struct race *race);

/* transaction_record.c: a transaction that the process of a lane is about to commit, in a line. False: it is none that it may
 * say, or there is no memory (record.no_memory). `serial` is that of the last one. */
bool race_transaction_line_is(const char *line);
bool race_transaction_line_take(struct race *race, unsigned lane, const char *line, uint64_t *serial);

/* judge.c: opens the files that are wanted, before the race begins, and throws away what was not finished. */
bool race_open_files(struct race *race, os_error *err);
void race_close_files(struct race *race);

/* Finishes the record, judges it, writes the files that are wanted. False: no memory, or a file could not
 * be written, which was said. */
bool race_judge(struct race *race);
bool race_judge_leases(struct race *race);
bool race_judge_transactions(struct race *race);

#endif
