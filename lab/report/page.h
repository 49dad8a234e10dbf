/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the page, each written to where it stands in lab/report/page/page.html. */
#ifndef OSCOMMIT_LAB_REPORT_PAGE_H
#define OSCOMMIT_LAB_REPORT_PAGE_H

#include "history/history.h"
#include "history/judge.h"
#include "report/numbers.h"

#include <stdio.h>

/* How a call is drawn: by its first verdict. The order is that of drawing, rare ones over frequent ones, and the script
 * knows it (lanes.js). */
enum report_look {
    REPORT_LOOK_READ,
    REPORT_LOOK_COMMITTED,
    REPORT_LOOK_CONFLICT,
    REPORT_LOOK_NOT_EXECUTED,
    REPORT_LOOK_UNKNOWN,
    REPORT_LOOK_KILLED,
    REPORT_LOOKS
};

struct report {
    const struct history *history;
    const struct judge_result *judged;
    struct report_numbers numbers;
    struct report_ends *ends;
    size_t calls; /* that the page carries one by one */
    size_t events;
    FILE *out;
    bool no_memory; /* a part could not be written */
};

size_t report_finding_count(const struct judge_result *judged); /* of those that stand in `finding` */
enum report_look report_look(const struct history_call *call);

void report_title(struct report *report);
void report_judgement(struct report *report);
void report_facts(struct report *report);
void report_figures(struct report *report);
void report_throughput(struct report *report);
void report_latencies(struct report *report);
void report_faults(struct report *report);
void report_findings(struct report *report);
void report_drawing(struct report *report);
void report_keys(struct report *report);
void report_data(struct report *report);

/* Names for people; "" for what is none. */
const char *report_operation_name(unsigned operation);
const char *report_event_name(unsigned kind);

#endif
