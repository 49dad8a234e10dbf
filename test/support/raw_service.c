/* SPDX-License-Identifier: Apache-2.0 */
#include "support/raw_service.h"

#include <curl/curl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { ANSWER_MAX = 1 << 24 };

#define EMPTY_SHA256 "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

static const char *setting(const char *name, const char *otherwise)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : otherwise;
}

const char *raw_access_key(void)
{
    return setting("OSCOMMIT_TEST_ACCESS_KEY", "oscommit");
}

const char *raw_secret_key(void)
{
    return setting("OSCOMMIT_TEST_SECRET_KEY", "oscommit-secret");
}

const char *raw_region(void)
{
    return setting("OSCOMMIT_TEST_REGION", "us-east-1");
}

static size_t collect(char *data, size_t size, size_t count, void *context)
{
    return buf_add(context, data, size * count) ? size * count : 0;
}

struct raw_request {
    const char *endpoint;
    const char *service;
    const char *method;
    const char *path;
    const char *body;
    const char *headers[4]; /* NULL behind the last */
};

static void set_up(CURL *curl, const struct raw_request *request, const char *url, struct curl_slist *headers,
                   struct buf *ret)
{
    char provider[128];
    char keys[512];
    snprintf(provider, sizeof(provider), "aws:amz:%s:%s", raw_region(), request->service);
    snprintf(keys, sizeof(keys), "%s:%s", raw_access_key(), raw_secret_key());
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_TIMEOUT, 120L);
    curl_easy_setopt(curl, CURLOPT_AWS_SIGV4, provider);
    curl_easy_setopt(curl, CURLOPT_USERPWD, keys);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, collect);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, ret);
    if (request->body != NULL)
        curl_easy_setopt(curl, CURLOPT_POSTFIELDS, request->body);
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, request->method);
    curl_easy_setopt(curl, CURLOPT_NOBODY, strcmp(request->method, "HEAD") == 0 ? 1L : 0L);
}

static int perform(const struct raw_request *request, struct buf *ret)
{
    CURL *curl = curl_easy_init();
    if (curl == NULL)
        return 0;
    char url[4096];
    snprintf(url, sizeof(url), "%s%s%s", strstr(request->endpoint, "://") == NULL ? "http://" : "", request->endpoint,
             request->path);
    struct curl_slist *headers = NULL;
    for (size_t i = 0; i < 4 && request->headers[i] != NULL; i++)
        headers = curl_slist_append(headers, request->headers[i]);
    set_up(curl, request, url, headers, ret);
    long status = 0;
    if (curl_easy_perform(curl) == CURLE_OK)
        curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    curl_slist_free_all(headers);
    curl_easy_cleanup(curl);
    return (int)status;
}

int raw_s3(const char *endpoint, const char *method, const char *path, const char *body, struct buf *ret_body)
{
    struct buf answer;
    buf_init(&answer, ANSWER_MAX);
    struct raw_request request = {
        .endpoint = endpoint,
        .service = "s3",
        .method = method,
        .path = path,
        .body = body,
        .headers = {body != NULL ? "x-amz-content-sha256: UNSIGNED-PAYLOAD" : "x-amz-content-sha256: " EMPTY_SHA256,
                    "Content-Type: application/octet-stream"}};
    int status = perform(&request, ret_body != NULL ? ret_body : &answer);
    buf_free(&answer);
    return status;
}

bool raw_make_bucket(const char *endpoint, const char *bucket)
{
    char path[128];
    snprintf(path, sizeof(path), "/%s", bucket);
    int status = raw_s3(endpoint, "PUT", path, NULL, NULL);
    return status == 200 || status == 409;
}

int raw_dynamo(const char *endpoint, const char *action, json_t *request_json, json_t **ret)
{
    struct buf answer;
    buf_init(&answer, ANSWER_MAX);
    char target[128];
    snprintf(target, sizeof(target), "X-Amz-Target: DynamoDB_20120810.%s", action);
    char *body = json_dumps(request_json, JSON_COMPACT);
    json_decref(request_json);
    struct raw_request request = {.endpoint = endpoint,
                                  .service = "dynamodb",
                                  .method = "POST",
                                  .path = "/",
                                  .body = body != NULL ? body : "{}",
                                  .headers = {target, "Content-Type: application/x-amz-json-1.0"}};
    int status = perform(&request, &answer);
    if (ret != NULL)
        *ret = json_loads(buf_str(&answer), JSON_ALLOW_NUL, NULL);
    free(body);
    buf_free(&answer);
    return status;
}

static bool is_active(const char *endpoint, const char *table)
{
    json_t *answer = NULL;
    raw_dynamo(endpoint, "DescribeTable", json_pack("{s:s}", "TableName", table), &answer);
    const char *status = json_string_value(json_object_get(json_object_get(answer, "Table"), "TableStatus"));
    bool active = status != NULL && strcmp(status, "ACTIVE") == 0;
    json_decref(answer);
    return active;
}

static json_t *key_parts(const char *hash, const char *range, const char *hash_says, const char *range_says,
                         const char *what)
{
    json_t *parts = json_pack("[{s:s,s:s}]", "AttributeName", hash, what, hash_says);
    if (range != NULL)
        json_array_append_new(parts, json_pack("{s:s,s:s}", "AttributeName", range, what, range_says));
    return parts;
}

bool raw_make_table(const char *endpoint, const char *table, const char *hash, const char *hash_type, const char *range)
{
    json_t *request = json_pack("{s:s,s:s,s:o,s:o}", "TableName", table, "BillingMode", "PAY_PER_REQUEST",
                                "AttributeDefinitions", key_parts(hash, range, hash_type, "S", "AttributeType"),
                                "KeySchema", key_parts(hash, range, "HASH", "RANGE", "KeyType"));
    if (raw_dynamo(endpoint, "CreateTable", request, NULL) != 200 && !is_active(endpoint, table))
        return false;
    const struct timespec pause = {.tv_nsec = 50 * 1000000L}; /* a table tells nobody that it can be used */
    for (int polls = 0; polls < 2400; polls++) {
        if (is_active(endpoint, table))
            return true;
        nanosleep(&pause, NULL);
    }
    return false;
}

json_t *raw_item(const char *endpoint, const char *table, const char *path, const char *etag)
{
    json_t *answer = NULL;
    raw_dynamo(endpoint, "GetItem",
               json_pack("{s:s,s:b,s:{s:{s:s},s:{s:s}}}", "TableName", table, "ConsistentRead", 1, "Key", "path", "S",
                         path, "etag", "S", etag),
               &answer);
    json_t *item = json_incref(json_object_get(answer, "Item"));
    json_decref(answer);
    return item;
}

bool raw_put_item(const char *endpoint, const char *table, json_t *item)
{
    return raw_dynamo(endpoint, "PutItem", json_pack("{s:s,s:o}", "TableName", table, "Item", item), NULL) == 200;
}

int raw_count_items(const char *endpoint, const char *table, const char *path)
{
    json_t *answer = NULL;
    raw_dynamo(endpoint, "Query",
               json_pack("{s:s,s:b,s:s,s:{s:s},s:{s:{s:s}}}", "TableName", table, "ConsistentRead", 1,
                         "KeyConditionExpression", "#p = :p", "ExpressionAttributeNames", "#p", "path",
                         "ExpressionAttributeValues", ":p", "S", path),
               &answer);
    const json_t *count = json_object_get(answer, "Count");
    int found = json_is_integer(count) ? (int)json_integer_value(count) : -1;
    json_decref(answer);
    return found;
}

const char *raw_attribute(const json_t *item, const char *name, char type)
{
    const char key[2] = {type, '\0'};
    return json_string_value(json_object_get(json_object_get(item, name), key));
}
