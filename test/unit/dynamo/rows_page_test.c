/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of queries and scans. */
#include "dynamo/rows_response.h"

#include "rows.h"

struct paging {
    struct trees trees;
    struct http_response response;
    struct rows_list list;
    struct rows_page page;
    struct dynamo_error detail;
    os_error err;
};

static void paging_set_up(struct paging *paging)
{
    paging->list = (struct rows_list){.table = &orders, .partition = tree(&paging->trees, "{'S':'a'}")};
}

static void paging_tear_down(struct paging *paging)
{
    http_response_free(&paging->response);
    rows_page_free(&paging->page);
    trees_tear_down(&paging->trees);
}

static enum table_outcome page_outcome(struct paging *paging, const char *body)
{
    http_response_free(&paging->response);
    rows_page_free(&paging->page);
    answer(&paging->response, 200, quoted(&paging->trees, body));
    return rows_read_page(&paging->response, ORDERS, &paging->list, &paging->page, &paging->detail, &paging->err);
}

TEST_WITH(paging, a_page_leads_on)
{
    assert_int_equal(page_outcome(paging,
                                  "{'Items':[" ORDER ",{'pk':{'S':'a'},'sk':{'N':'2'}}],'Count':2,'ScannedCount':2,"
                                  "'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'N':'2'}}}"),
                     TABLE_OK);
    assert_int_equal(json_array_size(paging->page.items), 2);
    assert_int_equal(paging->page.scanned, 2);
    assert_true(json_equal(paging->page.last_key, tree(&paging->trees, "{'pk':{'S':'a'},'sk':{'N':'2'}}")));
}

TEST_WITH(paging, an_empty_page_is_not_the_last)
{
    assert_int_equal(page_outcome(paging, "{'Items':[],'Count':0,'ScannedCount':9,'LastEvaluatedKey':{'pk':{'S':'a'},"
                                          "'sk':{'N':'2'}}}"),
                     TABLE_OK);
    assert_int_equal(json_array_size(paging->page.items), 0);
    assert_non_null(paging->page.items);
    assert_non_null(paging->page.last_key);
    assert_int_equal(paging->page.scanned, 9);
    assert_int_equal(page_outcome(paging, "{'Items':[" ORDER "],'Count':1}"), TABLE_OK);
    assert_int_equal(paging->page.scanned, 1);
    assert_null(paging->page.last_key);
}

TEST_WITH(paging, a_page_of_an_index_has_both_keys)
{
    paging->list.partition = tree(&paging->trees, "{'S':'x'}");
    paging->list.index = "by-state";
    paging->list.index_keys = (struct rows_keys){"state", "pk"};
    static const char key[] = "{'pk':{'S':'a'},'sk':{'N':'2'},'state':{'S':'x'}}";
    char body[256];
    snprintf(body, sizeof(body), "{'Items':[],'LastEvaluatedKey':%s}", key);
    assert_int_equal(page_outcome(paging, body), TABLE_OK);
    assert_true(json_equal(paging->page.last_key, tree(&paging->trees, key)));
}

static const struct page_row {
    const char *name;
    enum table_outcome outcome;
    const char *body;
} page_rows[] = {
    {"no items", TABLE_AMBIGUOUS, "{'Count':0}"},
    {"items of another kind", TABLE_AMBIGUOUS, "{'Items':{}}"},
    {"a last key that is none", TABLE_AMBIGUOUS, "{'Items':[],'LastEvaluatedKey':[]}"},
    {"a part of a last key", TABLE_AMBIGUOUS, "{'Items':[],'LastEvaluatedKey':{'pk':{'S':'a'}}}"},
    {"a last key of wrong values", TABLE_AMBIGUOUS, "{'Items':[],'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'N':2}}}"},
    {"more than a last key", TABLE_AMBIGUOUS,
     "{'Items':[],'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'N':'2'},'x':{'S':'y'}}}"},
    {"the key with which it began", TABLE_AMBIGUOUS, "{'Items':[],'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'N':'1'}}}"},
    {"an item that is none", TABLE_UNREADABLE, "{'Items':[" ORDER ",7]}"},
    {"a value that is none", TABLE_UNREADABLE, "{'Items':[{'pk':{'S':'a'},'sk':{'N':'1'},'x':{'SS':['a','a']}}]}"},
    {"an error at 200", TABLE_AMBIGUOUS, "{'Items':[],'__type':'x#InternalServerError'}"},
    {"an error without a code", TABLE_AMBIGUOUS, "{'Items':[],'message':'x'}"},
    {"an item of another partition", TABLE_AMBIGUOUS, "{'Items':[" ORDER ",{'pk':{'S':'b'},'sk':{'N':'2'}}]}"},
    {"an item outside the range", TABLE_AMBIGUOUS, "{'Items':[" ORDER ",{'pk':{'S':'a'},'sk':{'N':'10'}}]}"},
    {"an item without its sort key", TABLE_AMBIGUOUS, "{'Items':[{'pk':{'S':'a'}}]}"},
    {"an item without its partition key", TABLE_AMBIGUOUS, "{'Items':[{'sk':{'N':'1'}}]}"},
    {"more items than the page may have", TABLE_AMBIGUOUS, "{'Items':[" ORDER "," ORDER "," ORDER "]}"},
    {"a last key of another partition", TABLE_AMBIGUOUS,
     "{'Items':[],'LastEvaluatedKey':{'pk':{'S':'b'},'sk':{'N':'2'}}}"},
    {"a last key outside the range", TABLE_AMBIGUOUS,
     "{'Items':[],'LastEvaluatedKey':{'pk':{'S':'a'},'sk':{'N':'9'}}}"},
};

TEST_ROWS_WITH(paging, page_rows, a_page_that_is_not_in_order_gives_nothing)
{
    paging->list.start_key = tree(&paging->trees, "{'pk':{'S':'a'},'sk':{'N':'1'}}");
    paging->list.sort = (struct rows_range){.test = CONDITION_IS_BELOW, .value = tree(&paging->trees, "{'N':'9'}")};
    paging->list.limit = 2;
    assert_int_equal(page_outcome(paging, row->body), row->outcome);
    assert_null(paging->page.items);
    assert_null(paging->page.last_key);
    assert_says(paging->err, "Query of " ORDERS);
}

TEST_WITH(paging, parts_of_items_may_lack_their_keys)
{
    const struct path path = PATH({.name = "v"});
    paging->list.paths = &path;
    paging->list.path_count = 1;
    assert_int_equal(page_outcome(paging, "{'Items':[{'v':{'N':'1'}},{}],'Count':2}"), TABLE_OK);
    assert_int_equal(page_outcome(paging, "{'Items':[{'pk':{'S':'b'}}]}"), TABLE_AMBIGUOUS);
}

/* A scan asks for no partition; its items have whole keys all the same, those of an index both. */
TEST_WITH(paging, items_of_a_scan_have_their_keys)
{
    paging->list.partition = NULL;
    assert_int_equal(page_outcome(paging, "{'Items':[" ORDER ",{'pk':{'S':'b'},'sk':{'N':'2'}}]}"), TABLE_OK);
    assert_int_equal(page_outcome(paging, "{'Items':[{'id':{'S':'b'}}]}"), TABLE_AMBIGUOUS);
    assert_says(paging->err, "was answered with an item of another key");
    paging->list.index = "by-state";
    paging->list.index_keys = (struct rows_keys){"state", NULL};
    assert_int_equal(page_outcome(paging, "{'Items':[" ORDER "]}"), TABLE_AMBIGUOUS);
    assert_int_equal(page_outcome(paging, "{'Items':[{'pk':{'S':'b'},'sk':{'N':'2'},'state':{'S':'x'}}]}"), TABLE_OK);
}

TEST_WITH(paging, a_page_that_is_too_long_is_asked_for_in_parts)
{
    enum { ONE = 1024 * 1024 };
    paging->list.partition = NULL;
    char *text = malloc(ONE);
    assert_non_null(text);
    memset(text, ' ', ONE);
    http_response_init(&paging->response, DYNAMO_ANSWER_MAX);
    paging->response.status = 200;
    for (size_t i = 0; i <= DYNAMO_ANSWER_MAX / ONE; i++)
        (void)buf_add(&paging->response.body, text, ONE);
    free(text);
    assert_int_equal(
        rows_read_page(&paging->response, ORDERS, &paging->list, &paging->page, &paging->detail, &paging->err),
        TABLE_UNREADABLE);
    assert_says(paging->err, "Scan of " ORDERS
                             " got more than is read of one answer. Ask for fewer items in a page, or for parts of "
                             "them.");
}
