/* SPDX-License-Identifier: Apache-2.0 */
#include "local/file_staging.h"

#include "base/crc.h"
#include "base/error.h"
#include "base/fd.h"
#include "local/file_internal.h"
#include "local/file_lock.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ABOUT_SUFFIX ".about"
#define ABOUT_MAGIC  "oscommU1"
enum {
    SLOTS_AT = 16384, /* behind the head and the longest key, nonce and headers */
    CLEAR_AT_ONCE = 512,
    NAME_SIZE = FILE_ID_SIZE + sizeof(ABOUT_SUFFIX),
    LOCK_WAIT_MS = 30000 /* where the call has no limit of its own */
};

struct about_head {
    char magic[8];
    uint32_t crc; /* of what follows the head */
    uint32_t key_len;
    uint32_t nonce_len;
    uint32_t headers_len;
    int64_t initiated_s;
};

static void name_about(const char *id, char *ret)
{
    (void)snprintf(ret, NAME_SIZE, "%s" ABOUT_SUFFIX, id);
}

static int write_at(int fd, const void *data, size_t len, uint64_t offset)
{
    const char *from = data;
    while (len > 0) {
        ssize_t done = pwrite(fd, from, len, (off_t)offset);
        if (done < 0 && errno != EINTR)
            return errno;
        from += done > 0 ? done : 0;
        len -= done > 0 ? (size_t)done : 0;
        offset += done > 0 ? (uint64_t)done : 0;
    }
    return 0;
}

/* ------------------------------------------------------------------------------------------------------- create */

static bool pack_about(const struct staging_about *about, struct buf *ret)
{
    struct about_head head = {
        .magic = {0},
        .key_len = (uint32_t)strlen(about->key),
        .nonce_len = (uint32_t)strlen(about->row.nonce),
        .initiated_s = about->initiated_s,
    };
    memcpy(head.magic, ABOUT_MAGIC, sizeof(head.magic));
    buf_add(ret, &head, sizeof(head));
    buf_add(ret, about->key, head.key_len);
    buf_add(ret, about->row.nonce, head.nonce_len);
    size_t before = ret->len;
    file_row_pack(&about->row, ret);
    head.headers_len = (uint32_t)(ret->len - before);
    if (buf_ok(ret)) {
        head.crc = crc32c_add(0, ret->data + sizeof(head), ret->len - sizeof(head));
        memcpy(ret->data, &head, sizeof(head));
    }
    return buf_ok(ret);
}

/* 0 or an errno. */
static int make_about(struct file_place *place, const char *id, const struct buf *packed)
{
    char name[NAME_SIZE];
    name_about(id, name);
    int fd = fd_openat(place->upload_folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
    if (fd < 0)
        return errno;
    int error = write_at(fd, packed->data, packed->len, 0);
    if (error == 0 && fsync(fd) != 0)
        error = errno;
    (void)close(fd);
    return error;
}

os_code staging_create(struct file_place *place, const struct staging_about *about, char *ret_id, os_error *err)
{
    char id[FILE_ID_SIZE];
    struct buf packed;
    buf_init(&packed, SLOTS_AT);
    os_code code = file_temp_draw_id(id, err);
    if (code == OS_OK && !pack_about(about, &packed))
        code = error_no_memory(err);
    if (code == OS_OK) {
        int error = place->upload_folder < 0 ? EROFS : make_about(place, id, &packed);
        int data = -1;
        if (error == 0) {
            data = fd_openat(place->upload_folder, id, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW, 0600);
            error = data < 0 || fsync(place->upload_folder) != 0 ? errno : 0;
        }
        if (data >= 0)
            (void)close(data);
        if (error != 0) {
            (void)staging_abort(place, id);
            code = file_failed(err, error, "begin an upload of", about->key);
        }
    }
    buf_free(&packed);
    if (code == OS_OK)
        memcpy(ret_id, id, sizeof(id));
    return code;
}

/* --------------------------------------------------------------------------------------------------- open, lock */

/* Keys and nonces have no NUL, which would make another of them for whoever reads them as a string. */
static bool is_text(const char *text, size_t len)
{
    return memchr(text, '\0', len) == NULL;
}

/* False: not as we write it. */
static bool unpack_about(int fd, struct staging_about *ret)
{
    struct about_head head;
    char text[SLOTS_AT];
    if (fd_read_at(fd, &head, sizeof(head), 0) != (int64_t)sizeof(head) ||
        memcmp(head.magic, ABOUT_MAGIC, sizeof(head.magic)) != 0 || head.key_len >= sizeof(ret->key) ||
        head.nonce_len >= sizeof(ret->row.nonce) || head.headers_len > FILE_HEADERS_MAX)
        return false;
    size_t len = (size_t)head.key_len + head.nonce_len + head.headers_len;
    if (fd_read_at(fd, text, len, sizeof(head)) != (int64_t)len || crc32c_add(0, text, len) != head.crc ||
        head.key_len == 0 || !is_text(text, (size_t)head.key_len + head.nonce_len))
        return false;
    file_row_init(&ret->row);
    ret->initiated_s = head.initiated_s;
    memcpy(ret->key, text, head.key_len);
    ret->key[head.key_len] = '\0';
    memcpy(ret->row.nonce, text + head.key_len, head.nonce_len);
    ret->row.nonce[head.nonce_len] = '\0';
    return file_row_unpack(text_of(text + head.key_len + head.nonce_len, head.headers_len), &ret->row);
}

bool staging_is_open(struct file_place *place, const char *id)
{
    return place->upload_folder >= 0 && faccessat(place->upload_folder, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

os_code staging_none(const char *key, const char *id, os_error *err)
{
    char shown[FILE_SHOWN_SIZE];
    return error_set(err, OS_ERR_NOT_FOUND,
                     "There is no upload %.64s of \"%s\" in the store; it was completed or aborted, or never begun.",
                     id, file_shown(key, shown));
}

void staging_close(struct staging *staging)
{
    if (staging->data >= 0) {
        file_lock_range_drop(staging->data);
        (void)close(staging->data);
        (void)close(staging->about);
        staging->data = -1;
    }
}

os_code staging_open(struct file_place *place, const char *key, const char *id, struct staging *ret,
                     struct staging_about *ret_about, os_error *err)
{
    char name[NAME_SIZE];
    struct staging staging;
    struct staging_about about;
    if (place->upload_folder < 0 || id == NULL || !file_temp_is_id(id))
        return staging_none(key, id == NULL ? "" : id, err);
    memcpy(staging.id, id, sizeof(staging.id));
    name_about(id, name);
    staging.data = fd_openat(place->upload_folder, id, O_RDWR | O_NOFOLLOW, 0);
    if (staging.data < 0)
        return errno == ENOENT ? staging_none(key, id, err) : file_failed(err, errno, "open the upload of", key);
    staging.about = fd_openat(place->upload_folder, name, O_RDWR | O_NOFOLLOW, 0);
    if (staging.about < 0) {
        int error = errno;
        (void)close(staging.data);
        return error == ENOENT ? staging_none(key, id, err) : file_failed(err, error, "open the upload of", key);
    }
    bool read = unpack_about(staging.about, &about);
    if (!read || strcmp(about.key, key) != 0) {
        if (read)
            file_row_free(&about.row);
        staging_close(&staging);
        return staging_none(key, id, err);
    }
    if (ret_about != NULL)
        *ret_about = about;
    else
        file_row_free(&about.row);
    *ret = staging;
    return OS_OK;
}

os_code staging_lock(struct file_place *place, const struct staging *staging, const char *key, uint64_t offset,
                     uint64_t length, os_error *err)
{
    struct sqlite_patience limit = place->index.limit;
    if (limit.until_ms == 0)
        limit = sqlite_patience_ms(LOCK_WAIT_MS);
    os_code code = file_lock_range(staging->data, offset, length, key, limit.until_ms, limit.cancelled, err);
    if (code == OS_OK && !staging_is_open(place, staging->id))
        code = staging_none(key, staging->id, err);
    return code;
}

/* -------------------------------------------------------------------------------------------------------- slots */

static uint32_t crc_of(const struct staged_part *part)
{
    struct staged_part copy = *part;
    copy.crc = 0;
    return crc32c_add(0, &copy, sizeof(copy));
}

static uint64_t slot_at(uint32_t number)
{
    return SLOTS_AT + (uint64_t)(number - 1) * sizeof(struct staged_part);
}

int staging_slots(const struct staging *staging, uint32_t first, uint32_t count, struct staged_part *ret)
{
    memset(ret, 0, count * sizeof(*ret)); /* the file ends behind the highest part that was ever there */
    if (fd_read_at(staging->about, ret, count * sizeof(*ret), slot_at(first)) < 0)
        return errno;
    for (uint32_t i = 0; i < count; i++)
        if (ret[i].number != first + i || ret[i].crc != crc_of(&ret[i]))
            ret[i].number = 0;
    return 0;
}

static bool touches(const struct staged_part *part, uint32_t number, uint64_t offset, uint64_t length)
{
    return part->number == number ||
           (part->number != 0 && part->offset < offset + length && offset < part->offset + part->length);
}

int staging_clear(const struct staging *staging, uint32_t number, uint64_t offset, uint64_t length)
{
    static const struct staged_part none;
    struct staged_part parts[CLEAR_AT_ONCE];
    struct stat st;
    if (fstat(staging->about, &st) != 0)
        return errno;
    bool cleared = false;
    for (uint32_t first = 1; first <= STAGING_PART_MAX && slot_at(first) < (uint64_t)st.st_size;
         first += CLEAR_AT_ONCE) {
        int error = staging_slots(staging, first, CLEAR_AT_ONCE, parts);
        for (uint32_t i = 0; i < CLEAR_AT_ONCE && error == 0; i++) {
            if (parts[i].number != 0 && touches(&parts[i], number, offset, length)) {
                error = write_at(staging->about, &none, sizeof(none), slot_at(first + i));
                cleared = true;
            }
        }
        if (error != 0)
            return error;
    }
    return cleared && fdatasync(staging->about) != 0 ? errno : 0;
}

int staging_enter(const struct staging *staging, struct staged_part *part)
{
    part->crc = crc_of(part);
    return write_at(staging->about, part, sizeof(*part), slot_at(part->number));
}

/* ----------------------------------------------------------------------------------------------- abort, list, sweep */

void staging_forget(struct file_place *place, const char *id)
{
    char name[NAME_SIZE];
    name_about(id, name);
    (void)unlinkat(place->upload_folder, name, 0);
}

int staging_abort(struct file_place *place, const char *id)
{
    if (place->upload_folder < 0)
        return ENOENT;
    int error = unlinkat(place->upload_folder, id, 0) == 0 ? 0 : errno;
    if (error == 0 && fsync(place->upload_folder) != 0)
        error = errno;
    if (error == 0 || error == ENOENT)
        staging_forget(place, id);
    return error;
}

static DIR *open_uploads(struct file_place *place)
{
    int fd = fd_openat(place->upload_folder, ".", O_RDONLY | O_DIRECTORY, 0);
    DIR *folder = fd >= 0 ? fdopendir(fd) : NULL;
    if (folder == NULL && fd >= 0)
        (void)close(fd);
    return folder;
}

static bool show_one(struct file_place *place, const char *id, staging_fn each, void *context)
{
    char name[NAME_SIZE];
    name_about(id, name);
    int fd = fd_openat(place->upload_folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK, 0);
    if (fd < 0)
        return true;
    struct staging_about about;
    bool more = true;
    if (unpack_about(fd, &about)) {
        more = !staging_is_open(place, id) || each(context, id, &about);
        file_row_free(&about.row);
    }
    (void)close(fd);
    return more;
}

int staging_each(struct file_place *place, staging_fn each, void *context)
{
    if (place->upload_folder < 0)
        return 0;
    DIR *folder = open_uploads(place);
    if (folder == NULL)
        return errno;
    bool more = true;
    int error = 0;
    while (more) {
        errno = 0;
        struct dirent *entry = readdir(folder);
        if (entry == NULL) {
            error = errno;
            break;
        }
        more = !file_temp_is_id(entry->d_name) || show_one(place, entry->d_name, each, context);
    }
    (void)closedir(folder);
    return error;
}

/* ID.about without ID. Where ID is there it is an open upload's, however old. */
static bool is_orphan(struct file_place *place, const char *name, int64_t now_s)
{
    char id[FILE_ID_SIZE] = "";
    struct stat st;
    if (strlen(name) != FILE_ID_SIZE - 1 + strlen(ABOUT_SUFFIX) || strcmp(name + FILE_ID_SIZE - 1, ABOUT_SUFFIX) != 0)
        return false;
    memcpy(id, name, FILE_ID_SIZE - 1);
    return file_temp_is_id(id) && fstatat(place->upload_folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 &&
           st.st_mtim.tv_sec <= now_s - FILE_TEMP_AGE_S && !staging_is_open(place, id);
}

void staging_sweep(struct file_place *place, int64_t now_s)
{
    DIR *folder = place->upload_folder >= 0 ? open_uploads(place) : NULL;
    if (folder == NULL)
        return;
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder))
        if (is_orphan(place, entry->d_name, now_s))
            (void)unlinkat(place->upload_folder, entry->d_name, 0);
    (void)closedir(folder);
}
