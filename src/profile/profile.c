/* SPDX-License-Identifier: Apache-2.0 */
#include "profile/profile.h"

bool profile_proves(const struct profile *profile, enum profile_request request, bool create)
{
    const struct profile_rule *rule = &profile->rules[request];
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
        return vendor->put == PROFILE_ENFORCED && vendor->put_atomic;
    return request == PROFILE_COPY && vendor->copy == PROFILE_ENFORCED && vendor->copy_atomic;
}

int profile_vendor_for(const struct profile *profile, enum profile_request request)
{
    for (int vendor = 1; vendor < PROFILE_VENDORS; vendor++) {
        if (vendor_proves(&profile->vendors[vendor], request))
            return vendor;
    }
    return 0;
}
