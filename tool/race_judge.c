/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a race: completed, judged, and written to the files that are wanted. */
#include "history/jsonl.h"
#include "race.h"
#include "race_work.h"
#include "report.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

static bool add_number(struct history *history, const char *name, uint64_t number)
{
    char text[32];

    (void)snprintf(text, sizeof(text), "%" PRIu64, number);
    return history_add_fact(history, name, text);
}

static void name_faults(unsigned mask, char *ret, size_t ret_size)
{
    size_t len = 0;

    ret[0] = '\0';
    for (unsigned i = 0; i < RACE_FAULTS && len < ret_size; i++) {
        if ((mask & RACE_FAULT_BIT(i)) != 0) {
            len += (size_t)snprintf(ret + len, ret_size - len, "%s%s", len == 0 ? "" : ",",
                                    race_fault_name((enum race_fault)i));
        }
    }
}

static bool add_facts(struct race *race)
{
    struct history *history = race->record.history;
    const char *ledger = options_text(race->session->options, OPTION_LEDGER);
    char faults[160];
    char started[32];
    struct tm parts;
    time_t begun = time(NULL) - (time_t)((race_now_us() - race->record.origin_us) / 1000000);
    bool good;

    name_faults(race->faults_wanted, faults, sizeof(faults));
    if (gmtime_r(&begun, &parts) == NULL || strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0) {
        started[0] = '\0';
    }
    good = history_add_fact(history, "store", race->at->url) &&
           history_add_fact(history, "ledger", ledger == NULL ? "" : ledger) &&
           history_add_fact(history, "started", started) && history_add_fact(history, "faults", faults) &&
           history_add_fact(history, "version", os_version()) && add_number(history, "seed", race->seed) &&
           add_number(history, "writers", race->writers) && add_number(history, "processes", race->progress.lives);
    if (good && !race->etags_are_md5) {
        good = history_add_fact(history, "values",
                                "The store's ETags are not the MD5 of the content; the values here are.");
    }
    return good;
}

static bool write_file(struct race *race, enum option_id id)
{
    const char *name = options_text(race->session->options, id);
    os_error error = {.code = OS_OK};
    FILE *file;
    bool good;

    if (name == NULL) {
        return true;
    }
    file = fopen(name, "we");
    good = file != NULL;
    if (good) {
        good = id == OPTION_HISTORY ? jsonl_write(race->record.history, file)
                                    : report_write(race->record.history, &race->judged, file, &error) == OS_OK;
        good = fclose(file) == 0 && good;
    }
    if (!good && error.message[0] == '\0') {
        (void)snprintf(error.message, sizeof(error.message), "\"%.300s\" could not be written: %s.", name,
                       strerror(errno));
    }
    if (!good) {
        output_message(&race->session->output, error.message);
    }
    return good;
}

bool race_judge(struct race *race)
{
    bool good =
        race_record_finish(&race->record) && add_facts(race) && judge_history(race->record.history, &race->judged);

    if (!good) {
        output_message(&race->session->output, "There is not enough memory to judge the history of the race.");
        return false;
    }
    race_summarize(race->record.history, &race->judged, race->writers, &race->summary);
    good = write_file(race, OPTION_HISTORY);
    return write_file(race, OPTION_REPORT) && good;
}
