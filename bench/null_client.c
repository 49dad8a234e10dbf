/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What libcurl alone takes for the requests of a commit: no signature, no protocol, no thread but one, the answers
 * thrown away. bench_null create|native --s3 URL --bucket NAME --in-flight N --seconds S --bytes N; create is HEAD,
 * PutItem and PUT, native a PUT.
 */
#include "measure.h"

#include <curl/curl.h>

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

enum request { REQUEST_HEAD, REQUEST_RECORD, REQUEST_PUT };
enum { EVENTS = 256, URL_SIZE = 512 };

struct lane {
    CURL *easy;
    unsigned number;
    uint64_t serial;
    enum request request;
    uint64_t begun_us;
};

static struct {
    const char *endpoint;
    const char *bucket;
    const char *prefix;
    bool native;
    unsigned in_flight;
    size_t bytes;
    double seconds;
    double warm;
    CURLM *multi;
    int epoll;
    long timeout_ms;
    struct curl_slist *record_headers;
    struct curl_slist *put_headers;
    char *body;
    struct lane *lanes;
    struct samples samples;
    unsigned failed;
    unsigned running;
    uint64_t until_us;
} null;

/* ------------------------------------------------------------------------------------------------ libcurl on epoll */

static int on_socket(CURL *easy, curl_socket_t fd, int what, void *context, void *known)
{
    struct epoll_event event = {.data.fd = fd};
    (void)easy;
    (void)context;
    if (what == CURL_POLL_REMOVE) {
        epoll_ctl(null.epoll, EPOLL_CTL_DEL, fd, NULL);
        curl_multi_assign(null.multi, fd, NULL);
        return 0;
    }
    event.events = (what & CURL_POLL_IN ? (uint32_t)EPOLLIN : 0) | (what & CURL_POLL_OUT ? (uint32_t)EPOLLOUT : 0);
    epoll_ctl(null.epoll, known != NULL ? EPOLL_CTL_MOD : EPOLL_CTL_ADD, fd, &event);
    curl_multi_assign(null.multi, fd, &null);
    return 0;
}

static int on_timer(CURLM *multi, long timeout_ms, void *context)
{
    (void)multi;
    (void)context;
    null.timeout_ms = timeout_ms;
    return 0;
}

static size_t take_nothing(char *data, size_t size, size_t count, void *context)
{
    (void)data;
    (void)context;
    return size * count;
}

/* ------------------------------------------------------------------------------------------------------- requests */

/* As long as a record of a create, and accepted by the stub. */
static void lane_record(const struct lane *lane, char *ret, size_t size)
{
    snprintf(
        ret, size,
        "{\"TableName\":\"null\",\"Item\":{\"path\":{\"S\":\"%s/%u-%" PRIu64 "\"},\"etag\":{\"S\":\"*\"},"
        "\"generation\":{\"N\":\"0\"},\"timeout\":{\"N\":\"20000\"},\"ttl\":{\"N\":\"1790000000\"},\"nonce\":{\"S\":"
        "\"0123456789abcdef0123456789abcdef\"},\"fence\":{\"N\":\"1790000000\"}},\"ConditionExpression\":"
        "\"attribute_not_exists(#path)\",\"ExpressionAttributeNames\":{\"#path\":\"path\"},"
        "\"ReturnValuesOnConditionCheckFailure\":\"ALL_OLD\"}",
        null.prefix, lane->number, lane->serial);
}

static void lane_set_record(struct lane *lane)
{
    char record[1024];
    lane_record(lane, record, sizeof(record));
    curl_easy_setopt(lane->easy, CURLOPT_URL, null.endpoint);
    curl_easy_setopt(lane->easy, CURLOPT_HTTPHEADER, null.record_headers);
    curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDSIZE, (long)strlen(record));
    curl_easy_setopt(lane->easy, CURLOPT_COPYPOSTFIELDS, record);
}

static void lane_set_object(struct lane *lane)
{
    char url[URL_SIZE];
    snprintf(url, sizeof(url), "%s/%s/%s/%u-%" PRIu64, null.endpoint, null.bucket, null.prefix, lane->number,
             lane->serial);
    curl_easy_setopt(lane->easy, CURLOPT_URL, url);
    curl_easy_setopt(lane->easy, CURLOPT_HTTPHEADER, null.put_headers);
    if (lane->request == REQUEST_HEAD) {
        curl_easy_setopt(lane->easy, CURLOPT_NOBODY, 1L);
        return;
    }
    curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDSIZE, (long)null.bytes);
    curl_easy_setopt(lane->easy, CURLOPT_POSTFIELDS, null.body);
    curl_easy_setopt(lane->easy, CURLOPT_CUSTOMREQUEST, "PUT");
}

static void lane_send(struct lane *lane)
{
    curl_easy_reset(lane->easy);
    curl_easy_setopt(lane->easy, CURLOPT_PRIVATE, lane);
    curl_easy_setopt(lane->easy, CURLOPT_WRITEFUNCTION, take_nothing);
    curl_easy_setopt(lane->easy, CURLOPT_NOPROXY, "*");
    if (lane->request == REQUEST_RECORD)
        lane_set_record(lane);
    else
        lane_set_object(lane);
    curl_multi_add_handle(null.multi, lane->easy);
}

static void lane_begin(struct lane *lane)
{
    lane->serial++;
    lane->begun_us = measure_now_us();
    lane->request = null.native ? REQUEST_PUT : REQUEST_HEAD;
    lane_send(lane);
}

static void lane_answered(struct lane *lane, CURLcode code)
{
    long status = 0;
    curl_easy_getinfo(lane->easy, CURLINFO_RESPONSE_CODE, &status);
    curl_multi_remove_handle(null.multi, lane->easy);
    long expected = lane->request == REQUEST_HEAD ? 404 : 200;
    if (code == CURLE_OK && status == expected && lane->request != REQUEST_PUT) {
        lane->request++;
        lane_send(lane);
        return;
    }
    if (code == CURLE_OK && status == expected)
        samples_add(&null.samples, measure_now_us() - lane->begun_us);
    else
        null.failed++;
    if (measure_now_us() < null.until_us && null.failed == 0)
        lane_begin(lane);
    else
        null.running--;
}

static void take_answers(void)
{
    int left;
    CURLMsg *message;
    while ((message = curl_multi_info_read(null.multi, &left)) != NULL) {
        void *lane;
        CURLcode code = message->data.result;
        curl_easy_getinfo(message->easy_handle, CURLINFO_PRIVATE, &lane);
        lane_answered(lane, code);
    }
}

static void run_phase(double seconds)
{
    struct epoll_event events[EVENTS];
    int running;
    null.until_us = measure_now_us() + (uint64_t)(seconds * 1e6);
    null.running = null.in_flight;
    for (unsigned i = 0; i < null.in_flight; i++)
        lane_begin(&null.lanes[i]);
    while (null.running > 0) {
        int count = epoll_wait(null.epoll, events, EVENTS, (int)null.timeout_ms);
        for (int i = 0; i < count; i++) {
            int flags = (events[i].events & EPOLLIN ? CURL_CSELECT_IN : 0) |
                        (events[i].events & EPOLLOUT ? CURL_CSELECT_OUT : 0) |
                        (events[i].events & (EPOLLERR | EPOLLHUP) ? CURL_CSELECT_ERR : 0);
            curl_multi_socket_action(null.multi, events[i].data.fd, flags, &running);
        }
        if (count == 0 || null.timeout_ms == 0)
            curl_multi_socket_action(null.multi, CURL_SOCKET_TIMEOUT, 0, &running);
        take_answers();
    }
}

/* ----------------------------------------------------------------------------------------------------------- main */

static bool set_option(const char *name, const char *value)
{
    if (strcmp(name, "--s3") == 0)
        null.endpoint = value;
    else if (strcmp(name, "--bucket") == 0)
        null.bucket = value;
    else if (strcmp(name, "--prefix") == 0)
        null.prefix = value;
    else if (strcmp(name, "--in-flight") == 0)
        null.in_flight = (unsigned)strtoul(value, NULL, 10);
    else if (strcmp(name, "--bytes") == 0)
        null.bytes = strtoul(value, NULL, 10);
    else if (strcmp(name, "--seconds") == 0)
        null.seconds = strtod(value, NULL);
    else if (strcmp(name, "--warm") == 0)
        null.warm = strtod(value, NULL);
    else
        return strcmp(name, "--table") == 0;
    return true;
}

static bool parse(int argc, char **argv)
{
    null.prefix = "null";
    null.in_flight = 1;
    null.bytes = 1024;
    null.seconds = 1;
    null.warm = 0.3;
    null.native = argc > 1 && strcmp(argv[1], "native") == 0;
    for (int i = 2; i < argc; i += 2)
        if (i + 1 == argc || !set_option(argv[i], argv[i + 1]))
            return false;
    return argc > 1 && null.endpoint != NULL && null.bucket != NULL;
}

static bool open_all(void)
{
    null.multi = curl_multi_init();
    null.epoll = epoll_create1(EPOLL_CLOEXEC);
    null.timeout_ms = -1;
    null.body = calloc(1, null.bytes);
    null.lanes = calloc(null.in_flight, sizeof(*null.lanes));
    null.record_headers = curl_slist_append(NULL, "X-Amz-Target: DynamoDB_20120810.PutItem");
    null.record_headers = curl_slist_append(null.record_headers, "Content-Type: application/x-amz-json-1.0");
    null.put_headers = curl_slist_append(NULL, "x-amz-meta-oscommit-nonce: 0123456789abcdef0123456789abcdef");
    null.put_headers = curl_slist_append(null.put_headers, "Content-Type: application/octet-stream");
    if (null.multi == NULL || null.epoll < 0 || null.body == NULL || null.lanes == NULL)
        return false;
    curl_multi_setopt(null.multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(null.multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(null.multi, CURLMOPT_MAXCONNECTS, (long)(null.in_flight < 64 ? 64 : null.in_flight));
    for (unsigned i = 0; i < null.in_flight; i++)
        null.lanes[i] = (struct lane){.easy = curl_easy_init(), .number = i};
    return true;
}

int main(int argc, char **argv)
{
    if (!parse(argc, argv)) {
        fprintf(stderr, "usage: bench_null create|native --s3 URL --bucket NAME [OPTION VALUE ...]\n");
        return 2;
    }
    if (!open_all())
        return 1;
    run_phase(null.warm);
    null.samples.count = 0;
    measure_wait_for_go();
    struct measure measure = measure_begin();
    run_phase(null.seconds);
    measure_end(&measure);
    measure_report(&measure, &null.samples, null.failed, null.failed ? "a request had another answer" : "");
    return 0;
}
