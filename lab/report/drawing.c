/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lanes as a drawing, for paper and for where no script runs. Time is folded into bands, like a line of music into
 * staves, as many as keep calls apart and still fit a sheet. What is narrower than a few units is drawn by columns,
 * once for each look, so that the size of the drawing has a bound that does not depend on the number of calls.
 */
#include "report/page.h"
#include "report/report.h"
#include "report/text.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    WIDTH = 1000,
    GUTTER = 44, /* the names of the lanes */
    COLUMNS = WIDTH - GUTTER,
    LANE = 18,
    AXIS = 20,
    SHEET = 1240,       /* units that fit a sheet below the summary of the lanes */
    CALLS_A_BAND = 140, /* in each lane */
    BANDS_MAX = 8,

    SINGLES_MAX = 20000, /* calls that are drawn one by one */
    MARKS = 2            /* looks beyond those of calls: pauses, faults */
};

struct drawing {
    struct report *report;
    uint32_t lanes;
    unsigned bands;
    uint64_t band_us;
    unsigned singles;
    unsigned char *column; /* [lane][look][COLUMNS] of the band that is drawn */
};

static const struct {
    const char *class_name;
    int top; /* within the lane */
    int height;
} looks[REPORT_LOOKS + MARKS] = {
    {"bar read", 8, 2},     {"bar committed", 2, 14}, {"bar conflict", 7, 9}, {"bar not-executed", 12, 4},
    {"bar unknown", 2, 14}, {"bar killed", 2, 14},    {"mark pause", 4, 10},  {"mark fault", 0, 3},
};

static unsigned char *columns_of(struct drawing *drawing, uint32_t lane, size_t look)
{
    return drawing->column + ((size_t)lane * (REPORT_LOOKS + MARKS) + look) * COLUMNS;
}

/* Where an instant stands in a band, in hundredths of a unit, from 0 to the band's whole width. */
static uint64_t place_in_band(const struct drawing *drawing, unsigned band, uint64_t us)
{
    uint64_t from = drawing->band_us * band;
    uint64_t passed = us > from ? us - from : 0;

    if (passed >= drawing->band_us)
        return (uint64_t)COLUMNS * 100;
    return (uint64_t)((double)passed * COLUMNS * 100.0 / (double)drawing->band_us);
}

/* One path for all of a look: a pattern is set once for each path, and printers bear few of them. */
static void begin_path(struct drawing *drawing, size_t look, const char *more)
{
    (void)fprintf(drawing->report->out, "<path class=\"%s%s\" d=\"", looks[look].class_name, more);
}

static void end_path(struct drawing *drawing)
{
    (void)fputs("\"/>\n", drawing->report->out);
}

/* Writes a box into the open path where it is wide enough, else marks the columns that it covers. */
static void draw_span(struct drawing *drawing, unsigned band, uint32_t lane, size_t look, uint64_t from, uint64_t to)
{
    uint64_t x = place_in_band(drawing, band, from);
    uint64_t end = place_in_band(drawing, band, to);

    if (to < drawing->band_us * band || from >= drawing->band_us * (band + 1))
        return;
    if (end - x >= 250 && drawing->singles < SINGLES_MAX) {
        uint64_t width = end - x - 40;

        drawing->singles++;
        if (look == REPORT_LOOK_KILLED) { /* open to the right: it never returned */
            (void)fprintf(drawing->report->out,
                          "M%" PRIu64 ".%02" PRIu64 " %" PRIu32 "h-%" PRIu64 ".%02" PRIu64 "v%dh%" PRIu64 ".%02" PRIu64,
                          GUTTER + (x + width) / 100, (x + width) % 100, lane * LANE + (uint32_t)looks[look].top,
                          width / 100, width % 100, looks[look].height, width / 100, width % 100);
            return;
        }
        (void)fprintf(drawing->report->out,
                      "M%" PRIu64 ".%02" PRIu64 " %" PRIu32 "h%" PRIu64 ".%02" PRIu64 "v%dH%" PRIu64 ".%02" PRIu64 "z",
                      GUTTER + x / 100, x % 100, lane * LANE + (uint32_t)looks[look].top, width / 100, width % 100,
                      looks[look].height, GUTTER + x / 100, x % 100);
        return;
    }
    for (uint64_t column = x / 100; column <= end / 100 && column < COLUMNS; column++)
        columns_of(drawing, lane, look)[column] = 1;
}

static void draw_columns(struct drawing *drawing, uint32_t lane, size_t look)
{
    const unsigned char *column = columns_of(drawing, lane, look);

    for (unsigned x = 0; x < COLUMNS;) {
        unsigned end = x;

        while (end < COLUMNS && column[end])
            end++;
        if (end == x) {
            x++;
            continue;
        }
        (void)fprintf(drawing->report->out, "M%u %" PRIu32 "h%uv%dh-%uz", GUTTER + x,
                      lane * LANE + (uint32_t)looks[look].top, end - x, looks[look].height, end - x);
        x = end;
    }
}

static void draw_all_columns(struct drawing *drawing, size_t look)
{
    begin_path(drawing, look, " thin");
    for (uint32_t lane = 0; lane < drawing->lanes; lane++)
        draw_columns(drawing, lane, look);
    end_path(drawing);
}

/* ----------------------------------------------------------------------------------------------------- contents */

static void draw_calls(struct drawing *drawing, unsigned band, enum report_look look)
{
    begin_path(drawing, look, "");
    for (size_t i = 0; i < history_call_count(drawing->report->history); i++) {
        const struct history_call *call = history_call_at(drawing->report->history, i);

        if (report_look(call) == look && call->writer < drawing->lanes)
            draw_span(drawing, band, call->writer, look, call->start_us, report_end(drawing->report->ends, i));
    }
    end_path(drawing);
    draw_all_columns(drawing, look);
}

static bool is_fault(enum history_event_kind kind)
{
    return kind != HISTORY_PAUSE && kind != HISTORY_KILL && kind != HISTORY_START;
}

static void draw_events(struct drawing *drawing, unsigned band, size_t look)
{
    begin_path(drawing, look, "");
    for (size_t i = 0; i < history_event_count(drawing->report->history); i++) {
        const struct history_event *event = history_event_at(drawing->report->history, i);
        bool wanted = look == REPORT_LOOKS ? event->kind == HISTORY_PAUSE : is_fault(event->kind);

        if (wanted && event->writer < drawing->lanes) {
            uint64_t end = event->end_us > event->start_us && look == REPORT_LOOKS ? event->end_us : event->start_us;

            draw_span(drawing, band, event->writer, look, event->start_us, end);
        }
    }
    end_path(drawing);
    draw_all_columns(drawing, look);
}

/* Marks of a point in time: one path for all, no two in one column of a lane. */
static void draw_points(struct drawing *drawing, unsigned band, const char *class_name, const char *shape,
                        uint64_t (*instant)(const struct report *report, size_t index, uint32_t *ret_lane),
                        size_t count)
{
    unsigned char *taken = columns_of(drawing, 0, 0);

    memset(taken, 0, (size_t)drawing->lanes * COLUMNS);
    (void)fprintf(drawing->report->out, "<path class=\"%s\" d=\"", class_name);
    for (size_t i = 0; i < count; i++) {
        uint32_t lane = 0;
        uint64_t us = instant(drawing->report, i, &lane);
        uint64_t column = us != HISTORY_NEVER ? place_in_band(drawing, band, us) / 100 : COLUMNS;

        if (us == HISTORY_NEVER || lane >= drawing->lanes || us / drawing->band_us != band || column >= COLUMNS ||
            taken[(size_t)lane * COLUMNS + column])
            continue;
        taken[(size_t)lane * COLUMNS + column] = 1;
        (void)fprintf(drawing->report->out, "M%" PRIu64 " %" PRIu32 "%s", GUTTER + column, lane * LANE + LANE / 2,
                      shape);
    }
    (void)fputs("\"/>\n", drawing->report->out);
}

static uint64_t kill_instant(const struct report *report, size_t index, uint32_t *ret_lane)
{
    const struct history_event *event = history_event_at(report->history, index);

    *ret_lane = event->writer;
    return event->kind == HISTORY_KILL ? event->start_us : HISTORY_NEVER;
}

static uint64_t takeover_instant(const struct report *report, size_t index, uint32_t *ret_lane)
{
    const struct history_call *call = history_call_at(report->history, index);

    *ret_lane = call->writer;
    return call->took_over ? report_end(report->ends, index) : HISTORY_NEVER;
}

static uint64_t finding_instant(const struct report *report, size_t index, uint32_t *ret_lane)
{
    const struct judge_result *judged = report->judged;
    const struct history_call *call = history_call_at(report->history, index);

    *ret_lane = call->writer;
    for (size_t i = 0; i < report_finding_count(judged); i++)
        if (judged->finding[i].call == call->id || judged->finding[i].other_call == call->id)
            return call->start_us;
    return HISTORY_NEVER;
}

/* --------------------------------------------------------------------------------------------------------- bands */

static void draw_frame(struct drawing *drawing, unsigned band)
{
    FILE *out = drawing->report->out;
    uint32_t bottom = drawing->lanes * LANE;
    char text[REPORT_TEXT_SIZE];

    for (uint32_t lane = 0; lane < drawing->lanes; lane++) {
        (void)fprintf(out,
                      "<path class=\"rail\" d=\"M%d %" PRIu32 "h%d\"/><text class=\"lane\" x=\"%d\" y=\"%" PRIu32
                      "\">%" PRIu32 "</text>\n",
                      GUTTER, lane * LANE + LANE - 1, COLUMNS, GUTTER - 8, lane * LANE + 13, lane);
    }
    for (unsigned tick = 0; tick <= 4; tick++) {
        uint64_t us = drawing->band_us * band + drawing->band_us / 4 * tick;
        unsigned x = GUTTER + COLUMNS / 4 * tick;
        const char *anchor = tick == 0 ? "start" : tick == 4 ? "end" : "middle";

        (void)fprintf(out,
                      "<path class=\"tick\" d=\"M%u 0v%" PRIu32 "\"/><text class=\"time\" text-anchor=\"%s\" x=\"%u\" "
                      "y=\"%" PRIu32 "\">%s</text>\n",
                      x, bottom + 4, anchor, x, bottom + 15, report_duration(us, text));
    }
}

static void draw_band(struct drawing *drawing, unsigned band)
{
    struct report *report = drawing->report;
    char text[2][REPORT_TEXT_SIZE];

    memset(drawing->column, 0, (size_t)drawing->lanes * (REPORT_LOOKS + MARKS) * COLUMNS);
    (void)fprintf(report->out, "<svg viewBox=\"0 0 %d %" PRIu32 "\" role=\"img\" aria-label=\"Lanes from %s to %s\">\n",
                  WIDTH, drawing->lanes * LANE + AXIS, report_duration(drawing->band_us * band, text[0]),
                  report_duration(drawing->band_us * (band + 1), text[1]));
    draw_frame(drawing, band);
    for (unsigned look = 0; look < REPORT_LOOKS; look++)
        draw_calls(drawing, band, (enum report_look)look);
    draw_events(drawing, band, REPORT_LOOKS);
    draw_events(drawing, band, REPORT_LOOKS + 1);
    draw_points(drawing, band, "mark takeover", "m0-7l4 7-4 7-4-7z", takeover_instant,
                history_call_count(report->history));
    draw_points(drawing, band, "mark kill", "m-4-5l8 10m0-10l-8 10", kill_instant,
                history_event_count(report->history));
    draw_points(drawing, band, "mark finding", "m-4-9h8v18h-8z", finding_instant, history_call_count(report->history));
    (void)fputs("</svg>\n", report->out);
}

static unsigned bands_of(const struct report *report, uint32_t lanes)
{
    size_t calls = history_call_count(report->history) / lanes;
    size_t bands = (calls + CALLS_A_BAND - 1) / CALLS_A_BAND;
    size_t room = SHEET / (lanes * LANE + AXIS);

    bands = bands < room ? bands : room;
    bands = bands < BANDS_MAX ? bands : BANDS_MAX;
    return bands > 0 ? (unsigned)bands : 1;
}

void report_drawing(struct report *report)
{
    struct drawing drawing = {.report = report, .lanes = report->numbers.lanes};
    char text[REPORT_TEXT_SIZE];

    if (drawing.lanes == 0) {
        (void)fputs("<p class=\"quiet\">There is no call to draw.</p>\n", report->out);
        return;
    }
    drawing.lanes = drawing.lanes < REPORT_LANES_MAX ? drawing.lanes : REPORT_LANES_MAX;
    drawing.bands = bands_of(report, drawing.lanes);
    drawing.band_us = report->numbers.duration_us / drawing.bands + 1;
    drawing.column = malloc((size_t)drawing.lanes * (REPORT_LOOKS + MARKS) * COLUMNS);
    if (drawing.column == NULL) {
        report->no_memory = true;
        return;
    }
    for (unsigned band = 0; band < drawing.bands; band++)
        draw_band(&drawing, band);
    if (drawing.lanes < report->numbers.lanes) {
        (void)fprintf(report->out, "<p class=\"quiet\">Drawn are the first %d of %s lanes.</p>\n", REPORT_LANES_MAX,
                      report_count(report->numbers.lanes, text));
    }
    free(drawing.column);
}
