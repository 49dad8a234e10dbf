/* SPDX-License-Identifier: Apache-2.0 */
/* Memory that runs out while an endpoint is looked for: never another endpoint than the configured one. */
#include "surroundings.h"

#include "base/error.h"
#include "base/text.h"

#include <openssl/crypto.h>

/* In this order: the three files are compiled here, with their allocations counted. */
#include "support/failing_alloc.h"
/* clang-format off */
#include "base/named_file.c"
#include "aws/profile.c"
#include "aws/endpoint.c"
/* clang-format on */

enum { ALLOCATIONS = 5 }; /* two files, the URL, the region, the CA file */

TEST_BETWEEN(surroundings_setup, surroundings_teardown, an_endpoint_without_memory_is_an_error)
{
    write_profile("credentials", "[p]\nregion = r\nca_bundle = f\n");
    write_profile("config", "[profile p]\nendpoint_url = http://h\n");
    for (size_t number = 0; number <= ALLOCATIONS; number++) {
        struct endpoint_setting found = {0};
        os_error err;
        alloc_fail_at(number);
        os_code code = endpoint_from_environment("s3", "p", &found, &err);
        alloc_fail_none();
        assert_int_equal(code, number < ALLOCATIONS ? OS_ERR_NO_MEMORY : OS_OK);
        assert_int_equal(found.url != NULL, number == ALLOCATIONS);
        assert_int_equal(found.region != NULL, number == ALLOCATIONS);
        endpoint_setting_free(&found);
    }
}
