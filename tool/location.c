/* SPDX-License-Identifier: Apache-2.0 */
#include "location.h"

#include "file_url.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static bool no_memory(struct usage *usage)
{
    return usage_refuse(usage, "There is not enough memory.");
}

static bool starts(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A scheme as RFC 3986 spells it, then "://". A key such as "a/b://c" has a slash before and is none. */
bool location_is_url(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

    return len > 0 && starts(name + len, "://");
}

static bool set(struct location *ret, const char *store, size_t store_len, const char *key, struct usage *usage)
{
    ret->store = strndup(store, store_len);
    if (ret->store != NULL && location_set_key(ret, key)) {
        return true;
    }
    location_clear(ret);
    return no_memory(usage);
}

/* The length of a store URL without slashes at its end; those of "file:///" itself stay. */
static size_t trimmed_length(const char *store)
{
    const char *rest = strstr(store, "://");
    size_t least = rest == NULL ? 1 : (size_t)(rest - store) + 4;
    size_t len = strlen(store);

    while (len > least && store[len - 1] == '/') {
        len--;
    }
    return len;
}

/* The part of `name` that lies behind the store: NULL if it is not inside. */
static const char *inside(const char *name, const char *store, size_t store_len)
{
    if (strncmp(name, store, store_len) != 0) {
        return NULL;
    }
    if (name[store_len] == '\0') {
        return name + store_len;
    }
    return name[store_len] == '/' ? name + store_len + 1 : NULL;
}

static bool parse_s3(const char *name, struct location *ret, struct usage *usage)
{
    const char *bucket = name + strlen("s3://");
    size_t len = strcspn(bucket, "/");

    if (len == 0) {
        return usage_refuse(usage, "\"%.200s\" names no bucket; an object is s3://BUCKET/KEY.", name);
    }
    if (memchr(bucket, '@', len) != NULL) {
        return usage_refuse(usage, "A URL must not carry credentials: use --profile or the AWS_* variables.");
    }
    return set(ret, name, strlen("s3://") + len, bucket[len] == '/' ? bucket + len + 1 : "", usage);
}

enum find { FOUND, NOT_FOUND, NO_MEMORY };

/* Is it a folder with `.oscommit` in it? Takes the path over; NULL: no memory. */
static enum find look_at(char *path)
{
    size_t len = path == NULL ? 0 : strlen(path);
    char *marker = path == NULL ? NULL : realloc(path, len + sizeof("/.oscommit"));
    struct stat info;
    bool found;

    if (marker == NULL) {
        free(path);
        return NO_MEMORY;
    }
    memcpy(marker + len, "/.oscommit", sizeof("/.oscommit"));
    found = stat(marker, &info) == 0 && S_ISDIR(info.st_mode);
    free(marker);
    return found ? FOUND : NOT_FOUND;
}

/* The path as it is typed, or as a URL that has %XX in it. */
static enum find find_root(const char *path, size_t len, char **ret_store)
{
    enum find found = look_at(strndup(path, len));
    char *decoded;

    if (found == FOUND) {
        *ret_store = file_url_from_path(path, len);
        return *ret_store == NULL ? NO_MEMORY : FOUND;
    }
    decoded = found == NO_MEMORY || memchr(path, '%', len) == NULL ? NULL : file_url_decode(path, len);
    if (decoded == NULL) {
        return found;
    }
    found = look_at(decoded);
    if (found == FOUND) {
        *ret_store = strndup(path - strlen("file://"), strlen("file://") + len);
        return *ret_store == NULL ? NO_MEMORY : FOUND;
    }
    return found;
}

/* Walks up from the whole path. A cut behind a doubled slash is skipped, so that the key keeps it and the library can
 * refuse it. */
static bool parse_file(const char *name, struct location *ret, struct usage *usage)
{
    const char *path = name + strlen("file://");
    enum find found = NOT_FOUND;

    if (path[0] != '/') {
        return usage_refuse(
            usage, "\"%.200s\" is not absolute: a file URL has three slashes, as in file:///srv/store/KEY.", name);
    }
    for (size_t len = strlen(path); len > 0 && found == NOT_FOUND; len--) {
        bool cut = path[len] == '\0' || path[len] == '/';
        char *store = NULL;
        if (cut && path[len - 1] != '/') {
            found = find_root(path, len, &store);
        }
        if (found == FOUND) {
            bool good = set(ret, store, strlen(store), path[len] == '/' ? path + len + 1 : "", usage);
            free(store);
            return good;
        }
    }
    if (found == NO_MEMORY) {
        return no_memory(usage);
    }
    return usage_refuse(
        usage,
        "No folder above \"%.200s\" is an embedded store (it would have .oscommit in it): make one with "
        "`oscommit init DIR`.",
        name);
}

static bool parse_url(const char *name, const struct options *options, struct location *ret, struct usage *usage)
{
    const char *store = options_text(options, OPTION_STORE);

    if (store != NULL) {
        size_t store_len = trimmed_length(store);
        const char *key = inside(name, store, store_len);
        if (key != NULL) {
            return set(ret, store, store_len, key, usage);
        }
        if (!options->from_environment[OPTION_STORE]) {
            return usage_refuse(usage, "\"%.200s\" lies outside --store %.200s.", name, store);
        }
    }
    if (starts(name, "s3://")) {
        return parse_s3(name, ret, usage);
    }
    if (starts(name, "file://")) {
        return parse_file(name, ret, usage);
    }
    return usage_refuse(usage, "\"%.200s\" has an unknown scheme: objects are s3://BUCKET/KEY or file:///ROOT/KEY.",
                        name);
}

bool location_store(const struct options *options, struct location *ret, struct usage *usage)
{
    const char *store = options_text(options, OPTION_STORE);

    if (store == NULL) {
        return usage_refuse(usage, "The store is not known: name it by URL, or with --store or OSCOMMIT_STORE.");
    }
    return set(ret, store, trimmed_length(store), "", usage);
}

bool location_parse(const char *name, enum location_wants wants, const struct options *options, struct location *ret,
                    struct usage *usage)
{
    struct location found = {0};

    if (location_is_url(name)) {
        if (!parse_url(name, options, &found, usage)) {
            return false;
        }
    } else {
        const char *store = options_text(options, OPTION_STORE);
        if (store == NULL) {
            return usage_refuse(
                usage,
                "\"%.200s\" is not the URL of an object (s3://BUCKET/KEY, file:///ROOT/KEY); a bare key needs "
                "--store or OSCOMMIT_STORE.",
                name);
        }
        if (!set(&found, store, trimmed_length(store), name, usage)) {
            return false;
        }
    }
    if (wants == LOCATION_OBJECT && found.key[0] == '\0') {
        location_clear(&found);
        return usage_refuse(usage, "\"%.200s\" names no object: the key is empty.", name);
    }
    *ret = found;
    return true;
}

char *location_url_of(const struct location *location, const char *key)
{
    size_t size = strlen(location->store) + strlen(key) + 2;
    char *url = malloc(size);

    if (url != NULL) {
        (void)snprintf(url, size, "%s%s%s", location->store, key[0] == '\0' ? "" : "/", key);
    }
    return url;
}

bool location_set_key(struct location *location, const char *key)
{
    char *copy = strdup(key);
    char *url = location_url_of(location, key);

    if (copy == NULL || url == NULL) {
        free(copy);
        free(url);
        return false;
    }
    free(location->key);
    free(location->url);
    location->key = copy;
    location->url = url;
    return true;
}

const char *location_last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? path : slash + 1;
}

void location_clear(struct location *location)
{
    free(location->store);
    free(location->key);
    free(location->url);
    memset(location, 0, sizeof(*location));
}
