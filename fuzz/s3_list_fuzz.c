/* SPDX-License-Identifier: Apache-2.0 */
/* s3_parse_list: what is given is complete, stopping is obeyed, and the same page gives the same entries. An entry that
 * cannot be read ends the list with an error behind the entries before it. */
#include "fuzz.h"

#include "s3/response.h"

#include <stdlib.h>

static bool each(void *context, const struct s3_list_entry *entry)
{
    FUZZ_CHECK(entry->key != NULL && entry->key[0] != '\0');
    FUZZ_CHECK_ARRAY(entry->etag);
    FUZZ_CHECK(!entry->is_prefix || (entry->length == 0 && entry->etag[0] == '\0'));
    return fuzz_goes_on(context);
}

static unsigned read_page(const struct http_response *response, unsigned stop_after, os_code *ret_code)
{
    static char untouched;
    struct fuzz_listener listener = {.stop_after = stop_after};
    struct s3_list_page page = {.next_token = &untouched};
    os_error err = {.code = OS_OK};

    *ret_code = s3_parse_list(response, each, &listener, &page, &err);
    if (*ret_code == OS_OK) {
        FUZZ_CHECK(page.next_token != &untouched);
        FUZZ_CHECK(page.truncated == (page.next_token != NULL));
        FUZZ_CHECK(page.next_token == NULL || page.next_token[0] != '\0');
        free(page.next_token);
    } else {
        FUZZ_CHECK(page.next_token == &untouched);
        fuzz_check_error(*ret_code, &err);
    }
    return listener.entries;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_response response;

    fuzz_response(data, size, &response);
    fuzz_check_list(read_page, &response);
    http_response_free(&response);
    return 0;
}
