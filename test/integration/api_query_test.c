/* SPDX-License-Identifier: Apache-2.0 */
/* Queries and scans at DynamoDB Local: the cases that the embedded tables have in unit_api_query. */
#include "support/raw_service.h"
#include "unit/api/query_cases.h"
#include "unit/api/query_row_cases.h"

#include <stdatomic.h>
#include <unistd.h>

static const char *endpoint;

static const char table_definition[] =
    "{\"BillingMode\":\"PAY_PER_REQUEST\",\"AttributeDefinitions\":["
    "{\"AttributeName\":\"_id\",\"AttributeType\":\"S\"},{\"AttributeName\":\"_sk\",\"AttributeType\":\"N\"},"
    "{\"AttributeName\":\"state\",\"AttributeType\":\"S\"},{\"AttributeName\":\"points\",\"AttributeType\":\"N\"},"
    "{\"AttributeName\":\"_c_points_state\",\"AttributeType\":\"S\"},"
    "{\"AttributeName\":\"title\",\"AttributeType\":\"S\"}],"
    "\"KeySchema\":[{\"AttributeName\":\"_id\",\"KeyType\":\"HASH\"},{\"AttributeName\":\"_sk\",\"KeyType\":\"RANGE\"}]"
    ","
    "\"GlobalSecondaryIndexes\":["
    "{\"IndexName\":\"byState\",\"KeySchema\":[{\"AttributeName\":\"state\",\"KeyType\":\"HASH\"},"
    "{\"AttributeName\":\"points\",\"KeyType\":\"RANGE\"}],\"Projection\":{\"ProjectionType\":\"ALL\"}},"
    "{\"IndexName\":\"few\",\"KeySchema\":[{\"AttributeName\":\"_c_points_state\",\"KeyType\":\"HASH\"}],"
    "\"Projection\":{\"ProjectionType\":\"KEYS_ONLY\"}},"
    "{\"IndexName\":\"titled\",\"KeySchema\":[{\"AttributeName\":\"title\",\"KeyType\":\"HASH\"}],"
    "\"Projection\":{\"ProjectionType\":\"ALL\"}}]}";

void shop_open(struct shop *ret)
{
    static atomic_int count;
    os_options options = OS_OPTIONS_INIT;
    os_error error;
    json_t *definition = json_loads(table_definition, 0, NULL);
    snprintf(ret->table, sizeof(ret->table), "query-%d-%d", (int)getpid(), atomic_fetch_add(&count, 1));
    json_object_set_new(definition, "TableName", json_string(ret->table));
    assert_int_equal(raw_dynamo(endpoint, "CreateTable", definition, NULL), 200);
    options.ledger_url = "dynamodb://records";
    options.dynamodb_endpoint = endpoint;
    options.access_key_id = raw_access_key();
    options.secret_access_key = raw_secret_key();
    options.dynamodb_region = raw_region();
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &ret->client, &error), OS_OK, &error);
}

void shop_close(struct shop *shop)
{
    raw_dynamo(endpoint, "DeleteTable", json_pack("{s:s}", "TableName", shop->table), NULL);
    os_client_close(shop->client);
}

int main(int argc, char **argv)
{
    endpoint = test_server("OSCOMMIT_TEST_DYNAMODB_ENDPOINT");
    return test_main(argc, argv);
}
