/* SPDX-License-Identifier: Apache-2.0 */
/* Whose certificates are accepted where libcurl was built without an answer. */
#include "fixture.h"
#include "http/trust.h"

#include <curl/curl.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ------------------------------------------------------------------------------------------------ where one is */

static const struct row {
    const char *name;
    const char *there[2]; /* files; a name that ends with a slash is a folder */
    const char *cert_file;
    const char *cert_dir;
    const char *file;
    const char *folder;
    enum trust_source source;
    os_code code;
} rows[] = {
    {.name = "Debian", .there = {"etc/ssl/certs/ca-certificates.crt"}, .file = "etc/ssl/certs/ca-certificates.crt"},
    {.name = "Fedora", .there = {"etc/pki/tls/certs/ca-bundle.crt"}, .file = "etc/pki/tls/certs/ca-bundle.crt"},
    {.name = "newer Fedora",
     .there = {"etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"},
     .file = "etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem"},
    {.name = "SUSE", .there = {"etc/ssl/ca-bundle.pem"}, .file = "etc/ssl/ca-bundle.pem"},
    {.name = "NixOS", .there = {"etc/ssl/certs/ca-bundle.crt"}, .file = "etc/ssl/certs/ca-bundle.crt"},
    {.name = "Alpine", .there = {"etc/ssl/cert.pem"}, .file = "etc/ssl/cert.pem"},
    {.name = "the first of two",
     .there = {"etc/ssl/cert.pem", "etc/ssl/certs/ca-certificates.crt"},
     .file = "etc/ssl/certs/ca-certificates.crt"},
    {.name = "only a folder", .there = {"etc/ssl/certs/5ed36f99.0"}, .folder = "etc/ssl/certs"},
    {.name = "an empty folder", .there = {"etc/ssl/certs/"}, .source = TRUST_NOBODY},
    {.name = "a folder with something else",
     .there = {"etc/ssl/certs/README", "etc/ssl/certs/5ed36f99a.0"},
     .source = TRUST_NOBODY},
    {.name = "a folder in a file's place",
     .there = {"etc/ssl/certs/ca-certificates.crt/", "etc/ssl/cert.pem"},
     .file = "etc/ssl/cert.pem"},
    {.name = "nothing", .source = TRUST_NOBODY},
    {.name = "nothing but a file called certs", .there = {"etc/ssl/certs"}, .source = TRUST_NOBODY},
    {.name = "SSL_CERT_FILE", .there = {"mine.pem", "etc/ssl/cert.pem"}, .cert_file = "mine.pem", .file = "mine.pem"},
    {.name = "SSL_CERT_DIR", .there = {"mine/", "etc/ssl/cert.pem"}, .cert_dir = "mine", .folder = "mine"},
    {.name = "both variables",
     .there = {"mine/", "mine.pem"},
     .cert_file = "mine.pem",
     .cert_dir = "mine",
     .file = "mine.pem",
     .folder = "mine"},
    {.name = "SSL_CERT_FILE names nothing",
     .there = {"etc/ssl/cert.pem"},
     .cert_file = "mine.pem",
     .code = OS_ERR_CONFIG},
};

static char root[PATH_MAX / 4];

static void below_root(char ret[PATH_MAX], const char *name)
{
    assert_true(snprintf(ret, PATH_MAX, "%s/%s", root, name) < PATH_MAX);
}

static void make(const char *name)
{
    char path[PATH_MAX];
    below_root(path, name);
    for (char *slash = strchr(path + strlen(root) + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, 0700); /* it may be there */
        *slash = '/';
    }
    if (name[strlen(name) - 1] == '/')
        return;
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    assert_int_equal(fclose(file), 0);
}

static void set_below_root(const char *variable, const char *name)
{
    char path[PATH_MAX];
    below_root(path, name != NULL ? name : "");
    assert_int_equal(name != NULL ? setenv(variable, path, 1) : setenv(variable, "", 1), 0); /* "" is as not set */
}

static void is_below_root(const char *path, const char *name)
{
    char expected[PATH_MAX];
    if (name == NULL) {
        assert_null(path);
        return;
    }
    below_root(expected, name);
    assert_non_null(path);
    assert_string_equal(path, expected);
}

static int make_root(void **state)
{
    (void)state;
    (void)strcpy(root, "/tmp/oscommit-trust-XXXXXX");
    return mkdtemp(root) != NULL ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *at)
{
    (void)st;
    (void)kind;
    (void)at;
    return remove(path);
}

static int remove_root(void **state)
{
    (void)state;
    assert_int_equal(unsetenv("SSL_CERT_FILE"), 0);
    assert_int_equal(unsetenv("SSL_CERT_DIR"), 0);
    return nftw(root, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static void is_told(const char *told, const struct trust *trust)
{
    char wanted[3 * PATH_MAX];
    assert_true(snprintf(wanted, sizeof(wanted), "%s%s%s", trust->file != NULL ? trust->file : "",
                         trust->file != NULL && trust->folder != NULL ? " and " : "",
                         trust->folder != NULL ? trust->folder : "") < (int)sizeof(wanted));
    assert_string_equal(told, wanted);
}

TEST_ROWS_BETWEEN(make_root, remove_root, rows, it_is_found)
{
    for (size_t i = 0; i < 2 && row->there[i] != NULL; i++)
        make(row->there[i]);
    set_below_root("SSL_CERT_FILE", row->cert_file);
    set_below_root("SSL_CERT_DIR", row->cert_dir);
    struct trust trust = {0};
    os_error err = {0};
    assert_int_equal(trust_find(root, &trust, &err), row->code);
    is_below_root(trust.file, row->file);
    is_below_root(trust.folder, row->folder);
    if (row->code != OS_OK)
        assert_non_null(strstr(err.message, "mine.pem cannot be read: No such file or directory."));
    else
        assert_int_equal(trust.source, row->source == TRUST_NOBODY ? TRUST_NOBODY : TRUST_CHOSEN);
    char told[3 * PATH_MAX];
    trust_describe(root, told, sizeof(told));
    if (row->code != OS_OK)
        assert_string_equal(told, err.message);
    else if (trust.file == NULL && trust.folder == NULL)
        assert_string_equal(told, "none found: name a PEM bundle in SSL_CERT_FILE, or with --ca-file");
    else
        is_told(told, &trust);
    trust_clear(&trust);
}

/* ------------------------------------------------------------------------------------------- what is done with it */

static bool libcurl_knows_none;

const curl_version_info_data *__real_curl_version_info(CURLversion version);
const curl_version_info_data *__wrap_curl_version_info(CURLversion version);

const curl_version_info_data *__wrap_curl_version_info(CURLversion version)
{
    static curl_version_info_data without;
    const curl_version_info_data *info = __real_curl_version_info(version);
    without = *info;
    without.cainfo = NULL;
    without.capath = NULL;
    return libcurl_knows_none ? &without : info;
}

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, &(struct http_server_options){.tls = true});
}

static struct http_engine *engine_of(bool knows_none)
{
    libcurl_knows_none = knows_none;
    struct http_engine *engine = probe_engine(1, NULL);
    libcurl_knows_none = false;
    return engine;
}

static os_code get_through(struct http_engine *engine, const struct fixture *fixture)
{
    struct probe probe;
    const char *host = http_server_host(fixture->server);
    probe_init(&probe, "GET", host, "/", NULL, 0);
    assert_true(http_request_set_origin(&probe.request, "https", host));
    http_probe_run(engine, &probe);
    os_code code = probe.code;
    probe_free(&probe);
    http_engine_free(engine);
    return code;
}

TEST_WITH(fixture, a_named_file_is_trusted_where_libcurl_knows_none)
{
    assert_int_equal(get_through(engine_of(true), fixture), OS_ERR_TLS);
    assert_int_equal(setenv("SSL_CERT_FILE", http_server_ca_file(fixture->server), 1), 0);
    assert_int_equal(get_through(engine_of(true), fixture), OS_OK);
    assert_int_equal(get_through(engine_of(false), fixture), OS_ERR_TLS); /* the system's libcurl has its own answer */
    assert_int_equal(unsetenv("SSL_CERT_FILE"), 0);
}
