/* SPDX-License-Identifier: Apache-2.0 */
#include "common/tree.h"

#include "cli/verdict.h"
#include "common/beneath.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct walk {
    struct batch_items *items;
    const char *top; /* for a person */
    os_error *err;
};

static bool tree_no_memory(os_error *err)
{
    err->code = OS_ERR_NO_MEMORY;
    (void)snprintf(err->message, sizeof(err->message), "There is not enough memory for the list of names.");
    return false;
}

static bool walk_failed(const struct walk *walk, const char *name)
{
    walk->err->code = code_of_errno(errno);
    (void)snprintf(walk->err->message, sizeof(walk->err->message), "The folder %.300s/%.300s cannot be read: %s.",
                   walk->top, name, strerror(errno));
    return false;
}

static bool is_utf8(const char *text)
{
    json_t *string = json_string(text);

    json_decref(string);
    return string != NULL;
}

static const char *refusal_of(const struct stat *info, const char *name)
{
    if (!is_utf8(name))
        return "is not UTF-8, as the name of an object is";
    if (S_ISLNK(info->st_mode))
        return "is a symbolic link, which is not followed";
    if (!S_ISREG(info->st_mode))
        return "is neither a file nor a folder";
    return beneath_refuse(name);
}

static char *join(const char *folder, const char *name)
{
    size_t size = strlen(folder) + strlen(name) + 2;
    char *joined = malloc(size);

    if (joined != NULL)
        (void)snprintf(joined, size, "%s%s%s", folder, folder[0] == '\0' ? "" : "/", name);
    return joined;
}

static bool walk_folder(struct walk *walk, int folder, const char *name, unsigned depth);

static bool walk_into(struct walk *walk, int folder, const char *entry, const char *name, unsigned depth)
{
    int fd = openat(folder, entry, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);

    if (depth == TREE_DEPTH_MAX)
        errno = ELOOP;
    if (fd < 0 || depth == TREE_DEPTH_MAX) {
        if (fd >= 0)
            (void)close(fd);
        return walk_failed(walk, name);
    }
    return walk_folder(walk, fd, name, depth + 1);
}

/* Takes the name over. */
static bool walk_entry(struct walk *walk, int folder, const char *entry, char *name, unsigned depth)
{
    struct stat info;
    bool good;

    if (fstatat(folder, entry, &info, AT_SYMLINK_NOFOLLOW) != 0) {
        good = errno == ENOENT || walk_failed(walk, name); /* it is gone: never there */
        free(name);
        return good;
    }
    if (S_ISDIR(info.st_mode)) {
        good = walk_into(walk, folder, entry, name, depth);
        free(name);
        return good;
    }
    if (!batch_items_add(walk->items, name, (uint64_t)info.st_size))
        return tree_no_memory(walk->err);
    walk->items->list[walk->items->count - 1].refusal = refusal_of(&info, name);
    return true;
}

/* Takes the descriptor over. */
static bool walk_folder(struct walk *walk, int folder, const char *name, unsigned depth)
{
    DIR *stream = fdopendir(folder);
    bool good = true;

    if (stream == NULL) {
        good = walk_failed(walk, name);
        (void)close(folder);
        return good;
    }
    while (good) {
        errno = 0;
        const struct dirent *entry = readdir(stream);
        if (entry == NULL) {
            good = errno == 0 || walk_failed(walk, name);
            break;
        }
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *joined = join(name, entry->d_name);
        good =
            joined != NULL ? walk_entry(walk, dirfd(stream), entry->d_name, joined, depth) : tree_no_memory(walk->err);
    }
    (void)closedir(stream);
    return good;
}

bool tree_read_folder(int folder, const char *name, struct batch_items *ret, os_error *err)
{
    struct walk walk = {.items = ret, .top = name, .err = err};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

    if (fd < 0)
        return walk_failed(&walk, "");
    if (!walk_folder(&walk, fd, "", 1))
        return false;
    batch_items_sort(ret);
    return true;
}

struct listing {
    struct batch_items *items;
    const struct tree_wanted *wanted;
    bool no_memory;
};

static int take_object(void *context, const os_object *object)
{
    struct listing *listing = context;
    const char *name = object->key + strlen(listing->wanted->prefix);
    size_t length = strlen(name);
    char *copy;

    if (listing->wanted->glob != NULL && !glob_matches(listing->wanted->glob, object->key))
        return 0;
    copy = strdup(name);
    if (copy == NULL || !batch_items_add(listing->items, copy, object->length)) {
        listing->no_memory = true;
        return 1;
    }
    struct batch_item *item = &listing->items->list[listing->items->count - 1];
    (void)snprintf(item->etag, sizeof(item->etag), "%s", object->etag);
    if (listing->wanted->to_files)
        item->is_marker = object->length == 0 && (length == 0 || name[length - 1] == '/');
    else
        item->is_marker = length == 0; /* the prefix itself */
    if (listing->wanted->to_files && !item->is_marker)
        item->refusal = beneath_refuse(name);
    return 0;
}

bool tree_read_keys(struct session *session, const struct tree_wanted *wanted, struct batch_items *ret, os_error *err)
{
    struct listing listing = {.items = ret, .wanted = wanted};
    os_list_options asked = OS_LIST_OPTIONS_INIT;

    asked.prefix = wanted->glob == NULL ? wanted->prefix : wanted->glob->literal;
    if (os_list(session->client, &asked, &session->call, take_object, &listing, err) != OS_OK) {
        if (listing.no_memory)
            (void)tree_no_memory(err);
        return false;
    }
    if (wanted->to_files)
        batch_items_sort(ret);
    return true;
}
