/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two files of an upload below ROOT/.oscommit/uploads: ID has the bytes, ID.about what must be remembered. Knows no
 * bodies and no ETags of objects.
 *
 * AN UPLOAD IS OPEN AS LONG AS THE FILE ID IS THERE. It goes by the very rename that makes it an object, or by being
 * removed: so nobody ever sees an upload open whose object is there (R14 takes an open upload for the proof that its
 * Complete was not applied). ID.about is whole before ID is made, and is removed after it.
 *
 * A part holds the range of its bytes in ID locked while it is written, and a Complete holds all of them from its check
 * to its rename. The slot of a part is written when its bytes are on disk, and cleared, on disk, before they are
 * written over. So a valid slot always tells of bytes that are there, whatever was killed or lost its power.
 */
#ifndef OSCOMMIT_LOCAL_FILE_STAGING_H
#define OSCOMMIT_LOCAL_FILE_STAGING_H

#include "local/file_temp.h"

enum { STAGING_PART_MAX = 10000, STAGING_MD5_SIZE = 32 /* digits */ };

struct staging_about {
    char key[FILE_KEY_MAX + 1];
    int64_t initiated_s;
    struct file_row row; /* nonce and headers; to be freed with file_row_free */
};

/* As it stands in the file: of the machine that wrote it. */
struct staged_part {
    uint32_t number; /* 0: none */
    uint32_t crc;    /* of the slot with a crc of 0 */
    uint64_t offset;
    uint64_t length;
    int64_t modified_s;
    char md5[STAGING_MD5_SIZE];
};

struct staging {
    int data; /* -1: none */
    int about;
    char id[FILE_ID_SIZE];
};

/* `ret_id` holds FILE_ID_SIZE. OS_ERR_DENIED and the like where the folder cannot be written. */
os_code staging_create(struct file_place *place, const struct staging_about *about, char *ret_id, os_error *err);

/* OS_ERR_NOT_FOUND when no upload of that id is open, or it is another key's. `ret_about` may be NULL. */
os_code staging_open(struct file_place *place, const char *key, const char *id, struct staging *ret,
                     struct staging_about *ret_about, os_error *err);
void staging_close(struct staging *staging);
bool staging_is_open(struct file_place *place, const char *id);
os_code staging_none(const char *key, const char *id, os_error *err); /* OS_ERR_NOT_FOUND */

/* Until the staging is closed, or as long as the place's limit allows. `length` 0: everything. OS_ERR_NOT_FOUND if it
 * was completed or aborted meanwhile. */
os_code staging_lock(struct file_place *place, const struct staging *staging, const char *key, uint64_t offset,
                     uint64_t length, os_error *err);

/* The slots of parts `first` and following; *ret_count were filled, those of parts that are not there with a number of
 * 0. 0 or an errno. */
int staging_slots(const struct staging *staging, uint32_t first, uint32_t count, struct staged_part *ret);
/* Clears the slot of the part and of every other whose bytes [offset, offset + length) touches. 0 or an errno. */
int staging_clear(const struct staging *staging, uint32_t number, uint64_t offset, uint64_t length);
int staging_enter(const struct staging *staging, struct staged_part *part); /* its crc is set here */

/* 0 or an errno; ENOENT: it was not open. */
int staging_abort(struct file_place *place, const char *id);
/* What is left when the upload has become an object. */
void staging_forget(struct file_place *place, const char *id);

/* Every open upload, in the order of the folder, until `each` returns false. What cannot be read is passed over. 0 or
 * an errno. */
typedef bool (*staging_fn)(void *context, const char *id, const struct staging_about *about);
int staging_each(struct file_place *place, staging_fn each, void *context);

/* Removes what a killed process left of uploads that are not open, when it is older than FILE_TEMP_AGE_S. */
void staging_sweep(struct file_place *place, int64_t now_s);

#endif
