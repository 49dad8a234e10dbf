/* SPDX-License-Identifier: Apache-2.0 */
/* The flags that lead the tool to a client's table: what a person copies must work. */
#include "client/table_reach.h"
#include "unit/api/client_scratch.h"

#include <stdlib.h>
#include <string.h>

static const struct row {
    const char *name;
    const char *url; /* none: AWS's own */
    const char *profile;
    const char *dynamodb_profile;
    const char *flags;
} rows[] = {
    {.name = "AWS's own endpoint", .flags = " --dynamodb-region eu-west-1"},
    {.name = "a given endpoint",
     .url = "http://localhost:8000",
     .flags = " --dynamodb-region eu-west-1 --dynamodb-endpoint http://localhost:8000"},
    {.name = "a profile", .profile = "work", .flags = " --dynamodb-region eu-west-1 --dynamodb-profile work"},
    {.name = "the table's own profile",
     .profile = "work",
     .dynamodb_profile = "records",
     .flags = " --dynamodb-region eu-west-1 --dynamodb-profile records"},
    {.name = "a profile that a shell would take apart",
     .profile = "Ann's $(work)",
     .flags = " --dynamodb-region eu-west-1 --dynamodb-profile 'Ann'\\''s $(work)'"},
    {.name = "an address of IPv6",
     .url = "http://[::1]:8000",
     .flags = " --dynamodb-region eu-west-1 --dynamodb-endpoint 'http://[::1]:8000'"},
};

TEST_ROWS(rows, they_lead_there)
{
    os_options options = OS_OPTIONS_INIT;
    struct endpoint endpoint;
    char *flags = NULL;
    os_error error;
    options.profile = row->profile;
    options.dynamodb_profile = row->dynamodb_profile;
    assert_int_equal(endpoint_parse("dynamodb", row->url, "eu-west-1", &endpoint, &error), OS_OK);
    assert_int_equal(table_reach(&options, &endpoint, &flags, &error), OS_OK);
    assert_string_equal(flags, row->flags);
    free(flags);
}

TEST(a_name_that_is_too_long_for_a_command_is_left_out)
{
    static char name[8192];
    os_options options = OS_OPTIONS_INIT;
    struct endpoint endpoint;
    char *flags = NULL;
    os_error error;
    memset(name, 'p', sizeof(name) - 1);
    options.profile = name;
    assert_int_equal(endpoint_parse("dynamodb", NULL, "eu-west-1", &endpoint, &error), OS_OK);
    assert_int_equal(table_reach(&options, &endpoint, &flags, &error), OS_OK);
    assert_string_equal(flags, "");
    free(flags);
}
