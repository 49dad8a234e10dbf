/* SPDX-License-Identifier: Apache-2.0 */
/* A store's profile: what is read is written and read again as the same; nothing proves that is not enforced. */
#include "fuzz.h"

#include "profile/profile_json.h"

#include <stdlib.h>
#include <string.h>

static void check_again(const struct profile *profile)
{
    struct profile again;
    os_error err;

    char *text = profile_write(profile);
    FUZZ_CHECK(text != NULL);
    FUZZ_CHECK(profile_parse(text, strlen(text), "again", &again, &err) == OS_OK);
    FUZZ_CHECK(memcmp(profile, &again, sizeof(again)) == 0);
    free(text);
}

static void check_proofs(const struct profile *profile)
{
    for (int request = 0; request < PROFILE_REQUESTS; request++) {
        const struct profile_rule *rule = &profile->rules[request];
        FUZZ_CHECK(!rule->absent_atomic || rule->absent == PROFILE_ENFORCED);
        FUZZ_CHECK(!rule->match_atomic || rule->match == PROFILE_ENFORCED);
    }
    FUZZ_CHECK(!profile_proves(profile, PROFILE_DELETE, true));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct profile profile;
    os_error err = {.code = OS_OK};

    memset(&profile, 0, sizeof(profile));
    char *text = fuzz_copy(data, size);
    os_code code = profile_parse(text, size, "profile", &profile, &err);
    if (code == OS_OK) {
        FUZZ_CHECK_ARRAY(profile.name);
        FUZZ_CHECK_ARRAY(profile.version);
        FUZZ_CHECK_ARRAY(profile.source);
        check_proofs(&profile);
        check_again(&profile);
    } else {
        FUZZ_CHECK(code == OS_ERR_CONFIG);
        fuzz_check_error(code, &err);
    }
    free(text);
    return 0;
}
