/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/summary.h"

#include "sim/holds.h"

#include <stdio.h>
#include <string.h>

static const char *const operations[HISTORY_READ + 1] = {
    [HISTORY_PUT_IF_ABSENT] = "put if absent",     [HISTORY_PUT_IF_MATCH] = "put if match",
    [HISTORY_COPY_IF_ABSENT] = "copy if absent",   [HISTORY_COPY_IF_MATCH] = "copy if match",
    [HISTORY_DELETE_IF_MATCH] = "delete if match", [HISTORY_READ] = "read",
};

enum { RESTARTED = 0 }; /* in the place of a verdict */

static void count_rule(struct summary *summary, const char *rule, uint32_t verdict, uint64_t by)
{
    for (size_t i = 0; i < SUMMARY_RULES_MAX; i++) {
        if (summary->rules[i].rule[0] == '\0')
            memcpy(summary->rules[i].rule, rule, strlen(rule) + 1);
        if (strcmp(summary->rules[i].rule, rule) == 0) {
            summary->rules[i].verdicts[verdict] += by;
            return;
        }
    }
}

static void count_way(struct summary *summary, const char *way, uint32_t verdict, uint64_t by)
{
    for (size_t i = 0; i < SUMMARY_WAYS_MAX; i++) {
        if (summary->ways[i].way[0] == '\0')
            memcpy(summary->ways[i].way, way, strlen(way) + 1);
        if (strcmp(summary->ways[i].way, way) == 0) {
            summary->ways[i].verdicts[verdict] += by;
            return;
        }
    }
}

static void add_truth(struct summary *summary, const struct truth *truth)
{
    if (!truth->returned) {
        summary->died[truth->operation] += truth->operation != HISTORY_READ || truth->code == OS_OK ? 1 : 0;
        summary->died_applied += truth->applied;
        return;
    }
    summary->verdicts[truth->operation][truth->verdict]++;
    summary->updates[truth->verdict] += truth->by_update ? 1 : 0;
    summary->lost += truth->lost;
    summary->takeovers += truth->took_over ? 1 : 0;
    summary->attempts += truth->attempts;
    summary->guards += truth->guards;
    if (truth->by_result) {
        count_rule(summary, truth->rule[0] ? truth->rule : "-", truth->verdict, 1);
        count_way(summary, truth->way[0] ? truth->way : "-", truth->verdict, 1);
    }
    if (truth->verdict == OS_UNKNOWN) {
        summary->unknown_applied += truth->applied;
        summary->settled[truth->settled]++;
        summary->without_ticket += truth->ticket == NULL ? 1 : 0;
    }
}

static void add_release(struct summary_leases *leases, const struct hold *hold)
{
    if (!hold->was_released) {
        leases->died++;
        return;
    }
    switch (hold->released) {
    case OS_OK: leases->released++; break;
    case OS_ERR_CONFLICT: leases->lost++; break;
    case OS_ERR_UNDECIDED: leases->undecided++; break;
    default: break; /* its client was closed */
    }
}

static void add_hold(struct summary_leases *leases, const struct hold *hold)
{
    if (hold->acquired == OS_ERR_CONFLICT) {
        leases->busy++;
    } else if (hold->acquired != OS_OK) {
        leases->failed++;
    } else {
        leases->acquired++;
        leases->taken += hold->taken ? 1 : 0;
        add_release(leases, hold);
    }
}

static void add_leases(struct summary_leases *leases, const struct world *world)
{
    if (world->holds == NULL)
        return;
    leases->worlds++;
    for (size_t i = 0; i < world->holds->count; i++)
        add_hold(leases, &world->holds->at[i]);
    for (size_t i = 0; i < world->truth_count; i++)
        if (world->truths[i].token > 0 && world->truths[i].returned)
            leases->writes[world->truths[i].verdict]++;
}

static void join_leases(struct summary_leases *leases, const struct summary_leases *other)
{
    leases->worlds += other->worlds;
    leases->acquired += other->acquired;
    leases->busy += other->busy;
    leases->failed += other->failed;
    leases->taken += other->taken;
    leases->died += other->died;
    leases->released += other->released;
    leases->lost += other->lost;
    leases->undecided += other->undecided;
    for (uint32_t k = 0; k <= OS_UNKNOWN; k++)
        leases->writes[k] += other->writes[k];
}

static void add_run(struct summary_transactions *transactions, const struct run *run)
{
    if (!run->returned) {
        transactions->died[run->kind]++;
        transactions->died_applied += run->applied;
        return;
    }
    transactions->verdicts[run->kind][run->verdict]++;
    transactions->calls[run->verdict] += run->is_last ? 1 : 0;
    if (run->verdict == OS_UNKNOWN) {
        transactions->settled[run->settled]++;
        transactions->unknown_applied += run->applied;
        transactions->without_ticket += run->ticket == NULL ? 1 : 0;
    }
}

static void add_transactions(struct summary_transactions *transactions, const struct world *world)
{
    if (world->books == NULL)
        return;
    transactions->worlds++;
    transactions->foreign_writes += world->books->foreign_writes;
    for (size_t i = 0; i < world->books->run_count; i++)
        add_run(transactions, &world->books->runs[i]);
}

static void join_transactions(struct summary_transactions *transactions, const struct summary_transactions *other)
{
    transactions->worlds += other->worlds;
    transactions->foreign_writes += other->foreign_writes;
    transactions->unknown_applied += other->unknown_applied;
    transactions->without_ticket += other->without_ticket;
    transactions->died_applied += other->died_applied;
    for (size_t k = 0; k <= OS_UNKNOWN; k++) {
        transactions->calls[k] += other->calls[k];
        transactions->settled[k] += other->settled[k];
        for (size_t i = 0; i < TRADE_KINDS; i++)
            transactions->verdicts[i][k] += other->verdicts[i][k];
    }
    for (size_t i = 0; i < TRADE_KINDS; i++)
        transactions->died[i] += other->died[i];
}

void summary_add(struct summary *summary, const struct world *world)
{
    summary->seeds++;
    summary->requests += world->handled;
    summary->virtual_s += world->schedule.now_us / 1000000;
    summary->deaths += world->deaths;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        summary->seeds_with[i] += world->faults.rate[i] > 0 ? 1 : 0;
        summary->struck[i] += world->faults.struck[i];
    }
    for (size_t i = 0; i < world->truth_count; i++)
        add_truth(summary, &world->truths[i]);
    for (size_t i = 0; i < WORLD_RULES_MAX && world->restarts[i].count > 0; i++)
        count_rule(summary, world->restarts[i].rule, RESTARTED, world->restarts[i].count);
    for (size_t i = 0; i < world->upload_count; i++)
        summary->uploads[fake_s3_upload_at(world->s3, i).state]++;
    add_leases(&summary->leases, world);
    add_transactions(&summary->transactions, world);
    summary->digest = summary->digest * 31 + world->digest;
}

void summary_join(struct summary *summary, const struct summary *other)
{
    summary->seeds += other->seeds;
    summary->requests += other->requests;
    summary->virtual_s += other->virtual_s;
    summary->deaths += other->deaths;
    for (size_t i = 0; i < FAULT_COUNT; i++) {
        summary->seeds_with[i] += other->seeds_with[i];
        summary->struck[i] += other->struck[i];
    }
    for (size_t i = 0; i <= HISTORY_READ; i++) {
        summary->died[i] += other->died[i];
        for (size_t k = 0; k <= OS_UNKNOWN; k++)
            summary->verdicts[i][k] += other->verdicts[i][k];
    }
    summary->lost += other->lost;
    summary->died_applied += other->died_applied;
    summary->unknown_applied += other->unknown_applied;
    summary->without_ticket += other->without_ticket;
    summary->takeovers += other->takeovers;
    summary->attempts += other->attempts;
    summary->guards += other->guards;
    for (uint32_t k = 0; k <= OS_UNKNOWN; k++) {
        summary->settled[k] += other->settled[k];
        summary->updates[k] += other->updates[k];
        for (size_t i = 0; i < SUMMARY_RULES_MAX && other->rules[i].rule[0] != '\0'; i++)
            count_rule(summary, other->rules[i].rule, k, other->rules[i].verdicts[k]);
        for (size_t i = 0; i < SUMMARY_WAYS_MAX && other->ways[i].way[0] != '\0'; i++)
            count_way(summary, other->ways[i].way, k, other->ways[i].verdicts[k]);
    }
    for (size_t i = 0; i <= FAKE_S3_ABORTED; i++)
        summary->uploads[i] += other->uploads[i];
    join_leases(&summary->leases, &other->leases);
    join_transactions(&summary->transactions, &other->transactions);
    summary->digest = summary->digest * 31 + other->digest;
}

static void print_row(FILE *file, const char *name, const uint64_t *verdicts)
{
    fprintf(file, "  %-16s %11llu %9llu %13llu %9llu", name, (unsigned long long)verdicts[OS_COMMITTED],
            (unsigned long long)verdicts[OS_CONFLICT], (unsigned long long)verdicts[OS_NOT_EXECUTED],
            (unsigned long long)verdicts[OS_UNKNOWN]);
}

static void print_leases(const struct summary_leases *leases, FILE *file)
{
    fprintf(file,
            "  leases, in %llu worlds: %llu acquired, %llu held by another, %llu failed; of those that were acquired "
            "%llu were taken, %llu died with their process, %llu were released, %llu when they were lost, %llu without "
            "an answer\n",
            (unsigned long long)leases->worlds, (unsigned long long)leases->acquired, (unsigned long long)leases->busy,
            (unsigned long long)leases->failed, (unsigned long long)leases->taken, (unsigned long long)leases->died,
            (unsigned long long)leases->released, (unsigned long long)leases->lost,
            (unsigned long long)leases->undecided);
    fprintf(file, "  writes under a token: %llu committed, %llu conflict, %llu not executed, %llu unknown\n",
            (unsigned long long)leases->writes[OS_COMMITTED], (unsigned long long)leases->writes[OS_CONFLICT],
            (unsigned long long)leases->writes[OS_NOT_EXECUTED], (unsigned long long)leases->writes[OS_UNKNOWN]);
}

static void print_ways(const struct summary *summary, FILE *file)
{
    fprintf(file, "\n  %-31s %11s %9s %13s %9s\n", "way", "committed", "conflict", "not executed", "unknown");
    for (size_t i = 0; i < SUMMARY_WAYS_MAX && summary->ways[i].way[0] != '\0'; i++) {
        const uint64_t *verdicts = summary->ways[i].verdicts;
        fprintf(file, "  %-31s %11llu %9llu %13llu %9llu\n", summary->ways[i].way,
                (unsigned long long)verdicts[OS_COMMITTED], (unsigned long long)verdicts[OS_CONFLICT],
                (unsigned long long)verdicts[OS_NOT_EXECUTED], (unsigned long long)verdicts[OS_UNKNOWN]);
    }
    fprintf(file, "\n  uploads: %llu completed, %llu aborted, %llu left open\n",
            (unsigned long long)summary->uploads[FAKE_S3_COMPLETED],
            (unsigned long long)summary->uploads[FAKE_S3_ABORTED], (unsigned long long)summary->uploads[FAKE_S3_OPEN]);
}

static void print_faults(const struct summary *summary, FILE *file)
{
    fprintf(file, "\n  fault             seeds    struck\n");
    for (uint32_t i = 0; i < FAULT_COUNT; i++) {
        fprintf(file, "  %-16s %6llu", fault_name(i), (unsigned long long)summary->seeds_with[i]);
        if (!fault_is_of_the_world(i))
            fprintf(file, " %9llu", (unsigned long long)summary->struck[i]);
        fputc('\n', file);
    }
}

static void print_head(const char *what, const char *last, FILE *file)
{
    fprintf(file, "\n  %-16s %11s %9s %13s %9s %9s\n", what, "committed", "conflict", "not executed", "unknown", last);
}

static void print_transactions(const struct summary_transactions *transactions, FILE *file)
{
    print_head("run", "died", file);
    for (uint32_t i = 1; i < TRADE_KINDS; i++) {
        print_row(file, books_kind_name(i), transactions->verdicts[i]);
        fprintf(file, " %9llu\n", (unsigned long long)transactions->died[i]);
    }
    print_row(file, "of os_transact", transactions->calls);
    fputc('\n', file);
    print_row(file, "unknown, settled", transactions->settled);
    fprintf(file,
            "\n\n  of the unknown %llu had taken effect and %llu had no ticket; of those that died %llu had taken "
            "effect; %llu rows were written by another\n",
            (unsigned long long)transactions->unknown_applied, (unsigned long long)transactions->without_ticket,
            (unsigned long long)transactions->died_applied, (unsigned long long)transactions->foreign_writes);
}

static void print_objects(const struct summary *summary, FILE *file)
{
    print_head("call", "died", file);
    for (size_t i = 1; i <= HISTORY_READ; i++) {
        print_row(file, operations[i], summary->verdicts[i]);
        fprintf(file, " %9llu\n", (unsigned long long)summary->died[i]);
    }
    print_row(file, "of os_update", summary->updates);
    fprintf(file, ", after %llu lost rounds\n", (unsigned long long)summary->lost);
    print_head("verdict by", "new guard", file);
    for (size_t i = 0; i < SUMMARY_RULES_MAX && summary->rules[i].rule[0] != '\0'; i++) {
        print_row(file, summary->rules[i].rule, summary->rules[i].verdicts);
        fprintf(file, " %9llu\n", (unsigned long long)summary->rules[i].verdicts[RESTARTED]);
    }
    print_row(file, "unknown, settled", summary->settled);
    fprintf(file,
            "\n\n  %llu guards, %llu attempts, %llu takeovers, %llu deaths; of the unknown %llu had taken effect and "
            "%llu had no ticket; of those that died %llu had taken effect\n",
            (unsigned long long)summary->guards, (unsigned long long)summary->attempts,
            (unsigned long long)summary->takeovers, (unsigned long long)summary->deaths,
            (unsigned long long)summary->unknown_applied, (unsigned long long)summary->without_ticket,
            (unsigned long long)summary->died_applied);
    print_ways(summary, file);
    print_leases(&summary->leases, file);
}

void summary_print(const struct summary *summary, double seconds, FILE *file)
{
    fprintf(file, "%llu seeds in %.1f s: %.0f seeds/s; %llu requests, %llu virtual hours; digest %016llx\n",
            (unsigned long long)summary->seeds, seconds, seconds > 0 ? (double)summary->seeds / seconds : 0.0,
            (unsigned long long)summary->requests, (unsigned long long)(summary->virtual_s / 3600),
            (unsigned long long)summary->digest);
    if (summary->transactions.worlds > 0)
        print_transactions(&summary->transactions, file);
    else
        print_objects(summary, file);
    print_faults(summary, file);
}
