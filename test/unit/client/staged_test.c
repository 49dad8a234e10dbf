/* SPDX-License-Identifier: Apache-2.0 */
/* Which bodies go in parts (R15), on the embedded store. */
#include "unit/client/client_scratch.h"

#include <stdio.h>
#include <string.h>

static os_client *open_staging(const struct scratch *scratch)
{
    os_options options = OS_OPTIONS_INIT;
    options.stage_above = 1000;
    return scratch_client(scratch, &options);
}

static os_result create(os_client *client, const char *key, const os_body *body)
{
    os_result result = OS_RESULT_INIT;
    os_error error = {0};
    if (os_put_if_absent(client, key, body, NULL, NULL, &result, &error) != OS_COMMITTED)
        fail_msg("%s", error.message);
    return result;
}

static void a_body_above_the_threshold_goes_in_parts(void **state)
{
    static const struct {
        size_t length;
        const char *request;
    } cases[] = {{0, "PutObject"}, {1000, "PutObject"}, {1001, "CompleteMultipartUpload"}};
    os_client *client = open_staging(*state);
    char data[1001] = "";
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        char key[16];
        os_object object = OS_OBJECT_INIT;
        os_error error;
        snprintf(key, sizeof(key), "key-%zu", i);
        os_body body = OS_BODY_MEMORY(data, cases[i].length);
        os_result result = create(client, key, &body);
        assert_string_equal(result.request, cases[i].request);
        CHECK_CODE(os_head(client, key, NULL, &object, &error), OS_OK, &error);
        assert_int_equal(object.length, cases[i].length);
        assert_string_equal(object.etag, result.etag);
    }
    os_client_close(client);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_body_above_the_threshold_goes_in_parts, scratch_setup, scratch_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
