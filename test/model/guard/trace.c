/* SPDX-License-Identifier: Apache-2.0 */
#include "choice.h"
#include "forger.h"
#include "peer.h"

#include <stdlib.h>
#include <string.h>

/* ------------------------------------------------------------------------------------------------ words */

static const char *rule_of(const struct guard *guard)
{
    switch (guard->state) {
    case GUARD_NEW: return "-";
    case GUARD_CHECKING: return "R1 checking";
    case GUARD_SIGNING: return "R2 signing";
    case GUARD_ACQUIRING: return "R3 acquiring";
    case GUARD_ACQUIRE_READING: return "R4 reading";
    case GUARD_RECHECKING: return "R5 checking again";
    case GUARD_SENDING: return "R6 attempt sent";
    case GUARD_SEND_WAITING: return "R7 before the same copy again";
    case GUARD_SIGNING_AGAIN: return "E2 signing again";
    case GUARD_CONTEND_WAITING: return "R11 waiting";
    case GUARD_CONTEND_READING: return "R11 reading the record";
    case GUARD_CONTEND_FIRST: return "R1 checking, and a record is in the way";
    case GUARD_CONTEND_CHECKING: return "R11 checking";
    case GUARD_CONTEND_ABORTING: return "R14 aborting the holder's upload";
    case GUARD_RESOLVE_HEAD: return "R13 first HEAD";
    case GUARD_RESOLVE_OWN: return "R13 own record";
    case GUARD_RESOLVE_OTHERS: return "R13 other records";
    case GUARD_RESOLVE_PARTS: return "R14, N2 its parts";
    case GUARD_RESOLVE_AGAIN: return "R13 last HEAD, N1 to N3";
    case GUARD_RESOLVE_VERSIONS: return "R16 the versions";
    case GUARD_RESOLVE_WAITING: return "R13 before the next round";
    case GUARD_ORPHANED: return "R3 verdict given, a PutItem unanswered";
    case GUARD_CLEARING: return "T3 verdict given, reading the record of what was deleted";
    default: return "finished";
    }
}

static const char *verdict_name(unsigned verdict)
{
    static const char *const names[] = {"no verdict", "committed", "conflict", "not executed", "unknown"};
    return names[verdict];
}

static const char *request_name(const struct flight *flight)
{
    switch ((enum flight_kind)flight->kind) {
    case FLIGHT_HEAD: return "HEAD";
    case FLIGHT_SOURCE: return "HEAD of the source";
    case FLIGHT_GET: return "GetItem";
    case FLIGHT_QUERY: return "Query";
    case FLIGHT_PARTS: return "ListParts";
    case FLIGHT_ABORT: return "abort";
    case FLIGHT_VERSIONS: return "list of versions";
    case FLIGHT_PUT: return flight->is_release ? "release" : "PutItem";
    default: return "attempt";
    }
}

static const char *answer_name(unsigned attempt)
{
    static const char *const names[] = {"?",       "200",           "412",    "409",      "a refusal", "403",
                                        "expired", "token expired", "skewed", "not sent", "nothing"};
    return attempt < sizeof(names) / sizeof(names[0]) ? names[attempt] : "?";
}

static const char *ledger_name(unsigned outcome)
{
    static const char *const names[] = {"?",         "OK",        "condition failed", "condition failed, no item",
                                        "throttled", "no answer", "refused",          "unreadable"};
    return outcome < sizeof(names) / sizeof(names[0]) ? names[outcome] : "?";
}

static void print_record(const struct record *record, FILE *out)
{
    fprintf(out, "{g%llu t%llu", (unsigned long long)record->generation, (unsigned long long)record->timeout_ms);
    fprintf(out, " ttl%llu", (unsigned long long)record->ttl_s);
    if (record->has_fence)
        fprintf(out, " fence%llu", (unsigned long long)record->fence_s);
    fprintf(out, " nonce %.2s", record->nonce[0] ? record->nonce : "-");
    if (record->saw[0])
        fprintf(out, " saw %.2s", record->saw);
    if (record->upload)
        fprintf(out, " upload of %c", (char)('A' + record->upload - 1));
    fprintf(out, "}");
}

static void print_object(const struct object *object, FILE *out)
{
    struct object_version version;
    object_version_of(object, &version);
    if (!version.exists)
        fprintf(out, "absent");
    else
        fprintf(out, "%s of %.*s", version.etag, version.nonce[0] ? 2 : 10,
                version.nonce[0] ? version.nonce : "(no nonce)");
    if (version.replaced[0])
        fprintf(out, " in the place of %.2s", version.replaced);
}

/* ------------------------------------------------------------------------------------------------ choices */

static void print_answer(const struct flight *flight, FILE *out)
{
    switch ((enum flight_kind)flight->kind) {
    case FLIGHT_HEAD:
        fprintf(out, ": ");
        print_object(&flight->object, out);
        fprintf(out, ", Date %u", flight->date_s);
        return;
    case FLIGHT_PUT:
    case FLIGHT_GET:
        fprintf(out, ": %s", ledger_name(flight->outcome));
        if (flight->outcome == LEDGER_CONFLICT || flight->found) {
            fprintf(out, " ");
            print_record(&flight->record, out);
        } else if (flight->kind == FLIGHT_GET) {
            fprintf(out, ", no record");
        }
        return;
    case FLIGHT_QUERY: fprintf(out, ": saw us %d, locked %d", flight->saw_ours, flight->locked); return;
    case FLIGHT_SEND: fprintf(out, ": %s", answer_name(flight->outcome)); return;
    case FLIGHT_PARTS: fprintf(out, ": %s", flight->outcome == UPLOAD_OPEN ? "open" : "gone"); return;
    case FLIGHT_ABORT: fprintf(out, ": %s", flight->outcome == UPLOAD_ABORTED ? "accepted" : "gone"); return;
    case FLIGHT_VERSIONS:
        fprintf(out, ": %s",
                flight->outcome == VERSIONS_OURS     ? "ours"
                : flight->outcome == VERSIONS_OTHERS ? "none is ours"
                                                     : "proves nothing");
        return;
    default: return;
    }
}

static void print_flight_choice(const struct world *world, uint32_t choice, FILE *out)
{
    const struct flight *flight = &world->flights[choice_arg(choice, 0)];
    fprintf(out, "%c%d's %s", 'A' + flight->writer, flight->guard + 1, request_name(flight));
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_SERVE:
        fprintf(out, " is served%s", choice_arg(choice, 1) ? " by a front end that is ahead" : "");
        if (flight->kind == FLIGHT_PUT) {
            fprintf(out, " ");
            print_record(&flight->record, out);
        }
        return;
    case CHOICE_DELIVER:
        fprintf(out, " is answered");
        print_answer(flight, out);
        return;
    case CHOICE_LOSE: fprintf(out, ": no answer (%s)", flight->served ? "served" : "not served yet"); return;
    case CHOICE_LAND: fprintf(out, " is applied late, nobody waits for it"); return;
    case CHOICE_COPY: fprintf(out, " is on its way twice"); return;
    case CHOICE_ADMIT: fprintf(out, ": the store admits its headers"); return;
    case CHOICE_TAIL: fprintf(out, ": all but its tail has arrived, and there is time for that"); return;
    case CHOICE_ARRIVE: fprintf(out, ": the store has all of it"); return;
    case CHOICE_KEEP: fprintf(out, " is too slow: its tail never leaves, the connection is reset"); return;
    case CHOICE_BLIND: fprintf(out, " is answered: condition failed, no item"); return;
    case CHOICE_THROTTLE: fprintf(out, " is throttled"); return;
    case CHOICE_409_LATER: fprintf(out, " is answered 409, and may still be applied"); return;
    default: fprintf(out, " is answered %s, not applied", answer_name(choice_arg(choice, 1))); return;
    }
}

static void print_time_choice(uint32_t choice, FILE *out)
{
    static const char *const steps[] = {"a second", "a leap", "an eon"};
    char name = (char)('A' + choice_arg(choice, 2));
    fprintf(out, "%s passes", steps[choice_arg(choice, 0)]);
    if (choice_arg(choice, 1) == CLOCKS_SUSPENDED)
        fprintf(out, ", %c's MONOTONIC stands", name);
    else if (choice_arg(choice, 1) == CLOCKS_FROZEN)
        fprintf(out, ", all clocks of %c stand", name);
}

static void print_choice(const struct world *world, uint32_t choice, FILE *out)
{
    unsigned a = choice_arg(choice, 0);
    char name = (char)('A' + a);
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_START:
        fprintf(out, "%c%d %s", name, world->writers[a].number + 1,
                world->writers[a].resolving ? "is resolved from its ticket" : "starts");
        return;
    case CHOICE_TIMER: fprintf(out, "%c%d's timer", name, world->writers[a].number + 1); return;
    case CHOICE_STOP: fprintf(out, "%c's caller gives up", name); return;
    case CHOICE_CRASH: fprintf(out, "%c crashes", name); return;
    case CHOICE_TTL: fprintf(out, "TTL deletes the record %s", etag_text((uint8_t)a)); return;
    case CHOICE_GC: fprintf(out, "an outsider aborts %c's upload", name); return;
    case CHOICE_VERSIONING: fprintf(out, "versioning is turned on"); return;
    case CHOICE_FORGE:
        fprintf(out, "%c reads the record, and a ticket that %s is resolved", name, forger_lie(choice_arg(choice, 1)));
        return;
    case CHOICE_OUTSIDER:
        fprintf(out, "an outsider %s", a == 0 ? "puts \"d\"" : a == 1 ? "deletes" : "puts the first bytes back");
        return;
    case CHOICE_TIME: print_time_choice(choice, out); return;
    case CHOICE_SET: fprintf(out, "%c's REALTIME is set %s", name, choice_arg(choice, 1) ? "back" : "forward"); return;
    case CHOICE_PEER: fprintf(out, "peer %c, %s: next step", name, peer_state_name(&world->writers[a])); return;
    default: print_flight_choice(world, choice, out); return;
    }
}

/* ------------------------------------------------------------------------------------------------ what came of it */

static void print_writer(const struct world *before, const struct world *after, unsigned w, FILE *out)
{
    const struct writer *was = &before->writers[w];
    const struct writer *is = &after->writers[w];
    if (config->calls[w].kind == CALL_PEER) {
        if (was->state != is->state)
            fprintf(out, "  [%c: %s]", 'A' + w, peer_state_name(is));
        return;
    }
    if (was->guard.state != is->guard.state && is->state == WRITER_RUNNING)
        fprintf(out, "  [%c%d: %s]", 'A' + w, is->number + 1, rule_of(&is->guard));
    for (int i = 0; i < GUARDS; i++)
        if (was->verdict[i] != is->verdict[i])
            fprintf(out, "  [%c%d: %s]", 'A' + w, i + 1, verdict_name(is->verdict[i]));
}

void trace_step(const struct world *before, const struct world *after, size_t number, uint32_t choice, FILE *out)
{
    fprintf(out, "%3zu  %6.1f s  ", number, (double)before->s3_ms / 1000);
    print_choice(before, choice, out);
    for (unsigned w = 0; w < WRITERS; w++)
        print_writer(before, after, w, out);
    if (memcmp(&before->object, &after->object, sizeof(after->object)) != 0) {
        fprintf(out, "  => ");
        print_object(&after->object, out);
    }
    for (uint8_t i = 0; i < ETAG_COUNT; i++) {
        if (memcmp(&before->rows[i], &after->rows[i], sizeof(after->rows[i])) == 0)
            continue;
        fprintf(out, "  => (key, %s) = ", etag_text(i));
        if (after->rows[i].present)
            print_record(&after->rows[i].record, out);
        else
            fprintf(out, "gone");
    }
    fprintf(out, "\n");
}
