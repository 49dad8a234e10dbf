/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of a condition: for each request, where it holds and where it does not. Each case is asked of several
 * keys at once, and what stands there afterwards is read: a status alone proves nothing. */
#include "probe/probe.h"

#include <string.h>

enum situation { MET, UNMET, MISSING };

struct question {
    enum profile_request kind;
    bool create;                     /* if absent; else if it is this version */
    enum s3_vendor_condition vendor; /* with create: by this header instead */
    bool of_source;                  /* of a COPY: the version of its source */
};

struct answers {
    struct evidence_tally met, unmet, missing;
};

/* Several of one case, under way together. */
struct trial {
    struct probe_write writes[EVIDENCE_WANTED];
    struct probe_object before[EVIDENCE_WANTED];
    char expected[EVIDENCE_WANTED][128];
    bool has_before;
};

/* Puts what the case needs under each key, and finds the ETag to expect. */
static bool probe_condition_set_up(struct probe *probe, const struct question *question, enum situation situation,
                                   struct trial *trial)
{
    trial->has_before = question->create ? situation == UNMET : situation != MISSING;
    for (size_t i = 0; i < EVIDENCE_WANTED; i++) {
        probe_new_key(probe, trial->writes[i].key);
        memcpy(trial->before[i].key, trial->writes[i].key, sizeof(trial->before[i].key));
        probe_new_body(probe, trial->before[i].body);
        if (!question->create && situation == MISSING) /* a true ETag, of another object */
            probe_new_key(probe, trial->before[i].key);
    }
    if (question->create && !trial->has_before)
        return probe->code == OS_OK;
    if (!probe_put(probe, trial->before, EVIDENCE_WANTED))
        return false;
    for (size_t i = 0; i < EVIDENCE_WANTED; i++) {
        memcpy(trial->expected[i], trial->before[i].etag, sizeof(trial->expected[i]));
        if (!question->create && situation == UNMET)
            probe_new_body(probe, trial->before[i].body);
    }
    bool stale = !question->create && situation == UNMET;
    return !stale || probe_put(probe, trial->before, EVIDENCE_WANTED);
}

static void put_condition(const struct question *question, enum situation situation, struct trial *trial)
{
    for (size_t i = 0; i < EVIDENCE_WANTED; i++) {
        struct store_request *request = &trial->writes[i].ask.request;
        const struct probe_object *other = &trial->writes[(i + 1) % EVIDENCE_WANTED].source;
        if (question->of_source)
            request->source_etag = situation == MET ? trial->writes[i].source.etag : other->etag;
        else
            probe_condition(&trial->writes[i], question->vendor, question->create ? NULL : trial->expected[i]);
    }
}

static void probe_condition_ask_case(struct probe *probe, const struct question *question, enum situation situation,
                                     struct evidence_tally *tally)
{
    while (probe->code == OS_OK && !evidence_settled(tally)) {
        struct trial trial;
        memset(&trial, 0, sizeof(trial));
        if (question->of_source)
            for (size_t i = 0; i < EVIDENCE_WANTED; i++)
                probe_new_key(probe, trial.writes[i].key);
        else if (!probe_condition_set_up(probe, question, situation, &trial))
            return;
        if (!probe_writes_prepare(probe, trial.writes, EVIDENCE_WANTED, question->kind))
            return;
        put_condition(question, situation, &trial);
        if (!probe_writes_judge(probe, trial.writes, EVIDENCE_WANTED, trial.has_before ? trial.before : NULL, tally))
            return;
    }
}

static enum profile_condition probe_condition_ask(struct probe *probe, const struct question *question,
                                                  struct answers *ret)
{
    bool has_missing = !question->create && !question->of_source;
    memset(ret, 0, sizeof(*ret));
    probe_condition_ask_case(probe, question, MET, &ret->met);
    probe_condition_ask_case(probe, question, UNMET, &ret->unmet);
    if (has_missing)
        probe_condition_ask_case(probe, question, MISSING, &ret->missing);
    bool missing_counts = has_missing && question->kind != PROFILE_DELETE;
    return evidence_condition(&ret->met, &ret->unmet, missing_counts ? &ret->missing : NULL);
}

static void ask_rule(struct probe *probe, enum profile_request kind)
{
    struct profile_rule *rule = &probe->profile->rules[kind];
    struct answers absent, match;
    memset(&absent, 0, sizeof(absent));
    if (kind != PROFILE_DELETE)
        rule->absent = probe_condition_ask(probe, &(struct question){.kind = kind, .create = true}, &absent);
    rule->match = probe_condition_ask(probe, &(struct question){.kind = kind}, &match);
    rule->status_unmet = evidence_status(&absent.unmet);
    if (rule->status_unmet == 0)
        rule->status_unmet = evidence_status(&match.unmet);
    bool answered_alike = evidence_of(&match.missing) == EVIDENCE_WRITTEN && match.missing.status_success > 0;
    rule->status_missing = answered_alike ? match.missing.status_success : evidence_status(&match.missing);
}

static void ask_vendors(struct probe *probe)
{
    struct answers answers;
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++) {
        struct profile_vendor *ret = &probe->profile->vendors[vendor];
        struct question question = {.create = true, .vendor = (enum s3_vendor_condition)vendor};
        question.kind = PROFILE_PUT;
        if (vendor != S3_VENDOR_CLOUDFLARE) /* its header is of a copy's destination */
            ret->put = probe_condition_ask(probe, &question, &answers);
        question.kind = PROFILE_COPY;
        ret->copy = probe_condition_ask(probe, &question, &answers);
    }
}

void probe_ask_conditions(struct probe *probe)
{
    struct answers answers;
    ask_rule(probe, PROFILE_PUT);
    ask_rule(probe, PROFILE_COPY);
    if (probe->profile->uploads == PROFILE_YES)
        ask_rule(probe, PROFILE_COMPLETE);
    ask_rule(probe, PROFILE_DELETE);
    if (probe->profile->rename_object == PROFILE_YES)
        ask_rule(probe, PROFILE_RENAME);
    probe->profile->copy_source_match =
        probe_condition_ask(probe, &(struct question){.kind = PROFILE_COPY, .of_source = true}, &answers);
    ask_vendors(probe);
}
