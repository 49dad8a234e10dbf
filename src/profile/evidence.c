/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/evidence.h"

#include <string.h>

/* A refusal that the store itself made. A gateway's 502, 503 and 504, a 429 and a store's own 500 are troubles of the
 * moment. 501 counts where it comes with the store's own error document: a proxy that does not know a method or a
 * header says 501 as well. 3xx lead elsewhere. */
static bool is_refusal(const struct evidence_write *write)
{
    if (write->status == 501)
        return write->explained;
    return write->status >= 400 && write->status < 500 && write->status != 408 && write->status != 429;
}

enum evidence_outcome evidence_outcome(const struct evidence_write *write)
{
    if (!write->complete || write->stands == EVIDENCE_STANDS_UNKNOWN || write->stands == EVIDENCE_STANDS_OTHER)
        return EVIDENCE_UNCLEAR;
    bool ours = write->stands == EVIDENCE_STANDS_OURS;
    if (write->succeeded)
        return ours ? EVIDENCE_WRITTEN : EVIDENCE_CONTRARY;
    if (!is_refusal(write))
        return EVIDENCE_UNCLEAR;
    return ours ? EVIDENCE_CONTRARY : EVIDENCE_HELD;
}

static void note_status(int *status, uint32_t seen_before, int now)
{
    *status = seen_before == 0 || *status == now ? now : -1;
}

void evidence_add(struct evidence_tally *tally, const struct evidence_write *write)
{
    tally->done += write->stands == EVIDENCE_STANDS_OURS;
    tally->undone += write->stands == EVIDENCE_STANDS_BEFORE;
    switch (evidence_outcome(write)) {
    case EVIDENCE_UNCLEAR: tally->unclear++; break;
    case EVIDENCE_CONTRARY: tally->contrary++; break;
    case EVIDENCE_WRITTEN: note_status(&tally->status_success, tally->written++, write->status); break;
    case EVIDENCE_HELD: note_status(&tally->status, tally->held++, write->status); break;
    }
}

bool evidence_settled(const struct evidence_tally *tally)
{
    uint32_t asked = tally->written + tally->held + tally->contrary + tally->unclear;
    bool disagree = (tally->written > 0 && tally->held > 0) || tally->contrary > 0;
    return disagree || tally->written + tally->held >= EVIDENCE_WANTED || asked >= EVIDENCE_MOST;
}

enum evidence_outcome evidence_of(const struct evidence_tally *tally)
{
    if (tally->contrary > 0)
        return EVIDENCE_UNCLEAR;
    if (tally->written >= EVIDENCE_WANTED && tally->held == 0)
        return EVIDENCE_WRITTEN;
    return tally->held >= EVIDENCE_WANTED && tally->written == 0 ? EVIDENCE_HELD : EVIDENCE_UNCLEAR;
}

int evidence_status(const struct evidence_tally *tally)
{
    return evidence_of(tally) == EVIDENCE_HELD && tally->status > 0 ? tally->status : 0;
}

enum profile_condition evidence_condition(const struct evidence_tally *met, const struct evidence_tally *unmet,
                                          const struct evidence_tally *missing)
{
    enum evidence_outcome met_is = evidence_of(met);
    enum evidence_outcome unmet_is = evidence_of(unmet);
    enum evidence_outcome missing_is = missing ? evidence_of(missing) : EVIDENCE_HELD;
    if (met_is == EVIDENCE_UNCLEAR || unmet_is == EVIDENCE_UNCLEAR || missing_is == EVIDENCE_UNCLEAR)
        return PROFILE_UNKNOWN;
    bool lets_through = unmet_is == EVIDENCE_WRITTEN || missing_is == EVIDENCE_WRITTEN;
    if (met_is == EVIDENCE_WRITTEN)
        return lets_through ? PROFILE_IGNORED : PROFILE_ENFORCED;
    if (lets_through)
        return PROFILE_UNKNOWN; /* refused where it holds and written where it does not: no rule that anyone knows */
    return evidence_status(met) == 412 ? PROFILE_UNMEETABLE : PROFILE_REFUSED;
}

enum evidence_race evidence_round(const struct evidence_round *round)
{
    if (round->won > 1)
        return EVIDENCE_RACE_BROKEN;
    if (round->won == 0 || round->won + round->refused != round->writers || !round->stands_known)
        return EVIDENCE_RACE_OPEN;
    return round->stands_winners ? EVIDENCE_RACE_ONE : EVIDENCE_RACE_BROKEN;
}

void evidence_add_round(struct evidence_races *races, const struct evidence_round *round)
{
    switch (evidence_round(round)) {
    case EVIDENCE_RACE_OPEN: races->open++; break;
    case EVIDENCE_RACE_ONE: races->one++; break;
    case EVIDENCE_RACE_BROKEN: races->broken++; break;
    }
}

bool evidence_atomic(const struct evidence_races *races, uint32_t wanted)
{
    return races->broken == 0 && races->one >= wanted && wanted > 0;
}

enum profile_409 evidence_409(const char *service_code, bool seen_applied)
{
    if (seen_applied)
        return PROFILE_409_UNKNOWN;
    if (strcmp(service_code, "ConditionalRequestConflict") == 0) /* Amazon S3 API Reference, PutObject */
        return PROFILE_409_UNDECIDED;
    if (strcmp(service_code, "FileAlreadyExists") == 0) /* Alibaba OSS and Tencent COS, PutObject */
        return PROFILE_409_FINAL;
    return PROFILE_409_UNKNOWN;
}

enum profile_expiry evidence_expiry(const struct evidence_tally *live, const struct evidence_tally *expired)
{
    if (evidence_of(live) != EVIDENCE_WRITTEN)
        return PROFILE_EXPIRY_UNKNOWN;
    if (expired->written > 0) /* one is enough: a fence that is passed now and then is none */
        return PROFILE_EXPIRY_NONE;
    return evidence_of(expired) == EVIDENCE_HELD ? PROFILE_EXPIRY_START : PROFILE_EXPIRY_UNKNOWN;
}

enum profile_expiry evidence_expiry_of_both(enum profile_expiry a, enum profile_expiry b)
{
    static const int protects[] = {
        [PROFILE_EXPIRY_NONE] = 0, [PROFILE_EXPIRY_UNKNOWN] = 1, [PROFILE_EXPIRY_START] = 2, [PROFILE_EXPIRY_END] = 3};
    return protects[a] < protects[b] ? a : b;
}

enum profile_stalled evidence_stalled(const struct evidence_tally *tally)
{
    if (tally->done >= EVIDENCE_WANTED && tally->undone == 0)
        return PROFILE_STALLED_KEPT;
    return tally->undone >= EVIDENCE_WANTED && tally->done == 0 ? PROFILE_STALLED_CLOSED : PROFILE_STALLED_UNKNOWN;
}

bool evidence_checksum(const struct evidence_tally *right, const struct evidence_tally *wrong)
{
    return evidence_of(right) == EVIDENCE_WRITTEN && evidence_of(wrong) == EVIDENCE_HELD;
}

enum profile_answer evidence_answer(const struct evidence_tally *tally)
{
    switch (evidence_of(tally)) {
    case EVIDENCE_WRITTEN: return PROFILE_YES;
    case EVIDENCE_HELD: return PROFILE_NO;
    default: return PROFILE_ANSWER_UNKNOWN;
    }
}
