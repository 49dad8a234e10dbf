/* SPDX-License-Identifier: Apache-2.0 */
#include "judge.h"

#include "story.h"

#include <openssl/evp.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { ETAG_SIZE = 128, AFTER_MS = 60000 };

struct judge {
    const char *root;
    size_t instant;
    char *why;
    size_t why_size;
    os_client *client;
    int versions[STORY_KEYS];
    char etags[STORY_KEYS][ETAG_SIZE]; /* "": nothing there */
    unsigned listed;                   /* a bit per key */
};

static bool blame(struct judge *judge, const char *format, ...) __attribute__((format(printf, 2, 3)));
static bool blame(struct judge *judge, const char *format, ...)
{
    va_list values;
    va_start(values, format);
    vsnprintf(judge->why, judge->why_size, format, values);
    va_end(values);
    return false;
}

/* ------------------------------------------------------------------------------------------------------ objects */

enum { MD5_SIZE = 16 };

static bool md5(const void *data, size_t length, unsigned char ret[MD5_SIZE])
{
    size_t size = MD5_SIZE;
    return EVP_Q_digest(NULL, "MD5", NULL, data, length, ret, &size) == 1 && size == MD5_SIZE;
}

/* The ETag of the bytes: their MD5, or, where they went in parts, that of the MD5s of the parts. */
static bool md5_is(const void *data, size_t length, const char *etag)
{
    unsigned char sums[4 * MD5_SIZE];
    char text[ETAG_SIZE] = "\"";
    size_t parts = 0;
    bool in_parts = strchr(etag, '-') != NULL;
    size_t part_size = in_parts ? STORY_PART_SIZE : length;
    for (size_t at = 0; at < length && parts < 4; at += part_size) {
        size_t left = length - at;
        if (!md5((const char *)data + at, left < part_size ? left : part_size, sums + MD5_SIZE * parts++))
            return false;
    }
    if (in_parts && !md5(sums, MD5_SIZE * parts, sums))
        return false;
    for (size_t i = 0; i < MD5_SIZE; i++)
        snprintf(text + 1 + 2 * i, 3, "%02x", sums[i]);
    snprintf(text + strlen(text), 8, in_parts ? "-%zu\"" : "\"", parts);
    return strcmp(text, etag) == 0;
}

/* The number that the content type names, when the bytes are its text; -1 otherwise. */
static int version_of(const void *data, size_t length, const char *content_type)
{
    int version = -1;
    const char *text;
    size_t text_length;
    if (sscanf(content_type, "text/v%d", &version) != 1 || version <= 0)
        return -1;
    story_text(version, &text, &text_length);
    return length == text_length && memcmp(data, text, length) == 0 ? version : -1;
}

static bool look_at_bytes(struct judge *judge, int key, const os_object *head)
{
    os_sink sink = OS_SINK_INIT;
    os_object object = OS_OBJECT_INIT;
    os_error err;
    void *data = NULL;
    size_t length = 0;
    sink.ret_data = &data;
    sink.ret_length = &length;
    if (os_get(judge->client, story_keys[key], &sink, NULL, &object, &err) != OS_OK)
        return blame(judge, "%s has a HEAD and cannot be read: %s", story_keys[key], err.message);
    bool good = true;
    judge->versions[key] = version_of(data, length, object.content_type);
    if (strcmp(object.etag, head->etag) != 0 || !md5_is(data, length, object.etag)) {
        good = blame(judge, "%s is torn: its %zu bytes are not those of its ETag %s", story_keys[key], length,
                     object.etag);
    } else if (judge->versions[key] < 0) {
        good = blame(judge, "%s has %zu bytes that nobody wrote as %s", story_keys[key], length, object.content_type);
    }
    os_free(data);
    return good;
}

static bool look_at_key(struct judge *judge, int key)
{
    os_object head = OS_OBJECT_INIT;
    os_error err;
    os_code code = os_head(judge->client, story_keys[key], NULL, &head, &err);
    if (code != OS_OK && code != OS_ERR_NOT_FOUND)
        return blame(judge, "HEAD of %s: %s", story_keys[key], err.message);
    if (code == OS_OK) {
        strcpy(judge->etags[key], head.etag);
        if (!look_at_bytes(judge, key, &head))
            return false;
    }
    return story_allows(judge->instant, key, judge->versions[key])
               ? true
               : blame(judge, "version %d stands at %s", judge->versions[key], story_keys[key]);
}

static int note_listed(void *context, const os_object *object)
{
    struct judge *judge = context;
    for (int key = 0; key < STORY_KEYS; key++) {
        if (object->key != NULL && strcmp(object->key, story_keys[key]) == 0 &&
            strcmp(object->etag, judge->etags[key]) == 0) {
            judge->listed |= 1U << key;
            return 0;
        }
    }
    (void)blame(judge, "%s is listed, and there is no such object", object->key);
    return 1;
}

static bool look_at_list(struct judge *judge)
{
    os_list_options options = OS_LIST_OPTIONS_INIT;
    os_error err;
    os_code code = os_list(judge->client, &options, NULL, note_listed, judge, &err);
    if (code != OS_OK)
        return judge->why[0] != '\0' ? false : blame(judge, "the list: %s", err.message);
    for (int key = 0; key < STORY_KEYS; key++)
        if ((judge->etags[key][0] != '\0') != ((judge->listed >> key & 1) != 0))
            return blame(judge, "HEAD and the list do not agree on %s", story_keys[key]);
    return true;
}

/* ------------------------------------------------------------------------------------------------------ afterwards */

static bool write_again(struct judge *judge)
{
    os_body body = OS_BODY_MEMORY("later", 5);
    os_call call = OS_CALL_INIT;
    os_error err;
    call.deadline_ms = AFTER_MS;
    os_verdict verdict = os_put_if_absent(judge->client, "after/the/loss", &body, NULL, &call, NULL, &err);
    return verdict == OS_COMMITTED
               ? true
               : blame(judge, "the next write was told %s: %s", os_verdict_name(verdict), err.message);
}

static int note_check(void *context, int columns, char **values, char **names)
{
    (void)names;
    struct judge *judge = context;
    if (columns != 1 || values[0] == NULL || strcmp(values[0], "ok") != 0)
        (void)blame(judge, "integrity_check: %s", values[0] != NULL ? values[0] : "NULL");
    return 0;
}

static bool check_database(struct judge *judge, const char *name)
{
    char file[256];
    sqlite3 *db = NULL;
    snprintf(file, sizeof(file), "%s/.oscommit/%s", judge->root, name);
    int rc = sqlite3_open_v2(file, &db, SQLITE_OPEN_READWRITE, NULL);
    rc = rc == SQLITE_OK ? sqlite3_exec(db, "PRAGMA integrity_check", note_check, judge, NULL) : rc;
    if (rc != SQLITE_OK)
        (void)blame(judge, "%s: %s", name, db != NULL ? sqlite3_errmsg(db) : sqlite3_errstr(rc));
    (void)sqlite3_close(db);
    return judge->why[0] == '\0';
}

/* Those that were under way are open, and can be removed, or are none. */
static bool remove_uploads(struct judge *judge)
{
    os_gc_options options = OS_GC_OPTIONS_INIT;
    os_gc_result result = OS_GC_RESULT_INIT;
    os_error err;
    options.older_than_s = 1;
    options.remove = 1;
    os_code code = os_gc(judge->client, &options, NULL, NULL, NULL, &result, &err);
    return code == OS_OK && result.failed == 0 ? true : blame(judge, "removing uploads: %s", err.message);
}

static bool look(struct judge *judge)
{
    os_error err;
    bool good = true;
    for (int key = 0; good && key < STORY_KEYS; key++)
        good = look_at_key(judge, key);
    if (good && story_lost_a_rename(judge->instant, judge->versions))
        good = blame(judge, "neither name of a renamed object is there");
    good = good && look_at_list(judge) && remove_uploads(judge);
    if (good && os_table_check(judge->client, NULL, &err) != OS_OK)
        good = blame(judge, "the ledger: %s", err.message);
    return good && write_again(judge);
}

/* A power failure inside of os_init asks for another one. */
bool judge_image(const char *root, size_t instant, char *why, size_t why_size)
{
    struct judge judge = {.root = root, .instant = instant, .why = why, .why_size = why_size};
    os_error err;
    why[0] = '\0';
    if (instant < story_init_end() && os_init(root, &err) != OS_OK)
        return blame(&judge, "os_init again: %s", err.message);
    judge.client = story_client(root, 0, &err);
    if (judge.client == NULL)
        return blame(&judge, "the store cannot be opened: %s", err.message);
    bool good = look(&judge);
    os_client_close(judge.client);
    return good && check_database(&judge, "objects.db") && check_database(&judge, "ledger.db");
}
