/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   bench_transact MODE --ledger URL --table NAME [OPTION VALUE ...]
 *
 * Transactions of this library beside those that are written by hand (transact.py, sdk), one after the other. Modes:
 * put (rows that are not read are written whole), change (rows are read, and a field of each is changed). Options:
 * --rows N (of a transaction), --prefix TEXT (of the keys), --seconds S, --warm S. Credentials: AWS_ACCESS_KEY_ID ...
 *
 * Says "ready" when it is warm, begins when it is given a line, and says what it measured as one line of JSON.
 */
#include "measure.h"

#include <oscommit_model.h>

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ROWS_MAX = 100, KEY_SIZE = 160, OWNER_LEN = 100 };

/* bench/transact.py and bench/sdk write the same items. */
static const char schema[] =
    "{\"title\":\"Account\",\"type\":\"object\",\"properties\":{\"id\":{\"type\":\"string\"},"
    "\"balance\":{\"type\":\"integer\"},\"owner\":{\"type\":\"string\"},\"visits\":{\"type\":\"integer\"}},"
    "\"required\":[\"id\",\"balance\",\"owner\",\"visits\"],\"KEY\":[\"id\"]}";

struct settings {
    const char *ledger_endpoint;
    const char *table;
    const char *prefix;
    size_t rows;
    double seconds;
    double warm;
};

struct work {
    os_client *client;
    os_model *account;
    size_t rows;
    char keys[ROWS_MAX][KEY_SIZE]; /* JSON without its last brace */
    long long serial;
    struct samples samples;
    os_error error;
    bool failed;
};

static os_code put(void *context, os_txn *txn, os_error *err)
{
    const struct work *work = context;
    char fields[KEY_SIZE + OWNER_LEN + 96];
    char owner[OWNER_LEN + 1];
    os_code code = OS_OK;
    memset(owner, 'x', OWNER_LEN);
    owner[OWNER_LEN] = '\0';
    for (size_t i = 0; i < work->rows && code == OS_OK; i++) {
        snprintf(fields, sizeof(fields), "%s,\"balance\":%lld,\"owner\":\"%s\",\"visits\":0}", work->keys[i],
                 work->serial, owner);
        code = os_txn_create_or_put(txn, work->account, fields, NULL, err);
    }
    return code;
}

static os_code change(void *context, os_txn *txn, os_error *err)
{
    const struct work *work = context;
    char keys[ROWS_MAX][KEY_SIZE + 1];
    os_row_key row_keys[ROWS_MAX];
    os_row *rows[ROWS_MAX];
    int64_t balance = 0;
    for (size_t i = 0; i < work->rows; i++) {
        snprintf(keys[i], sizeof(keys[i]), "%s}", work->keys[i]);
        row_keys[i] = (os_row_key){work->account, keys[i]};
    }
    os_code code = work->rows == 1 ? os_txn_get(txn, work->account, keys[0], NULL, rows, err)
                                   : os_txn_get_many(txn, row_keys, work->rows, NULL, rows, err);
    for (size_t i = 0; i < work->rows && code == OS_OK; i++) {
        code = os_row_get_int(rows[i], "balance", &balance, err);
        if (code == OS_OK)
            code = os_row_set_int(rows[i], "balance", balance + 1, err);
    }
    return code;
}

static void transact(struct work *work, os_txn_fn function)
{
    uint64_t begun_us = measure_now_us();
    work->serial++;
    work->failed = os_transact(work->client, NULL, function, work, NULL, NULL, &work->error) != OS_COMMITTED;
    if (!work->failed)
        samples_add(&work->samples, measure_now_us() - begun_us);
}

static void transact_for(struct work *work, os_txn_fn function, double seconds)
{
    uint64_t until_us = measure_now_us() + (uint64_t)(seconds * 1e6);
    while (!work->failed && measure_now_us() < until_us)
        transact(work, function);
}

/* ------------------------------------------------------------------------------------------------------ the program */

static bool set_option(struct settings *settings, const char *name, const char *value)
{
    if (strcmp(name, "--ledger") == 0)
        return (settings->ledger_endpoint = value) != NULL;
    if (strcmp(name, "--table") == 0)
        return (settings->table = value) != NULL;
    if (strcmp(name, "--prefix") == 0)
        return (settings->prefix = value) != NULL;
    if (strcmp(name, "--rows") == 0)
        return (settings->rows = strtoul(value, NULL, 10)) > 0 && settings->rows <= ROWS_MAX;
    if (strcmp(name, "--seconds") == 0)
        return (settings->seconds = strtod(value, NULL)) > 0;
    if (strcmp(name, "--warm") == 0)
        return (settings->warm = strtod(value, NULL)) >= 0;
    return strcmp(name, "--runtime") == 0; /* of the SDK alone */
}

static bool parse(int argc, char **argv, struct settings *ret)
{
    *ret = (struct settings){.prefix = "bench", .rows = 1, .seconds = 1, .warm = 0.3};
    for (int i = 2; i < argc; i += 2)
        if (i + 1 == argc || !set_option(ret, argv[i], argv[i + 1]))
            return false;
    return ret->ledger_endpoint != NULL && ret->table != NULL &&
           (strcmp(argv[1], "put") == 0 || strcmp(argv[1], "change") == 0);
}

static bool open_work(const struct settings *settings, struct work *ret)
{
    os_options options = OS_OPTIONS_INIT;
    options.ledger_url = "dynamodb://any";
    options.dynamodb_endpoint = settings->ledger_endpoint;
    ret->rows = settings->rows;
    for (size_t i = 0; i < ret->rows; i++)
        snprintf(ret->keys[i], KEY_SIZE, "{\"id\":\"%s-%zu\"", settings->prefix, i);
    return os_client_open(&options, &ret->client, &ret->error) == OS_OK &&
           os_model_parse(schema, settings->table, &ret->account, &ret->error) == OS_OK;
}

/* The rows are there before any is changed. */
static int run(struct work *work, os_txn_fn function, const struct settings *settings)
{
    transact(work, put);
    transact_for(work, function, settings->warm);
    work->samples.count = 0;
    measure_wait_for_go();
    struct measure measure = measure_begin();
    transact_for(work, function, settings->seconds);
    measure_end(&measure);
    measure_report(&measure, &work->samples, work->failed, work->failed ? work->error.message : "");
    return 0;
}

int main(int argc, char **argv)
{
    static struct work work;
    struct settings settings;
    if (argc < 2 || !parse(argc, argv, &settings)) {
        fprintf(stderr, "usage: bench_transact put|change --ledger URL --table NAME [OPTION VALUE ...]\n");
        return 2;
    }
    if (!open_work(&settings, &work)) {
        fprintf(stderr, "bench_transact: %s\n", work.error.message);
        return 1;
    }
    int status = run(&work, strcmp(argv[1], "put") == 0 ? put : change, &settings);
    free(work.samples.us);
    os_model_free(work.account);
    os_client_close(work.client);
    return status;
}
