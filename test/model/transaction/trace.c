/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule as text: who does what when, what a call then says, and what the rows are. */
#include "choice.h"

#include <string.h>

static const char *const requests[] = {"?", "write", "transaction", "look", "fence"};
static const char *const outcomes[] = {"?", "OK", "failed", "throttled", "ambiguous", "refused"};
static const char *const verdicts[] = {"-", "COMMITTED", "CONFLICT", "EXISTS", "NOT EXECUTED", "UNKNOWN"};

/* ------------------------------------------------------------------------------------------------ words */

static void print_token(uint8_t token, FILE *out)
{
    if (token == 0)
        fprintf(out, "-");
    else if (token & TOKEN_FIRST)
        fprintf(out, "R");
    else if (token & TOKEN_FENCE)
        fprintf(out, "fence%u", token & ~(unsigned)TOKEN_FENCE);
    else
        fprintf(out, "%u", token);
}

static void print_row(const struct row *row, unsigned r, FILE *out)
{
    fprintf(out, "  row %u: ", r);
    if (!row->there) {
        fprintf(out, "none");
        return;
    }
    print_token(row->token, out);
    fprintf(out, " after ");
    print_token(row->before, out);
    if (row->value)
        fprintf(out, ", other field");
}

static void print_call_choice(const struct world *after, uint32_t choice, FILE *out)
{
    static const char *const words[] = {
        [CHOICE_TIMER] = "timer", [CHOICE_STOP] = "the deadline has come", [CHOICE_RESOLVE] = "its ticket is resolved"};
    unsigned c = choice_arg(choice, 0);
    if (choice_kind_of(choice) == CHOICE_START)
        fprintf(out, "%c: reads, and begins attempt %u", 'A' + c, after->calls[c].attempt);
    else
        fprintf(out, "%c: %s", 'A' + c, words[choice_kind_of(choice)]);
}

static void print_flight_choice(const struct world *world, uint32_t choice, FILE *out)
{
    const struct flight *flight = &world->flights[choice_arg(choice, 0)];
    unsigned b = choice_arg(choice, 1);
    fprintf(out, "%c's %s of attempt %u: ", 'A' + flight->call, requests[flight->kind], flight->attempt);
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_SERVE:
        fprintf(out, "served%s%s", flight->awaited ? "" : " late", b ? ", the token is forgotten" : "");
        break;
    case CHOICE_DELIVER: fprintf(out, "answered %s%s", outcomes[flight->outcome], b ? " without items" : ""); break;
    case CHOICE_LOSE: fprintf(out, "the answer is lost%s", flight->served ? "" : ", it is still on its way"); break;
    default: fprintf(out, "answered %s", outcomes[b]); break;
    }
}

static void print_choice(const struct world *before, const struct world *after, uint32_t choice, FILE *out)
{
    static const char *const foreigners[] = {"changes a field of", "writes whole", "deletes", "creates"};
    static const char *const modes[] = {"", ", MONOTONIC stands", ", all clocks stand"};
    enum choice_kind kind = (enum choice_kind)choice_kind_of(choice);
    if (kind <= CHOICE_RESOLVE)
        print_call_choice(after, choice, out);
    else if (kind <= CHOICE_REJECT)
        print_flight_choice(before, choice, out);
    else if (kind == CHOICE_FOREIGN)
        fprintf(out, "the foreign one %s row %u", foreigners[choice_arg(choice, 1)], choice_arg(choice, 0));
    else
        fprintf(out, "time passes%s", modes[choice_arg(choice, 0)]);
}

/* ------------------------------------------------------------------------------------------------ what came of it */

void trace_step(const struct world *before, const struct world *after, size_t number, uint32_t choice, FILE *out)
{
    fprintf(out, "%3zu  %5.0f s  ", number, (double)(before->tick * config->tick_ms) / 1000);
    print_choice(before, after, choice, out);
    for (unsigned a = 1; a <= ATTEMPTS; a++)
        if (before->attempts[a].verdict != after->attempts[a].verdict)
            fprintf(out, "  [%u: %s]", a, verdicts[after->attempts[a].verdict]);
    for (unsigned r = 0; r < ROWS; r++)
        if (memcmp(&before->rows[r], &after->rows[r], sizeof(after->rows[r])) != 0)
            print_row(&after->rows[r], r, out);
    fprintf(out, "\n");
}
