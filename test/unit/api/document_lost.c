/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/document_lost.h"

#include "support/clock_jump.h"
#include "unit/api/client_scratch.h"

int document_lost_minutes;

static void pass_minutes(void)
{
    clock_jump((uint64_t)document_lost_minutes * 60 * 1000);
}

static void pass_an_hour(void)
{
    clock_jump(HOUR_MS);
}

os_client *document_lost_client(const struct lost *lost)
{
    return scratch_services_client("127.0.0.1:1", http_server_host(lost->fake.server), NULL);
}

void lost_set_up(struct lost *ret)
{
    document_fake_start(&ret->fake);
    ret->fake.pass = pass_minutes;
    ret->fake.pass_at_last = pass_an_hour;
    document_lost_minutes = 9;
    ret->client = document_lost_client(ret);
}

void lost_tear_down(struct lost *lost)
{
    if (lost->client != NULL)
        os_client_close(lost->client);
    document_fake_stop(&lost->fake);
}

os_document_write document_lost_write(int models)
{
    os_document_write write = OS_DOCUMENT_WRITE_INIT;
    write.id = "device";
    write.name = "pump";
    write.reported = "{\"on\":true}";
    write.desired = models == 2 ? "{}" : NULL;
    return write;
}

void document_lost_put_both(struct lost *lost)
{
    document_fake_set(&lost->fake, REPORTED,
                      "{'PK':{'S':'DS#device'},'SK':{'S':'DSR#pump'},'version':{'N':'3'},'reported':{'M':{}}}");
    document_fake_set(&lost->fake, DESIRED,
                      "{'PK':{'S':'DS#device'},'SK':{'S':'DSD#pump'},'version':{'N':'3'},'desired':{'M':{}}}");
}
