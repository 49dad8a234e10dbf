/* SPDX-License-Identifier: Apache-2.0 */
/* A ticket: what is read is of the place and the prefix that were asked for, is written and read again as the same, and
 * a guard may be made of it, which believes no date of the ticket and waits at least as long as is set (R17). */
#include "fuzz.h"

#include "client/ticket.h"

#include <stdlib.h>
#include <string.h>

enum { MARGIN_S = 2 };

static const struct ticket_contents of = {
    .place = {.part = {"s3", "host", "bucket", "p/", "dynamodb", "host:1", "region", "table", "x"}}};

static void check_guard(const struct guard_ticket *ticket)
{
    const struct guard_settings settings = {
        .timeout_ms = 20000, .ttl_s = 3600, .max_clock_skew_rate = 3, .margin_s = MARGIN_S};
    const struct guard_event start = {.kind = GUARD_EVENT_START};
    struct guard_ticket again;
    struct guard_actions todo;
    struct guard guard;

    guard_init_resolve(&guard, &settings, ticket, 1);
    guard_ticket_of(&guard, &again);
    FUZZ_CHECK(strcmp(again.expected_etag, ticket->expected_etag) == 0 && again.d0_s == ticket->d0_s);
    FUZZ_CHECK(guard.settings.margin_s >= MARGIN_S && guard.settings.margin_s >= ticket->margin_s);
    FUZZ_CHECK(guard.time.largest_date_s == 0 && guard.own.hold == GUARD_HOLDS_NOTHING && !guard_owns_upload(&guard));
    guard_step(&guard, &start, &todo);
    FUZZ_CHECK(todo.what == GUARD_DO_HEAD);
}

static void check_again(const char *key, const char *upload, const struct guard_ticket *ticket)
{
    struct guard_ticket again;
    char *again_key = NULL;
    char again_upload[RECORD_UPLOAD_SIZE];
    os_error err;

    char *text = ticket_write(&of.place, key, upload, ticket);
    FUZZ_CHECK(text != NULL);
    FUZZ_CHECK(strpbrk(text, "\r\n") == NULL);
    FUZZ_CHECK(ticket_read(text, &of, &again_key, again_upload, &again, &err) == OS_OK);
    FUZZ_CHECK(strcmp(key, again_key) == 0);
    FUZZ_CHECK(strcmp(upload, again_upload) == 0);
    FUZZ_CHECK(memcmp(ticket, &again, sizeof(again)) == 0);
    free(again_key);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char untouched;
    struct guard_ticket ticket;
    char *key = &untouched;
    char upload[RECORD_UPLOAD_SIZE];
    os_error err = {.code = OS_OK};

    char *text = fuzz_string(data, size);
    os_code code = ticket_read(text, &of, &key, upload, &ticket, &err);
    if (code == OS_OK) {
        FUZZ_CHECK(strncmp(key, "p/", 2) == 0);
        check_guard(&ticket);
        check_again(key, upload, &ticket);
        free(key);
    } else {
        FUZZ_CHECK(code == OS_ERR_ARGUMENT && key == &untouched);
        fuzz_check_error(code, &err);
    }
    free(text);
    return 0;
}
