/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What DynamoDB answers to PutItem, GetItem, Query, DescribeTable, DescribeTimeToLive and CreateTable: every outcome is
 * one of the list, outputs are set on success only, and nothing but a 200 or a failed condition counts as an answer.
 */
#include "fuzz.h"

#include "dynamo/table.h"
#include "unit/dynamo/records.h"

#include <stdlib.h>
#include <string.h>

static void check_outcome(enum table_outcome outcome, const struct dynamo_error *detail, const os_error *err)
{
    FUZZ_CHECK(outcome >= TABLE_OK && outcome <= TABLE_UNREADABLE);
    FUZZ_CHECK_ARRAY(detail->code);
    FUZZ_CHECK_ARRAY(detail->message);
    FUZZ_CHECK_ARRAY(detail->request_id);
    if (outcome != TABLE_OK && outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND) {
        FUZZ_CHECK(err->code != OS_OK);
        fuzz_check_error(err->code, err);
    }
    FUZZ_CHECK(!detail->crc_wrong || outcome == TABLE_AMBIGUOUS);
}

static void check_record(const struct record *record)
{
    FUZZ_CHECK_ARRAY(record->nonce);
    FUZZ_CHECK_ARRAY(record->saw);
}

static void read_put(const struct http_response *response)
{
    struct record conflict;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};

    memset(&conflict, 0x55, sizeof(conflict));
    enum table_outcome outcome = record_read_put(response, &(struct record_about){about_table.where, "a/b", "*"},
                                                 &conflict, NULL, &detail, &err);
    check_outcome(outcome, &detail, &err);
    FUZZ_CHECK(outcome != TABLE_OK || response->status == 200);
    if (outcome == TABLE_CONFLICT) {
        FUZZ_CHECK(response->status == 400);
        check_record(&conflict);
    }
}

static void read_get(const struct http_response *response)
{
    struct record record;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    bool found = false;

    memset(&record, 0x55, sizeof(record));
    enum table_outcome outcome = record_read_get(response, &(struct record_about){about_table.where, "a/b", "*"},
                                                 &found, &record, NULL, &detail, &err);
    check_outcome(outcome, &detail, &err);
    FUZZ_CHECK(outcome != TABLE_CONFLICT && outcome != TABLE_CONFLICT_BLIND);
    FUZZ_CHECK(!found || outcome == TABLE_OK);
    FUZZ_CHECK(outcome != TABLE_OK || response->status == 200);
    if (found)
        check_record(&record);
}

static bool each_row(void *context, const struct dynamo_row *row)
{
    unsigned *rows = context;

    ++*rows;
    FUZZ_CHECK(row->other != NULL);
    FUZZ_CHECK(row->other[0] == '{');
    if (row->readable) {
        struct record record;
        record_from_item(&row->item, &record, NULL, NULL);
        check_record(&record);
    }
    return *rows < 3;
}

static void read_list(const struct http_response *response)
{
    static char untouched;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    unsigned rows = 0;
    char *last_key = &untouched;

    enum table_outcome outcome = dynamo_read_list(response, &about_table, each_row, &rows, &last_key, &detail, &err);
    check_outcome(outcome, &detail, &err);
    FUZZ_CHECK(rows <= 3);
    FUZZ_CHECK(rows == 0 || outcome == TABLE_OK);
    if (outcome == TABLE_OK)
        FUZZ_CHECK(last_key != &untouched && (last_key == NULL || rows < 3));
    if (last_key != &untouched)
        free(last_key);
}

static void read_table(const struct http_response *response)
{
    struct dynamo_table table;
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};
    bool exists = false;

    memset(&table, 0x55, sizeof(table));
    enum table_outcome outcome = dynamo_read_table(response, &about_table, &exists, &table, &detail, &err);
    check_outcome(outcome, &detail, &err);
    if (outcome == TABLE_OK && exists) {
        FUZZ_CHECK_ARRAY(table.status);
        FUZZ_CHECK_ARRAY(table.keys_found);
    }
}

static void read_ttl(const struct http_response *response)
{
    char status[DYNAMO_TTL_STATUS_SIZE];
    char attribute[DYNAMO_TTL_ATTRIBUTE_SIZE];
    struct dynamo_error detail;
    os_error err = {.code = OS_OK};

    memset(status, 0x55, sizeof(status));
    memset(attribute, 0x55, sizeof(attribute));
    enum table_outcome outcome = dynamo_read_ttl(response, &about_table, status, attribute, &detail, &err);
    check_outcome(outcome, &detail, &err);
    if (outcome == TABLE_OK) {
        FUZZ_CHECK_ARRAY(status);
        FUZZ_CHECK_ARRAY(attribute);
    }
    memset(&err, 0, sizeof(err));
    outcome = dynamo_read_done(response, &about_table, &detail, &err);
    check_outcome(outcome, &detail, &err);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct http_response response;

    fuzz_response(data, size, &response);
    read_put(&response);
    read_get(&response);
    read_list(&response);
    read_table(&response);
    read_ttl(&response);
    http_response_free(&response);
    return 0;
}
