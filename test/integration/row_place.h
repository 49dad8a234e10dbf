/* SPDX-License-Identifier: Apache-2.0 */
/* Where rows are kept: each place with a table of its own, behind the same interface. */
#ifndef OSCOMMIT_TEST_INTEGRATION_ROW_PLACE_H
#define OSCOMMIT_TEST_INTEGRATION_ROW_PLACE_H

#include "aws/endpoint.h"
#include "credentials/credentials.h"
#include "support/raw_service.h"
#include "unit/rows/trees.h"
#include "unit/sqlite/scratch.h"
#include "unit/table/row_asking.h"

enum { PLACE_TRANSACTS = 1, PLACE_GIVES_ITEMS = 2, PLACE_EXPIRES = 4, PLACE_LACKS_TRANSACTIONS = 8 };

struct place {
    const char *name;
    const char *variable; /* NULL: the embedded file */
    unsigned features;
    const char *lacks; /* NULL: nothing */
    struct on_loop on;
    struct endpoint endpoint;
    struct credentials *credentials;
    struct row_service *service;
    char *folder;
    char name_of_table[64];
    struct rows_table table;
    struct trees trees; /* of the test that runs */
};

static struct place places[] = {
    {.name = "the embedded file", .features = PLACE_TRANSACTS | PLACE_GIVES_ITEMS | PLACE_EXPIRES},
    {.name = "DynamoDB Local",
     .variable = "OSCOMMIT_TEST_DYNAMODB_ENDPOINT",
     .features = PLACE_TRANSACTS | PLACE_GIVES_ITEMS | PLACE_EXPIRES},
    {.name = "dynalite",
     .variable = "OSCOMMIT_TEST_DYNALITE_ENDPOINT",
     .features = PLACE_LACKS_TRANSACTIONS,
     .lacks = "transactions, TTL, and the item that a condition failed on"},
};
static struct place *place_now;

#define PLACE_TEST(name, needed_features)                                       \
    static void name(struct place *place);                                      \
    static void name##_run(__attribute__((unused)) void **state)                \
    {                                                                           \
        name(place_now);                                                        \
    }                                                                           \
    TEST_REGISTER(name, #name, name##_run, NULL, forget_trees, needed_features) \
    static void name(__attribute__((unused)) struct place *place)

static int forget_trees(void **state)
{
    (void)state;
    trees_tear_down(&place_now->trees);
    return 0;
}

static const char *const included[] = {"x"};
static const struct rows_index indexes[] = {
    {.name = "by_g", .keys = {.partition = {"g", VALUE_S}, .sort = {"h", VALUE_N}}, .projection = ROWS_PROJECT_ALL},
    {.name = "some_g",
     .keys = {.partition = {"g", VALUE_S}},
     .projection = ROWS_PROJECT_INCLUDE,
     .names = included,
     .name_count = 1},
};
static const struct rows_definition definition = {
    .keys = {.partition = {"p", VALUE_S}, .sort = {"s", VALUE_N}}, .indexes = indexes, .index_count = 2};

static struct row_answer ask(struct place *place, const struct row_request *request)
{
    return row_ask(&place->on, place->service, request);
}

static void open_remote(struct place *place, const char *url)
{
    const struct credentials_source source = {
        .no_environment = true, .access_key_id = raw_access_key(), .secret_access_key = raw_secret_key()};
    assert_int_equal(endpoint_parse("dynamodb", url, raw_region(), &place->endpoint, NULL), OS_OK);
    assert_int_equal(credentials_new(&source, &place->credentials, NULL), OS_OK);
    const struct table_config config = {.loop = place->on.loop,
                                        .endpoint = &place->endpoint,
                                        .credentials = place->credentials,
                                        .stall_ms = ROW_PATIENCE_MS};
    assert_int_equal(row_dynamo_new(&config, &place->service, NULL), OS_OK);
}

static void open_embedded(struct place *place)
{
    char file[1100];
    place->folder = scratch_make();
    (void)snprintf(file, sizeof(file), "%s/rows.db", place->folder);
    const struct table_config config = {.loop = place->on.loop, .name = file};
    assert_int_equal(row_sqlite_new(&config, &place->service, NULL), OS_OK);
}

static int place_open(void **state)
{
    struct place *place = place_now;
    (void)state;
    on_loop_set_up(&place->on);
    if (place->variable != NULL)
        open_remote(place, getenv(place->variable));
    else
        open_embedded(place);
    (void)snprintf(place->name_of_table, sizeof(place->name_of_table), "rows-%d-%08llx", (int)getpid(),
                   (unsigned long long)now_ms() & 0xffffffff);
    place->table = (struct rows_table){place->name_of_table, {"p", "s"}};
    struct row_answer answer =
        ask(place, &(struct row_request){.verb = ROW_CREATE, .table = place->table.name, .definition = &definition});
    CHECK_ANSWER(&answer, TABLE_OK);
    return 0;
}

static int place_close(void **state)
{
    struct place *place = place_now;
    (void)state;
    on_loop_settle(&place->on);
    place->service->vtable->free(place->service);
    credentials_free(place->credentials);
    if (place->folder != NULL)
        scratch_remove(place->folder);
    return 0;
}

static bool is_given(const struct place *place)
{
    const char *url = place->variable != NULL ? getenv(place->variable) : "";
    return place->variable == NULL || (url != NULL && url[0] != '\0');
}

/* The exit status. A place that is not given is said, and skipped. */
static inline int place_main(int argc, char **argv)
{
    bool is_skipped = false;
    int failed = 0;
    test_take_arguments(argc, argv);
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        place_now = &places[i];
        if (!is_given(place_now)) {
            fprintf(stderr, "SKIPPED on %s: %s is not set\n", place_now->name, place_now->variable);
            is_skipped = true;
            continue;
        }
        if (place_now->lacks != NULL)
            fprintf(stderr, "%s has no %s: what needs these is not asked there\n", place_now->name, place_now->lacks);
        failed += test_run_group(&(struct test_group){
            .name = place_now->name, .set_up = place_open, .tear_down = place_close, .features = place_now->features});
    }
    if (is_skipped && failed == 0)
        return test_requires_servers() ? EXIT_FAILURE : TEST_EXIT_SKIPPED;
    return test_exit_status(failed);
}

#endif
