/* SPDX-License-Identifier: Apache-2.0 */
#include "sim/kind.h"

#include "profile/profile_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { PURPOSE_VERSIONED = 402, PURPOSE_CONDITIONS = 403 };

/* ------------------------------------------------------------------------------------------------ the store */

/* A store that refuses the header is for fleets that know it. */
static enum fake_s3_condition condition_of(const struct world *world, enum fake_s3_write write)
{
    const uint32_t *rate = world->faults.rate;
    bool needed = write == FAKE_S3_PUT || write == FAKE_S3_COMPLETE; /* so that the fleet can write at all */
    if (rate[FAULT_MIXED] == 0) {
        bool ignored = rate[FAULT_IGNORE_CONDITIONS] > 0 && !(needed && world->fleet.guard == OS_GUARD_NATIVE);
        return ignored ? FAKE_S3_IGNORED : FAKE_S3_ENFORCED;
    }
    uint64_t choice = fault_number(&world->faults, PURPOSE_CONDITIONS, write, 0, 5);
    bool refusable = world->fleet.profiled && !(needed && world->fleet.guard == OS_GUARD_BOTH);
    if (needed && world->fleet.guard == OS_GUARD_NATIVE)
        return FAKE_S3_ENFORCED;
    return choice < 3 ? FAKE_S3_ENFORCED : choice == 3 && refusable ? FAKE_S3_REFUSED : FAKE_S3_IGNORED;
}

void kind_of_store(const struct world *world, struct fake_s3_options *ret)
{
    const uint32_t *rate = world->faults.rate;
    enum fake_s3_409 meaning = rate[FAULT_FINAL_409] > 0 ? FAKE_S3_409_FINAL : FAKE_S3_409_UNDECIDED;
    *ret = (struct fake_s3_options){
        .answer_409 = rate[FAULT_CONFLICT_409] > 0 ? meaning : FAKE_S3_409_NONE,
        .missing_is_412 = rate[FAULT_MISSING_412] > 0,
        .ignores_expiry = rate[FAULT_NEVER_EXPIRES] > 0,
        .checks_expiry_at_end = rate[FAULT_EXPIRY_AT_END] > 0,
        .random_etag = rate[FAULT_RANDOM_ETAG] > 0,
        .blanks_first = rate[FAULT_BLANKS] > 0,
        .completes_again = rate[FAULT_COMPLETES_AGAIN] > 0,
        .aborts_gone = rate[FAULT_ABORTS_GONE] > 0,
        .versions_page = fault_number(&world->faults, PURPOSE_VERSIONED, 1, 0, 3),
        .versioned = fault_number(&world->faults, PURPOSE_VERSIONED, 0, 0, 1) == 1,
    };
    for (enum fake_s3_write write = 0; write < FAKE_S3_WRITES; write++)
        ret->conditions[write] = condition_of(world, write);
}

/* ------------------------------------------------------------------------------------------------ its profile */

static void tell_rule(const struct fake_s3_options *options, enum fake_s3_write write, struct profile_rule *ret)
{
    static const enum profile_condition told[] = {[FAKE_S3_ENFORCED] = PROFILE_ENFORCED,
                                                  [FAKE_S3_IGNORED] = PROFILE_IGNORED,
                                                  [FAKE_S3_REFUSED] = PROFILE_REFUSED};
    enum profile_condition condition = told[options->conditions[write]];
    bool enforced = condition == PROFILE_ENFORCED;
    *ret = (struct profile_rule){.match = condition, .match_atomic = enforced, .match_rounds = enforced ? 200 : 0};
    if (write != FAKE_S3_DELETE) {
        ret->absent = condition;
        ret->absent_atomic = enforced;
        ret->absent_rounds = enforced ? 200 : 0;
    }
    if (enforced) {
        ret->status_unmet = 412;
        ret->status_missing = options->missing_is_412 ? 412 : 404;
    }
    ret->answer_409 = options->answer_409 == FAKE_S3_409_UNDECIDED ? PROFILE_409_UNDECIDED
                      : options->answer_409 == FAKE_S3_409_FINAL   ? PROFILE_409_FINAL
                                                                   : PROFILE_409_UNKNOWN;
}

static void tell(const struct fake_s3_options *options, struct profile *ret)
{
    *ret = (struct profile){.name = "Simulated",
                            .version = "1",
                            .measured_on = "2026-11-22",
                            .source = "the simulator, which knows",
                            .copy_source_match = PROFILE_ENFORCED,
                            .rename_object = PROFILE_NO,
                            .date_on_all = PROFILE_YES,
                            .metadata_survives = PROFILE_YES,
                            .uploads = PROFILE_YES};
    tell_rule(options, FAKE_S3_PUT, &ret->rules[PROFILE_PUT]);
    tell_rule(options, FAKE_S3_COPY, &ret->rules[PROFILE_COPY]);
    tell_rule(options, FAKE_S3_COMPLETE, &ret->rules[PROFILE_COMPLETE]);
    tell_rule(options, FAKE_S3_DELETE, &ret->rules[PROFILE_DELETE]);
    ret->expiry = options->ignores_expiry         ? PROFILE_EXPIRY_NONE
                  : options->checks_expiry_at_end ? PROFILE_EXPIRY_END
                                                  : PROFILE_EXPIRY_START;
    ret->etag_is_md5 = options->random_etag ? PROFILE_NO : PROFILE_YES;
    ret->versioned = options->versioned ? PROFILE_YES : PROFILE_NO;
}

int kind_write_profile(const struct fake_s3_options *options, bool unmarked)
{
    struct profile profile;
    tell(options, &profile);
    profile.answer_mark = unmarked ? PROFILE_MARK_NONE : PROFILE_MARK_AMZ;
    char *text = profile_write(&profile);
    int fd = text != NULL ? memfd_create("profile", MFD_CLOEXEC) : -1;
    if (fd >= 0 && write(fd, text, strlen(text)) != (ssize_t)strlen(text)) {
        close(fd);
        fd = -1;
    }
    free(text);
    return fd;
}
