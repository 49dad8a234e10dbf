/* SPDX-License-Identifier: Apache-2.0 */
/* How keys and times stand in the answers of services, and how services are asked. */
#include "credentials/service.h"

#include "support/event.h"
#include "unit/credentials/sources.h"

#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------ times */

static const struct {
    const char *name;
    const char *text;
    int64_t epoch_s; /* -1: it is no time */
} times[] = {
    {"Z", "2026-11-28T11:00:00Z", 1795863600},
    {"a fraction", "2026-11-28T11:00:00.123456Z", 1795863600},
    {"UTC", "2026-11-28T11:00:00UTC", 1795863600},
    {"+00:00", "2026-11-28T11:00:00+00:00", 1795863600},
    {"-00:00", "2026-11-28T11:00:00-00:00", 1795863600},
    {"east", "2026-11-28T12:30:00+01:30", 1795863600},
    {"west, with a fraction", "2026-11-28T01:00:00.5-10:00", 1795863600},
    {"the largest offset", "2026-11-29T10:59:00+23:59", 1795863600},
    {"nothing", "", -1},
    {"no zone", "2026-11-28T11:00:00", -1},
    {"UTC alone", "UTC", -1},
    {"an offset alone", "+00:00", -1},
    {"UTC behind Z", "2026-11-28T11:00:00ZUTC", -1},
    {"an offset behind Z", "2026-11-28T11:00:00Z+01:00", -1},
    {"an offset of 24 hours", "2026-11-28T11:00:00+24:00", -1},
    {"an offset of 60 minutes", "2026-11-28T11:00:00+01:60", -1},
    {"an offset without a colon", "2026-11-28T11:00:00+01000", -1},
    {"an offset of letters", "2026-11-28T11:00:00+aa:00", -1},
    {"an offset of letters behind", "2026-11-28T11:00:00+00:aa", -1},
    {"a colon elsewhere", "2026-11-28T11:00:00+0:100", -1},
    {"a date alone", "2026-11-28", -1},
    {"a 30th of February", "2026-02-30T11:00:00Z", -1},
    {"a 30th of February, with an offset", "2026-02-30T11:00:00+01:00", -1},
    {"blanks around", " 2026-11-28T11:00:00Z", -1},
    {"far too long", "2026-11-28T11:00:00.00000000000000000000000000000000000000000000000000000000+00:00", -1},
};

TEST_ROWS(times, a_time_is_read_in_each_form_that_services_write)
{
    int64_t epoch_s = -1;
    assert_int_equal(service_parse_time(text_from(row->text), &epoch_s), row->epoch_s != -1);
    assert_int_equal(epoch_s, row->epoch_s);
}

/* ------------------------------------------------------------------------------------------------ keys in JSON */

static const struct service_members members = {.access_key_id = "AccessKeyId",
                                               .secret_access_key = "SecretAccessKey",
                                               .session_token = "Token",
                                               .expiration = "Expiration"};
#define PAIR "\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\""

static const struct {
    const char *name;
    const char *json;
    const char *words; /* NULL: there are keys */
    const char *token;
    int64_t expires_s;
    bool must_expire;
} documents[] = {
    {"all", "{" PAIR ",\"Token\":\"t\",\"Expiration\":\"2026-11-28T11:00:00Z\"}", NULL, "t", 1795863600, true},
    {"others beside", "{\"Code\":\"Success\"," PAIR ",\"x\":[{}]}", NULL, NULL, 0, false},
    {"an empty token", "{" PAIR ",\"Token\":\"\"}", NULL, NULL, 0, false},
    {"a token of null", "{" PAIR ",\"Token\":null}", NULL, NULL, 0, false},
    {"an expiration of null", "{" PAIR ",\"Expiration\":null}", NULL, NULL, 0, false},
    {"an expiration of null, where it must be", "{" PAIR ",\"Expiration\":null}", "has no Expiration that is a time",
     NULL, 0, true},
    {"no expiration, where it must be", "{" PAIR "}", "has no Expiration that is a time", NULL, 0, true},
    {"milliseconds", "{" PAIR ",\"Expiration\":1795863600999}", NULL, NULL, 1795863600, true},
    {"a second", "{" PAIR ",\"Expiration\":1000}", NULL, NULL, 1, true},
    {"no whole second", "{" PAIR ",\"Expiration\":999}", "has no Expiration", NULL, 0, false},
    {"zero", "{" PAIR ",\"Expiration\":0}", "has no Expiration", NULL, 0, false},
    {"before 1970", "{" PAIR ",\"Expiration\":-5000}", "has no Expiration", NULL, 0, false},
    {"a fraction", "{" PAIR ",\"Expiration\":1.5}", "has no Expiration", NULL, 0, false},
    {"true", "{" PAIR ",\"Expiration\":true}", "has no Expiration", NULL, 0, false},
    {"no time", "{" PAIR ",\"Expiration\":\"soon\"}", "has no Expiration", NULL, 0, false},
    {"no id", "{\"SecretAccessKey\":\"HUSH\"}", "It has no AccessKeyId", NULL, 0, false},
    {"an empty id", "{\"AccessKeyId\":\"\",\"SecretAccessKey\":\"HUSH\"}", "It has no AccessKeyId", NULL, 0, false},
    {"an id of another type", "{\"AccessKeyId\":7,\"SecretAccessKey\":\"HUSH\"}", "It has no AccessKeyId", NULL, 0,
     false},
    {"no secret", "{\"AccessKeyId\":\"id\"}", "It has no SecretAccessKey", NULL, 0, false},
    {"a secret in an object", "{\"AccessKeyId\":\"id\",\"SecretAccessKey\":{\"a\":\"HUSH\"}}",
     "It has no SecretAccessKey", NULL, 0, false},
    {"a line end", "{\"AccessKeyId\":\"id\",\"SecretAccessKey\":\"HUSH\\n\"}", "The secret access key contains", NULL,
     0, false},
    {"nothing", "{}", "It has no AccessKeyId", NULL, 0, false},
};

TEST_ROWS(documents, keys_are_taken_out_of_a_document_or_it_is_said_what_is_missing)
{
    struct service_members wanted = members;
    struct keys keys = {0};
    json_t *document = NULL;
    os_error err = {.code = OS_OK};
    wanted.must_expire = row->must_expire;
    assert_int_equal(service_read_json(text_from(row->json), "It", &document, &err), OS_OK);
    os_code code = service_take_keys(document, &wanted, "It", &keys, &err);
    json_decref(document);
    assert_int_equal(code, row->words == NULL ? OS_OK : OS_ERR_CREDENTIALS);
    assert_int_equal(keys_are_there(&keys), row->words == NULL);
    if (row->words != NULL) {
        assert_non_null(strstr(err.message, row->words));
        assert_null(strstr(err.message, "HUSH"));
        return;
    }
    assert_string_equal(keys.access_key_id, "id");
    assert_string_equal(keys.secret_access_key, "HUSH");
    assert_string_equal(keys.session_token != NULL ? keys.session_token : "none",
                        row->token != NULL ? row->token : "none");
    assert_int_equal(keys.expires_s, row->expires_s);
    keys_free(&keys);
}

TEST(what_is_no_object_has_no_keys)
{
    static const char *const texts[] = {"", "null", "[]", "\"HUSH\"", "{\"a\":", "{} {}", "<html>HUSH</html>"};
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        json_t *document = NULL;
        os_error err;
        assert_int_equal(service_read_json(text_from(texts[i]), "It", &document, &err), OS_ERR_CREDENTIALS);
        assert_null(document);
        assert_string_equal(err.message, "It is no JSON object, so there are no keys in it.");
    }
}

/* ------------------------------------------------------------------------------------------------ asking */

static os_code ask(struct sources *sources, unsigned attempts, struct http_response *ret)
{
    struct http_request request;
    http_request_init(&request);
    request.method = "GET";
    assert_int_equal(fetch_set_url(&request, text_from(sources->url)), FETCH_LOOPBACK);
    const struct service_request asked = {
        .fetch = {.request = &request, .timeout_ms = 30000, .direct = true, .service = "The service"},
        .attempts = attempts,
        .pause_ms = 1};
    os_code code = service_ask(&sources->fetcher, &asked, ret, &sources->error);
    http_request_free(&request);
    return code;
}

TEST_WITH(sources, a_service_that_is_busy_is_asked_again)
{
    struct http_response response;
    sources_answer(sources, "429 Too Many Requests", "");
    sources_answer(sources, "503 Service Unavailable", "");
    http_server_push(sources->server, &(struct http_server_step){.answer = "", .leave = HTTP_SERVER_CLOSE});
    sources_answer(sources, "200 OK", "yes");
    assert_int_equal(ask(sources, 4, &response), OS_OK);
    assert_int_equal(response.status, 200);
    assert_string_equal(buf_str(&response.body), "yes");
    assert_int_equal(http_server_count(sources->server), 4);
    http_response_free(&response);
}

/* As STS says it. */
static const struct {
    const char *name;
    const char *code;
    unsigned asked;
} busy_codes[] = {
    {"throttled", "Throttling", 2},
    {"throttled, as newer services say it", "ThrottlingException", 2},
    {"too many requests", "RequestLimitExceeded", 2},
    {"the identity provider", "IDPCommunicationError", 2},
    {"anything else", "ExpiredTokenException", 1},
    {"something that begins so", "RequestLimitExceededForGood", 1},
};

TEST_ROWS_WITH(sources, busy_codes, a_400_that_says_that_a_service_is_busy_is_asked_again)
{
    struct http_response response;
    char body[200];
    snprintf(body, sizeof(body), "<ErrorResponse><Error><Code>%s</Code></Error></ErrorResponse>", row->code);
    sources_answer(sources, "400 Bad Request", body);
    sources_answer(sources, "200 OK", "yes");
    assert_int_equal(ask(sources, 3, &response), OS_OK);
    assert_int_equal(response.status, row->asked == 2 ? 200 : 400);
    assert_int_equal(http_server_count(sources->server), row->asked);
    http_response_free(&response);
}

TEST_WITH(sources, the_last_answer_counts_when_the_attempts_are_over)
{
    struct http_response response;
    sources_answers(sources, "500 Internal Server Error", "first", 2);
    sources_answer(sources, "599 Odd", "last");
    sources_answer(sources, "200 OK", "not asked for");
    assert_int_equal(ask(sources, 3, &response), OS_OK);
    assert_int_equal(response.status, 599);
    assert_string_equal(buf_str(&response.body), "last");
    assert_int_equal(http_server_count(sources->server), 3);
    http_response_free(&response);
}

struct pausing {
    struct sources *sources;
    os_code code;
    struct http_response response;
};

static void *ask_with_a_long_pause(void *context)
{
    struct pausing *pausing = context;
    struct http_request request;
    http_request_init(&request);
    request.method = "GET";
    assert_int_equal(fetch_set_url(&request, text_from(pausing->sources->url)), FETCH_LOOPBACK);
    const struct service_request asked = {
        .fetch = {.request = &request, .timeout_ms = 30000, .direct = true, .service = "The service"},
        .attempts = 2,
        .pause_ms = 90000};
    pausing->code = service_ask(&pausing->sources->fetcher, &asked, &pausing->response, &pausing->sources->error);
    http_request_free(&request);
    return NULL;
}

TEST_WITH(sources, a_stop_ends_the_pause_before_the_next_attempt)
{
    struct pausing pausing = {.sources = sources};
    pthread_t thread;
    uint64_t start_ms = now_ms();
    sources_answer(sources, "503 Busy", "");
    assert_int_equal(pthread_create(&thread, NULL, ask_with_a_long_pause, &pausing), 0);
    assert_true(http_server_wait_count(sources->server, 1));
    fetcher_stop(&sources->fetcher);
    pthread_join(thread, NULL);
    assert_true(now_ms() - start_ms < 60000);
    assert_true(pausing.code == OS_ERR_CANCELLED || pausing.response.status == 503);
    assert_int_equal(http_server_count(sources->server), 1);
    http_response_free(&pausing.response);
}

/* The stop comes after the answer, whatever the threads do. */
TEST_WITH(sources, a_stop_in_the_pause_leaves_the_answer_before_it)
{
    const uint64_t one = 1;
    struct http_response response;
    sources_answer(sources, "503 Busy", "busy");
    assert_int_equal(write(sources->fetcher.stop_fd, &one, sizeof(one)), sizeof(one));
    assert_int_equal(ask(sources, 2, &response), OS_OK);
    assert_int_equal(response.status, 503);
    assert_string_equal(buf_str(&response.body), "busy");
    assert_int_equal(http_server_count(sources->server), 1);
    http_response_free(&response);
}

TEST_WITH(sources, an_answer_that_is_final_is_not_asked_for_again)
{
    static const char *const finals[] = {"400 Bad Request", "401 Unauthorized", "403 Forbidden", "404 Not Found",
                                         "302 Found"};
    for (size_t i = 0; i < sizeof(finals) / sizeof(finals[0]); i++) {
        struct http_response response;
        sources_answer(sources, finals[i], "");
        assert_int_equal(ask(sources, 3, &response), OS_OK);
        assert_int_equal(response.status, atoi(finals[i]));
        assert_int_equal(http_server_count(sources->server), i + 1);
        http_response_free(&response);
    }
}

/* What is no answer at all is told by a sentence with the service's name. */
TEST_WITH(sources, a_service_that_cannot_be_reached_is_named)
{
    struct http_response response;
    for (int i = 0; i < 2; i++)
        http_server_push(sources->server, &(struct http_server_step){.answer = "", .leave = HTTP_SERVER_CLOSE});
    assert_int_equal(ask(sources, 2, &response), OS_ERR_NETWORK);
    http_response_free(&response);
    sources_check_says(sources, "The service could not be asked: ");
    assert_int_equal(http_server_count(sources->server), 2);
}

TEST_WITH(sources, an_answer_that_is_too_long_is_refused)
{
    struct http_response response;
    size_t len = (256 << 10) + 1;
    char *body = malloc(len + 1);
    assert_non_null(body);
    memset(body, 'x', len);
    body[len] = '\0';
    sources_answer(sources, "200 OK", body);
    assert_int_not_equal(ask(sources, 1, &response), OS_OK);
    sources_check_says(sources, "The service could not be asked: ");
    http_response_free(&response);
    free(body);
}

/* ------------------------------------------------------------------------------------------------ where they are */

static const struct {
    const char *name;
    const char *profile_line;
    const char *asked_region;
    const char *client_region;
    const char *host;
    bool fips;
    bool dual_stack;
} places[] = {
    {"nothing is said", "", NULL, NULL, "sts.us-east-1.amazonaws.com", false, false},
    {"the client's region", "", NULL, "eu-west-1", "sts.eu-west-1.amazonaws.com", false, false},
    {"the profile's region", "region = eu-north-1\n", NULL, "eu-west-1", "sts.eu-north-1.amazonaws.com", false, false},
    {"a region that is asked for", "region = eu-north-1\n", "ap-south-1", "eu-west-1", "sts.ap-south-1.amazonaws.com",
     false, false},
    {"an endpoint", "endpoint_url = http://localhost:7\n", NULL, NULL, "localhost:7", false, false},
    {"China", "", "cn-north-1", NULL, "sts.cn-north-1.amazonaws.com.cn", false, false},
    {"FIPS", "", NULL, NULL, "sts-fips.us-east-1.amazonaws.com", true, false},
    {"FIPS in GovCloud", "", "us-gov-west-1", NULL, "sts.us-gov-west-1.amazonaws.com", true, false},
    {"dual stack", "", NULL, NULL, "sts.us-east-1.api.aws", false, true},
};

TEST_ROWS_WITH(sources, places, a_service_is_found_by_profile_and_region)
{
    char config[128];
    struct endpoint endpoint;
    struct chain chain = {.region = row->client_region};
    snprintf(config, sizeof(config), "[profile p]\n%s", row->profile_line);
    sources_write("config", config);
    if (row->fips)
        setenv("AWS_USE_FIPS_ENDPOINT", "true", 1);
    if (row->dual_stack)
        setenv("AWS_USE_DUALSTACK_ENDPOINT", "true", 1);
    assert_int_equal(profile_load(&chain.files, &sources->error), OS_OK);
    os_code code = service_endpoint(&chain, "p", "sts", row->asked_region, &endpoint, &sources->error);
    profile_free(&chain.files);
    if (code != OS_OK)
        fail_msg("%s", sources->error.message);
    assert_string_equal(endpoint.host, row->host);
}

TEST_WITH(sources, a_setting_of_an_endpoint_that_cannot_be_is_said)
{
    struct endpoint endpoint;
    struct chain chain = {0};
    setenv("AWS_USE_FIPS_ENDPOINT", "true", 1);
    sources_name_server(sources, "AWS_ENDPOINT_URL_STS", "");
    assert_int_equal(profile_load(&chain.files, &sources->error), OS_OK);
    assert_int_equal(service_endpoint(&chain, "p", "sts", NULL, &endpoint, &sources->error), OS_ERR_CONFIG);
    sources_check_says(sources, "AWS_USE_FIPS_ENDPOINT");
    profile_free(&chain.files);
}

TEST_WITH(sources, a_setting_that_is_too_long_is_refused)
{
    char value[4] = "old";
    struct chain chain = {0};
    sources_write("config", "[profile p]\na = 123\nb = 1234\n");
    assert_int_equal(profile_load(&chain.files, &sources->error), OS_OK);
    assert_int_equal(service_setting(&chain, "p", "none", value, sizeof(value), &sources->error), OS_OK);
    assert_string_equal(value, "");
    assert_int_equal(service_setting(&chain, "p", "a", value, sizeof(value), &sources->error), OS_OK);
    assert_string_equal(value, "123");
    assert_int_equal(service_setting(&chain, "p", "b", value, sizeof(value), &sources->error), OS_ERR_CONFIG);
    sources_check_says(sources, "b of the profile \"p\" has 4 bytes; at most 3 are possible.");
    profile_free(&chain.files);
}
