/* SPDX-License-Identifier: Apache-2.0 */
/* The history of a race: completed, judged, and written to the files that are wanted. */
#include "history/jsonl.h"
#include "race/clock.h"
#include "race/race.h"
#include "race/work.h"
#include "report/report.h"

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

static bool add_begin(struct race *race)
{
    char started[32];
    struct tm parts;
    time_t begun = time(NULL) - (time_t)((race_now_us() - race->record.origin_us) / 1000000);

    if (gmtime_r(&begun, &parts) == NULL || strftime(started, sizeof(started), "%Y-%m-%dT%H:%M:%SZ", &parts) == 0)
        started[0] = '\0';
    return history_add_fact(race->record.history, "started", started);
}

static bool add_facts(struct race *race)
{
    struct history *history = race->record.history;
    const char *ledger = options_text(race->session->options, OPTION_LEDGER);
    char faults[160];

    name_faults(race->faults_wanted, faults, sizeof(faults));
    return (race_is_in_table(race) || history_add_fact(history, "store", race->at->url)) &&
           history_add_fact(history, "ledger", ledger == NULL ? "" : ledger) && add_begin(race) &&
           history_add_fact(history, "faults", faults) && history_add_fact(history, "version", os_version()) &&
           add_number(history, "seed", race->seed) && add_number(history, "writers", race->writers) &&
           add_number(history, "processes", race->progress.lives);
}

static bool add_facts_of_objects(struct race *race)
{
    return race->etags_are_md5 ||
           history_add_fact(race->record.history, "values",
                            "The store's ETags are not MD5 sums of the contents, so this history uses MD5 sums "
                            "instead.");
}

static bool add_facts_of_leases(struct race *race)
{
    return add_number(race->record.history, "leases", race->lease_count) &&
           add_number(race->record.history, "lease_ttl_s", race->lease_ttl_s);
}

bool race_open_files(struct race *race, os_error *err)
{
    const char *history = options_text(race->session->options, OPTION_HISTORY);
    const char *page = options_text(race->session->options, OPTION_REPORT);

    return (history == NULL || result_file_open(history, &race->history_file, err)) &&
           (page == NULL || result_file_open(page, &race->page_file, err));
}

void race_close_files(struct race *race)
{
    os_error ignored;

    (void)result_file_close(&race->history_file, false, &ignored);
    (void)result_file_close(&race->page_file, false, &ignored);
}

static bool finish_file(struct race *race, struct result_file *file, bool written, os_error *error)
{
    bool good = result_file_close(file, written, error) && written;

    if (!good)
        output_message(&race->session->output, error->message);
    return good;
}

static bool write_history(struct race *race)
{
    os_error error = {.code = OS_ERR_IO, .message = "The history could not be written completely."};
    struct result_file *file = &race->history_file;

    return file->stream == NULL || finish_file(race, file, jsonl_write(race->record.history, file->stream), &error);
}

static bool write_page(struct race *race)
{
    os_error error = {.code = OS_OK};
    struct result_file *file = &race->page_file;

    return file->stream == NULL ||
           finish_file(race, file, report_write(race->record.history, &race->judged, file->stream, &error) == OS_OK,
                       &error);
}

static bool tell_no_memory(struct race *race)
{
    output_message(&race->session->output, "There is not enough memory to judge the history of the race.");
    return false;
}

bool race_judge_leases(struct race *race)
{
    if (!race_lease_pauses(race) || race->record.no_memory || !add_facts(race) || !add_facts_of_leases(race) ||
        !lease_judge(race->record.history, &race->leases))
        return tell_no_memory(race);
    race->progress.judged = true;
    return write_history(race);
}

bool race_judge_transactions(struct race *race)
{
    if (!race_record_finish(&race->record) || !add_facts(race) ||
        !add_number(race->record.history, "accounts", race->account_count) ||
        !judge_transactions(race->record.history, &race->transactions))
        return tell_no_memory(race);
    race->progress.judged = true;
    return write_history(race);
}

bool race_judge(struct race *race)
{
    bool good = race_record_finish(&race->record) && add_facts(race) && add_facts_of_objects(race) &&
                judge_history(race->record.history, &race->judged) &&
                race_summarize(race->record.history, &race->judged, race->writers, &race->summary);

    if (!good)
        return tell_no_memory(race);
    race->progress.judged = true;
    good = write_history(race);
    return write_page(race) && good;
}
