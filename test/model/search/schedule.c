/* SPDX-License-Identifier: Apache-2.0 */
#include "schedule.h"

#include <stdlib.h>
#include <string.h>

static bool is_possible(const struct world *world, uint32_t choice)
{
    struct choices choices;
    choices_of(world, &choices);
    for (size_t i = 0; i < choices.count; i++)
        if (choices.list[i] == choice)
            return true;
    return false;
}

bool schedule_play(const struct config *of, const struct schedule *schedule, FILE *out)
{
    struct world world;
    config = of;
    memset(&finding, 0, sizeof(finding));
    world_init(&world);
    world_canonical(&world);
    for (size_t i = 0; i < schedule->count && !finding.name; i++) {
        struct world before = world;
        if (!is_possible(&world, schedule->choices[i]))
            return false;
        choice_apply(&world, schedule->choices[i]);
        if (out)
            trace_step(&before, &world, i + 1, schedule->choices[i], out);
    }
    if (out && finding.name)
        fprintf(out, "     VIOLATION %s: %s\n", finding.name, finding.text);
    return true;
}

void schedule_print(const struct schedule *schedule, FILE *out)
{
    for (size_t i = 0; i < schedule->count; i++)
        fprintf(out, "%s%x", i ? "." : "", (unsigned)schedule->choices[i]);
}

bool schedule_read(const char *text, struct schedule *ret)
{
    ret->count = 0;
    while (*text && ret->count < SCHEDULE_MAX) {
        char *end;
        unsigned long choice = strtoul(text, &end, 16);
        if (end == text || choice > UINT32_MAX || (*end && *end != '.'))
            return false;
        ret->choices[ret->count++] = (uint32_t)choice;
        text = *end ? end + 1 : end;
    }
    return *text == '\0' && ret->count > 0;
}
