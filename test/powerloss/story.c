/* SPDX-License-Identifier: Apache-2.0 */
#include "story.h"

#include "disk_log.h"

#include <stdio.h>
#include <string.h>

enum { CALLS_MAX = 512, NO_KEY = -1, LONG_MS = 60000 };

const char *const story_keys[STORY_KEYS] = {
    "one",   "two",   "a/one", "a/b/c/deep", "a/b", "x/y/renamed", "x/copy", "large/file",  "z",   "parts/one", "p",
    "n/one", "n/two", "a/two", "e/b/c/deep", "e/b", "x/z/renamed", "x/twin", "large/other", "n/z", "parts/two", "n/p",
};

struct told { /* one call that changes something */
    const char *what;
    int key, other;             /* the other one of a rename, or NO_KEY */
    int version, other_version; /* what stands there when it has done its work */
    size_t begin, end;          /* changes of the disk before it was made, and before it returned */
};

static struct told calls[CALLS_MAX];
static size_t call_count;
static size_t init_end;
static int now[STORY_KEYS];
static int last_version;
static int large_version; /* the one of two parts */

void story_text(int version, const char **ret, size_t *ret_length)
{
    static char text[STORY_TEXT_MAX];
    static const size_t lengths[] = {700, 3, 20000, 5000};
    size_t length = version % 11 == 7 ? 80000 : lengths[version % 4];
    if (version == large_version)
        length = STORY_TEXT_MAX;
    for (size_t i = 0; i < length; i++)
        text[i] = (char)('!' + (i * 31 + (size_t)version * 17 + i / 512) % 90);
    *ret = text;
    *ret_length = length;
}

void story_content_type(int version, char *ret, size_t size)
{
    snprintf(ret, size, "text/v%d", version);
}

os_client *story_client(const char *root, uint64_t stage_above, os_error *err)
{
    char url[256];
    os_options options = OS_OPTIONS_INIT;
    os_client *client = NULL;
    snprintf(url, sizeof(url), "file://%s", root);
    options.store_url = url;
    options.no_environment = 1;
    options.timeout_ms = 500;
    options.max_clock_skew_rate = 2;
    options.length_s = 1;
    options.stage_above = stage_above;
    options.part_size = STORY_PART_SIZE;
    return os_client_open(&options, &client, err) == OS_OK ? client : NULL;
}

/* ------------------------------------------------------------------------------------------------------ calls */

struct teller {
    os_client *client;
    os_client *staging; /* everything that it writes goes in parts */
    struct told *told;
    os_put_options options;
    os_body body;
    char content_type[32];
    os_call call;
    os_error err;
    bool good;
};

static void begin(struct teller *teller, const char *what, int key, int version)
{
    struct told *told = &calls[call_count];
    *told = (struct told){.what = what, .key = key, .other = NO_KEY, .version = version};
    told->end = SIZE_MAX;
    told->begin = disk_log_count();
    teller->told = told;
    teller->call = (os_call)OS_CALL_INIT;
    teller->call.deadline_ms = LONG_MS;
}

static void end(struct teller *teller, bool done)
{
    struct told *told = teller->told;
    told->end = disk_log_count();
    if (!done || call_count + 1 == CALLS_MAX) {
        printf("FAILED %s of %s in peace: %s\n", told->what, story_keys[told->key], teller->err.message);
        teller->good = false;
        return;
    }
    call_count++;
    now[told->key] = told->version;
    if (told->other != NO_KEY)
        now[told->other] = told->other_version;
}

static int new_version(struct teller *teller)
{
    const char *text;
    size_t length;
    int version = ++last_version;
    story_text(version, &text, &length);
    story_content_type(version, teller->content_type, sizeof(teller->content_type));
    teller->body = (os_body)OS_BODY_MEMORY(text, length);
    teller->options = (os_put_options)OS_PUT_OPTIONS_INIT;
    teller->options.content_type = teller->content_type;
    return version;
}

static const char *etag_of(struct teller *teller, int key, os_object *object)
{
    *object = (os_object)OS_OBJECT_INIT;
    if (os_head(teller->client, story_keys[key], NULL, object, &teller->err) != OS_OK) {
        printf("FAILED head of %s in peace: %s\n", story_keys[key], teller->err.message);
        teller->good = false;
    }
    return object->etag;
}

/* Guarded: if there is nothing, or what there is. */
static void put(struct teller *teller, int key)
{
    os_object object;
    const char *etag = now[key] != 0 ? etag_of(teller, key, &object) : NULL;
    int version = new_version(teller);
    begin(teller, etag ? "put_if_match" : "put_if_absent", key, version);
    const char *name = story_keys[key];
    os_verdict verdict = etag ? os_put_if_match(teller->client, name, etag, &teller->body, &teller->options,
                                                &teller->call, NULL, &teller->err)
                              : os_put_if_absent(teller->client, name, &teller->body, &teller->options, &teller->call,
                                                 NULL, &teller->err);
    end(teller, verdict == OS_COMMITTED);
}

static void put_plainly(struct teller *teller, int key)
{
    begin(teller, "put", key, new_version(teller));
    end(teller, os_put(teller->client, story_keys[key], &teller->body, &teller->options, &teller->call, NULL,
                       &teller->err) == OS_OK);
}

static void copy(struct teller *teller, int from, int key)
{
    begin(teller, "copy_if_not_exists", key, now[from]);
    end(teller, os_copy_if_not_exists(teller->client, story_keys[from], story_keys[key], NULL, &teller->call, NULL,
                                      &teller->err) == OS_COMMITTED);
}

static void move(struct teller *teller, int from, int key)
{
    begin(teller, "rename_if_not_exists", key, now[from]);
    teller->told->other = from;
    end(teller, os_rename_if_not_exists(teller->client, story_keys[from], story_keys[key], NULL, &teller->call, NULL,
                                        &teller->err) == OS_COMMITTED);
}

static void delete_guarded(struct teller *teller, int key)
{
    os_object object;
    const char *etag = etag_of(teller, key, &object);
    begin(teller, "delete_if_match", key, 0);
    end(teller,
        os_delete_if_match(teller->client, story_keys[key], etag, &teller->call, NULL, &teller->err) == OS_COMMITTED);
}

static void delete_plainly(struct teller *teller, int key)
{
    begin(teller, "delete", key, 0);
    end(teller, os_delete(teller->client, story_keys[key], &teller->call, &teller->err) == OS_OK);
}

static void in_parts(struct teller *teller, void (*call)(struct teller *, int), int key)
{
    os_client *whole = teller->client;
    teller->client = teller->staging;
    call(teller, key);
    teller->client = whole;
}

/* A guarded write of a key that was deleted a moment ago waits for the fence of its last record: those are plain. */
static void tell_round(struct teller *teller, int first)
{
    put(teller, first + 0);
    put(teller, first + 1);
    put(teller, first + 2);
    put(teller, first + 0);
    put(teller, 0); /* of the first round */
    copy(teller, first + 0, first + 6);
    put(teller, first + 3);
    put_plainly(teller, first + 7);
    move(teller, first + 1, first + 5);
    delete_guarded(teller, first + 3); /* and the folders above */
    put(teller, first + 4);            /* where one of them was */
    put_plainly(teller, first + 0);
    delete_plainly(teller, first + 4);
    put_plainly(teller, first + 3);
    delete_plainly(teller, first + 6);
    delete_guarded(teller, first + 5);
    put(teller, first + 8);
    delete_plainly(teller, first + 3);
    in_parts(teller, put, first + 9);
    in_parts(teller, put, first + 9);
    in_parts(teller, put_plainly, first + 10);
    delete_plainly(teller, first + 10);
}

/* The last one, so that few images have to be made of its megabytes. */
static void tell_end(struct teller *teller)
{
    large_version = last_version + 1;
    in_parts(teller, put, STORY_KEYS - 2);
}

static bool open_clients(struct teller *teller, const char *root)
{
    teller->client = story_client(root, 0, &teller->err);
    teller->staging = teller->client ? story_client(root, 1, &teller->err) : NULL;
    if (teller->staging == NULL) {
        printf("FAILED to open in peace: %s\n", teller->err.message);
        os_client_close(teller->client);
    }
    return teller->staging != NULL;
}

bool story_run(const char *root, enum disk_lie lie)
{
    struct teller teller = {.good = true};
    if (os_init(root, &teller.err) != OS_OK) {
        printf("FAILED os_init: %s\n", teller.err.message);
        return false;
    }
    init_end = disk_log_count();
    disk_log_lie(lie);
    for (int round = 0; round < STORY_ROUNDS && teller.good; round++) {
        if (!open_clients(&teller, root)) /* closing the last ones has folded the logs of SQLite in */
            return false;
        tell_round(&teller, round * STORY_ROUND_KEYS);
        if (round == STORY_ROUNDS - 1)
            tell_end(&teller);
        os_client_close(teller.staging);
        os_client_close(teller.client);
    }
    return teller.good;
}

/* ------------------------------------------------------------------------------------------------------ the truth */

size_t story_init_end(void)
{
    return init_end;
}

/* The version that a call puts at `key`, or -1 when it does not concern it. */
static int version_by(const struct told *told, int key)
{
    return told->key == key ? told->version : told->other == key ? told->other_version : -1;
}

static bool is_under_way(const struct told *told, size_t instant)
{
    return told->begin < instant && instant < told->end;
}

bool story_allows(size_t instant, int key, int version)
{
    int settled = 0;
    bool allowed = false;
    for (size_t i = 0; i < call_count; i++) {
        int by = version_by(&calls[i], key);
        if (by >= 0 && calls[i].end <= instant)
            settled = by;
        else if (by >= 0 && is_under_way(&calls[i], instant))
            allowed = allowed || version == by;
    }
    return allowed || version == settled;
}

bool story_lost_a_rename(size_t instant, const int versions[STORY_KEYS])
{
    for (size_t i = 0; i < call_count; i++) {
        const struct told *told = &calls[i];
        if (told->other != NO_KEY && is_under_way(told, instant) && versions[told->key] == 0 &&
            versions[told->other] == 0)
            return true;
    }
    return false;
}

void story_describe(size_t instant, char *ret, size_t size)
{
    ret[0] = '\0';
    for (size_t i = 0; i < call_count; i++)
        if (is_under_way(&calls[i], instant))
            snprintf(ret, size, "%s of %s", calls[i].what, story_keys[calls[i].key]);
}
