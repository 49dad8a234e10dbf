/* SPDX-License-Identifier: Apache-2.0 */
#include "unit/api/client_scratch.h"

#include "client/ticket.h"

#include <ftw.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void scratch_set_up(struct scratch *ret)
{
    os_error error;
    strcpy(ret->folder, "/tmp/oscommit-client-XXXXXX");
    assert_non_null(mkdtemp(ret->folder));
    snprintf(ret->root, sizeof(ret->root), "%s/store", ret->folder);
    snprintf(ret->url, sizeof(ret->url), "file://%s", ret->root);
    CHECK_CODE(os_init(ret->root, &error), OS_OK, &error);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
    (void)st;
    (void)type;
    (void)ftw;
    return remove(path);
}

void scratch_tear_down(struct scratch *scratch)
{
    assert_int_equal(nftw(scratch->folder, remove_one, 16, FTW_DEPTH | FTW_PHYS), 0);
}

os_client *scratch_client(const struct scratch *scratch, const os_options *more)
{
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    os_error error;
    if (more)
        options = *more;
    options.store_url = scratch->url;
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}

os_client *scratch_table_client_of(const char *file)
{
    char url[160];
    os_error error;
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    snprintf(url, sizeof(url), "sqlite://%s", file);
    options.ledger_url = url;
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}

os_client *scratch_table_client(const struct scratch *scratch)
{
    char file[128];
    snprintf(file, sizeof(file), "%s/.oscommit/ledger.db", scratch->root);
    return scratch_table_client_of(file);
}

static void execute(sqlite3 *db, const char *sql)
{
    char *message = NULL;
    if (sqlite3_exec(db, sql, NULL, NULL, &message) != SQLITE_OK)
        fail_msg("%s: %s", sql, message);
}

sqlite3 *scratch_lock_file(const struct scratch *scratch, const char *name, const char *sql)
{
    char file[160];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/%s", scratch->root, name);
    assert_int_equal(sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
    execute(db, sql);
    return db;
}

void scratch_unlock_file(sqlite3 *db)
{
    execute(db, "ROLLBACK");
    assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

os_client *scratch_s3_client(const struct scratch *scratch, const char *host, const os_options *more)
{
    char endpoint[64];
    char ledger_url[160];
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    os_error error;
    snprintf(endpoint, sizeof(endpoint), "%s://%s", more && more->ca_file ? "https" : "http", host);
    snprintf(ledger_url, sizeof(ledger_url), "sqlite://%s/.oscommit/ledger.db", scratch->root);
    if (more)
        options = *more;
    options.store_url = options.store_url ? options.store_url : "s3://bucket";
    options.s3_endpoint = endpoint;
    options.ledger_url = options.ledger_url ? options.ledger_url : ledger_url;
    options.access_key_id = "key";
    options.secret_access_key = "secret";
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}

os_client *scratch_services_client(const char *store_host, const char *ledger_host, const os_options *more)
{
    char store[64];
    char ledger[64];
    os_client *client = NULL;
    os_error error;
    os_options options = more ? *more : (os_options)OS_OPTIONS_INIT;
    snprintf(store, sizeof(store), "http://%s", store_host);
    options.store_url = options.store_url ? options.store_url : "s3://bucket";
    options.s3_endpoint = store;
    if (ledger_host) {
        snprintf(ledger, sizeof(ledger), "http://%s", ledger_host);
        options.ledger_url = "dynamodb://records";
        options.dynamodb_endpoint = ledger;
    }
    options.access_key_id = "key";
    options.secret_access_key = "secret";
    options.no_environment = 1;
    CHECK_CODE(os_client_open(&options, &client, &error), OS_OK, &error);
    return client;
}

/* 2026-11-21, 10:00: what the made-up stores say that it is. */
enum { NOW_S = 1795255200 };

void scratch_write_profile(const struct scratch *scratch, const char *fields, char ret[SCRATCH_PATH_SIZE])
{
    snprintf(ret, SCRATCH_PATH_SIZE, "%s/profile.json", scratch->folder);
    FILE *file = fopen(ret, "w");
    assert_non_null(file);
    assert_true(fprintf(file,
                        "{\"format\":1,\"name\":\"of the test\",\"measured_on\":\"2026-11-21\","
                        "\"source\":\"documentation\",%s}",
                        fields) > 0);
    assert_int_equal(fclose(file), 0);
}

char *scratch_dead_create(const struct scratch *scratch, const char *host, const struct guard_ticket *more)
{
    char ledger[160];
    snprintf(ledger, sizeof(ledger), "%s/.oscommit/ledger.db", scratch->root);
    const struct ticket_place place = {.part = {"s3", host, "bucket", "", "sqlite", ledger, "", "", ""}};
    struct guard_ticket ticket = *more;
    ticket.operation = GUARD_PUT;
    snprintf(ticket.expected_etag, sizeof(ticket.expected_etag), "*");
    ticket.record = (struct record){.generation = 7,
                                    .timeout_ms = 20000,
                                    .ttl_s = NOW_S + 3600,
                                    .has_fence = true,
                                    .fence_s = NOW_S - 10,
                                    .nonce = SCRATCH_DEAD_NONCE};
    ticket.d0_s = NOW_S - 20;
    ticket.margin_s = 1;
    char *text = ticket_write(&place, "key", NULL, &ticket);
    assert_non_null(text);
    return text;
}
