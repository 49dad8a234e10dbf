/* SPDX-License-Identifier: Apache-2.0 */
/* explore_leases: every schedule of real leases in small worlds. README.md tells how the world works. */
#include "lease_configs.h"
#include "lease_search.h"

#include <stdlib.h>
#include <string.h>

enum mode { MODE_SLICE, MODE_LONG, MODE_QUICK };

struct options {
    enum mode mode;
    bool list;
    const char *name;
    const char *replay;
    uint64_t max_states;
};

struct totals {
    uint64_t states;
    uint64_t transitions;
    unsigned run;
    unsigned failed;
};

static bool selected(const struct options *options, const struct config *of)
{
    if (options->name)
        return strcmp(options->name, of->name) == 0;
    return options->mode != MODE_QUICK || of->quick;
}

/* States per configuration, so that a mode ends in its time. What must be found ends by itself. */
static uint64_t states_limit(const struct options *options, const struct config *of)
{
    if (options->max_states > 0)
        return options->max_states;
    if (of->expects)
        return 0;
    switch (options->mode) {
    case MODE_QUICK: return 80000;
    case MODE_SLICE: return 400000;
    default: return 4000000;
    }
}

static bool as_expected(const struct config *of, const struct search_result *result)
{
    if (result->out_of_memory)
        return false;
    if (of->expects)
        return result->finding.name && strcmp(result->finding.name, of->expects) == 0;
    return result->finding.name == NULL && result->held > 0;
}

static const char *word_for(const struct config *of, const struct search_result *result)
{
    if (result->out_of_memory)
        return "OUT OF MEMORY";
    if (result->finding.name)
        return as_expected(of, result) ? "found, as expected" : "VIOLATED";
    if (of->expects)
        return "EXPECTED COUNTEREXAMPLE NOT FOUND";
    return result->held > 0 ? "holds" : "NOBODY EVER HOLDS";
}

static void print_result(const struct config *of, const struct search_result *result)
{
    const char *extent = result->finding.name ? "stopped" : result->finished ? "finished" : "truncated";
    printf("%-24s %9llu %10llu %5u  %-9s %6.1f  %s%s%s\n", of->name, (unsigned long long)result->states,
           (unsigned long long)result->transitions, result->depth, extent, result->seconds, word_for(of, result),
           result->finding.name ? ": " : "", result->finding.name ? result->finding.name : "");
    fflush(stdout);
}

static void print_finding(const struct config *of, const struct search_result *result)
{
    printf("\n%s: %s\n", of->name, of->about);
    trace_play(of, &result->schedule, stdout);
    printf("     again: explore_leases --config %s --replay ", of->name);
    trace_print_schedule(&result->schedule, stdout);
    printf("\n\n");
}

static void run_config(const struct options *options, const struct config *of, struct totals *totals)
{
    static struct search_result result;
    search(of, states_limit(options, of), &result);
    print_result(of, &result);
    totals->states += result.states;
    totals->transitions += result.transitions;
    totals->run++;
    bool good = as_expected(of, &result);
    if (!good)
        totals->failed++;
    if (result.finding.name && (!good || options->name))
        print_finding(of, &result);
}

static int run_all(const struct options *options)
{
    struct totals totals = {0};
    double began = seconds_now();
    printf("%-24s %9s %10s %5s  %-9s %6s  %s\n", "configuration", "states", "transitions", "depth", "extent", "s",
           "result");
    for (size_t i = 0; i < lease_configs_count; i++) {
        if (selected(options, &lease_configs[i]))
            run_config(options, &lease_configs[i], &totals);
        if (options->mode == MODE_QUICK && totals.failed > 0)
            break; /* one is enough */
    }
    bool good = totals.failed == 0 && totals.run > 0;
    printf("explore_leases: configurations=%u failed=%u states=%llu transitions=%llu seconds=%.1f result=%s\n",
           totals.run, totals.failed, (unsigned long long)totals.states, (unsigned long long)totals.transitions,
           seconds_now() - began, good ? "pass" : "fail");
    return good ? 0 : 1;
}

static int replay(const struct options *options)
{
    static struct schedule schedule;
    const struct config *of = options->name ? config_by_name(options->name) : NULL;
    if (of == NULL || !trace_read_schedule(options->replay, &schedule)) {
        fprintf(stderr, "explore_leases: --replay wants --config and a schedule as a trace prints it\n");
        return 2;
    }
    if (!trace_play(of, &schedule, stdout)) {
        fprintf(stderr, "explore_leases: the schedule asks for something that cannot happen there\n");
        return 2;
    }
    return finding.name ? 1 : 0;
}

static int list(void)
{
    for (size_t i = 0; i < lease_configs_count; i++) {
        const struct config *of = &lease_configs[i];
        printf("%-24s %s%s%s\n", of->name, of->about, of->expects ? "; must find " : "",
               of->expects ? of->expects : "");
    }
    return 0;
}

static int usage(void)
{
    fprintf(stderr, "usage: explore_leases [--list] [--config NAME] [--max-states N] [--slice | --long | --quick]\n"
                    "                      [--replay SCHEDULE]\n");
    return 2;
}

static bool read_flag(struct options *options, const char *option)
{
    if (strcmp(option, "--list") == 0)
        options->list = true;
    else if (strcmp(option, "--slice") == 0)
        options->mode = MODE_SLICE;
    else if (strcmp(option, "--long") == 0)
        options->mode = MODE_LONG;
    else if (strcmp(option, "--quick") == 0)
        options->mode = MODE_QUICK;
    else
        return false;
    return true;
}

static bool read_value(struct options *options, const char *option, const char *value)
{
    if (value == NULL)
        return false;
    if (strcmp(option, "--config") == 0)
        options->name = value;
    else if (strcmp(option, "--replay") == 0)
        options->replay = value;
    else if (strcmp(option, "--max-states") == 0)
        options->max_states = strtoull(value, NULL, 10);
    else
        return false;
    return true;
}

int main(int argc, char **argv)
{
    struct options options = {.mode = MODE_SLICE};
    for (int i = 1; i < argc; i++) {
        if (read_flag(&options, argv[i]))
            continue;
        if (!read_value(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
            return usage();
        i++;
    }
    if (options.list)
        return list();
    if (options.replay)
        return replay(&options);
    if (options.name && config_by_name(options.name) == NULL) {
        fprintf(stderr, "explore_leases: there is no configuration %s (--list shows them)\n", options.name);
        return 2;
    }
    return run_all(&options);
}
