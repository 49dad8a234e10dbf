/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fixture.h"

#include "support/raw_service.h"

#include <ftw.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define MINIO     "OSCOMMIT_TEST_MINIO_ENDPOINT"
#define VERSITYGW "OSCOMMIT_TEST_VERSITYGW_ENDPOINT"
#define GOFAKES3  "OSCOMMIT_TEST_GOFAKES3_ENDPOINT"
#define DYNAMODB  "OSCOMMIT_TEST_DYNAMODB_ENDPOINT"
#define DYNALITE  "OSCOMMIT_TEST_DYNALITE_ENDPOINT"

enum {
    COMPLETE = BACKEND_REAL | BACKEND_CHECKS | BACKEND_TTL | BACKEND_BLANKS | BACKEND_UPLOADS | BACKEND_UPLOAD_ETAGS,
    OVER_LIBS3 = BACKEND_S3 | BACKEND_DYNAMO | BACKEND_ITEMS | BACKEND_CHECKS | BACKEND_TTL
};

const struct backend backends[] = {
    {"minio", MINIO, DYNAMODB, OS_SIGNATURE_V4, COMPLETE},
    {"versitygw", VERSITYGW, DYNAMODB, OS_SIGNATURE_V4, COMPLETE},
    {"gofakes3", GOFAKES3, DYNAMODB, OS_SIGNATURE_V4,
     COMPLETE & ~(BACKEND_FENCE | BACKEND_CHECKS | BACKEND_UPLOAD_ETAGS)},
    {"minio+dynalite", MINIO, DYNALITE, OS_SIGNATURE_V4, COMPLETE & ~(BACKEND_ITEMS | BACKEND_TTL)},
    {"minio+v2", MINIO, DYNAMODB, OS_SIGNATURE_V2, OVER_LIBS3},
    {"embedded", NULL, NULL, OS_SIGNATURE_V4,
     BACKEND_FENCE | BACKEND_TTL | BACKEND_BLANKS | BACKEND_UPLOADS | BACKEND_UPLOAD_ETAGS},
};
const size_t backend_count = sizeof(backends) / sizeof(backends[0]);

const struct backend *backend_named(const char *name)
{
    for (size_t i = 0; i < backend_count; i++)
        if (strcmp(backends[i].name, name) == 0)
            return &backends[i];
    return NULL;
}

static const char *variable(const char *name)
{
    const char *value = name != NULL ? getenv(name) : NULL;
    return value != NULL && value[0] != '\0' ? value : NULL;
}

const char *backend_missing(const struct backend *backend)
{
    if (backend->store_variable != NULL && variable(backend->store_variable) == NULL)
        return backend->store_variable;
    return backend->ledger_variable != NULL && variable(backend->ledger_variable) == NULL ? backend->ledger_variable
                                                                                          : NULL;
}

struct fixture_name {
    struct fixture_name *next;
    char text[128];
};

/* Prints into a field, or ends the test program: no name of ours is longer than its field. */
static void fill(char *ret, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void fill(char *ret, size_t size, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    int len = vsnprintf(ret, size, format, arguments);
    va_end(arguments);
    if (len < 0 || (size_t)len >= size) {
        fprintf(stderr, "a name is too long for its field: %s\n", format);
        exit(1);
    }
}

static void take_endpoint(char *ret, size_t size, const char *name)
{
    const char *value = variable(name);
    fill(ret, size, "%s%s", value == NULL || strstr(value, "://") != NULL ? "" : "http://", value == NULL ? "" : value);
}

static bool make_table(const struct fixture *fixture)
{
    if ((fixture->backend->features & BACKEND_TTL) == 0)
        return raw_make_table(fixture->ledger_endpoint, fixture->table, "path", "S", "etag");
    os_options options = fixture_options(fixture);
    os_client *client = NULL;
    os_error error;
    if (os_client_open(&options, &client, &error) != OS_OK) {
        fprintf(stderr, "%s: %s\n", fixture->backend->name, error.message);
        return false;
    }
    os_code code = os_table_create(client, NULL, &error);
    if (code != OS_OK)
        fprintf(stderr, "%s: table %s: %s\n", fixture->backend->name, fixture->table, error.message);
    os_client_close(client);
    return code == OS_OK;
}

static bool make_embedded(struct fixture *fixture)
{
    os_error error;
    char store[300];
    fill(store, sizeof(store), "%s/store", fixture->root);
    fill(fixture->store_url, sizeof(fixture->store_url), "file://%s", store);
    if (os_init(store, &error) != OS_OK) {
        fprintf(stderr, "embedded: %s\n", error.message);
        return false;
    }
    return true;
}

bool fixture_open(struct fixture *ret, const struct backend *backend)
{
    memset(ret, 0, sizeof(*ret));
    ret->backend = backend;
    const char *base = variable("TMPDIR") != NULL ? variable("TMPDIR") : "/tmp";
    fill(ret->root, sizeof(ret->root), "%s/oscommit-test-XXXXXX", base);
    if (mkdtemp(ret->root) == NULL) {
        perror(ret->root);
        return false;
    }
    if (backend->store_variable == NULL)
        return make_embedded(ret);
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    unsigned long long unique = (unsigned long long)now.tv_sec * 1000000ULL + (unsigned long long)now.tv_nsec / 1000ULL;
    take_endpoint(ret->store_endpoint, sizeof(ret->store_endpoint), backend->store_variable);
    take_endpoint(ret->ledger_endpoint, sizeof(ret->ledger_endpoint), backend->ledger_variable);
    fill(ret->bucket, sizeof(ret->bucket), "test-%llu-%d", unique, (int)getpid());
    fill(ret->table, sizeof(ret->table), "records-%llu-%d", unique, (int)getpid());
    fill(ret->store_url, sizeof(ret->store_url), "s3://%s", ret->bucket);
    fill(ret->ledger_url, sizeof(ret->ledger_url), "dynamodb://%s", ret->table);
    if (!raw_make_bucket(ret->store_endpoint, ret->bucket)) {
        fprintf(stderr, "%s: the bucket %s cannot be made at %s\n", backend->name, ret->bucket, ret->store_endpoint);
        return false;
    }
    return make_table(ret);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *where)
{
    (void)status;
    (void)kind;
    (void)where;
    return remove(path);
}

static void free_names(struct fixture_name *first)
{
    while (first != NULL) {
        struct fixture_name *next = first->next;
        free(first);
        first = next;
    }
}

void fixture_close(struct fixture *fixture)
{
    free_names(fixture->names);
    fault_proxy_stop(fixture->store_proxy);
    fault_proxy_stop(fixture->ledger_proxy);
    if (fixture->root[0] != '\0')
        nftw(fixture->root, remove_entry, 16, FTW_DEPTH | FTW_PHYS);
    memset(fixture, 0, sizeof(*fixture));
}

static const char *given(const char *text)
{
    return text[0] != '\0' ? text : NULL;
}

os_options fixture_options(const struct fixture *fixture)
{
    os_options options = OS_OPTIONS_INIT;
    options.store_url = fixture->store_url;
    options.ledger_url = given(fixture->ledger_url);
    options.no_environment = 1;
    options.signature = fixture->backend->signature;
    if (fixture->backend->store_variable != NULL) {
        options.s3_endpoint =
            fixture->store_proxy != NULL ? fault_proxy_url(fixture->store_proxy) : fixture->store_endpoint;
        options.dynamodb_endpoint =
            fixture->ledger_proxy != NULL ? fault_proxy_url(fixture->ledger_proxy) : fixture->ledger_endpoint;
        options.s3_region = raw_region();
        options.access_key_id = raw_access_key();
        options.secret_access_key = raw_secret_key();
    }
    return options;
}

os_options fixture_fast_options(const struct fixture *fixture)
{
    os_options options = fixture_options(fixture);
    options.length_s = 8;
    options.allowance_s = 1;
    options.margin_s = 1;
    options.timeout_ms = 10000;
    options.max_clock_skew_rate = 2;
    return options;
}

bool fixture_proxies(struct fixture *fixture)
{
    if (fixture->store_endpoint[0] != '\0' && fixture->store_proxy == NULL) {
        fixture->store_proxy = fault_proxy_start(fixture->store_endpoint);
        fixture->ledger_proxy = fault_proxy_start(fixture->ledger_endpoint);
    }
    if (fixture->store_proxy == NULL || fixture->ledger_proxy == NULL)
        return false;
    fault_proxy_clear(fixture->store_proxy);
    fault_proxy_clear(fixture->ledger_proxy);
    fault_proxy_forget(fixture->store_proxy);
    fault_proxy_forget(fixture->ledger_proxy);
    return true;
}

const char *fixture_key(struct fixture *fixture, const char *name)
{
    struct fixture_name *key = malloc(sizeof(*key));
    if (key == NULL)
        abort();
    key->next = fixture->names;
    fixture->names = key;
    fill(key->text, sizeof(key->text), "%s-%u", name, ++fixture->keys);
    return key->text;
}

void fixture_path(const struct fixture *fixture, const char *name, char *ret, size_t size)
{
    fill(ret, size, "%s/%s", fixture->root, name);
}

/* The fields of a fixture that a child needs, and the variables that carry them. */
static const struct {
    const char *variable;
    size_t offset;
    size_t size;
} carried[] = {
    {"OSCOMMIT_FIXTURE_STORE_ENDPOINT", offsetof(struct fixture, store_endpoint), 256},
    {"OSCOMMIT_FIXTURE_LEDGER_ENDPOINT", offsetof(struct fixture, ledger_endpoint), 256},
    {"OSCOMMIT_FIXTURE_BUCKET", offsetof(struct fixture, bucket), 64},
    {"OSCOMMIT_FIXTURE_TABLE", offsetof(struct fixture, table), 64},
    {"OSCOMMIT_FIXTURE_ROOT", offsetof(struct fixture, root), 256},
    {"OSCOMMIT_FIXTURE_STORE_URL", offsetof(struct fixture, store_url), 320},
    {"OSCOMMIT_FIXTURE_LEDGER_URL", offsetof(struct fixture, ledger_url), 320},
};

void fixture_export(const struct fixture *fixture)
{
    setenv("OSCOMMIT_FIXTURE_BACKEND", fixture->backend->name, 1);
    for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++)
        setenv(carried[i].variable, (const char *)fixture + carried[i].offset, 1);
    if (fixture->store_proxy != NULL) {
        setenv("OSCOMMIT_FIXTURE_STORE_ENDPOINT", fault_proxy_url(fixture->store_proxy), 1);
        setenv("OSCOMMIT_FIXTURE_LEDGER_ENDPOINT", fault_proxy_url(fixture->ledger_proxy), 1);
    }
}

bool fixture_import(struct fixture *ret)
{
    memset(ret, 0, sizeof(*ret));
    const char *name = variable("OSCOMMIT_FIXTURE_BACKEND");
    ret->backend = name != NULL ? backend_named(name) : NULL;
    for (size_t i = 0; i < sizeof(carried) / sizeof(carried[0]); i++) {
        const char *value = getenv(carried[i].variable);
        fill((char *)ret + carried[i].offset, carried[i].size, "%s", value != NULL ? value : "");
    }
    return ret->backend != NULL;
}
