/* SPDX-License-Identifier: Apache-2.0 */
#include "support/guard_trace_text.h"

#include "support/guard_trace.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const state_names[] = {
    [GUARD_NEW] = "NEW",
    [GUARD_CHECKING] = "CHECKING",
    [GUARD_SIGNING] = "SIGNING",
    [GUARD_ACQUIRING] = "ACQUIRING",
    [GUARD_ACQUIRE_READING] = "ACQUIRE_READING",
    [GUARD_RECHECKING] = "RECHECKING",
    [GUARD_SENDING] = "SENDING",
    [GUARD_SEND_WAITING] = "SEND_WAITING",
    [GUARD_SIGNING_AGAIN] = "SIGNING_AGAIN",
    [GUARD_CONTEND_WAITING] = "CONTEND_WAITING",
    [GUARD_CONTEND_READING] = "CONTEND_READING",
    [GUARD_CONTEND_FIRST] = "CONTEND_FIRST",
    [GUARD_CONTEND_CHECKING] = "CONTEND_CHECKING",
    [GUARD_CONTEND_ABORTING] = "CONTEND_ABORTING",
    [GUARD_RESOLVE_HEAD] = "RESOLVE_HEAD",
    [GUARD_RESOLVE_OWN] = "RESOLVE_OWN",
    [GUARD_RESOLVE_OTHERS] = "RESOLVE_OTHERS",
    [GUARD_RESOLVE_PARTS] = "RESOLVE_PARTS",
    [GUARD_RESOLVE_AGAIN] = "RESOLVE_AGAIN",
    [GUARD_RESOLVE_VERSIONS] = "RESOLVE_VERSIONS",
    [GUARD_RESOLVE_WAITING] = "RESOLVE_WAITING",
    [GUARD_ORPHANED] = "ORPHANED",
    [GUARD_CLEARING] = "CLEARING",
    [GUARD_FINISHED] = "FINISHED",
};

static const char *const reason_names[] = {
    [GUARD_REASON_NONE] = "NONE",
    [GUARD_REASON_WRITTEN] = "WRITTEN",
    [GUARD_REASON_PROVEN] = "PROVEN",
    [GUARD_REASON_EXPECTATION] = "EXPECTATION",
    [GUARD_REASON_OVERTAKEN] = "OVERTAKEN",
    [GUARD_REASON_RECORD_GONE] = "RECORD_GONE",
    [GUARD_REASON_TOO_LATE] = "TOO_LATE",
    [GUARD_REASON_EXPIRED] = "EXPIRED",
    [GUARD_REASON_UPLOAD_AGAIN] = "STAGE_AGAIN",
    [GUARD_REASON_NOT_SENT] = "NOT_SENT",
    [GUARD_REASON_SKEWED] = "SKEWED",
    [GUARD_REASON_MISTAKEN] = "MISTAKEN",
    [GUARD_REASON_UNMET] = "UNMET",
    [GUARD_REASON_REFUSED] = "REFUSED",
    [GUARD_REASON_HEAD_REFUSED] = "HEAD_REFUSED",
    [GUARD_REASON_SOURCE] = "SOURCE",
    [GUARD_REASON_SOURCE_TOO_LARGE] = "SOURCE_TOO_LARGE",
    [GUARD_REASON_SIGN_FAILED] = "SIGN_FAILED",
    [GUARD_REASON_SAME_ETAG] = "SAME_ETAG",
    [GUARD_REASON_LEDGER_REFUSED] = "LEDGER_REFUSED",
    [GUARD_REASON_UNREADABLE_RECORD] = "UNREADABLE_RECORD",
    [GUARD_REASON_ABORT_REFUSED] = "ABORT_REFUSED",
    [GUARD_REASON_STOPPED] = "STOPPED",
    [GUARD_REASON_BUSY] = "BUSY",
    [GUARD_REASON_NO_EVIDENCE] = "NO_EVIDENCE",
    [GUARD_REASON_FALSE_TICKET] = "FALSE_TICKET",
};

static const char *const verdict_names[] = {
    [VERDICT_NONE] = "NONE",         [VERDICT_COMMITTED] = "COMMITTED",
    [VERDICT_CONFLICT] = "CONFLICT", [VERDICT_NOT_EXECUTED] = "NOT_EXECUTED",
    [VERDICT_UNKNOWN] = "UNKNOWN",
};

void trace_text_add(struct trace_text *text, const char *format, ...)
{
    va_list args;
    size_t len = strlen(text->text);
    va_start(args, format);
    int more = vsnprintf(text->text + len, sizeof(text->text) - len, format, args);
    va_end(args);
    assert_true(more >= 0 && (size_t)more < sizeof(text->text) - len);
}

static const char *nonce_name(const char *nonce)
{
    if (nonce[0] == '\0')
        return "-";
    if (strcmp(nonce, GUARD_TRACE_NONCE) == 0)
        return "us";
    return strcmp(nonce, GUARD_TRACE_WHOLE) == 0 ? "whole" : nonce;
}

static void add_nonce(struct trace_text *text, const char *nonce)
{
    if (strcmp(nonce, GUARD_TRACE_NONCE) != 0)
        trace_text_add(text, " n=%s", nonce_name(nonce));
}

static void add_record(struct trace_text *text, const struct record *record)
{
    trace_text_add(text, " g=%" PRIu64 " t=%" PRIu64 " ttl=%" PRIu64, record->generation, record->timeout_ms,
                   record->ttl_s);
    add_nonce(text, record->nonce);
    if (record->has_fence)
        trace_text_add(text, " fence=%" PRIu64, record->fence_s);
    if (record->saw[0])
        trace_text_add(text, " saw=%s", nonce_name(record->saw));
    if (record->upload)
        trace_text_add(text, " u=%" PRIu64, record->upload);
}

static void add_condition(struct trace_text *text, const struct record_condition *condition)
{
    if (condition->kind == RECORD_IF_ABSENT) {
        trace_text_add(text, " if absent");
        return;
    }
    trace_text_add(text, condition->kind == RECORD_IF_SAME ? " if same g=%" PRIu64 : " if g=%" PRIu64,
                   condition->seen.generation);
    if (condition->kind == RECORD_IF_SEEN)
        trace_text_add(text, " ttl=%" PRIu64, condition->seen.ttl_s);
    add_nonce(text, condition->seen.nonce);
}

static const char *separator(const struct trace_text *text)
{
    size_t len = strlen(text->text);
    return len >= 2 && strcmp(text->text + len - 2, "->") == 0 ? " " : ", ";
}

static void add_simple(struct trace_text *text, unsigned what, unsigned flag, const char *name)
{
    if (what & flag)
        trace_text_add(text, "%s%s", separator(text), name);
}

static const char *bare(const char *etag)
{
    static char copy[VERSION_ETAG_SIZE];
    size_t len = strlen(etag);
    if (len < 2 || etag[0] != '"')
        return etag;
    memset(copy, 0, sizeof(copy));
    memcpy(copy, etag + 1, len - 2);
    return copy;
}

static void add_verdict(struct trace_text *text, const struct guard *g)
{
    enum verdict verdict = guard_verdict(g);
    trace_text_add(text, "%s%s %s %s", separator(text), verdict_names[verdict], reason_names[g->outcome.reason],
                   guard_rule_name(g));
    if (guard_try_again(g))
        trace_text_add(text, " again");
    if (guard_expired(g))
        trace_text_add(text, " longer");
    if (verdict == VERDICT_COMMITTED || verdict == VERDICT_CONFLICT)
        trace_text_add(text, " %s", g->outcome.found.exists ? bare(g->outcome.found.etag) : "none");
}

static void add_send(struct trace_text *text, const struct guard_actions *todo)
{
    trace_text_add(text, "%sSEND %" PRIu64, separator(text), todo->send_deadline_ms);
    if (!todo->send_at_once)
        trace_text_add(text, " tail=%" PRIu64, todo->send_tail_ms);
}

static void add_timer(struct trace_text *text, const struct guard *g, const struct guard_actions *todo)
{
    bool soon = todo->timer_ms < g->backoff.step_ms / 2; /* R13.19: a quarter */
    uint32_t step_ms = soon ? g->backoff.step_ms / 4 : g->backoff.step_ms;
    assert_in_range(todo->timer_ms, step_ms / 2, soon ? step_ms : UINT64_MAX);
    uint64_t shown_ms = todo->timer_ms > step_ms ? todo->timer_ms : step_ms;
    trace_text_add(text, "%sWAIT %" PRIu64, separator(text), shown_ms);
}

/* Every attempt begins with the shortest. */
static void add_look(struct trace_text *text, const struct guard_actions *todo)
{
    if (!(todo->what & GUARD_DO_SEND))
        trace_text_add(text, "%sLOOK %" PRIu64, separator(text), todo->timer_ms);
    else
        assert_int_equal(todo->timer_ms, GUARD_LOOK_MS);
}

static void add_releases(struct trace_text *text, const struct guard_actions *todo)
{
    unsigned what = todo->what;
    if (what & GUARD_DO_RELEASE_CREATION) {
        trace_text_add(text, "%sRELEASE *", separator(text));
        add_record(text, &todo->creation);
        add_condition(text, &todo->creation_condition);
    }
    if (what & GUARD_DO_RELEASE) {
        trace_text_add(text, "%sRELEASE", separator(text));
        add_record(text, &todo->release);
        add_condition(text, &todo->release_condition);
    }
}

static void add_waiting(struct trace_text *text, const struct guard *g, const struct guard_actions *todo)
{
    if (todo->has_timer && g->state == GUARD_SENDING)
        add_look(text, todo);
    else if (todo->has_timer && g->state == GUARD_CONTEND_WAITING && g->holder.just_met)
        trace_text_add(text, "%sSOON %" PRIu64, separator(text), todo->timer_ms);
    else if (todo->has_timer)
        add_timer(text, g, todo);
}

void trace_text_step(struct trace_text *text, const struct guard *g, const struct guard_actions *todo)
{
    unsigned what = todo->what;
    if (todo->drop & GUARD_DO_HEAD)
        trace_text_add(text, "%sDROP", separator(text));
    if (todo->drop & GUARD_DO_RECORD_GET)
        trace_text_add(text, "%sDROP GET", separator(text));
    if (what & GUARD_DO_SIGN)
        trace_text_add(text, "%sSIGN %" PRIu64 "/%" PRIu32 "%s", separator(text), todo->sign_date_s,
                       todo->sign_length_s, todo->sign_renewed ? " renewed" : "");
    if (todo->sign_replaced[0])
        trace_text_add(text, " replaced=%s", nonce_name(todo->sign_replaced));
    if (what & GUARD_DO_RECORD_PUT) {
        trace_text_add(text, "%sPUT", separator(text));
        add_record(text, &todo->record);
        add_condition(text, &todo->condition);
    }
    add_simple(text, what, GUARD_DO_HEAD, "HEAD");
    add_simple(text, what, GUARD_DO_SOURCE, "SOURCE");
    add_simple(text, what, GUARD_DO_RECORD_GET, todo->get_our_etag ? "GET ours" : "GET");
    add_simple(text, what, GUARD_DO_RECORD_QUERY, "QUERY");
    if (what & GUARD_DO_SEND)
        add_send(text, todo);
    add_simple(text, what, GUARD_DO_PARTS, "PARTS");
    add_simple(text, what, GUARD_DO_ABORT, "ABORT");
    add_simple(text, what, GUARD_DO_VERSIONS, "VERSIONS");
    if (what & (GUARD_DO_PARTS | GUARD_DO_ABORT))
        trace_text_add(text, " u=%" PRIu64, todo->upload);
    add_simple(text, what, GUARD_DO_REPORT_LEASE, "REPORT");
    if (what & GUARD_DO_VERDICT)
        add_verdict(text, g);
    add_releases(text, todo);
    add_waiting(text, g, todo);
    trace_text_add(text, " [%s]", state_names[g->state]);
}

void trace_text_ticket(struct trace_text *text, const struct guard_ticket *ticket)
{
    trace_text_add(text, " %s%s %s d0=%" PRIu64, ticket->native ? "native" : "ticket",
                   ticket->forward_only ? " forward" : "", bare(ticket->expected_etag), ticket->d0_s);
    add_record(text, &ticket->record);
    if (ticket->our_etag[0])
        trace_text_add(text, " ours=%s", bare(ticket->our_etag));
    trace_text_add(text, " base=%s", ticket->base.exists ? bare(ticket->base.etag) : "none");
    if (ticket->versioned)
        trace_text_add(text, " versioned");
    if (ticket->not_applied)
        trace_text_add(text, " not-applied");
}
