/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file ID.about of an upload in an embedded store: its head, and the slots of its parts. What is read of the head
 * is written again as the same bytes; a slot tells of its own part or of none, and none of bytes that were cleared.
 *
 * Input: flags (1: with a right checksum of the head, 2: of the slots), two bytes of the head's length, the head, the
 * slots, which stand in the file at SLOTS_AT.
 */
#include "fuzz.h"

#include "base/crc.h"
#include "base/fd.h"
#include "local/file_internal.h"
#include "local/file_staging.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define ID "00112233445566778899aabbccddeeff"
enum { SLOTS_AT = 16384, HEAD_CRC_AT = 8, HEAD_SIZE = 32, SLOTS_MAX = 700 };

static char folder[64];
static struct file_place place = {.upload_folder = -1};

static void remove_folder(void)
{
    unlinkat(place.upload_folder, ID, 0);
    unlinkat(place.upload_folder, ID ".about", 0);
    rmdir(folder);
}

static void make_folder(void)
{
    snprintf(folder, sizeof(folder), "%s/oscommit-fuzz-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    FUZZ_CHECK(mkdtemp(folder) != NULL);
    place.upload_folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    FUZZ_CHECK(place.upload_folder >= 0);
    atexit(remove_folder);
    int data = openat(place.upload_folder, ID, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    FUZZ_CHECK(data >= 0);
    close(data);
}

/* ------------------------------------------------------------------------------------------------ the file */

static void mend_head(char *head, size_t size)
{
    uint32_t lengths[3]; /* of key, nonce and headers */
    if (size < HEAD_SIZE)
        return;
    memcpy(lengths, head + HEAD_CRC_AT + 4, sizeof(lengths));
    uint64_t len = (uint64_t)lengths[0] + lengths[1] + lengths[2];
    if (len > size - HEAD_SIZE)
        return;
    uint32_t crc = crc32c_add(0, head + HEAD_SIZE, (size_t)len);
    memcpy(head + HEAD_CRC_AT, &crc, sizeof(crc));
}

static void mend_slots(char *slots, size_t size)
{
    for (struct staged_part part; size >= sizeof(part); slots += sizeof(part), size -= sizeof(part)) {
        memcpy(&part, slots, sizeof(part));
        part.crc = 0;
        part.crc = crc32c_add(0, &part, sizeof(part));
        memcpy(slots, &part, sizeof(part));
    }
}

static void write_file(const char *name, const uint8_t *data, size_t size)
{
    size_t head_len = data[1] | (size_t)data[2] << 8;
    char *text = fuzz_copy(data + 3, size - 3);
    size -= 3;
    head_len = head_len < size ? head_len : size;
    head_len = head_len < SLOTS_AT ? head_len : SLOTS_AT;
    if (data[0] & 1)
        mend_head(text, head_len);
    if (data[0] & 2)
        mend_slots(text + head_len, size - head_len);
    int file = openat(place.upload_folder, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    FUZZ_CHECK(file >= 0 && pwrite(file, text, head_len, 0) == (ssize_t)head_len);
    FUZZ_CHECK(pwrite(file, text + head_len, size - head_len, SLOTS_AT) == (ssize_t)(size - head_len));
    close(file);
    free(text);
}

static size_t read_file(const char *name, char *ret, size_t size)
{
    int file = openat(place.upload_folder, name, O_RDONLY | O_CLOEXEC);
    FUZZ_CHECK(file >= 0);
    int64_t len = fd_read_at(file, ret, size, 0);
    FUZZ_CHECK(len >= 0);
    close(file);
    return (size_t)len;
}

/* ------------------------------------------------------------------------------------------------ the head */

static void check_written_again(const struct staging_about *about)
{
    static char first[SLOTS_AT];
    static char again[SLOTS_AT];
    char id[FILE_ID_SIZE];
    char name[FILE_ID_SIZE + 8];
    os_error err;
    FUZZ_CHECK(staging_create(&place, about, id, &err) == OS_OK);
    snprintf(name, sizeof(name), "%s.about", id);
    size_t len = read_file(name, again, sizeof(again));
    FUZZ_CHECK(read_file(ID ".about", first, sizeof(first)) >= len && memcmp(first, again, len) == 0);
    FUZZ_CHECK(staging_abort(&place, id) == 0);
}

static void check_about(const struct staging_about *about)
{
    struct file_object object;
    FUZZ_CHECK_ARRAY(about->key);
    FUZZ_CHECK_ARRAY(about->row.nonce);
    file_row_describe(&about->row, &object);
    FUZZ_CHECK_ARRAY(object.content_type);
    FUZZ_CHECK_ARRAY(object.nonce);
    check_written_again(about);
}

struct seen {
    size_t count;
    char key[FILE_KEY_MAX + 1];
};

static bool see(void *context, const char *id, const struct staging_about *about)
{
    struct seen *seen = context;
    FUZZ_CHECK(strcmp(id, ID) == 0);
    FUZZ_CHECK_ARRAY(about->key);
    seen->count++;
    memcpy(seen->key, about->key, sizeof(seen->key));
    return false;
}

static void check_head(void)
{
    struct seen seen = {0};
    struct staging staging;
    struct staging_about about;
    os_error err = {.code = OS_OK};
    FUZZ_CHECK(staging_each(&place, see, &seen) == 0 && seen.count <= 1);
    os_code code = staging_open(&place, seen.count ? seen.key : "key", ID, &staging, &about, &err);
    FUZZ_CHECK((code == OS_OK) == (seen.count == 1));
    if (code != OS_OK) {
        FUZZ_CHECK(code == OS_ERR_NOT_FOUND);
        fuzz_check_error(code, &err);
        return;
    }
    check_about(&about);
    file_row_free(&about.row);
    staging_close(&staging);
    FUZZ_CHECK(staging_open(&place, "another key", ID, &staging, NULL, &err) == OS_ERR_NOT_FOUND ||
               strcmp(seen.key, "another key") == 0);
}

/* ------------------------------------------------------------------------------------------------ the slots */

static bool overlap(const struct staged_part *part, uint64_t offset, uint64_t length)
{
    return part->offset < offset + length && offset < part->offset + part->length;
}

static void check_slots(void)
{
    static struct staged_part parts[SLOTS_MAX];
    struct staging staging = {.data = -1, .about = openat(place.upload_folder, ID ".about", O_RDWR | O_CLOEXEC)};
    FUZZ_CHECK(staging.about >= 0 && staging_slots(&staging, 1, SLOTS_MAX, parts) == 0);
    struct staged_part mine = {.number = 2, .offset = 100, .length = 50};
    for (uint32_t i = 0; i < SLOTS_MAX; i++) {
        FUZZ_CHECK(parts[i].number == 0 || parts[i].number == i + 1);
        if (parts[i].number != 0 && i % 3 == 0)
            mine = parts[i];
    }
    FUZZ_CHECK(staging_clear(&staging, mine.number, mine.offset, mine.length) == 0);
    FUZZ_CHECK(staging_slots(&staging, 1, SLOTS_MAX, parts) == 0);
    for (uint32_t i = 0; i < SLOTS_MAX; i++)
        FUZZ_CHECK(parts[i].number == 0 || (i + 1 != mine.number && !overlap(&parts[i], mine.offset, mine.length)));
    FUZZ_CHECK(staging_enter(&staging, &mine) == 0 && staging_slots(&staging, mine.number, 1, parts) == 0);
    FUZZ_CHECK(memcmp(&parts[0], &mine, sizeof(mine)) == 0);
    close(staging.about);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    if (place.upload_folder < 0)
        make_folder();
    write_file(ID ".about", data, size);
    check_head();
    check_slots();
    return 0;
}
