/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How many writes returned in each second of the run, by their first verdict: whether a fault, a takeover or a store
 * that slows down has cost anything is seen here first. The labels are HTML and the bars are stretched to the page's
 * width, so that both can be read on a small screen and on paper.
 */
#include "report/page.h"
#include "report/text.h"

#include <inttypes.h>

enum { COLUMNS_WANTED = 100, COLUMNS_MAX = COLUMNS_WANTED + 4, HEIGHT = 1000, TICKS = 4 };

/* From the bottom up. */
static const enum report_look stack[] = {REPORT_LOOK_COMMITTED, REPORT_LOOK_CONFLICT, REPORT_LOOK_NOT_EXECUTED,
                                         REPORT_LOOK_UNKNOWN};
static const char *const stack_classes[] = {"committed", "conflict", "not-executed", "unknown"};
enum { LOOKS = sizeof(stack) / sizeof(stack[0]) };

struct throughput {
    uint64_t step_us; /* of one column */
    size_t columns;
    uint32_t count[COLUMNS_MAX][LOOKS];
    uint64_t highest; /* of a column, all looks together */
    uint64_t committed;
};

/* 1, 2 or 5 times a power of ten, not less than `least`. */
static uint64_t round_up(uint64_t least)
{
    static const unsigned leads[] = {1, 2, 5};
    uint64_t power = 1;

    while (power < UINT64_MAX / 100) {
        for (size_t i = 0; i < sizeof(leads) / sizeof(leads[0]); i++)
            if (leads[i] * power >= least)
                return leads[i] * power;
        power *= 10;
    }
    return power;
}

static bool look_index(enum report_look look, size_t *ret)
{
    for (size_t i = 0; i < LOOKS; i++) {
        if (stack[i] == look) {
            *ret = i;
            return true;
        }
    }
    return false; /* reads, and calls that never returned */
}

static void count_calls(const struct report *report, struct throughput *ret)
{
    for (size_t i = 0; i < history_call_count(report->history); i++) {
        const struct history_call *call = history_call_at(report->history, i);
        size_t column = (size_t)(call->end_us / ret->step_us);
        size_t look;
        if (call->end_us != HISTORY_NEVER && column < ret->columns && look_index(report_look(call), &look))
            ret->count[column][look]++;
    }
    for (size_t column = 0; column < ret->columns; column++) {
        uint64_t all = 0;
        for (size_t look = 0; look < LOOKS; look++)
            all += ret->count[column][look];
        ret->highest = all > ret->highest ? all : ret->highest;
        ret->committed += ret->count[column][0];
    }
}

static void measure_throughput(const struct report *report, struct throughput *ret)
{
    uint64_t duration_us = report->numbers.duration_us;

    *ret = (struct throughput){.step_us = round_up((duration_us + COLUMNS_WANTED - 1) / COLUMNS_WANTED)};
    ret->step_us = ret->step_us > 0 ? ret->step_us : 1;
    ret->columns = (size_t)(duration_us / ret->step_us) + 1;
    ret->columns += (TICKS - ret->columns % TICKS) % TICKS; /* so that the labels are round */
    ret->columns = ret->columns < COLUMNS_MAX ? ret->columns : COLUMNS_MAX;
    count_calls(report, ret);
}

static double a_second(uint64_t count, uint64_t us)
{
    return us == 0 ? 0 : (double)count * 1e6 / (double)us;
}

/* "0.4", "16.1", "1,234" */
static const char *rate_text(double rate, char ret[REPORT_TEXT_SIZE])
{
    if (rate >= 99.95)
        return report_count((uint64_t)(rate + 0.5), ret);
    (void)snprintf(ret, REPORT_TEXT_SIZE, rate < 9.95 && rate > 0 ? "%.1f" : "%.0f", rate);
    return ret;
}

static void draw_look(FILE *out, const struct throughput *throughput, size_t look, double unit)
{
    (void)fprintf(out, "<path class=\"bar thin %s\" d=\"", stack_classes[look]);
    for (size_t column = 0; column < throughput->columns; column++) {
        uint64_t below = 0;
        for (size_t other = 0; other < look; other++)
            below += throughput->count[column][other];
        if (throughput->count[column][look] > 0) {
            double bottom = HEIGHT - (double)below * unit;
            double top = bottom - (double)throughput->count[column][look] * unit;
            (void)fprintf(out, "M%zu.08 %.1fH%zu.92V%.1fH%zu.08z", column, bottom, column, top, column);
        }
    }
    (void)fputs("\"/>\n", out);
}

static void draw_bars(FILE *out, const struct throughput *throughput, double top_rate)
{
    double unit = HEIGHT * a_second(1, throughput->step_us) / top_rate;

    (void)fprintf(out, "<svg viewBox=\"0 0 %zu %d\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\n",
                  throughput->columns, HEIGHT);
    for (int line = 0; line <= 2; line++)
        (void)fprintf(out, "<path class=\"grid\" d=\"M0 %dH%zu\"/>\n", HEIGHT / 2 * line, throughput->columns);
    for (size_t look = 0; look < LOOKS; look++)
        draw_look(out, throughput, look, unit);
    (void)fputs("</svg>\n", out);
}

static void write_labels(FILE *out, const struct throughput *throughput, double top_rate)
{
    char text[REPORT_TEXT_SIZE];

    (void)fputs("<div class=\"y\" aria-hidden=\"true\">", out);
    for (int line = 0; line <= 2; line++)
        (void)fprintf(out, "<span>%s</span>", rate_text(top_rate * (2 - line) / 2, text));
    (void)fputs("</div>\n<div class=\"x\" aria-hidden=\"true\">", out);
    for (unsigned tick = 0; tick <= TICKS; tick++) {
        uint64_t us = throughput->step_us * (throughput->columns / TICKS) * tick;
        (void)fprintf(out, "<span>%s</span>", us == 0 ? "0" : report_duration(us, text));
    }
    (void)fputs("</div>\n", out);
}

void report_throughput(struct report *report)
{
    struct throughput throughput;
    FILE *out = report->out;
    char text[3][REPORT_TEXT_SIZE];

    measure_throughput(report, &throughput);
    if (throughput.highest == 0)
        return;
    double highest = a_second(throughput.highest, throughput.step_us);
    double top_rate = (double)round_up((uint64_t)(highest * 10 + 0.999)) / 10;
    (void)fprintf(out,
                  "<figure class=\"throughput\" data-columns=\"%zu\" data-step-us=\"%" PRIu64 "\">\n"
                  "<figcaption><strong>Throughput</strong> Writes that returned, per second, in the colours of their "
                  "verdicts; on average %s committed, at most %s in all. One column is %s.</figcaption>\n",
                  throughput.columns, throughput.step_us,
                  rate_text(a_second(throughput.committed, report->numbers.duration_us), text[0]),
                  rate_text(highest, text[1]), report_duration(throughput.step_us, text[2]));
    draw_bars(out, &throughput, top_rate);
    write_labels(out, &throughput, top_rate);
    (void)fputs("</figure>\n", out);
}
