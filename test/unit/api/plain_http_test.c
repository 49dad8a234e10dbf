/* SPDX-License-Identifier: Apache-2.0 */
/* Whose requests go unencrypted to another machine is told so once, when the client opens, and in true words. */
#include "unit/api/client_scratch.h"

#include <stdio.h>
#include <string.h>

struct warnings {
    int count;
    char last[2048];
};

static void keep(void *context, os_log_level level, const char *line)
{
    struct warnings *warnings = context;
    assert_true(level <= OS_LOG_WARN);
    warnings->count++;
    snprintf(warnings->last, sizeof(warnings->last), "%s", line);
}

static struct warnings open_with(const char *store, const char *s3, const char *ledger, const char *dynamodb)
{
    struct warnings warnings = {.count = 0};
    os_options options = OS_OPTIONS_INIT;
    os_client *client;
    os_error error;
    options.store_url = store;
    options.ledger_url = ledger;
    options.s3_endpoint = s3;
    options.dynamodb_endpoint = dynamodb;
    options.access_key_id = "id-of-the-test";
    options.secret_access_key = "secret-of-the-test";
    options.session_token = "token-of-the-test";
    options.no_environment = 1;
    options.log = keep;
    options.log_context = &warnings;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    os_client_close(client);
    assert_null(strstr(warnings.last, "of-the-test"));
    return warnings;
}

TEST(plain_http_to_another_machine_is_one_warning)
{
    static const char *const hosts[] = {"http://minio:9000", "http://10.0.0.5", "http://localhost.example",
                                        "http://[fd00::1]:9000", "http://127.example"};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++) {
        struct warnings warnings = open_with("s3://bucket", hosts[i], "dynamodb://records", NULL);
        assert_int_equal(warnings.count, 1);
        assert_non_null(strstr(warnings.last, hosts[i]));
        assert_non_null(strstr(warnings.last, "the secret key itself is never sent"));
        warnings = open_with("s3://bucket", hosts[i], "dynamodb://records", hosts[i]);
        assert_int_equal(warnings.count, 1);
        warnings = open_with("s3://bucket", NULL, "dynamodb://records", hosts[i]);
        assert_int_equal(warnings.count, 1);
        assert_non_null(strstr(warnings.last, hosts[i]));
    }
    struct warnings two = open_with("s3://bucket", "http://minio", "dynamodb://records", "http://dynamo");
    assert_int_equal(two.count, 1);
    assert_non_null(strstr(two.last, "http://minio and http://dynamo go"));
}

TEST_WITH(scratch, what_stays_on_the_machine_or_is_encrypted_is_none)
{
    static const char *const hosts[] = {"http://127.0.0.1:9000", "http://localhost", "http://[::1]:80", "https://minio",
                                        NULL};
    for (size_t i = 0; i < sizeof(hosts) / sizeof(hosts[0]); i++)
        assert_int_equal(open_with("s3://bucket", hosts[i], "dynamodb://records", hosts[i]).count, 0);
    assert_int_equal(open_with(scratch->url, "http://minio", NULL, "http://minio").count, 0); /* neither is asked */
}
