/* SPDX-License-Identifier: Apache-2.0 */
#include "support/versions_try.h"

#include "support/raw_service.h"

#include <stdio.h>
#include <string.h>

void try_open(struct try *try, struct fixture *f, const char *name, os_guard guard)
{
    static const char body[] = "<VersioningConfiguration xmlns=\"http://s3.amazonaws.com/doc/2006-03-01/\">"
                               "<Status>Enabled</Status></VersioningConfiguration>";
    char url[128];
    memset(try, 0, sizeof(*try));
    try->f = f;
    assert_true(fixture_proxies(f));
    snprintf(try->bucket, sizeof(try->bucket), "%.50s-d", f->bucket);
    snprintf(url, sizeof(url), "s3://%s", try->bucket);
    snprintf(try->path, sizeof(try->path), "/%s?versioning=", try->bucket);
    assert_true(raw_make_bucket(f->store_endpoint, try->bucket));
    assert_int_equal(raw_s3(f->store_endpoint, "PUT", try->path, body, NULL), 200);
    os_options options = fixture_fast_options(f);
    options.store_url = url;
    options.guard = guard;
    if (guard == OS_GUARD_NATIVE) {
        options.store_profile = f->backend->name;
        options.ledger_url = NULL;
    }
    try->client = fixture_client(&options);
    try->key = fixture_key(f, name);
    snprintf(try->path, sizeof(try->path), "/%s/%s", try->bucket, try->key);
    try->writes = (struct fault_match){.method = "PUT", .path_contains = try->key};
}

void try_close(struct try *try)
{
    outcome_clear(&try->outcome);
    os_client_close(try->client);
}

void try_before(struct try *try)
{
    char key[80];
    snprintf(key, sizeof(key), "%s-before", try->key);
    struct outcome before = create(try->client, key, "before", NULL);
    CHECK_VERDICT(before, OS_COMMITTED);
    assert_true(before.result.version_id[0] != '\0');
    outcome_clear(&before);
    fault_proxy_forget(try->f->store_proxy);
}

void try_see_marker(struct try *try)
{
    os_object object = OS_OBJECT_INIT;
    os_error error;
    char key[80];
    char path[192];
    snprintf(key, sizeof(key), "%s-before", try->key);
    snprintf(path, sizeof(path), "/%s/%s", try->bucket, key);
    assert_int_equal(raw_s3(try->f->store_endpoint, "DELETE", path, NULL, NULL), 204);
    CHECK_CODE(os_head(try->client, key, NULL, &object, &error), OS_ERR_NOT_FOUND, &error);
}

static void *try_write(void *argument)
{
    struct try *try = argument;
    os_call call = OS_CALL_INIT;
    call.deadline_ms = try->deadline_ms;
    if (try->deletes)
        try->outcome = delete_version(try->client, try->key, try->etag, &call);
    else if (try->etag)
        try->outcome = replace(try->client, try->key, try->etag, "ours", &call);
    else
        try->outcome = create(try->client, try->key, "ours", &call);
    return NULL;
}

unsigned try_begin(struct try *try, enum fault_action held)
{
    struct fault_rule rule = {.match = try->writes, .action = held, .times = 1};
    unsigned id = fault_proxy_add(try->f->store_proxy, &rule);
    assert_true(id > 0);
    assert_int_equal(pthread_create(&try->thread, NULL, try_write, try), 0);
    assert_true(fault_proxy_wait_hits(try->f->store_proxy, id, 1, 60000));
    return id;
}

void try_end(struct try *try, unsigned id)
{
    fault_proxy_release(try->f->store_proxy, id, FAULT_DISCARD);
    pthread_join(try->thread, NULL);
}

void try_outsider(const struct try *try, const char *method, const char *text)
{
    int status = raw_s3(try->f->store_endpoint, method, try->path, text, NULL);
    assert_true(status == 200 || status == 204);
}

void try_check_rule(const struct try *try, const char *rule)
{
    assert_string_equal(try->outcome.result.rule, rule);
}

size_t try_lists(const struct try *try)
{
    struct fault_match match = {.method = "GET", .query_contains = "versions="};
    return fault_proxy_count(try->f->store_proxy, &match);
}
