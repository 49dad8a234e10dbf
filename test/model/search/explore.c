/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The program that explores: every schedule of real machines in the small worlds of a model. ../README.md tells how the
 * worlds work, what is abstracted, and what a configuration says.
 */
#include "search.h"
#include "selftest.h"

#include <stdlib.h>
#include <string.h>

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

const struct config *config_by_name(const char *name)
{
    for (size_t i = 0; i < configs_count(); i++)
        if (strcmp(config_at(i)->name, name) == 0)
            return config_at(i);
    return NULL;
}

static bool has_time_left(const struct options *options, const struct totals *totals)
{
    return options->seconds <= 0 || seconds_now() - totals->began < options->seconds;
}

static bool selected(const struct options *options, const struct config *of)
{
    if (options->name)
        return strcmp(options->name, of->name) == 0;
    return mode_has(options->mode, of);
}

static bool as_expected(const struct config *of, const struct search_result *result)
{
    if (result->out_of_memory)
        return false;
    if (of->expects)
        return result->finding.name && strcmp(result->finding.name, of->expects) == 0;
    return result->finding.name == NULL && tally_suffices(&result->tally);
}

static const char *word_for(const struct config *of, const struct search_result *result)
{
    if (result->out_of_memory)
        return "OUT OF MEMORY";
    if (result->finding.name)
        return as_expected(of, result) ? "found, as expected" : "VIOLATED";
    if (of->expects)
        return "EXPECTED COUNTEREXAMPLE NOT FOUND";
    return tally_suffices(&result->tally) ? "holds" : "NOTHING COULD GO WRONG";
}

static void print_result(const struct config *of, const struct search_result *result)
{
    const char *extent = result->finding.name ? "stopped" : result->finished ? "finished" : "truncated";
    printf("%-28s %10llu %11llu %5u  %-9s %7.1f  %s%s%s\n", of->name, (unsigned long long)result->states,
           (unsigned long long)result->transitions, result->depth, extent, result->seconds, word_for(of, result),
           result->finding.name ? ": " : "", result->finding.name ? result->finding.name : "");
    fflush(stdout);
}

static void print_finding(const struct config *of, const struct search_result *result)
{
    printf("\n%s: %s\n", of->name, of->about);
    schedule_play(of, &result->schedule, stdout);
    printf("     again: %s --config %s --replay ", model_name, of->name);
    schedule_print(&result->schedule, stdout);
    printf("\n\n");
}

static void run_config(const struct options *options, const struct config *of, struct totals *totals)
{
    static struct search_result result;
    struct search_limits limits = {.states = options->max_states};
    if (limits.states == 0)
        limits.states = states_limit(options->mode, of);
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
        tally_print(&result.tally);
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
    printf("%s: configurations=%u failed=%u states=%llu transitions=%llu seconds=%.1f result=%s\n", model_name,
           totals.run, totals.failed, (unsigned long long)totals.states, (unsigned long long)totals.transitions,
           seconds_now() - totals.began, totals.failed == 0 && totals.run > 0 ? "pass" : "fail");
    return totals.failed == 0 && totals.run > 0 ? 0 : 1;
}

static int replay(const struct options *options)
{
    static struct schedule schedule;
    const struct config *of = options->name ? config_by_name(options->name) : NULL;
    if (of == NULL || !schedule_read(options->replay, &schedule)) {
        fprintf(stderr, "%s: --replay wants --config and a schedule as a trace prints it\n", model_name);
        return 2;
    }
    if (!schedule_play(of, &schedule, stdout)) {
        fprintf(stderr, "%s: the schedule asks for something that cannot happen there\n", model_name);
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
    fprintf(stderr,
            "usage: %s [--list] [--self-test] [--config NAME] [--max-states N] [--seconds N] [--replay SCHEDULE]\n"
            "       [--slice | --long | --quick | --tiny] %s\n",
            model_name, model_options);
    return 2;
}

static bool read_flag(struct options *options, const char *option)
{
    static const char *const modes[] = {"--slice", "--long", "--quick", "--tiny"}; /* as in enum mode */
    for (unsigned i = 0; i < sizeof(modes) / sizeof(modes[0]); i++) {
        if (strcmp(option, modes[i]) == 0) {
            options->mode = (enum mode)i;
            return true;
        }
    }
    options->list = options->list || strcmp(option, "--list") == 0;
    options->self_test = options->self_test || strcmp(option, "--self-test") == 0;
    return strcmp(option, "--list") == 0 || strcmp(option, "--self-test") == 0 || model_option(option);
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
        if (read_flag(&options, argv[i]))
            continue;
        if (!read_value(&options, argv[i], i + 1 < argc ? argv[i + 1] : NULL))
            return usage();
        i++;
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
        fprintf(stderr, "%s: there is no configuration %s (--list shows them)\n", model_name, options.name);
        return 2;
    }
    return run_all(&options);
}
