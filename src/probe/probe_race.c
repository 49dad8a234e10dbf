/* SPDX-License-Identifier: Apache-2.0 */
/* Is a condition that is enforced also atomic? Writers go for one key under one expectation, all at once; one may win,
 * and its work must stand. */
#include "probe/probe.h"

#include <stdlib.h>
#include <string.h>

struct race {
    struct probe *probe;
    enum profile_request kind;
    enum profile_request against; /* every second writer; else as `kind` */
    bool create;
    enum s3_vendor_condition vendor;
    struct probe_write *writes; /* options.writers */
    struct probe_object before;
    struct evidence_races result;
};

static bool probe_race_is_refusal(const struct probe_answer *answer)
{
    return answer->complete && (answer->status == 412 || answer->status == 409 || answer->status == 404);
}

/* Connections are opened beforehand, so that the writes leave together. */
static void warm_up(struct race *race)
{
    size_t count = race->probe->options.writers;
    struct probe_ask *asks = calloc(count, sizeof(*asks));
    for (size_t i = 0; asks && i < count; i++)
        asks[i].request = (struct store_request){.verb = STORE_HEAD, .key = race->writes[i].key};
    if (asks)
        probe_run(race->probe, asks, count);
    free(asks);
}

static bool probe_race_set_up(struct race *race, bool first)
{
    struct probe *probe = race->probe;
    uint32_t count = probe->options.writers;
    memset(&race->before, 0, sizeof(race->before));
    probe_new_key(probe, race->before.key);
    probe_new_body(probe, race->before.body);
    if (!race->create && !probe_put(probe, &race->before, 1))
        return false;
    for (uint32_t i = 0; i < count; i++)
        memcpy(race->writes[i].key, race->before.key, sizeof(race->before.key));
    bool again = !first && race->kind == PROFILE_COPY; /* its sources serve every round */
    if (!again && !probe_writes_prepare(probe, race->writes, count, race->kind))
        return false;
    for (uint32_t i = 0; race->against != race->kind && i < count; i += 2)
        if (!probe_writes_prepare(probe, &race->writes[i], 1, race->against))
            return false;
    for (uint32_t i = 0; i < count; i++)
        probe_condition(&race->writes[i], race->vendor, race->create ? NULL : race->before.etag);
    if (first)
        warm_up(race);
    return probe->code == OS_OK;
}

/* A late answer of 409 whose write stands there would be the worst of all: it is looked for by its body. */
static void probe_race_classify(struct race *race, const struct probe_read *read)
{
    struct probe *probe = race->probe;
    struct evidence_round round = {.writers = probe->options.writers, .stands_known = read->known};
    for (uint32_t i = 0; i < round.writers; i++) {
        struct probe_write *write = &race->writes[i];
        const struct probe_answer *answer = &write->ask.answer;
        const struct probe_object *before = race->create ? NULL : &race->before;
        struct evidence_write evidence = probe_evidence(write, read, before);
        bool stands = evidence.stands == EVIDENCE_STANDS_OURS;
        round.refused += probe_race_is_refusal(answer) ? 1 : 0;
        if (evidence.succeeded) {
            round.won++;
            round.stands_winners = stands;
            if (write->kind == PROFILE_COMPLETE)
                probe_upload_done(probe, write->upload.text);
        }
        if (answer->complete && answer->status == 409) {
            memcpy(probe->code_409[write->kind], answer->service_code, sizeof(probe->code_409[0]));
            probe->applied_409 |= stands;
        }
    }
    evidence_add_round(&race->result, &round);
}

static bool run_round(struct race *race, bool first)
{
    struct probe *probe = race->probe;
    size_t count = probe->options.writers;
    if (!probe_race_set_up(race, first))
        return false;
    struct probe_ask *asks = calloc(count, sizeof(*asks));
    if (asks == NULL) {
        probe_fail(probe, OS_ERR_NO_MEMORY, "There is not enough memory to go on; free some and call again.");
        return false;
    }
    for (size_t i = 0; i < count; i++)
        asks[i] = race->writes[i].ask;
    bool ok = probe_run(probe, asks, count);
    for (size_t i = 0; ok && i < count; i++)
        race->writes[i].ask.answer = asks[i].answer;
    free(asks);
    struct probe_read read = {.key = race->before.key};
    if (!ok || !probe_read(probe, &read, 1))
        return false;
    probe_race_classify(race, &read);
    return true;
}

/* Rounds that say nothing are raced again, as many as were wanted; one that is broken says it all. */
static bool probe_race_run(struct race *race, uint32_t *ret_rounds)
{
    uint32_t wanted = race->probe->options.rounds;
    race->writes = calloc(race->probe->options.writers, sizeof(*race->writes));
    bool ok = race->writes != NULL;
    for (uint32_t i = 0; ok && i < 2 * wanted && race->result.one < wanted && race->result.broken == 0; i++)
        ok = run_round(race, i == 0);
    free(race->writes);
    *ret_rounds = race->result.one + race->result.broken;
    return evidence_atomic(&race->result, wanted);
}

static void race_rule(struct probe *probe, enum profile_request kind)
{
    struct profile_rule *rule = &probe->profile->rules[kind];
    enum profile_request against = kind == PROFILE_DELETE ? PROFILE_PUT : kind;
    if (rule->absent == PROFILE_ENFORCED) {
        struct race race = {.probe = probe, .kind = kind, .against = kind, .create = true};
        rule->absent_atomic = probe_race_run(&race, &rule->absent_rounds);
    }
    if (rule->match == PROFILE_ENFORCED && probe->profile->rules[against].match == PROFILE_ENFORCED) {
        struct race race = {.probe = probe, .kind = kind, .against = against};
        rule->match_atomic = probe_race_run(&race, &rule->match_rounds);
    }
    /* A DELETE that succeeds where nothing is left would be a commit that somebody else made. */
    if (kind == PROFILE_DELETE && rule->status_missing < 400)
        rule->match_atomic = false;
}

static void race_vendors(struct probe *probe)
{
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++) {
        struct profile_vendor *ret = &probe->profile->vendors[vendor];
        struct race race = {.probe = probe, .create = true, .vendor = (enum s3_vendor_condition)vendor};
        race.kind = race.against = PROFILE_PUT;
        if (ret->put == PROFILE_ENFORCED)
            ret->put_atomic = probe_race_run(&race, &ret->put_rounds);
        race.kind = race.against = PROFILE_COPY;
        memset(&race.result, 0, sizeof(race.result));
        if (ret->copy == PROFILE_ENFORCED)
            ret->copy_atomic = probe_race_run(&race, &ret->copy_rounds);
    }
}

void probe_ask_races(struct probe *probe)
{
    race_rule(probe, PROFILE_PUT);
    race_rule(probe, PROFILE_COPY);
    race_rule(probe, PROFILE_COMPLETE);
    race_rule(probe, PROFILE_DELETE);
    race_rule(probe, PROFILE_RENAME);
    race_vendors(probe);
    for (int kind = 0; kind < PROFILE_REQUESTS; kind++)
        probe->profile->rules[kind].answer_409 = evidence_409(probe->code_409[kind], probe->applied_409);
}
