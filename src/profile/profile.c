/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

#include "oscommit.h"

#include <string.h>

bool profile_proves(const struct profile *profile, enum profile_request request, bool create)
{
    const struct profile_rule *rule = &profile->rules[request];
    bool documented = strcmp(profile->source, PROFILE_SOURCE_DOCUMENTATION) == 0;
    uint32_t rounds = create ? rule->absent_rounds : rule->match_rounds;
    if (!documented && rounds < OS_PROBE_PROOF_ROUNDS)
        return false;
    return create ? rule->absent == PROFILE_ENFORCED && rule->absent_atomic
                  : rule->match == PROFILE_ENFORCED && rule->match_atomic;
}

bool profile_condition_harmless(const struct profile *profile, enum profile_request request, bool create)
{
    const struct profile_rule *rule = &profile->rules[request];
    enum profile_condition condition = create ? rule->absent : rule->match;
    return condition == PROFILE_ENFORCED || condition == PROFILE_IGNORED;
}

static bool vendor_proves(const struct profile_vendor *vendor, enum profile_request request)
{
    if (request == PROFILE_PUT)
        return vendor->put == PROFILE_ENFORCED && vendor->put_atomic && vendor->put_rounds >= OS_PROBE_PROOF_ROUNDS;
    return request == PROFILE_COPY && vendor->copy == PROFILE_ENFORCED && vendor->copy_atomic &&
           vendor->copy_rounds >= OS_PROBE_PROOF_ROUNDS;
}

int profile_vendor_for(const struct profile *profile, enum profile_request request)
{
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++)
        if (vendor_proves(&profile->vendors[vendor], request))
            return vendor;
    return 0;
}
