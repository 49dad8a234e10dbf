/* Publishes one object exactly once; every later run says who was first. */
#include <oscommit.h>
#include <stdio.h>

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    options.store_url = argc > 1 ? argv[1] : "file:///tmp/oscommit-example";
    os_error err;
    os_client *client;
    if (os_options_from_environment(&options, &err) != OS_OK) /* OSCOMMIT_LEDGER and so on */
        return fprintf(stderr, "%s\n", err.message), 1;
    if (argc < 2 && os_init("/tmp/oscommit-example", &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    if (os_client_open(&options, &client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    os_body body = OS_BODY_MEMORY("{\"rows\": 42}\n", 13);
    os_result result = OS_RESULT_INIT;
    os_verdict verdict = os_put_if_absent(client, "report/2026-11.json", &body, NULL, NULL, &result, &err);
    if (verdict == OS_UNKNOWN && result.ticket) { /* rare: it may have been applied; ask, for two minutes */
        fprintf(stderr, "Keep this ticket until it is settled: %s\n", result.ticket);
        verdict = os_settle(client, result.ticket, NULL, NULL, NULL, &err);
    }
    printf("%s %s\n", os_verdict_name(verdict), verdict == OS_COMMITTED ? result.etag : err.message);
    os_result_clear(&result);
    os_client_close(client);
    return verdict == OS_COMMITTED ? 0 : verdict == OS_CONFLICT ? 3 : verdict == OS_UNKNOWN ? 4 : 1;
}
