/* Says what is desired of a device: documents LEDGER ID NAME JSON. LEDGER is dynamodb://TABLE or sqlite:///FILE. */
#include <oscommit_document.h>
#include <stdio.h>
#include <stdlib.h>

/* Once: reads the version that is there, and makes the next one. */
static os_verdict desire(os_client *client, const os_document_key *key, const char *json, os_error *err)
{
    os_documents found;
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    os_document_result result = OS_DOCUMENT_RESULT_INIT;
    if (os_documents_read(client, NULL, key, 1, NULL, &found, err) != OS_OK)
        return OS_NOT_EXECUTED;
    write.id = key->id;
    write.name = key->name;
    write.desired = json;
    write.desired_version = found.list[0].desired.version; /* 0: there is none */
    write.client_token = "example";
    os_documents_write(client, NULL, &write, 1, NULL, &result, err);
    os_documents_free(&found);
    if (result.verdict == OS_COMMITTED)
        printf("version %lld\n", (long long)result.desired_version);
    if (result.verdict == OS_UNKNOWN && result.ticket) {
        os_document_result later = OS_DOCUMENT_RESULT_INIT;
        os_verdict verdict = os_document_resolve(client, NULL, result.ticket, NULL, &later, err);
        os_free(result.ticket);
        os_free(later.ticket); /* of one that is still unknown: keep it, and ask again later */
        return verdict;
    }
    return result.verdict;
}

int main(int argc, char **argv)
{
    os_options options = OS_OPTIONS_INIT;
    os_document_key key = OS_DOCUMENT_KEY_INIT;
    os_client *client = NULL;
    os_error err;
    if (argc != 5) {
        fprintf(stderr, "usage: documents LEDGER ID NAME JSON\n");
        return 2;
    }
    options.ledger_url = argv[1];
    key.id = argv[2];
    key.name = argv[3];
    if (os_client_open(&options, &client, &err) != OS_OK ||
        os_documents_table_create(client, NULL, NULL, &err) != OS_OK) {
        fprintf(stderr, "%s\n", err.message);
        os_client_close(client);
        return 1;
    }
    os_verdict verdict;
    do
        verdict = desire(client, &key, argv[4], &err);
    while (verdict == OS_CONFLICT); /* somebody was first: look again */
    if (verdict != OS_COMMITTED)
        fprintf(stderr, "%s: %s\n", os_verdict_name(verdict), err.message);
    os_client_close(client);
    return verdict == OS_COMMITTED ? 0 : 1;
}
