/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The same requests for rows to the embedded file, DynamoDB Local and dynalite, behind the asynchronous interface: what one
 * of them answers, all do. dynalite has no transactions and no TTL, and does not give the item that a condition failed on.
 */
#include "row_place.h"

/* ------------------------------------------------------------------------------------------------ asking */

static const struct path_step p_step = {.name = "p"};
static const struct path_step n_step = {.name = "n"};
static const struct condition_term is_new = {.path = {&p_step, 1}, .test = CONDITION_IS_ABSENT};
static const struct condition_term is_there = {.path = {&p_step, 1}, .test = CONDITION_EXISTS};

static struct row_answer ask_write(struct place *place, const struct rows_write *write)
{
    return ask(place, &(struct row_request){.verb = ROW_WRITE, .write = write});
}

static void check_written(struct place *place, const struct rows_write *write)
{
    struct row_answer answer = ask_write(place, write);
    CHECK_ANSWER(&answer, TABLE_OK);
    row_answer_free(&answer);
}

static json_t *key_of(struct place *place, const char *partition, size_t sort)
{
    return keep(&place->trees,
                json_pack("{s:{s:s},s:{s:o}}", "p", "S", partition, "s", "N", json_sprintf("%zu", sort)));
}

static void put(struct place *place, json_t *item)
{
    check_written(place, &(struct rows_write){.kind = ROWS_PUT, .table = &place->table, .item = item});
}

/* "g" is one of three, "h" the number. */
static json_t *numbered(struct place *place, const char *partition, size_t number)
{
    static const char *const groups[] = {"g0", "g1", "g2"};
    json_t *item = key_of(place, partition, number);
    json_t *more = json_pack("{s:{s:s+},s:{s:o},s:{s:o}}", "g", "S", partition, groups[number % 3], "h", "N",
                             json_sprintf("%zu", number), "n", "N", json_sprintf("%zu", number % 10));
    assert_non_null(more);
    assert_int_equal(json_object_update(item, more), 0);
    json_decref(more);
    return item;
}

static void put_many(struct place *place, const char *partition, size_t count)
{
    for (size_t i = 0; i < count; i++)
        put(place, numbered(place, partition, i));
}

static void check_item(struct place *place, const json_t *key, json_t *wanted)
{
    const struct rows_get get = {.of = {&place->table, key}};
    struct row_answer answer = ask(place, &(struct row_request){.verb = ROW_READ, .gets = &get, .get_count = 1});
    CHECK_ANSWER(&answer, TABLE_OK);
    if (wanted == NULL)
        assert_null(answer.items.items[0]);
    else
        assert_true(case_items_equal(answer.items.items[0], wanted));
    row_answer_free(&answer);
}

/* ------------------------------------------------------------------------------------------------ tables */

PLACE_TEST(a_table_is_found_as_it_was_made, 0)
{
    struct rows_definition other = definition;
    struct row_request request = {.verb = ROW_CHECK, .table = place->table.name, .definition = &definition};
    other.index_count = 1;
    for (int i = 0; i < 2; i++) {
        struct row_answer answer = ask(place, &request);
        CHECK_ANSWER(&answer, TABLE_OK);
        assert_string_equal(answer.error.message, "");
        request.definition = &other;
        answer = ask(place, &request);
        CHECK_ANSWER(&answer, TABLE_REFUSED);
        assert_int_equal(answer.error.code, OS_ERR_TABLE);
        CHECK_SAYS(&answer, "it has an index \"some_g\"");
        request = (struct row_request){.verb = ROW_CREATE, .table = place->table.name, .definition = &definition};
    }
    request = (struct row_request){.verb = ROW_CHECK, .table = "not-there", .definition = &definition};
    struct row_answer answer = ask(place, &request);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_NO_TABLE);
}

PLACE_TEST(a_table_whose_items_expire_is_made, PLACE_EXPIRES)
{
    char name[80];
    struct rows_definition expiring = {.keys = {.partition = {"id", VALUE_B}}, .ttl = "until"};
    (void)snprintf(name, sizeof(name), "%s-ttl", place->table.name);
    struct row_request request = {.verb = ROW_CREATE, .table = name, .definition = &expiring};
    for (int i = 0; i < 3; i++) {
        struct row_answer answer = ask(place, &request);
        CHECK_ANSWER(&answer, TABLE_OK);
        request.verb = i == 0 ? ROW_CREATE : ROW_CHECK;
    }
    expiring.ttl = "t";
    struct row_answer answer = ask(place, &request);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    CHECK_SAYS(&answer, "the TTL attribute is until, not t");
}

PLACE_TEST(a_table_that_is_not_there_has_no_items, 0)
{
    const struct rows_table none = {"not-there", {"p", "s"}};
    const struct rows_get get = {.of = {&none, key_of(place, "a", 1)}};
    struct row_answer answer = ask(place, &(struct row_request){.verb = ROW_READ, .gets = &get, .get_count = 1});
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_NO_TABLE);
}

/* ------------------------------------------------------------------------------------------------ one item */

PLACE_TEST(values_of_all_types_come_back, 0)
{
    json_t *item =
        tree(&place->trees, "{'p':{'S':'types'},'s':{'N':'-1.5'},'text':{'S':'a\\u00e9\\ud83d\\ude00\\u0001'},"
                            "'large':{'N':'12345678901234567890123456789012345678'},'small':{'N':'1E-130'},"
                            "'bytes':{'B':'AAEC/w=='},'yes':{'BOOL':true},'no':{'BOOL':false},'none':{'NULL':true},"
                            "'texts':{'SS':['b','a']},'numbers':{'NS':['3','1.5','-2']},'blobs':{'BS':['AQ==','AA==']},"
                            "'list':{'L':[{'S':'x'},{'N':'0'},{'L':[]},{'M':{}}]},"
                            "'map':{'M':{'a b':{'M':{'deep':{'BS':['/w==']}}},'.':{'NULL':true}}}}");
    json_t *key = tree(&place->trees, "{'p':{'S':'types'},'s':{'N':'-1.5'}}");
    put(place, item);
    check_item(place, key, item);
}

PLACE_TEST(a_condition_holds_or_fails, 0)
{
    json_t *key = key_of(place, "conditions", 1);
    json_t *item = tree(&place->trees, "{'p':{'S':'conditions'},'s':{'N':'1'},'n':{'N':'5'}}");
    const struct condition_term terms[] = {
        is_new,
        is_there,
        {.path = {&n_step, 1}, .test = CONDITION_EQUALS, .value = tree(&place->trees, "{'N':'5.0'}")},
        {.path = {&n_step, 1}, .test = CONDITION_IS_ABOVE, .value = tree(&place->trees, "{'N':'5'}")},
        {.path = {&n_step, 1}, .test = CONDITION_DIFFERS, .value = tree(&place->trees, "{'S':'5'}")},
        {.path = {&n_step, 1},
         .test = CONDITION_IS_BETWEEN,
         .value = tree(&place->trees, "{'N':'1'}"),
         .upper = tree(&place->trees, "{'N':'5'}")},
    };
    static const bool holds[] = {false, true, true, false, true, true};
    struct rows_write write = {.kind = ROWS_PUT, .table = &place->table, .item = item, .condition = {&is_new, 1}};
    const enum table_outcome failed = place->features & PLACE_GIVES_ITEMS ? TABLE_CONFLICT : TABLE_CONFLICT_BLIND;
    check_written(place, &write);
    for (size_t i = 0; i < sizeof(holds) / sizeof(holds[0]); i++) {
        write.condition.terms = &terms[i];
        struct row_answer answer = ask_write(place, &write);
        CHECK_ANSWER(&answer, holds[i] ? TABLE_OK : failed);
        if (answer.outcome == TABLE_CONFLICT)
            assert_true(case_items_equal(answer.item, item));
        row_answer_free(&answer);
    }
    write = (struct rows_write){
        .kind = ROWS_DELETE, .table = &place->table, .item = key, .condition = {&is_there, 1}, .returns_item = true};
    struct row_answer answer = ask_write(place, &write);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_true(case_items_equal(answer.item, item));
    row_answer_free(&answer);
    answer = ask_write(place, &write);
    CHECK_ANSWER(&answer, TABLE_CONFLICT_BLIND);
    check_item(place, key, NULL);
}

PLACE_TEST(an_update_changes_an_item_or_makes_one, 0)
{
    static const struct path_step steps[] = {{.name = "n"}, {.name = "set"}, {.name = "gone"}, {.name = "new"}};
    json_t *key = key_of(place, "updates", 1);
    json_t *one = tree(&place->trees, "{'N':'1'}");
    json_t *elements = tree(&place->trees, "{'SS':['b','c']}");
    const struct change first[] = {{.path = {&steps[0], 1}, .kind = CHANGE_ADD, .value = one},
                                   {.path = {&steps[1], 1}, .kind = CHANGE_ADD, .value = elements},
                                   {.path = {&steps[2], 1}, .kind = CHANGE_SET, .value = one}};
    const struct change second[] = {
        {.path = {&steps[0], 1}, .kind = CHANGE_INCREMENT, .value = one},
        {.path = {&steps[1], 1}, .kind = CHANGE_DELETE, .value = tree(&place->trees, "{'SS':['b']}")},
        {.path = {&steps[2], 1}, .kind = CHANGE_REMOVE},
        {.path = {&steps[3], 1}, .kind = CHANGE_SET, .value = tree(&place->trees, "{'L':[{'BOOL':true}]}")}};
    struct rows_write write = {.kind = ROWS_UPDATE,
                               .table = &place->table,
                               .item = key,
                               .changes = first,
                               .change_count = 3,
                               .returns_item = true};
    struct row_answer answer = ask_write(place, &write);
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_true(case_items_equal(answer.item, tree(&place->trees, "{'p':{'S':'updates'},'s':{'N':'1'},'n':{'N':'1'},"
                                                                  "'set':{'SS':['b','c']},'gone':{'N':'1'}}")));
    row_answer_free(&answer);
    write.changes = second;
    write.change_count = 4;
    answer = ask_write(place, &write);
    CHECK_ANSWER(&answer, TABLE_OK);
    json_t *wanted = tree(&place->trees, "{'p':{'S':'updates'},'s':{'N':'1'},'n':{'N':'2'},'set':{'SS':['c']},'new':{"
                                         "'L':[{'BOOL':true}]}}");
    assert_true(case_items_equal(answer.item, wanted));
    row_answer_free(&answer);
    check_item(place, key, wanted);
}

/* ------------------------------------------------------------------------------------------------ many items */

/* Every second item is there. */
static void check_read(struct place *place, const char *partition, bool is_snapshot)
{
    const struct path number = {&n_step, 1};
    struct rows_get gets[ROWS_AT_ONCE_MAX];
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        gets[i] = (struct rows_get){
            .of = {&place->table, key_of(place, partition, i)}, .paths = &number, .path_count = i % 3};
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        gets[i].path_count = gets[i].path_count > 0 ? 1 : 0;
    struct row_answer answer =
        ask(place, &(struct row_request){
                       .verb = ROW_READ, .gets = gets, .get_count = ROWS_AT_ONCE_MAX, .is_snapshot = is_snapshot});
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(answer.items.left_count, 0);
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++) {
        const json_t *item = answer.items.items[i];
        assert_int_equal(item != NULL, i % 2 == 0);
        if (item != NULL)
            assert_int_equal(json_object_size(item), gets[i].path_count > 0 ? 1 : 5);
    }
    row_answer_free(&answer);
}

static void put_every_second(struct place *place, const char *partition)
{
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i += 2)
        put(place, numbered(place, partition, i));
}

PLACE_TEST(a_hundred_items_are_read_at_once, 0)
{
    put_every_second(place, "batch");
    check_read(place, "batch", false);
}

PLACE_TEST(a_hundred_items_are_read_at_one_instant, PLACE_TRANSACTS)
{
    put_every_second(place, "snapshot");
    check_read(place, "snapshot", true);
}

static struct row_answer transact(struct place *place, const struct rows_write *writes, size_t count, const char *token)
{
    const struct rows_transaction transaction = {writes, count, token};
    return ask(place, &(struct row_request){.verb = ROW_TRANSACT, .transaction = &transaction});
}

PLACE_TEST(a_transaction_of_a_hundred_is_done_once_under_its_token, PLACE_TRANSACTS)
{
    static struct rows_write writes[ROWS_AT_ONCE_MAX];
    const char *token = place->name_of_table + strlen(place->name_of_table) - 8;
    for (size_t i = 0; i < ROWS_AT_ONCE_MAX; i++)
        writes[i] = (struct rows_write){.kind = ROWS_PUT,
                                        .table = &place->table,
                                        .item = numbered(place, "together", i),
                                        .condition = {&is_new, 1}};
    for (int again = 0; again < 2; again++) {
        struct row_answer answer = transact(place, writes, ROWS_AT_ONCE_MAX, token);
        CHECK_ANSWER(&answer, TABLE_OK);
        assert_int_equal(answer.answers[99].verdict, ROWS_NOT_IN_THE_WAY);
        row_answer_free(&answer);
    }
    struct row_answer answer = transact(place, writes, 1, token);
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    row_answer_free(&answer);
}

PLACE_TEST(a_transaction_is_done_whole_or_not_at_all, PLACE_TRANSACTS)
{
    char token[ROWS_TOKEN_MAX + 1];
    json_t *there = numbered(place, "whole", 1);
    json_t *first = key_of(place, "whole", 0);
    const struct rows_write writes[] = {
        {.kind = ROWS_PUT, .table = &place->table, .item = first},
        {.kind = ROWS_CHECK, .table = &place->table, .item = key_of(place, "whole", 1), .condition = {&is_new, 1}},
        {.kind = ROWS_DELETE, .table = &place->table, .item = key_of(place, "whole", 2), .condition = {&is_there, 1}}};
    put(place, there);
    (void)snprintf(token, sizeof(token), "w%s", place->name_of_table + strlen(place->name_of_table) - 8);
    struct row_answer answer = transact(place, writes, 3, token);
    CHECK_ANSWER(&answer, TABLE_CONFLICT_BLIND);
    assert_int_equal(answer.answers[0].verdict, ROWS_NOT_IN_THE_WAY);
    assert_int_equal(answer.answers[1].verdict, ROWS_CONDITION_FAILED);
    assert_true(case_items_equal(answer.answers[1].item, there));
    assert_int_equal(answer.answers[2].verdict, ROWS_CONDITION_FAILED);
    assert_null(answer.answers[2].item);
    row_answer_free(&answer);
    check_item(place, first, NULL);
}

PLACE_TEST(that_there_are_no_transactions_is_said, PLACE_LACKS_TRANSACTIONS)
{
    const struct rows_write write = {.kind = ROWS_PUT, .table = &place->table, .item = key_of(place, "none", 0)};
    struct row_answer answer = transact(place, &write, 1, "token");
    CHECK_ANSWER(&answer, TABLE_REFUSED);
    assert_int_equal(answer.error.code, OS_ERR_UNSUPPORTED);
    CHECK_SAYS(&answer, "does not know the operation");
    row_answer_free(&answer);
    check_item(place, write.item, NULL);
}

/* ------------------------------------------------------------------------------------------------ lists */

struct listed {
    size_t items;
    size_t pages;
    int64_t first; /* "s" of the first and the last item */
    int64_t last;
};

static int64_t sort_of(const json_t *item)
{
    const char *text = json_string_value(json_object_get(json_object_get(item, "s"), "N"));
    assert_non_null(text);
    return strtoll(text, NULL, 10);
}

static struct listed list_all(struct place *place, struct rows_list list)
{
    struct listed listed = {.items = 0};
    json_t *start_key = NULL;
    list.table = &place->table;
    do {
        list.start_key = start_key;
        struct row_answer answer = ask(place, &(struct row_request){.verb = ROW_LIST, .list = &list});
        CHECK_ANSWER(&answer, TABLE_OK);
        size_t count = json_array_size(answer.page.items);
        if (listed.items == 0 && count > 0)
            listed.first = sort_of(json_array_get(answer.page.items, 0));
        if (count > 0)
            listed.last = sort_of(json_array_get(answer.page.items, count - 1));
        listed.items += count;
        listed.pages++;
        assert_true(list.limit == 0 || count <= list.limit);
        json_decref(start_key);
        start_key = json_incref(answer.page.last_key);
        row_answer_free(&answer);
    } while (start_key != NULL);
    return listed;
}

static void check_listed(struct listed listed, size_t items, int64_t first, int64_t last)
{
    assert_int_equal(listed.items, items);
    assert_int_equal(listed.first, first);
    assert_int_equal(listed.last, last);
}

PLACE_TEST(a_partition_is_listed_in_pages_from_either_end, 0)
{
    json_t *partition = tree(&place->trees, "{'S':'list'}");
    json_t *low = tree(&place->trees, "{'N':'9'}");
    json_t *high = tree(&place->trees, "{'N':'20'}");
    const struct condition_term seven = {
        .path = {&n_step, 1}, .test = CONDITION_EQUALS, .value = tree(&place->trees, "{'N':'7'}")};
    put_many(place, "list", 25);
    check_listed(list_all(place, (struct rows_list){.partition = partition}), 25, 0, 24);
    check_listed(list_all(place, (struct rows_list){.partition = partition, .is_descending = true}), 25, 24, 0);
    check_listed(list_all(place, (struct rows_list){.partition = partition, .limit = 7, .is_descending = true}), 25, 24,
                 0);
    assert_true(list_all(place, (struct rows_list){.partition = partition, .limit = 7}).pages >= 4);
    check_listed(
        list_all(place, (struct rows_list){.partition = partition,
                                           .limit = 5,
                                           .sort = {.test = CONDITION_IS_BETWEEN, .value = low, .upper = high}}),
        12, 9, 20);
    check_listed(
        list_all(place, (struct rows_list){.partition = partition, .sort = {.test = CONDITION_IS_BELOW, .value = low}}),
        9, 0, 8);
    check_listed(list_all(place, (struct rows_list){.partition = partition, .limit = 3, .filter = {&seven, 1}}), 2, 7,
                 17);
}

PLACE_TEST(an_index_is_listed_by_its_own_keys, 0)
{
    json_t *partition = tree(&place->trees, "{'S':'indexg1'}");
    put_many(place, "index", 20);
    const struct rows_list by_g = {.index = "by_g", .index_keys = {"g", "h"}, .partition = partition, .limit = 2};
    check_listed(list_all(place, by_g), 7, 1, 19);
    struct rows_list descending = by_g;
    descending.is_descending = true;
    check_listed(list_all(place, descending), 7, 19, 1);
    const struct rows_list some = {
        .table = &place->table, .index = "some_g", .index_keys = {"g", NULL}, .partition = partition};
    struct row_answer answer = ask(place, &(struct row_request){.verb = ROW_LIST, .list = &some});
    CHECK_ANSWER(&answer, TABLE_OK);
    assert_int_equal(json_array_size(answer.page.items), 7);
    assert_null(json_object_get(json_array_get(answer.page.items, 0), "n"));
    row_answer_free(&answer);
}

PLACE_TEST(the_segments_of_a_scan_have_every_item_once, 0)
{
    enum { SEGMENTS = 4 };
    size_t count = 0;
    put_many(place, "scan", 20);
    const struct listed all = list_all(place, (struct rows_list){.limit = 11});
    for (uint32_t i = 0; i < SEGMENTS; i++)
        count += list_all(place, (struct rows_list){.segment = i, .segments = SEGMENTS, .limit = 9}).items;
    assert_true(all.items >= 20);
    assert_int_equal(count, all.items);
}

int main(int argc, char **argv)
{
    return place_main(argc, argv);
}
