/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/location.h"

#include "cli/file_url.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool no_memory(struct usage *usage)
{
    return usage_refuse(usage, "There is not enough memory.");
}

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

/* A scheme as RFC 3986 spells it, then "://". A key such as "a/b://c" has a slash before and is none. */
bool location_is_url(const char *name)
{
    size_t len = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+.-");

    return len > 0 && starts_with(name + len, "://");
}

static bool location_set(struct location *ret, const char *store, size_t store_len, const char *key,
                         struct usage *usage)
{
    ret->store = strndup(store, store_len);
    if (ret->store != NULL && location_set_key(ret, key))
        return true;
    location_clear(ret);
    return no_memory(usage);
}

/* The length of a store URL without slashes at its end; those of "file:///" itself stay. */
static size_t trimmed_length(const char *store)
{
    const char *rest = strstr(store, "://");
    size_t least = rest == NULL ? 1 : (size_t)(rest - store) + 4;
    size_t len = strlen(store);

    while (len > least && store[len - 1] == '/')
        len--;
    return len;
}

/* The part of `name` that lies behind the store: NULL if it is not inside. */
static const char *key_inside(const char *name, const char *store, size_t store_len)
{
    if (strncmp(name, store, store_len) != 0)
        return NULL;
    if (name[store_len] == '\0')
        return name + store_len;
    return name[store_len] == '/' ? name + store_len + 1 : NULL;
}

static bool parse_s3(const char *name, struct location *ret, struct usage *usage)
{
    const char *bucket = name + strlen("s3://");
    size_t len = strcspn(bucket, "/");

    if (len == 0)
        return usage_refuse(usage, "\"%.200s\" names no bucket; an object is s3://BUCKET/KEY.", name);
    if (memchr(bucket, '@', len) != NULL)
        return usage_refuse(usage, "A URL must not carry credentials: use --profile or the AWS_* variables.");
    return location_set(ret, name, strlen("s3://") + len, bucket[len] == '/' ? bucket + len + 1 : "", usage);
}

/* Of a folder: a store; none; one that may not be looked into; a store that a stranger put where anybody may (/tmp). */
enum find { FOUND, NOT_FOUND, DENIED, STRANGER, NO_MEMORY };

static bool is_trusted(const char *folder, const struct stat *mark)
{
    struct stat info;

    return mark->st_uid == 0 || mark->st_uid == geteuid() || (stat(folder, &info) == 0 && info.st_uid == mark->st_uid);
}

/* Is it a folder with `.oscommit` in it? Takes the path over; NULL: no memory. */
static enum find look_at(char *path)
{
    size_t len = path == NULL ? 0 : strlen(path);
    char *mark = path == NULL ? NULL : malloc(len + sizeof("/.oscommit"));
    enum find found = NO_MEMORY;
    struct stat info;

    if (mark != NULL) {
        memcpy(mark, path, len);
        memcpy(mark + len, "/.oscommit", sizeof("/.oscommit"));
        if (lstat(mark, &info) != 0)
            found = errno == EACCES ? DENIED : NOT_FOUND;
        else if (S_ISDIR(info.st_mode))
            found = is_trusted(path, &info) ? FOUND : STRANGER;
        else
            found = NOT_FOUND;
    }
    free(mark);
    free(path);
    return found;
}

/* The path as it is typed, or as a URL that has %XX in it. *ret_store is new memory unless NOT_FOUND or NO_MEMORY. */
static enum find find_root(const char *path, size_t len, char **ret_store)
{
    enum find found = look_at(strndup(path, len));
    char *decoded;

    if (found != NOT_FOUND && found != NO_MEMORY) {
        *ret_store = file_url_from_path(path, len);
        return *ret_store == NULL ? NO_MEMORY : found;
    }
    decoded = found == NO_MEMORY || memchr(path, '%', len) == NULL ? NULL : file_url_decode(path, len);
    if (decoded == NULL)
        return found;
    found = look_at(decoded);
    if (found != NOT_FOUND && found != NO_MEMORY) {
        *ret_store = strndup(path - strlen("file://"), strlen("file://") + len);
        return *ret_store == NULL ? NO_MEMORY : found;
    }
    return found;
}

struct search {
    enum find found; /* what is the best so far */
    char *store;
    const char *key;
};

/* The outermost store counts, as what an earlier one has in its folders are its keys; a stranger's only if there is no
 * other. Where nothing is found but a folder that may not be looked into, the outermost such one: the library says why
 * it cannot be opened. */
static bool is_better(enum find now, enum find before)
{
    switch (now) {
    case FOUND: return true;
    case STRANGER: return before != FOUND && before != STRANGER;
    case DENIED: return before == NOT_FOUND || before == DENIED;
    default: return false;
    }
}

/* Walks up from the whole path. A cut behind a doubled slash is skipped, so that the key keeps it and the library can
 * refuse it. False: no memory. */
static bool search_roots(const char *path, struct search *ret)
{
    *ret = (struct search){.found = NOT_FOUND};
    for (size_t len = strlen(path); len > 0; len--) {
        bool cut = path[len] == '\0' || path[len] == '/';
        char *store = NULL;
        enum find now = cut && path[len - 1] != '/' ? find_root(path, len, &store) : NOT_FOUND;
        if (now == NO_MEMORY)
            return false;
        if (is_better(now, ret->found)) {
            free(ret->store);
            *ret = (struct search){.found = now, .store = store, .key = path[len] == '/' ? path + len + 1 : ""};
        } else {
            free(store);
        }
    }
    return true;
}

static bool parse_file(const char *name, struct location *ret, struct usage *usage)
{
    const char *path = name + strlen("file://");
    struct search search;
    bool good;

    if (path[0] != '/') {
        return usage_refuse(
            usage, "\"%.200s\" is not absolute: a file URL has three slashes, as in file:///srv/store/KEY.", name);
    }
    if (!search_roots(path, &search)) {
        free(search.store);
        return no_memory(usage);
    }
    if (search.found == NOT_FOUND) {
        return usage_refuse(usage,
                            "No folder above \"%.200s\" is an embedded store (it would contain .oscommit): make one "
                            "with `oscommit init DIR`.",
                            name);
    }
    good = location_set(ret, search.store, strlen(search.store), search.key, usage);
    free(search.store);
    return good;
}

static bool parse_url(const char *name, const struct options *options, struct location *ret, struct usage *usage)
{
    const char *store = options_text(options, OPTION_STORE);

    if (store != NULL) {
        size_t store_len = trimmed_length(store);
        const char *key = key_inside(name, store, store_len);
        if (key != NULL)
            return location_set(ret, store, store_len, key, usage);
        if (options->distance[OPTION_STORE] == 0)
            return usage_refuse(usage, "\"%.200s\" lies outside --store %.200s.", name, store);
    }
    if (starts_with(name, "s3://"))
        return parse_s3(name, ret, usage);
    if (starts_with(name, "file://"))
        return parse_file(name, ret, usage);
    return usage_refuse(usage, "\"%.200s\" has an unknown scheme: objects are s3://BUCKET/KEY or file:///ROOT/KEY.",
                        name);
}

bool location_store(const struct options *options, struct location *ret, struct usage *usage)
{
    const char *store = options_text(options, OPTION_STORE);

    if (store == NULL)
        return usage_refuse(usage, "The store is not given: name it by URL, or with --store or OSCOMMIT_STORE.");
    return location_set(ret, store, trimmed_length(store), "", usage);
}

/* What a path in or below an embedded store should have been; an empty text where it is none. */
static void suggest_url(const char *name, char *ret, size_t ret_size)
{
    char folder[PATH_MAX];
    char path[2 * PATH_MAX];
    struct location found = {0};
    struct usage unused = {0};

    ret[0] = '\0';
    if (name[0] == '/')
        (void)snprintf(path, sizeof(path), "file://%s", name);
    else if (getcwd(folder, sizeof(folder)) != NULL)
        (void)snprintf(path, sizeof(path), "file://%s/%s", folder, strncmp(name, "./", 2) == 0 ? name + 2 : name);
    else
        return;
    if (parse_file(path, &found, &unused))
        (void)snprintf(ret, ret_size, " Did you mean %.300s?", path);
    location_clear(&found);
}

bool location_parse(const char *name, enum location_wants wants, const struct options *options, struct location *ret,
                    struct usage *usage)
{
    struct location found = {0};

    if (location_is_url(name)) {
        if (!parse_url(name, options, &found, usage))
            return false;
    } else {
        const char *store = options_text(options, OPTION_STORE);
        if (store == NULL) {
            char hint[320];
            suggest_url(name, hint, sizeof(hint));
            return usage_refuse(
                usage,
                "\"%.200s\" is not the URL of an object (s3://BUCKET/KEY, file:///ROOT/KEY); a bare key needs "
                "--store or OSCOMMIT_STORE.%s",
                name, hint);
        }
        if (!location_set(&found, store, trimmed_length(store), name, usage))
            return false;
    }
    if (wants == LOCATION_OBJECT && found.key[0] == '\0') {
        location_clear(&found);
        return usage_refuse(usage, "\"%.200s\" names no object: the key is empty.", name);
    }
    *ret = found;
    return true;
}

bool location_prefix(const struct options *options, struct location *ret, struct usage *usage)
{
    return options->operand_count == 0 ? location_store(options, ret, usage)
                                       : location_parse(options->operand[0], LOCATION_PREFIX, options, ret, usage);
}

char *location_url_of(const struct location *location, const char *key)
{
    size_t size = strlen(location->store) + strlen(key) + 2;
    char *url = malloc(size);

    if (url != NULL)
        (void)snprintf(url, size, "%s%s%s", location->store, key[0] == '\0' ? "" : "/", key);
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
