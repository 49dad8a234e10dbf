/* SPDX-License-Identifier: Apache-2.0 */
#include "image.h"

#include "base/random.h"
#include "disk_log.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { ENTRIES_MAX = DISK_NODES_MAX, DEPTH_MAX = 16 };

struct entry {
    int folder, node;
    char name[DISK_NAME_SIZE];
};

struct content {
    char *data;
    size_t size, capacity;
    struct timespec mtime;
    bool has_mtime;
};

struct image {
    size_t instant;
    enum image_choice choice;
    uint64_t random;
    unsigned percent; /* of what is not flushed, that is there */
    size_t sector;
    struct entry entries[ENTRIES_MAX];
    size_t entry_count;
    struct content contents[DISK_NODES_MAX];
};

static bool flip(struct image *image)
{
    return image->choice == IMAGE_ALL ||
           (image->choice == IMAGE_SOME && random_next(&image->random) % 100 < image->percent);
}

static bool is_flushed(const struct image *image, const struct disk_op *op)
{
    return op->durable != DISK_NEVER && (size_t)op->durable < image->instant;
}

/* ------------------------------------------------------------------------------------------------------ entries */

static void entry_remove(struct image *image, int folder, const char *name)
{
    for (size_t i = 0; i < image->entry_count; i++) {
        if (image->entries[i].folder == folder && strcmp(image->entries[i].name, name) == 0) {
            image->entries[i] = image->entries[--image->entry_count];
            return;
        }
    }
}

static void entry_set(struct image *image, int folder, const char *name, int node)
{
    entry_remove(image, folder, name);
    if (image->entry_count == ENTRIES_MAX)
        abort();
    struct entry *entry = &image->entries[image->entry_count++];
    *entry = (struct entry){.folder = folder, .node = node};
    memcpy(entry->name, name, strlen(name) + 1);
}

/* ------------------------------------------------------------------------------------------------------ bytes */

static void resize(struct content *content, size_t size)
{
    if (size > content->capacity) {
        content->capacity = size + size / 2;
        content->data = realloc(content->data, content->capacity);
        if (content->data == NULL)
            abort();
    }
    if (size > content->size)
        memset(content->data + content->size, 0, size - content->size);
    content->size = size;
}

static void put_bytes(struct content *content, uint64_t offset, const char *data, size_t size)
{
    if (offset + size > content->size)
        resize(content, offset + size);
    memcpy(content->data + offset, data, size);
}

/* Each sector that the write touches is new or not. */
static void put_torn(struct image *image, struct content *content, const struct disk_op *op)
{
    for (uint64_t at = op->offset; at < op->offset + op->size;) {
        uint64_t end = (at / image->sector + 1) * image->sector;
        end = end < op->offset + op->size ? end : op->offset + op->size;
        if (flip(image))
            put_bytes(content, at, op->data + (at - op->offset), end - at);
        at = end;
    }
    if (flip(image) && op->offset + op->size > content->size)
        resize(content, op->offset + op->size);
}

static void apply(struct image *image, const struct disk_op *op)
{
    struct content *content = &image->contents[op->node >= 0 ? op->node : 0];
    bool flushed = is_flushed(image, op);
    if (op->kind == DISK_WRITE && !flushed) {
        put_torn(image, content, op);
        return;
    }
    if (!flushed && !flip(image))
        return;
    switch (op->kind) {
    case DISK_CREATE:
    case DISK_MKDIR: entry_set(image, op->folder, op->name, op->node); break;
    case DISK_RENAME:
        entry_remove(image, op->from, op->from_name);
        entry_set(image, op->folder, op->name, op->node);
        break;
    case DISK_REMOVE: entry_remove(image, op->folder, op->name); break;
    case DISK_WRITE: put_bytes(content, op->offset, op->data, op->size); break;
    case DISK_TRUNCATE: resize(content, op->size); break;
    case DISK_TIMES:
        content->mtime = op->mtime;
        content->has_mtime = true;
        break;
    case DISK_SYNC: break;
    }
}

/* ---------------------------------------------------------------------------------------------------- to a folder */

/* SQLite's -shm is mapped, so that nothing of it is known: a disk may hold anything. */
static void spoil(struct image *image, struct content *content)
{
    for (size_t i = 0; i + 8 <= content->size; i += 8) {
        uint64_t noise = random_next(&image->random);
        memcpy(content->data + i, &noise, 8);
    }
}

static bool write_file(struct image *image, const struct entry *entry, int folder)
{
    struct content *content = &image->contents[entry->node];
    const char *end = strrchr(entry->name, '-');
    if (end != NULL && strcmp(end, "-shm") == 0 && image->choice == IMAGE_SOME)
        spoil(image, content);
    struct timespec times[2] = {{.tv_nsec = UTIME_OMIT}, content->mtime};
    struct stat st;
    int fd = openat(folder, entry->name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good =
        fd >= 0 && (content->size == 0 || pwrite(fd, content->data, content->size, 0) == (ssize_t)content->size);
    good = good && (!content->has_mtime || futimens(fd, times) == 0) && fstat(fd, &st) == 0;
    if (good)
        disk_alias_add(st.st_ino, disk_log_node(entry->node)->inode);
    if (fd >= 0)
        (void)close(fd);
    return good;
}

static bool write_folder(struct image *image, int node, int folder, int depth)
{
    bool good = depth < DEPTH_MAX;
    for (size_t i = 0; good && i < image->entry_count; i++) {
        const struct entry *entry = &image->entries[i];
        if (entry->folder != node)
            continue;
        if (!disk_log_node(entry->node)->is_folder) {
            good = write_file(image, entry, folder);
            continue;
        }
        int fd = mkdirat(folder, entry->name, 0700) == 0 ? openat(folder, entry->name, O_RDONLY | O_DIRECTORY) : -1;
        good = fd >= 0 && write_folder(image, entry->node, fd, depth + 1);
        if (fd >= 0)
            (void)close(fd);
    }
    return good;
}

bool image_build(size_t instant, enum image_choice choice, uint64_t seed, const char *folder)
{
    static const unsigned percents[] = {50, 10, 90, 75};
    static struct image image;
    image.instant = instant;
    image.choice = choice;
    image.random = seed;
    image.percent = percents[random_next(&image.random) % 4];
    image.sector = random_next(&image.random) % 2 == 0 ? 512 : 4096;
    image.entry_count = 0;
    for (int i = 0; i < disk_log_node_count(); i++) {
        image.contents[i].size = 0;
        image.contents[i].has_mtime = false;
    }
    for (size_t i = 0; i < instant; i++)
        apply(&image, disk_log_op(i));
    disk_alias_clear();
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    bool good = fd >= 0 && write_folder(&image, 0, fd, 0);
    if (fd >= 0)
        (void)close(fd);
    return good;
}
