/* SPDX-License-Identifier: Apache-2.0 */
#include "http/trust.h"

#include "base/error.h"
#include "base/fd.h"
#include "base/named_file.h"
#include "http/versions.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Each of these is one bundle; a system that has two of them has the same in both. */
static const char *const files[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Ubuntu, Arch, Alpine */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* Fedora, RHEL, Amazon Linux */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* newer ones of these */
    "/etc/ssl/ca-bundle.pem",                            /* SUSE */
    "/etc/ssl/certs/ca-bundle.crt",                      /* NixOS */
    "/etc/ssl/cert.pem",                                 /* Alpine without its package ca-certificates */
};
static const char folder[] = "/etc/ssl/certs";

static bool can_be_read(const char *file, const char **ret_why)
{
    int fd = named_file_open(file, ret_why);
    if (fd < 0)
        return false;
    (void)close(fd);
    return true;
}

/* OpenSSL finds a certificate there by eight digits of its name's hash, a dot and a number. */
static bool has_certificates(const char *path)
{
    int fd = fd_open(path, O_RDONLY | O_DIRECTORY, 0);
    DIR *dir = fd >= 0 ? fdopendir(fd) : NULL;
    bool has = false;
    if (dir == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return false;
    }
    for (const struct dirent *entry = readdir(dir); entry != NULL && !has; entry = readdir(dir))
        has = strspn(entry->d_name, "0123456789abcdef") == 8 && entry->d_name[8] == '.';
    (void)closedir(dir);
    return has;
}

static os_code keep(const char *path, char **ret, struct trust *trust, os_error *err)
{
    trust->source = TRUST_CHOSEN;
    *ret = strdup(path);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}

/* OpenSSL reads it with each new connection, on the engine's thread: what makes it wait would hold up everything. */
static os_code take_file(const char *path, struct trust *ret, os_error *err)
{
    const char *why = NULL;
    if (!can_be_read(path, &why))
        return error_set(err, error_code_of_settings(errno), "The CA file %.300s cannot be read: %s.", path, why);
    return keep(path, &ret->file, ret, err);
}

static const char *variable(const char *name)
{
    const char *value = getenv(name);
    return value != NULL && value[0] != '\0' ? value : NULL;
}

static os_code look_around(const char *root, struct trust *ret, os_error *err)
{
    char path[PATH_MAX];
    const char *why = NULL;
    for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
        (void)snprintf(path, sizeof(path), "%s%s", root, files[i]);
        if (can_be_read(path, &why))
            return keep(path, &ret->file, ret, err);
    }
    (void)snprintf(path, sizeof(path), "%s%s", root, folder);
    if (has_certificates(path))
        return keep(path, &ret->folder, ret, err);
    ret->source = TRUST_NOBODY;
    return OS_OK;
}

os_code trust_find(const char *root, struct trust *ret, os_error *err)
{
    const char *file = variable("SSL_CERT_FILE");
    const char *named_folder = variable("SSL_CERT_DIR"); /* or several, with colons: OpenSSL takes them apart */
    if (file == NULL && named_folder == NULL)
        return look_around(root, ret, err);
    os_code code = file != NULL ? take_file(file, ret, err) : OS_OK;
    return code == OS_OK && named_folder != NULL ? keep(named_folder, &ret->folder, ret, err) : code;
}

os_code trust_choose(const char *ca_file, struct trust *ret, os_error *err)
{
    *ret = (struct trust){.source = TRUST_OF_LIBCURL};
    if (ca_file != NULL && ca_file[0] != '\0')
        return take_file(ca_file, ret, err);
    return http_versions().certificates != NULL ? OS_OK : trust_find("", ret, err);
}

void trust_describe(const char *root, char *ret, size_t size)
{
    struct trust trust = {0};
    os_error err;
    if (trust_find(root, &trust, &err) != OS_OK)
        (void)snprintf(ret, size, "%s", err.message);
    else if (trust.source == TRUST_NOBODY)
        (void)snprintf(ret, size, "none found: name a PEM bundle in SSL_CERT_FILE, or with --ca-file");
    else
        (void)snprintf(ret, size, "%s%s%s", trust.file != NULL ? trust.file : "",
                       trust.file != NULL && trust.folder != NULL ? " and " : "",
                       trust.folder != NULL ? trust.folder : "");
    trust_clear(&trust);
}

void trust_clear(struct trust *trust)
{
    free(trust->file);
    free(trust->folder);
    *trust = (struct trust){0};
}
