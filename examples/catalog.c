/*
 * A catalog of two tables, "events" and "orders". For each a row names its newest metadata object, which names the one
 * before. A commit moves one of them or both, together or not at all (docs/catalog.md).
 *
 *   catalog STORE create             once
 *   catalog STORE commit NAME COUNT  NAME-0, NAME-1 ... by turns of both tables, of "events", of "orders"
 *   catalog STORE gc [now]           removes what is older than a day, or of any age: nobody may write then
 *   catalog STORE log                the metadata of each table from the newest to the first, as
 *                                    TABLE VERSION COMMIT EVENTS ORDERS KEY; the commit saw the versions EVENTS and ORDERS
 *
 * On an S3 store OSCOMMIT_LEDGER says where the rows are; at DynamoDB the tables are Catalog and CatalogIntents.
 */
#include <oscommit_model.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EVENTS, ORDERS, TABLES, KEY_SIZE = 256 };
static const char *const names[TABLES] = {"events", "orders"};
static const char schema[] =
    "{\"title\":\"Catalog\",\"type\":\"object\",\"properties\":{\"name\":{\"type\":\"string\"},"
    "\"version\":{\"type\":\"integer\",\"default\":0},\"metadata\":{\"type\":\"string\",\"default\":\"-\"}},"
    "\"required\":[\"name\",\"version\",\"metadata\"],\"KEY\":[\"name\"]}";

struct catalog {
    os_client *client;
    os_model *model;
    os_model *intents;
    os_row *rows[TABLES]; /* of the present run */
    long long versions[TABLES];
    char metadata[TABLES][KEY_SIZE];
    char commit[64];
    int number;
};

static int fail(const os_error *err)
{
    fprintf(stderr, "%s\n", err->message);
    return 1;
}

/* Both rows at one instant, though only one may change: so each commit knows where it stands among all others. */
static os_code look(void *context, os_txn *txn, os_error *err)
{
    struct catalog *catalog = context;
    const os_row_key keys[] = {{catalog->model, "{\"name\":\"events\"}"}, {catalog->model, "{\"name\":\"orders\"}"}};
    os_get_options options = OS_GET_OPTIONS_INIT;
    options.create_if_missing = 1;
    os_code code = os_txn_get_many(txn, keys, TABLES, &options, catalog->rows, err);
    for (int i = 0; i < TABLES && code == OS_OK; i++) {
        const char *metadata = "";
        int64_t version = 0;
        code = os_row_get_int(catalog->rows[i], "version", &version, err);
        if (code == OS_OK)
            code = os_row_get_string(catalog->rows[i], "metadata", &metadata, err);
        catalog->versions[i] = version;
        snprintf(catalog->metadata[i], KEY_SIZE, "%s", metadata);
    }
    return code;
}

/* A new metadata object, and the row that names it. In Iceberg it would be JSON, with schemas and snapshots. */
static os_code move(struct catalog *catalog, os_txn *txn, int table, os_error *err)
{
    char text[KEY_SIZE + 128];
    char prefix[64];
    const char *key = NULL;
    long long version = catalog->versions[table] + 1;
    int length = snprintf(text, sizeof(text), "%lld %s %lld %lld %s\n", version, catalog->commit,
                          catalog->versions[EVENTS], catalog->versions[ORDERS], catalog->metadata[table]);
    os_body body = OS_BODY_MEMORY(text, (uint64_t)length);
    os_stage stage = OS_STAGE_INIT;
    snprintf(prefix, sizeof(prefix), "db/%s/metadata/%05lld-", names[table], version);
    stage.intents = catalog->intents;
    stage.prefix = prefix;
    stage.suffix = ".metadata";
    stage.body = &body;
    os_code code = os_txn_stage(txn, &stage, &key, err);
    if (code == OS_OK)
        code = os_row_set_int(catalog->rows[table], "version", version, err);
    return code == OS_OK ? os_row_set_string(catalog->rows[table], "metadata", key, err) : code;
}

static os_code commit(void *context, os_txn *txn, os_error *err) /* runs again if another was faster */
{
    struct catalog *catalog = context;
    os_code code = look(catalog, txn, err);
    for (int i = 0; i < TABLES && code == OS_OK; i++)
        if (catalog->number % 3 == 0 || catalog->number % 3 == i + 1)
            code = move(catalog, txn, i, err);
    return code;
}

static int commit_all(struct catalog *catalog, const char *name, int count)
{
    os_txn_options options = OS_TXN_OPTIONS_INIT;
    options.retries = 100;
    options.initial_backoff_ms = 5;
    options.max_backoff_ms = 200;
    for (; catalog->number < count; catalog->number++) {
        os_txn_result result = OS_TXN_RESULT_INIT;
        os_error err;
        snprintf(catalog->commit, sizeof(catalog->commit), "%.40s-%d", name, catalog->number);
        os_verdict verdict = os_transact(catalog->client, &options, commit, catalog, NULL, &result, &err);
        printf("%s %s\n", catalog->commit, os_verdict_name(verdict));
        fflush(stdout);
        os_txn_result_clear(&result);
        if (verdict == OS_NOT_EXECUTED || verdict == OS_UNKNOWN)
            return fail(&err);
    }
    return 0;
}

/* From the newest metadata of a table to the first. */
static int show(struct catalog *catalog, int table)
{
    char *key = catalog->metadata[table];
    while (strcmp(key, "-") != 0) {
        long long version, events, orders;
        char name[64], before[KEY_SIZE];
        void *text = NULL;
        size_t length;
        os_error err;
        os_sink sink = OS_SINK_INIT;
        sink.ret_data = &text;
        sink.ret_length = &length;
        if (os_get(catalog->client, key, &sink, NULL, NULL, &err) != OS_OK)
            return fail(&err);
        int fields = sscanf(text, "%lld %63s %lld %lld %255s", &version, name, &events, &orders, before);
        os_free(text);
        if (fields != 5)
            return fprintf(stderr, "%s is no metadata.\n", key), 1;
        printf("%s %lld %s %lld %lld %s\n", names[table], version, name, events, orders, key);
        strcpy(key, before);
    }
    return 0;
}

static int collect(struct catalog *catalog, int of_any_age)
{
    os_txn_gc_options options = OS_TXN_GC_OPTIONS_INIT;
    os_txn_gc_result result = OS_TXN_GC_RESULT_INIT;
    os_error err;
    options.intents = catalog->intents;
    options.of_any_age = of_any_age;
    options.remove = 1;
    if (os_txn_gc(catalog->client, &options, NULL, NULL, NULL, &result, &err) != OS_OK)
        return fail(&err);
    printf("%llu removed, %llu failed\n", (unsigned long long)result.removed, (unsigned long long)result.failed);
    return result.failed > 0;
}

static int run(struct catalog *catalog, int argc, char **argv)
{
    os_error err = {.message = "There is no such command, or it has other arguments."};
    if (strcmp(argv[2], "commit") == 0 && argc == 5)
        return commit_all(catalog, argv[3], atoi(argv[4]));
    if (strcmp(argv[2], "gc") == 0)
        return collect(catalog, argc == 4 && strcmp(argv[3], "now") == 0);
    if (strcmp(argv[2], "log") == 0 &&
        os_transact(catalog->client, NULL, look, catalog, NULL, NULL, &err) == OS_COMMITTED)
        return show(catalog, EVENTS) || show(catalog, ORDERS);
    if (strcmp(argv[2], "create") == 0 && os_model_table_create(catalog->client, catalog->model, NULL, &err) == OS_OK &&
        os_model_table_create(catalog->client, catalog->intents, NULL, &err) == OS_OK)
        return 0;
    return fail(&err);
}

/* For tests: the process is killed when it has made as many requests as CATALOG_DIE_AT says. */
static void die_at(void *context, const os_metric *metric)
{
    static int made;
    if (metric->kind == OS_METRIC_REQUEST && ++made == atoi(context))
        kill(getpid(), SIGKILL);
}

int main(int argc, char **argv)
{
    struct catalog catalog = {.number = 0};
    os_options options = OS_OPTIONS_INIT;
    os_error err;
    if (argc < 3)
        return fprintf(stderr, "usage: catalog STORE create | commit NAME COUNT | gc [now] | log\n"), 2;
    options.store_url = argv[1];
    options.metric_context = getenv("CATALOG_DIE_AT");
    options.metric = options.metric_context ? die_at : NULL;
    if (os_options_from_environment(&options, &err) != OS_OK ||
        os_client_open(&options, &catalog.client, &err) != OS_OK)
        return fail(&err);
    int status = os_model_parse(schema, NULL, &catalog.model, &err) == OS_OK &&
                         os_stage_model("CatalogIntents", &catalog.intents, &err) == OS_OK
                     ? run(&catalog, argc, argv)
                     : fail(&err);
    os_model_free(catalog.model);
    os_model_free(catalog.intents);
    os_client_close(catalog.client);
    return status;
}
