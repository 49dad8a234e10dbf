/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while keys are looked for: never "no credentials", never half a pair, nothing leaks. */
#include "unit/aws/surroundings.h"

#include "aws/profile.h"
#include "base/container.h"
#include "base/error.h"
#include "base/random.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <stdarg.h>

/* In this order: the three files are compiled here, with its allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "credentials/keys.c"
#include "credentials/chain.c"
#include "credentials/credentials.c"
/* clang-format on */

enum { ALLOCATIONS_MAX = 50 };

static int give(void *context, os_credentials *ret)
{
    (void)context;
    ret->access_key_id = "id";
    ret->secret_access_key = "secret";
    ret->session_token = "token";
    return 0;
}

static void fail_each(const struct credentials_source *source)
{
    size_t number = 0;
    for (bool ok = false; !ok; number++) {
        struct credentials *credentials = NULL;
        struct sigv4_keys keys;
        os_error err;
        alloc_fail_at(number);
        os_code code = credentials_new(source, &credentials, &err);
        if (code == OS_OK)
            code = credentials_get(credentials, &keys, &err);
        alloc_fail_none();
        ok = code == OS_OK;
        assert_int_equal(code, alloc_failed ? OS_ERR_NO_MEMORY : OS_OK);
        if (ok) {
            assert_string_equal(keys.access_key_id, "id");
            assert_string_equal(keys.secret_access_key, "secret");
            assert_string_equal(keys.session_token, "token");
        }
        credentials_free(credentials);
        assert_in_range(number, 0, ALLOCATIONS_MAX);
    }
    assert_in_range(number, 4, ALLOCATIONS_MAX);
}

TEST_BETWEEN(surroundings_setup, surroundings_teardown, every_source_says_that_memory_is_out)
{
    const struct credentials_source given = {
        .access_key_id = "id", .secret_access_key = "secret", .session_token = "token", .profile = "p"};
    const struct credentials_source callback = {.callback = give};
    const struct credentials_source environment = {0};
    const struct credentials_source profile = {.profile = "p"};
    write_profile("credentials",
                  "[p]\naws_access_key_id = id\naws_secret_access_key = secret\naws_session_token = token\n");
    fail_each(&given);
    fail_each(&callback);
    fail_each(&profile);
    setenv("AWS_ACCESS_KEY_ID", "id", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "secret", 1);
    setenv("AWS_SESSION_TOKEN", "token", 1);
    fail_each(&environment);
}
