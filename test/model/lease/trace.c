/* SPDX-License-Identifier: Apache-2.0 */
/* A schedule as text: who does what at which true time, and what each handle then believes. */
#include "choice.h"

#include <stdlib.h>
#include <string.h>

static const char *const statuses[] = {"-",       "acquiring", "busy",      "stopped",  "HELD",
                                       "AT RISK", "lost",      "releasing", "released", "failed"};
static const char *const requests[] = {"?", "TAKE", "EXTEND", "DROP", "READ", "EPOCH", "TOKEN"};
static const char *const outcomes[] = {"?", "OK", "conflict", "blind conflict", "throttled", "ambiguous", "refused"};

/* ------------------------------------------------------------------------------------------------ words */

/* "A2" for the second of A's versions that are somewhere. */
static void print_version(const char *version, FILE *out)
{
    if (version[0] == 'F')
        fprintf(out, "%s", version);
    else
        fprintf(out, "%c%s", version[0] - 'a' + 'A', version + LEASE_NONCE_SIZE);
}

static void print_item(const struct lease_item *item, FILE *out)
{
    if (!item->found) {
        fprintf(out, "none");
        return;
    }
    if (item->held)
        print_version(item->version, out);
    else
        fprintf(out, "free");
    if (item->held)
        fprintf(out, " until %llu", (unsigned long long)item->expiry_s);
    if (item->token)
        fprintf(out, " token %llu/%llu", (unsigned long long)(item->token >> 32),
                (unsigned long long)(item->token & UINT32_MAX));
}

static void print_request(const struct flight *flight, FILE *out)
{
    fprintf(out, "%c's %s", 'A' + flight->who, requests[flight->kind]);
    if (flight->served)
        return;
    if (flight->request.version[0]) {
        fprintf(out, " ");
        print_version(flight->request.version, out);
    }
    if (flight->request.on_version[0]) {
        fprintf(out, " on ");
        print_version(flight->request.on_version, out);
    }
}

static void print_handle_choice(enum choice_kind kind, unsigned h, FILE *out)
{
    static const char *const words[] = {
        [CHOICE_START] = "starts",    [CHOICE_TIMER] = "timer",        [CHOICE_RELEASE] = "is released",
        [CHOICE_STOP] = "is stopped", [CHOICE_DETACH] = "is detached", [CHOICE_CRASH] = "dies"};
    fprintf(out, "%c: %s", 'A' + h, words[kind]);
}

static void print_flight_choice(const struct world *world, uint32_t choice, FILE *out)
{
    const struct flight *flight = &world->flights[choice_arg(choice, 0)];
    print_request(flight, out);
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_SERVE: fprintf(out, ": served"); break;
    case CHOICE_DELIVER:
        fprintf(out, ": answered %s", outcomes[choice_arg(choice, 1) ? LEASE_CONFLICT_BLIND : flight->outcome]);
        break;
    case CHOICE_LOSE: fprintf(out, ": given up%s", flight->served ? "" : ", still on its way"); break;
    case CHOICE_LAND: fprintf(out, ": applied late"); break;
    case CHOICE_COPY: fprintf(out, ": on its way twice"); break;
    default: fprintf(out, ": answered %s", outcomes[choice_arg(choice, 1)]); break;
    }
}

static void print_time_choice(const struct world *world, uint32_t choice, FILE *out)
{
    static const char *const modes[] = {"", "MONOTONIC stands", "all clocks stand"};
    unsigned mode = choice_arg(choice, 1);
    fprintf(out, "%llu ms pass", (unsigned long long)time_step_ms(world, (enum budget)choice_arg(choice, 0)));
    if (mode != CLOCKS_RUN)
        fprintf(out, ", %c's %s", 'A' + choice_arg(choice, 2), modes[mode]);
}

static void print_choice(const struct world *world, uint32_t choice, FILE *out)
{
    static const char *const foreigners[] = {"takes", "extends", "drops"};
    enum choice_kind kind = (enum choice_kind)choice_kind_of(choice);
    if (kind <= CHOICE_CRASH)
        print_handle_choice(kind, choice_arg(choice, 0), out);
    else if (kind <= CHOICE_REJECT)
        print_flight_choice(world, choice, out);
    else if (kind == CHOICE_TIME)
        print_time_choice(world, choice, out);
    else if (kind == CHOICE_SET)
        fprintf(out, "%c's REALTIME is set %s", 'A' + choice_arg(choice, 0),
                choice_arg(choice, 1) ? "back" : "forward");
    else if (kind == CHOICE_FOREIGN)
        fprintf(out, "the foreign one %s", foreigners[choice_arg(choice, 0)]);
    else
        fprintf(out, kind == CHOICE_TTL ? "the item's TTL is over: deleted" : "somebody deletes the item");
}

/* ------------------------------------------------------------------------------------------------ what came of it */

static unsigned status_of(const struct world *world, unsigned h)
{
    struct clock_reading now = world_clock(world, h);
    return world->handles[h].is_dead ? 0 : lease_status(&world->handles[h].lease, &now);
}

void trace_step(const struct world *before, const struct world *after, size_t number, uint32_t choice, FILE *out)
{
    fprintf(out, "%3zu  %6.3f s  ", number, (double)(LEASE_START_MS + before->now_ms) / 1000);
    print_choice(before, choice, out);
    for (unsigned h = 0; h < config->handles; h++)
        if (status_of(before, h) != status_of(after, h))
            fprintf(out, "  [%c: %s]", 'A' + h, statuses[status_of(after, h)]);
    if (memcmp(&before->item, &after->item, sizeof(after->item)) != 0) {
        fprintf(out, "  => ");
        print_item(&after->item, out);
    }
    fprintf(out, "\n");
}
