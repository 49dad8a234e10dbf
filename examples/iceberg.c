/* Commits to an Iceberg table: moves its pointer from the metadata file OLD, of which NEW was made, to NEW. */
#include <oscommit.h>
#include <stdio.h>
#include <string.h>

/* `old` may be "": the table is new. A pointer names a metadata file without ".metadata.json". */
static os_verdict move(os_client *client, const char *key, const char *old, const char *new, os_result *ret,
                       os_error *err)
{
    void *text = NULL;
    size_t length;
    os_object found = OS_OBJECT_INIT;
    os_sink sink = OS_SINK_INIT;
    sink.ret_data = &text;
    sink.ret_length = &length;
    os_body body = OS_BODY_MEMORY(new, strlen(new));
    if (old[0] == '\0')
        return os_put_if_absent(client, key, &body, NULL, NULL, ret, err);
    if (os_get(client, key, &sink, NULL, &found, err) != OS_OK)
        return OS_NOT_EXECUTED;
    int is_old = strcmp(text, old) == 0;
    os_free(text);
    if (!is_old)
        return OS_CONFLICT; /* the snapshot must be made anew, of the metadata that is named now */
    return os_put_if_match(client, key, found.etag, &body, NULL, NULL, ret, err);
}

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    os_result result = OS_RESULT_INIT;
    os_client *client;
    os_error err;
    if (argc != 5)
        return fprintf(stderr, "usage: iceberg STORE NAMESPACE/TABLE/metadata/version-hint.text OLD NEW\n"), 2;
    options.store_url = argv[1];
    if (os_options_from_environment(&options, &err) != OS_OK || os_client_open(&options, &client, &err) != OS_OK)
        return fprintf(stderr, "%s\n", err.message), 1;
    os_verdict verdict = move(client, argv[2], argv[3], argv[4], &result, &err);
    if (verdict == OS_UNKNOWN && result.ticket) { /* until it is decided, no file of the commit may be deleted */
        fprintf(stderr, "Keep this ticket until it is settled: %s\n", result.ticket);
        verdict = os_settle(client, result.ticket, NULL, NULL, NULL, &err);
    }
    printf("%s\n", os_verdict_name(verdict));
    if (verdict == OS_NOT_EXECUTED || verdict == OS_UNKNOWN)
        fprintf(stderr, "%s\n", err.message);
    os_result_clear(&result);
    os_client_close(client);
    return verdict == OS_COMMITTED ? 0 : verdict == OS_CONFLICT ? 3 : verdict == OS_UNKNOWN ? 4 : 1;
}
