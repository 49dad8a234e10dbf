/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of the README of @pocketgems/dynamodb at DynamoDB Local: the cases that the embedded tables have in unit_api_readme. */
#include "support/raw_service.h"
#include "unit/api/readme_cases.h"
#include "unit/api/readme_expiry_cases.h"
#include "unit/api/readme_txn_cases.h"

#include <stdatomic.h>
#include <unistd.h>

static const char *endpoint;

void book_open(struct book *ret)
{
    static atomic_int count;
    os_options options = OS_OPTIONS_INIT;
    snprintf(ret->prefix, sizeof(ret->prefix), "readme-%d-%d", (int)getpid(), atomic_fetch_add(&count, 1));
    options.ledger_url = "dynamodb://records";
    options.dynamodb_endpoint = endpoint;
    options.access_key_id = raw_access_key();
    options.secret_access_key = raw_secret_key();
    options.dynamodb_region = raw_region();
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &ret->client, &ret->error), OS_OK, &ret->error);
}

void book_close(struct book *book)
{
    os_client_close(book->client);
}

int main(int argc, char **argv)
{
    endpoint = test_server("OSCOMMIT_TEST_DYNAMODB_ENDPOINT");
    return test_main(argc, argv);
}
