/* Increments a counter exactly once, however many processes do the same; prints the number that is its own. */
#include <oscommit.h>
#include <stdio.h>
#include <stdlib.h>

static int add_one(void *context, const os_current *current, os_body *ret) /* runs again after a conflict */
{
    char *digits = context;
    ret->length = (uint64_t)snprintf(digits, 32, "%llu\n", strtoull(current->data, NULL, 10) + 1);
    ret->data = digits;
    return 0;
}

int main(int argc, char **argv)
{
    char digits[32];
    os_options options = OS_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_client *client;
    os_error err;
    if (argc != 2)
        return fprintf(stderr, "usage: counter file:///ROOT | s3://BUCKET\n"), 2;
    options.store_url = argv[1];
    if (os_options_from_environment(&options, &err) != OS_OK || os_client_open(&options, &client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    os_verdict verdict = os_update(client, "counter", add_one, digits, NULL, NULL, &result, &err);
    if (verdict == OS_UNKNOWN && result.ticket) /* not again before it is decided, or it may be counted twice */
        verdict = os_settle(client, result.ticket, NULL, NULL, NULL, &err);
    if (verdict == OS_COMMITTED)
        fputs(digits, stdout);
    else
        fprintf(stderr, "%s: %s\n", os_verdict_name(verdict), err.message);
    os_result_clear(&result);
    os_client_close(client);
    return verdict == OS_COMMITTED ? 0 : verdict == OS_CONFLICT ? 3 : verdict == OS_UNKNOWN ? 4 : 1;
}
