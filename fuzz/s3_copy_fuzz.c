/* SPDX-License-Identifier: Apache-2.0 */
/* s3_parse_copy: a 200 is a success (V2) only with a whole <CopyObjectResult>, and an error never touches the result.
 */
#include "fuzz.h"

#include "s3/response.h"

#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct s3_object object;
    static struct s3_object untouched;
    static struct s3_error said;
    struct http_response response;
    os_error err = {.code = OS_OK};

    fuzz_response(data, size, &response);
    memset(&object, 0x55, sizeof(object));
    memset(&untouched, 0x55, sizeof(untouched));
    os_code code = s3_parse_copy(&response, &object, &said, &err);
    FUZZ_CHECK_ARRAY(said.code);
    FUZZ_CHECK_ARRAY(said.message);
    if (code == OS_OK) {
        FUZZ_CHECK_ARRAY(object.etag);
        FUZZ_CHECK_ARRAY(object.version_id);
        FUZZ_CHECK(fuzz_body_has(&response, "CopyObjectResult"));
    } else {
        fuzz_check_error(code, &err);
        FUZZ_CHECK(memcmp(&object, &untouched, sizeof(object)) == 0);
        FUZZ_CHECK(code == OS_ERR_SERVICE || code == OS_ERR_PROTOCOL);
    }
    http_response_free(&response);
    return 0;
}
