/* SPDX-License-Identifier: Apache-2.0 */
/* What happened in many seeds, so that a run in which nothing happened is seen. Plain data: it crosses a pipe. */
#ifndef OSCOMMIT_TEST_SIM_SUMMARY_H
#define OSCOMMIT_TEST_SIM_SUMMARY_H

#include "sim/books.h"

enum { SUMMARY_RULES_MAX = 48, SUMMARY_WAYS_MAX = 16 };

struct summary {
    uint64_t seeds;
    uint64_t requests;
    uint64_t virtual_s;
    uint64_t deaths;
    uint64_t seeds_with[FAULT_COUNT];
    uint64_t struck[FAULT_COUNT];
    uint64_t verdicts[HISTORY_READ + 1][OS_UNKNOWN + 1]; /* of calls that returned */
    uint64_t updates[OS_UNKNOWN + 1];                    /* the same: those of os_update */
    uint64_t lost;                                       /* their rounds that others won */
    uint64_t died[HISTORY_READ + 1];                     /* calls whose process died in them */
    uint64_t died_applied;
    uint64_t unknown_applied; /* unknown, and it had taken effect */
    uint64_t settled[OS_UNKNOWN + 1];
    uint64_t without_ticket;
    uint64_t takeovers;
    uint64_t attempts;
    uint64_t guards;
    struct {
        char rule[8];
        uint64_t verdicts[OS_UNKNOWN + 1]; /* [0]: guards that ended by it, and another one was started */
    } rules[SUMMARY_RULES_MAX];
    struct {
        char way[40];
        uint64_t verdicts[OS_UNKNOWN + 1];
    } ways[SUMMARY_WAYS_MAX];
    uint64_t uploads[FAKE_S3_ABORTED + 1]; /* by state */
    struct summary_leases {
        uint64_t worlds;
        uint64_t acquired;
        uint64_t busy;
        uint64_t failed;
        uint64_t taken; /* of those that were acquired: the item went to another, or TTL, before a release */
        uint64_t died;  /* the same: with their process */
        uint64_t released;
        uint64_t lost; /* the same, and they had been lost before */
        uint64_t undecided;
        uint64_t writes[OS_UNKNOWN + 1]; /* under a token */
    } leases;
    struct summary_transactions {
        uint64_t worlds;
        uint64_t verdicts[TRADE_KINDS][OS_UNKNOWN + 1]; /* of runs that returned */
        uint64_t died[TRADE_KINDS];
        uint64_t died_applied;
        uint64_t calls[OS_UNKNOWN + 1]; /* of os_transact, whose last run it was */
        uint64_t settled[OS_UNKNOWN + 1];
        uint64_t unknown_applied;
        uint64_t without_ticket;
        uint64_t foreign_writes;
    } transactions;
    uint64_t digest; /* of all digests, in the order of the seeds of one batch */
};

void summary_add(struct summary *summary, const struct world *world);
void summary_join(struct summary *summary, const struct summary *other);
void summary_print(const struct summary *summary, double seconds, FILE *file);

#endif
