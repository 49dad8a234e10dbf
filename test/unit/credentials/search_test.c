/* SPDX-License-Identifier: Apache-2.0 */
/* Keys that are searched for on a loop: who waits for them, when they are renewed, and how a search ends. */
#include "base/container.h"
#include "credentials/credentials.h"
#include "unit/credentials/sources.h"
#include "unit/loop/on_loop.h"

#include <stdio.h>

/* The container's service is the source. */
struct searching {
    struct sources sources;
    struct on_loop on;
    struct credentials *credentials;
};

static void open_credentials(void *context)
{
    struct searching *searching = context;
    const struct credentials_source source = {.region = "eu-west-1"};
    os_error err;
    assert_int_equal(credentials_new(&source, &searching->credentials, &err), OS_OK);
    assert_int_equal(credentials_attach(searching->credentials, searching->on.loop, &searching->sources.http, &err),
                     OS_OK);
    assert_int_equal(credentials_attach(searching->credentials, searching->on.loop, &searching->sources.http, &err),
                     OS_OK);
}

static void searching_set_up(struct searching *ret)
{
    sources_set_up(&ret->sources);
    sources_name_server(&ret->sources, "AWS_CONTAINER_CREDENTIALS_FULL_URI", "");
    on_loop_set_up(&ret->on);
    on_loop_call(&ret->on, open_credentials, ret);
}

static void stop_credentials(void *context)
{
    struct searching *searching = context;
    credentials_stop(searching->credentials);
}

static void end_searching(struct searching *searching)
{
    if (searching->credentials == NULL)
        return;
    on_loop_call(&searching->on, stop_credentials, searching);
    on_loop_settle(&searching->on);
    credentials_free(searching->credentials);
    searching->credentials = NULL;
}

static void searching_tear_down(struct searching *searching)
{
    end_searching(searching);
    sources_tear_down(&searching->sources);
}

/* ------------------------------------------------------------------------------------------------ who waits */

struct waiting {
    struct credentials_waiter waiter;
    struct searching *searching;
    bool refused;
    enum credentials_state state;
    os_error why;
    char id[16]; /* of the keys that it got */
    unsigned told;
    struct event ready;
    void (*then)(struct waiting *waiting);
    struct waiting *other;
};

static void get_keys(struct waiting *waiting)
{
    struct sigv4_keys keys;
    if (credentials_get(waiting->searching->credentials, &keys, &waiting->why) == OS_OK)
        snprintf(waiting->id, sizeof(waiting->id), "%s", keys.access_key_id);
}

static void on_ready(struct credentials_waiter *waiter, const os_error *why_none)
{
    struct waiting *waiting = container_of(waiter, struct waiting, waiter);
    assert_false(waiter->waits);
    waiting->told++;
    waiting->id[0] = '\0';
    if (why_none != NULL)
        waiting->why = *why_none;
    else
        get_keys(waiting);
    if (waiting->then != NULL)
        waiting->then(waiting);
    event_set(&waiting->ready);
}

static void wait_for_keys(void *context)
{
    struct waiting *waiting = context;
    waiting->waiter.ready = on_ready;
    waiting->why = (os_error){.code = OS_OK};
    waiting->id[0] = '\0';
    waiting->state =
        credentials_wait(waiting->searching->credentials, waiting->refused, &waiting->waiter, &waiting->why);
    assert_int_equal(waiting->waiter.waits, waiting->state == CREDENTIALS_SEARCHED);
    if (waiting->state == CREDENTIALS_READY)
        get_keys(waiting);
}

static void leave(void *context)
{
    struct waiting *waiting = context;
    credentials_leave(waiting->searching->credentials, &waiting->waiter);
    assert_false(waiting->waiter.waits);
}

static struct waiting waiting_for(struct searching *searching, bool refused)
{
    return (struct waiting){.searching = searching, .refused = refused, .ready = EVENT_INIT};
}

static void begin(struct waiting *waiting, enum credentials_state state)
{
    on_loop_call(&waiting->searching->on, wait_for_keys, waiting);
    if (waiting->state != state)
        fail_msg("%d instead of %d: %s", waiting->state, state, waiting->why.message);
}

/* What it was told: keys, or NULL: an error with those words. */
static void end(struct waiting *waiting, const char *id, const char *words)
{
    event_wait(&waiting->ready);
    assert_int_equal(waiting->told, 1);
    assert_string_equal(waiting->id, id != NULL ? id : "");
    assert_int_equal(waiting->why.code, id != NULL ? OS_OK : OS_ERR_CREDENTIALS);
    if (id == NULL)
        assert_non_null(strstr(waiting->why.message, words));
}

static void expect_now(struct searching *searching, const char *id)
{
    struct waiting waiting = waiting_for(searching, false);
    begin(&waiting, CREDENTIALS_READY);
    assert_string_equal(waiting.id, id);
}

/* The first keys, of which the test wants no more. */
static void have_keys(struct searching *searching, const char *id, int64_t left_s)
{
    struct waiting waiting = waiting_for(searching, false);
    sources_give_keys(&searching->sources, id, left_s, false);
    begin(&waiting, CREDENTIALS_SEARCHED);
    end(&waiting, id, NULL);
}

TEST_WITH(searching, many_wait_for_one_search)
{
    enum { MANY = 20 };
    struct waiting all[MANY];
    sources_give_keys(&searching->sources, "id", 3600, true);
    for (size_t i = 0; i < MANY; i++) {
        all[i] = waiting_for(searching, i % 2 == 1);
        begin(&all[i], CREDENTIALS_SEARCHED);
    }
    assert_true(http_server_wait_held(searching->sources.server, 1));
    for (size_t i = 0; i < MANY; i++)
        assert_int_equal(event_count(&all[i].ready), 0);
    http_server_release(searching->sources.server, 1);
    for (size_t i = 0; i < MANY; i++)
        end(&all[i], "id", NULL);
    expect_now(searching, "id");
    assert_int_equal(http_server_count(searching->sources.server), 1);
}

TEST_WITH(searching, all_are_told_why_there_are_none_and_the_next_one_looks_again)
{
    struct waiting first = waiting_for(searching, false);
    struct waiting second = waiting_for(searching, false);
    sources_give_none(&searching->sources, true);
    begin(&first, CREDENTIALS_SEARCHED);
    begin(&second, CREDENTIALS_SEARCHED);
    http_server_release(searching->sources.server, 1);
    end(&first, NULL, "answered 404");
    end(&second, NULL, "answered 404");
    have_keys(searching, "id", 3600);
    assert_int_equal(http_server_count(searching->sources.server), 2);
}

TEST_WITH(searching, who_has_left_is_not_told)
{
    struct waiting all[4];
    sources_give_keys(&searching->sources, "id", 3600, true);
    for (size_t i = 0; i < 4; i++) {
        all[i] = waiting_for(searching, false);
        begin(&all[i], CREDENTIALS_SEARCHED);
    }
    on_loop_call(&searching->on, leave, &all[1]); /* from the middle, */
    on_loop_call(&searching->on, leave, &all[1]); /* which may be said twice, */
    on_loop_call(&searching->on, leave, &all[0]); /* from the front, */
    on_loop_call(&searching->on, leave, &all[3]); /* and from the end */
    http_server_release(searching->sources.server, 1);
    end(&all[2], "id", NULL);
    expect_now(searching, "id");
    assert_int_equal(all[0].told + all[1].told + all[3].told, 0);
}

TEST_WITH(searching, keys_are_kept_where_nobody_waits_any_more)
{
    struct waiting waiting = waiting_for(searching, false);
    struct waiting next = waiting_for(searching, false);
    sources_give_keys(&searching->sources, "id", 3600, true);
    begin(&waiting, CREDENTIALS_SEARCHED);
    on_loop_call(&searching->on, leave, &waiting);
    begin(&next, CREDENTIALS_SEARCHED);
    http_server_release(searching->sources.server, 1);
    end(&next, "id", NULL);
    assert_int_equal(waiting.told, 0);
    assert_int_equal(http_server_count(searching->sources.server), 1);
}

static void wait_again(struct waiting *waiting)
{
    waiting->then = NULL;
    waiting->told = 0;
    waiting->refused = true;
    wait_for_keys(waiting);
    assert_int_equal(waiting->state, CREDENTIALS_SEARCHED);
}

/* It is told by the next search, and not once more by the one that ended. */
TEST_WITH(searching, who_waits_again_when_it_is_told_waits_for_another_search)
{
    struct waiting waiting = waiting_for(searching, false);
    struct waiting behind = waiting_for(searching, false);
    waiting.then = wait_again;
    sources_give_keys(&searching->sources, "one", 3600, true);
    sources_give_keys(&searching->sources, "two", 3600, true);
    begin(&waiting, CREDENTIALS_SEARCHED);
    begin(&behind, CREDENTIALS_SEARCHED);
    http_server_release(searching->sources.server, 1);
    end(&behind, "one", NULL);
    event_wait(&waiting.ready);
    assert_int_equal(waiting.told, 0);
    assert_true(http_server_wait_held(searching->sources.server, 1));
    http_server_release(searching->sources.server, 1);
    end(&waiting, "two", NULL);
    assert_int_equal(http_server_count(searching->sources.server), 2);
}

static void send_other_away_and_wait_again(struct waiting *waiting)
{
    leave(waiting->other);
    wait_again(waiting);
}

/* The last of those who waited may be gone before its turn. */
TEST_WITH(searching, who_waits_again_is_not_told_twice_when_the_last_one_leaves)
{
    struct waiting waiting = waiting_for(searching, false);
    struct waiting last = waiting_for(searching, false);
    waiting.then = send_other_away_and_wait_again;
    waiting.other = &last;
    sources_give_none(&searching->sources, true);
    sources_give_keys(&searching->sources, "two", 3600, true);
    begin(&waiting, CREDENTIALS_SEARCHED);
    begin(&last, CREDENTIALS_SEARCHED);
    http_server_release(searching->sources.server, 1);
    event_wait(&waiting.ready);
    assert_true(http_server_wait_held(searching->sources.server, 1));
    assert_int_equal(waiting.told, 0);
    http_server_release(searching->sources.server, 1);
    end(&waiting, "two", NULL);
    assert_int_equal(last.told, 0);
}

/* ------------------------------------------------------------------------------------------------ refused keys */

TEST_WITH(searching, keys_that_were_refused_are_not_used_again)
{
    struct waiting waiting = waiting_for(searching, true);
    have_keys(searching, "one", 3600);
    sources_give_keys(&searching->sources, "two", 3600, true);
    begin(&waiting, CREDENTIALS_SEARCHED);
    http_server_release(searching->sources.server, 1);
    end(&waiting, "two", NULL);
    expect_now(searching, "two");
}

TEST_WITH(searching, a_search_for_others_that_fails_says_why)
{
    struct waiting waiting = waiting_for(searching, true);
    have_keys(searching, "one", 3600);
    sources_give_none(&searching->sources, false);
    begin(&waiting, CREDENTIALS_SEARCHED);
    end(&waiting, NULL, "answered 404");
    assert_int_equal(waiting.why.http_status, 404);
}

/* ------------------------------------------------------------------------------------------------ renewal */

TEST_WITH(searching, keys_are_renewed_in_the_background_while_they_are_used)
{
    struct waiting waiting = waiting_for(searching, true);
    have_keys(searching, "one", 4);
    sources_give_keys(&searching->sources, "two", 3600, true);
    assert_true(http_server_wait_held(searching->sources.server, 1));
    expect_now(searching, "one");
    begin(&waiting, CREDENTIALS_SEARCHED); /* no second search beside it */
    http_server_release(searching->sources.server, 1);
    end(&waiting, "two", NULL);
    expect_now(searching, "two");
    assert_int_equal(http_server_count(searching->sources.server), 2);
}

TEST_WITH(searching, a_renewal_that_fails_keeps_the_keys_and_is_tried_again)
{
    struct waiting waiting = waiting_for(searching, true);
    have_keys(searching, "one", 2);
    sources_give_none(&searching->sources, false);
    sources_give_keys(&searching->sources, "two", 3600, true);
    assert_true(http_server_wait_count(searching->sources.server, 2));
    expect_now(searching, "one");
    assert_true(http_server_wait_held(searching->sources.server, 1)); /* some seconds later; they are over by now */
    expect_now(searching, "one");
    begin(&waiting, CREDENTIALS_SEARCHED);
    http_server_release(searching->sources.server, 1);
    end(&waiting, "two", NULL);
    assert_int_equal(http_server_count(searching->sources.server), 3);
}

/* As the metadata service gives them out in an outage: a service refuses them, or takes them. */
TEST_WITH(searching, keys_that_are_over_are_used)
{
    have_keys(searching, "one", -3600);
    expect_now(searching, "one");
    assert_int_equal(http_server_count(searching->sources.server), 1);
}

/* What is found without asking is there at once, also for a renewal. */
TEST_WITH(searching, keys_that_take_no_time_are_not_waited_for)
{
    struct waiting waiting = waiting_for(searching, true);
    have_keys(searching, "one", 3600);
    setenv("AWS_ACCESS_KEY_ID", "env", 1);
    setenv("AWS_SECRET_ACCESS_KEY", "HUSH", 1);
    begin(&waiting, CREDENTIALS_READY);
    assert_string_equal(waiting.id, "env");
    assert_int_equal(http_server_count(searching->sources.server), 1);
}

/* ------------------------------------------------------------------------------------------------ the end */

/* A program may take a minute, which is longer than what is waited for here. */
TEST_WITH(searching, a_stop_ends_a_search_that_has_no_end)
{
    struct waiting waiting = waiting_for(searching, false);
    char folder[SOURCES_PATH_SIZE];
    char config[400];
    sources_write("began/.keep", "");
    sources_path("began", folder);
    snprintf(config, sizeof(config), "[default]\ncredential_process = sh -c ': > %s/file; exec sleep 1000'\n", folder);
    sources_write("config", config);
    begin(&waiting, CREDENTIALS_SEARCHED);
    assert_true(folder_gets_a_file(folder));
    uint64_t start_ms = now_ms();
    on_loop_call(&searching->on, leave, &waiting);
    end_searching(searching);
    assert_true(now_ms() - start_ms < 40000);
    assert_int_equal(waiting.told, 0);
}

TEST_WITH(searching, nothing_is_searched_for_after_a_stop)
{
    struct waiting waiting = waiting_for(searching, false);
    on_loop_call(&searching->on, stop_credentials, searching);
    begin(&waiting, CREDENTIALS_NONE);
    assert_non_null(strstr(waiting.why.message, "which is not possible here"));
    assert_int_equal(http_server_connections(searching->sources.server), 0);
}

TEST_WITH(searching, a_stop_ends_the_renewal)
{
    have_keys(searching, "one", 2);
    on_loop_call(&searching->on, stop_credentials, searching);
    expect_now(searching, "one");
    end_searching(searching);
    assert_int_equal(http_server_count(searching->sources.server), 1);
}

/* ------------------------------------------------------------------------------------------------ explaining */

struct told {
    char text[4000]; /* "source: why" or "source: USED", each in a line */
};

static void note(void *context, const char *source, const char *why)
{
    struct told *told = context;
    size_t len = strlen(told->text);
    snprintf(told->text + len, sizeof(told->text) - len, "%s: %s\n", source, why != NULL ? why : "USED");
}

TEST_WITH(searching, a_person_is_told_of_each_source)
{
    struct told told = {""};
    struct credentials_finding finding;
    os_error err;
    sources_give_keys(&searching->sources, "AKIAEXAMPLE1234", 3600, false);
    assert_int_equal(
        credentials_explain(searching->credentials, &searching->sources.fetcher, note, &told, &finding, &err), OS_OK);
    assert_string_equal(finding.source, "container");
    assert_string_equal(finding.key_end, "1234");
    assert_true(finding.expires_s > 0);
    static const char *const lines[] = {"options: no keys are given\n",
                                        "environment: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set\n",
                                        "assume-role: the profile \"default\" has no role_arn\n",
                                        "web-identity: AWS_WEB_IDENTITY_TOKEN_FILE is not set",
                                        "sso: the profile \"default\" has no sso_role_name and sso_account_id\n",
                                        "credentials-file: the profile \"default\" has no keys in ",
                                        "login: the profile \"default\" has no login_session\n",
                                        "process: the profile \"default\" has no credential_process\n",
                                        "config-file: the profile \"default\" has no keys in ",
                                        "container: USED\n",
                                        "instance: not asked: it comes after the one that is used\n"};
    const char *at = told.text;
    for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
        const char *found = strstr(at, lines[i]);
        if (found == NULL)
            fail_msg("\"%s\" is not in: %s", lines[i], at);
        at = found + strlen(lines[i]);
    }
    assert_null(strstr(told.text, "HUSH"));
    sources_give_none(&searching->sources, false);
    told.text[0] = '\0';
    assert_int_equal(
        credentials_explain(searching->credentials, &searching->sources.fetcher, note, &told, &finding, &err),
        OS_ERR_CREDENTIALS);
    assert_non_null(strstr(told.text, "container: set up, but it gave no keys; the error says why\n"));
    assert_null(finding.source);
}

TEST_WITH(searching, a_short_key_is_not_shown_whole)
{
    static const struct {
        const char *id;
        const char *end;
    } ids[] = {{"a", ""}, {"ab", "b"}, {"abc", "c"}, {"abcdefg", "efg"}, {"abcdefgh", "efgh"}, {"abcdefghi", "fghi"}};
    for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
        const struct credentials_source source = {.access_key_id = ids[i].id, .secret_access_key = "HUSH"};
        struct told told = {""};
        struct credentials *credentials = NULL;
        struct credentials_finding finding;
        os_error err;
        assert_int_equal(credentials_new(&source, &credentials, &err), OS_OK);
        assert_int_equal(credentials_explain(credentials, &searching->sources.fetcher, note, &told, &finding, &err),
                         OS_OK);
        assert_string_equal(finding.source, "options");
        assert_string_equal(finding.key_end, ids[i].end);
        assert_string_equal(told.text, "options: USED\n");
        credentials_free(credentials);
    }
}
