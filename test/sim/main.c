/* SPDX-License-Identifier: Apache-2.0 */
/* The simulator's command line. Ends with 1 when a seed fails, with 2 when it could not run. */
#include "sim/batch.h"
#include "sim/coroutine.h"
#include "sim/shrink.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if defined(__SANITIZE_ADDRESS__) || defined(__clang__)
/* A process that dies in the simulation leaves OpenSSL's contexts behind; what the library itself leaves is in the
 * simulator's own books (memory.h). */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcrypto";
}
#endif

static const char usage[] =
    "usage: oscommit_sim [--seeds N] [--first SEED] [--seconds N] [--jobs N] [--quick] [--verbose] [--twice]\n"
    "       oscommit_sim --seed SEED [--without KIND|KIND@LANE.N|call@LANE.N]... [--only KIND@LANE.N]... [--trace]\n"
    "       oscommit_sim --regressions FILE\n"
    "\n"
    "Runs the whole library in simulated worlds, one for each seed, and judges what it told its callers. A seed that\n"
    "fails is minimised, and told with the command that replays it bit for bit.\n"
    "  --seeds N      so many seeds [5000]       --first SEED  from this one on [1]\n"
    "  --seconds N    begin nothing after so long --jobs N     children at a time [1]\n"
    "  --quick        calm ones, transactions, then 30 s\n"
    "  --verbose      progress\n"
    "  --twice        each seed twice, with the same digest\n"
    "  --without ...  takes kinds of faults, single faults or calls away; --only: just these faults strike\n"
    "  --trace        says what happens          --no-shrink   leaves a failing seed as it is\n"
    "  --planted      a defect of the simulator's own: an unknown creation is told as committed\n"
    "  --calm         no fault strikes, and no call may take long\n"
    "  --transactions worlds of transactions over rows, and nothing else\n"
    "  --outside ...  worlds outside the documented bounds: slow-store, draining-link, stalled-bodies,\n"
    "                 unmarked-store, rows-twice\n";

struct settings {
    struct batch_options batch;
    struct fault_change change;
    bool single;
    uint64_t seed;
    bool trace;
    bool no_shrink;
    bool quick;
    const char *regressions;
};

enum { QUICK_CALM_SEEDS = 1000, QUICK_TRANSACTIONS_SEEDS = 1500 };

enum {
    OPTION_WITHOUT = 1000,
    OPTION_ONLY,
    OPTION_REGRESSIONS,
    OPTION_PLANTED,
    OPTION_CALM,
    OPTION_TRANSACTIONS,
    OPTION_OUTSIDE,
    OPTION_TWICE,
    OPTION_NO_SHRINK
};

static const struct option options[] = {
    {"seeds", required_argument, NULL, 'n'},
    {"first", required_argument, NULL, 'f'},
    {"seconds", required_argument, NULL, 't'},
    {"jobs", required_argument, NULL, 'j'},
    {"quick", no_argument, NULL, 'q'},
    {"verbose", no_argument, NULL, 'v'},
    {"seed", required_argument, NULL, 's'},
    {"trace", no_argument, NULL, 'T'},
    {"twice", no_argument, NULL, OPTION_TWICE},
    {"without", required_argument, NULL, OPTION_WITHOUT},
    {"only", required_argument, NULL, OPTION_ONLY},
    {"planted", no_argument, NULL, OPTION_PLANTED},
    {"calm", no_argument, NULL, OPTION_CALM},
    {"transactions", no_argument, NULL, OPTION_TRANSACTIONS},
    {"outside", required_argument, NULL, OPTION_OUTSIDE},
    {"no-shrink", no_argument, NULL, OPTION_NO_SHRINK},
    {"regressions", required_argument, NULL, OPTION_REGRESSIONS},
    {NULL, 0, NULL, 0},
};

static bool take_outside(enum world_defect *ret, const char *name)
{
    static const char *const forms[] = WORLD_DEFECT_OPTIONS;
    for (unsigned i = WORLD_SLOW_STORE; i < sizeof(forms) / sizeof(forms[0]); i++) {
        if (strcmp(forms[i] + strlen(" --outside "), name) == 0) {
            *ret = (enum world_defect)i;
            return true;
        }
    }
    return false;
}

static bool take_option(struct settings *settings, int option)
{
    uint64_t number = optarg != NULL ? strtoull(optarg, NULL, 10) : 0;
    switch (option) {
    case 'n': settings->batch.seeds = number; return true;
    case 'f': settings->batch.first = number; return true;
    case 't': settings->batch.seconds = (double)number; return true;
    case 'j': settings->batch.jobs = (uint32_t)number; return true;
    case 'q':
        settings->batch.seconds = 30;
        settings->quick = true;
        return true;
    case 'v': settings->batch.progress = stderr; return true;
    case 's':
        settings->single = true;
        settings->seed = number;
        return true;
    case 'T': settings->trace = true; return true;
    case OPTION_TWICE: settings->batch.twice = true; return true;
    case OPTION_WITHOUT: return fault_change_parse_without(&settings->change, optarg);
    case OPTION_ONLY: return fault_change_parse_only(&settings->change, optarg);
    case OPTION_PLANTED: settings->batch.defect = WORLD_PLANTED; return true;
    case OPTION_CALM: settings->batch.defect = WORLD_CALM; return true;
    case OPTION_TRANSACTIONS: settings->batch.defect = WORLD_TRANSACTIONS; return true;
    case OPTION_OUTSIDE: return take_outside(&settings->batch.defect, optarg);
    case OPTION_NO_SHRINK: settings->no_shrink = true; return true;
    case OPTION_REGRESSIONS: settings->regressions = optarg; return true;
    default: return false;
    }
}

/* ------------------------------------------------------------------------------------------------ one seed */

/* In this process, so that a debugger sees it. True: it holds. */
static bool run_single(uint64_t seed, const struct fault_change *change, enum world_defect defect, bool trace)
{
    static struct world world;
    bool ok = world_run(&world, seed, change, defect, trace ? stdout : NULL);
    printf("seed %llu %s, digest %016llx\n", (unsigned long long)seed, ok ? "holds" : "FAILS",
           (unsigned long long)world.digest);
    for (size_t i = 0; i < world.failure_count; i++)
        printf("  %s\n", world.failures[i]);
    world_free(&world);
    return ok;
}

static bool minimise(uint64_t seed, struct settings *settings)
{
    enum world_defect defect = settings->batch.defect;
    if (!shrink_print(seed, &settings->change, defect, stdout))
        return false;
    return settings->no_shrink || settings->quick ||
           (shrink(seed, &settings->change, defect, stdout) && shrink_print(seed, &settings->change, defect, stdout));
}

/* ------------------------------------------------------------------------------------------------ regressions */

static bool take_word(const char *word, struct fault_change *change, enum world_defect *ret_defect)
{
    if (strcmp(word, "transactions") == 0)
        *ret_defect = WORLD_TRANSACTIONS;
    else if (word[0] == '-')
        return fault_change_parse_without(change, word + 1);
    else
        return fault_change_parse_only(change, word);
    return true;
}

/* A line: SEED, then "transactions" for a world of those, and words as behind --without ("-late", "-call@0.1") and --only
 * ("late@2.17"; "none": no fault); what follows a '#' is for people. */
static bool run_line(char *line, bool *ret_ok)
{
    struct fault_change change = {0};
    enum world_defect defect = WORLD_SOUND;
    char *rest = NULL;
    line[strcspn(line, "#\n")] = '\0';
    char *word = strtok_r(line, " ", &rest);
    *ret_ok = true;
    if (word == NULL)
        return true;
    uint64_t seed = strtoull(word, NULL, 10);
    bool read = true;
    while (read && (word = strtok_r(NULL, " ", &rest)) != NULL)
        read = take_word(word, &change, &defect);
    *ret_ok = read && run_single(seed, &change, defect, false);
    fault_change_free(&change);
    return read;
}

static int run_regressions(const char *path)
{
    char line[4096];
    FILE *file = fopen(path, "r");
    if (file == NULL) {
        perror(path);
        return 2;
    }
    int failed = 0;
    while (failed != 2 && fgets(line, sizeof(line), file) != NULL) {
        bool ok = true;
        bool read = run_line(line, &ok);
        failed = !read ? 2 : !ok ? 1 : failed;
    }
    fclose(file);
    return failed;
}

/* ------------------------------------------------------------------------------------------------ many */

static int run_many(struct settings *settings)
{
    static struct summary summary;
    memset(&summary, 0, sizeof(summary));
    bool failed = false;
    uint64_t seed = 0;
    double begun_s = batch_clock_s();
    settings->batch.change = &settings->change;
    if (!batch_run(&settings->batch, &summary, &failed, &seed)) {
        fprintf(stderr, "no child process could be made\n");
        return 2;
    }
    summary_print(&summary, batch_clock_s() - begun_s, stdout);
    if (!failed)
        return 0;
    printf("\n");
    if (!minimise(seed, settings))
        return 2;
    (void)run_single(seed, &settings->change, settings->batch.defect, !settings->quick);
    return 1;
}

/* What makes calls wait shows in the first few hundred calm worlds, within seconds. */
static int run_quick(struct settings *settings)
{
    struct settings calm = *settings;
    struct settings transactions = *settings;
    calm.batch.defect = WORLD_CALM;
    calm.batch.seeds = QUICK_CALM_SEEDS;
    transactions.batch.defect = WORLD_TRANSACTIONS;
    transactions.batch.seeds = QUICK_TRANSACTIONS_SEEDS;
    int result = run_many(&calm);
    result = result == 0 ? run_many(&transactions) : result;
    return result == 0 ? run_many(settings) : result;
}

int main(int argc, char **argv)
{
    struct settings settings = {.batch = {.first = 1, .seeds = 5000, .jobs = 1}};
    int option = 0;
    while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
        if (!take_option(&settings, option)) {
            fprintf(stderr, "%s", usage);
            return 2;
        }
    }
    int result = 0;
    if (settings.regressions != NULL)
        result = run_regressions(settings.regressions);
    else if (settings.single)
        result = run_single(settings.seed, &settings.change, settings.batch.defect, settings.trace) ? 0 : 1;
    else if (settings.quick && settings.batch.defect == WORLD_SOUND)
        result = run_quick(&settings);
    else
        result = run_many(&settings);
    fault_change_free(&settings.change);
    memory_end();
    coroutine_free_stacks();
    return result;
}
