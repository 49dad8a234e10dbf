/* SPDX-License-Identifier: Apache-2.0 */
/* s3_parse_error: whatever a store answers, every text that it gives ends, is one line, and is the same each time. */
#include "fuzz.h"

#include "s3/response.h"

#include <string.h>

static void check_line(const char *str, size_t size)
{
    fuzz_check_string(str, size);
    FUZZ_CHECK(strpbrk(str, "\r\n") == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct s3_error error;
    static struct s3_error again;
    struct http_response response;

    fuzz_response(data, size, &response);
    memset(&error, 0x55, sizeof(error));
    memset(&again, 0xaa, sizeof(again));
    s3_parse_error(&response, &error);
    s3_parse_error(&response, &again);
    check_line(error.code, sizeof(error.code));
    check_line(error.message, sizeof(error.message));
    check_line(error.condition, sizeof(error.condition));
    check_line(error.region, sizeof(error.region));
    check_line(error.endpoint, sizeof(error.endpoint));
    check_line(error.request_id, sizeof(error.request_id));
    check_line(error.server_time, sizeof(error.server_time));
    FUZZ_CHECK(memcmp(&error, &again, sizeof(error)) == 0);
    FUZZ_CHECK(!error.unreadable || (error.code[0] == '\0' && error.message[0] == '\0'));
    /* It ends in a host name and in a signature. */
    FUZZ_CHECK(strpbrk(error.region, "./:@%?# ") == NULL);
    http_response_free(&response);
    return 0;
}
