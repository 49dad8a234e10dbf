/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explore: every schedule of real guards in small worlds. README.md tells how the world works, what is abstracted, and
 * what a configuration says.
 */
#include "configs.h"
#include "selftest.h"
#include "trace.h"

#include <stdlib.h>
#include <string.h>

enum mode { MODE_SLICE, MODE_LONG, MODE_QUICK, MODE_TINY };

struct options {
    enum mode mode;
    bool list;
    bool self_test;
    const char *name;
    const char *replay;
    uint64_t max_states;
    double seconds;
};

struct totals {
    uint64_t states;
    uint64_t transitions;
    unsigned run;
    unsigned failed;
    double began;
};

static bool has_time_left(const struct options *options, const struct totals *totals)
{
    return options->seconds <= 0 || seconds_now() - totals->began < options->seconds;
}

static bool selected(const struct options *options, const struct config *of)
{
    if (options->name)
        return strcmp(options->name, of->name) == 0;
    switch (options->mode) {
    case MODE_QUICK: return of->quick;
    case MODE_TINY: return of->tiny;
    default: return true;
    }
}

/* States per configuration, so that a mode ends in its time. */
static uint64_t states_limit(const struct options *options)
{
    if (options->max_states > 0)
        return options->max_states;
    switch (options->mode) {
    case MODE_TINY: return 200000;
    case MODE_QUICK: return 250000;
    case MODE_SLICE: return 300000;
    default: return 3000000;
    }
}

static bool as_expected(const struct config *of, const struct search_result *result)
{
    if (result->out_of_memory)
        return false;
    if (of->expects)
        return result->finding.name && strcmp(result->finding.name, of->expects) == 0;
    return result->finding.name == NULL;
}

static void print_result(const struct config *of, const struct search_result *result)
{
    const char *word = "holds";
    if (result->out_of_memory)
        word = "OUT OF MEMORY";
    else if (result->finding.name)
        word = as_expected(of, result) ? "found, as expected" : "VIOLATED";
    else if (of->expects)
        word = "EXPECTED COUNTEREXAMPLE NOT FOUND";
    const char *extent = result->finding.name ? "stopped" : result->finished ? "finished" : "truncated";
    printf("%-28s %10llu %11llu %5u  %-9s %7.1f  %s%s%s\n", of->name, (unsigned long long)result->states,
           (unsigned long long)result->transitions, result->depth, extent, result->seconds, word,
           result->finding.name ? ": " : "", result->finding.name ? result->finding.name : "");
    fflush(stdout);
}

static void print_finding(const struct config *of, const struct search_result *result)
{
    struct world end;
    printf("\n%s: %s\n", of->name, of->about);
    trace_play(of, &result->schedule, stdout, &end);
    printf("     again: explore --config %s --replay ", of->name);
    trace_print_schedule(&result->schedule, stdout);
    printf("\n\n");
}

static void run_config(const struct options *options, const struct config *of, struct totals *totals)
{
    static struct search_result result;
    struct search_limits limits = {.states = states_limit(options)};
    if (options->seconds > 0)
        limits.seconds = options->seconds - (seconds_now() - totals->began);
    search(of, &limits, &result);
    print_result(of, &result);
    totals->states += result.states;
    totals->transitions += result.transitions;
    totals->run++;
    bool good = as_expected(of, &result);
    if (!good)
        totals->failed++;
    if (result.finding.name && (!good || options->name))
        print_finding(of, &result);
    if (options->name)
        printf("final verdicts: committed %llu, conflict %llu, not executed %llu, unknown %llu, none %llu\n",
               (unsigned long long)result.verdicts[VERDICT_COMMITTED],
               (unsigned long long)result.verdicts[VERDICT_CONFLICT],
               (unsigned long long)result.verdicts[VERDICT_NOT_EXECUTED],
               (unsigned long long)result.verdicts[VERDICT_UNKNOWN], (unsigned long long)result.verdicts[VERDICT_NONE]);
}

static int run_all(const struct options *options)
{
    struct totals totals = {.began = seconds_now()};
    printf("%-28s %10s %11s %5s  %-9s %7s  %s\n", "configuration", "states", "transitions", "depth", "extent",
           "seconds", "result");
    for (size_t i = 0; i < configs_count() && has_time_left(options, &totals); i++) {
        if (selected(options, config_at(i)))
            run_config(options, config_at(i), &totals);
        if (options->mode == MODE_QUICK && totals.failed > 0)
            break; /* one is enough */
    }
    printf("explore: configurations=%u failed=%u states=%llu transitions=%llu seconds=%.1f result=%s\n", totals.run,
           totals.failed, (unsigned long long)totals.states, (unsigned long long)totals.transitions,
           seconds_now() - totals.began, totals.failed == 0 && totals.run > 0 ? "pass" : "fail");
    return totals.failed == 0 && totals.run > 0 ? 0 : 1;
}

static int replay(const struct options *options)
{
    static struct schedule schedule;
    struct world end;
    const struct config *of = options->name ? config_by_name(options->name) : NULL;
    if (of == NULL || !trace_read_schedule(options->replay, &schedule)) {
        fprintf(stderr, "explore: --replay wants --config and a schedule as a trace prints it\n");
        return 2;
    }
    if (!trace_play(of, &schedule, stdout, &end)) {
        fprintf(stderr, "explore: the schedule asks for something that cannot happen there\n");
        return 2;
    }
    return finding.name ? 1 : 0;
}

static void list(void)
{
    for (size_t i = 0; i < configs_count(); i++)
        printf("%-28s %s%s%s\n", config_at(i)->name, config_at(i)->about, config_at(i)->expects ? "; must find " : "",
               config_at(i)->expects ? config_at(i)->expects : "");
}

static int usage(void)
{
    fprintf(stderr, "usage: explore [--list] [--self-test] [--config NAME] [--max-states N] [--seconds N]\n"
                    "               [--slice | --long | --quick | --tiny] [--consequences] [--replay SCHEDULE]\n");
    return 2;
}

static bool read_option(struct options *options, const char *option, const char *value, bool *ret_used)
{
    *ret_used = false;
    if (strcmp(option, "--list") == 0)
        options->list = true;
    else if (strcmp(option, "--consequences") == 0)
        consequences_only = true;
    else if (strcmp(option, "--self-test") == 0)
        options->self_test = true;
    else if (strcmp(option, "--slice") == 0)
        options->mode = MODE_SLICE;
    else if (strcmp(option, "--long") == 0)
        options->mode = MODE_LONG;
    else if (strcmp(option, "--quick") == 0)
        options->mode = MODE_QUICK;
    else if (strcmp(option, "--tiny") == 0)
        options->mode = MODE_TINY;
    else if (value == NULL)
        return false;
    else
        *ret_used = true;
    if (!*ret_used)
        return true;
    if (strcmp(option, "--config") == 0)
        options->name = value;
    else if (strcmp(option, "--replay") == 0)
        options->replay = value;
    else if (strcmp(option, "--max-states") == 0)
        options->max_states = strtoull(value, NULL, 10);
    else if (strcmp(option, "--seconds") == 0)
        options->seconds = strtod(value, NULL);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.mode = MODE_SLICE};
    for (int i = 1; i < argc; i++) {
        bool used;
        if (!read_option(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL, &used))
            return usage();
        i += used ? 1 : 0;
    }
    if (options.list) {
        list();
        return 0;
    }
    if (options.self_test)
        return self_test();
    if (options.replay)
        return replay(&options);
    if (options.name && config_by_name(options.name) == NULL) {
        fprintf(stderr, "explore: there is no configuration %s (--list shows them)\n", options.name);
        return 2;
    }
    return run_all(&options);
}
