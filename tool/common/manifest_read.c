/* SPDX-License-Identifier: Apache-2.0 */
#include "common/manifest_read.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct reading {
    struct manifest *manifest;
    const char *target;
    struct usage *usage;
    size_t room;
    size_t line;
    off_t end; /* of the last whole line */
};

/* A copy of a text member; NULL where it is missing or no text. */
static char *text_of(const json_t *object, const char *name)
{
    const char *text = json_string_value(json_object_get(object, name));

    return text == NULL ? NULL : strdup(text);
}

static bool is_verdict(const char *text)
{
    static const char *const verdicts[] = {"committed", "unchanged", "conflict", "not executed", "unknown"};

    for (size_t i = 0; text != NULL && i < sizeof(verdicts) / sizeof(verdicts[0]); i++)
        if (strcmp(text, verdicts[i]) == 0)
            return true;
    return false;
}

void manifest_entry_clear(struct manifest_entry *entry)
{
    free(entry->key);
    free(entry->verdict);
    free(entry->etag);
    free(entry->ticket);
    free(entry->source_etag);
    *entry = (struct manifest_entry){.key = NULL};
}

static bool entry_from(const json_t *object, struct manifest_entry *ret)
{
    json_int_t length = json_integer_value(json_object_get(object, "length"));
    struct manifest_entry entry = {
        .key = text_of(object, "key"),
        .verdict = text_of(object, "verdict"),
        .etag = text_of(object, "etag"),
        .ticket = text_of(object, "ticket"),
        .source_etag = text_of(object, "source_etag"),
        .length = length < 0 ? 0 : (uint64_t)length,
        .mtime_ns = json_integer_value(json_object_get(object, "mtime_ns")),
    };

    if (entry.key == NULL || entry.key[0] == '\0' || !is_verdict(entry.verdict)) {
        manifest_entry_clear(&entry);
        return false;
    }
    *ret = entry;
    return true;
}

bool manifest_parse(const char *line, size_t length, struct manifest_entry *ret)
{
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    bool good = entry_from(object, ret);

    json_decref(object);
    return good;
}

static bool refuse_line(const struct reading *reading, const char *sentence)
{
    return usage_refuse(reading->usage, "%.300s:%zu: %s", reading->manifest->name, reading->line, sentence);
}

static bool add_entry(struct reading *reading, struct manifest_entry *entry)
{
    struct manifest *manifest = reading->manifest;

    if (manifest->count == reading->room) {
        size_t room = reading->room == 0 ? 64 : 2 * reading->room;
        struct manifest_entry *entries = reallocarray(manifest->entries, room, sizeof(*entries));
        if (entries == NULL) {
            manifest_entry_clear(entry);
            return usage_refuse(reading->usage, "There is not enough memory for the manifest.");
        }
        manifest->entries = entries;
        reading->room = room;
    }
    entry->line = reading->line;
    manifest->entries[manifest->count++] = *entry;
    return true;
}

/* The line that begins a run. */
static bool take_run(const struct reading *reading, const json_t *object)
{
    const char *target = json_string_value(json_object_get(object, "target"));

    if (json_integer_value(json_object_get(object, "manifest")) != 1)
        return refuse_line(reading, "this manifest is of a later release of oscommit.");
    if (target == NULL || strcmp(target, reading->target) != 0) {
        char sentence[700];
        (void)snprintf(sentence, sizeof(sentence),
                       "this manifest is of another target, %.250s, and not of %.250s: name another file.",
                       target == NULL ? "which it does not name" : target, reading->target);
        return refuse_line(reading, sentence);
    }
    reading->manifest->is_resumed = true;
    return true;
}

static bool take_line(struct reading *reading, const char *line, size_t length)
{
    json_t *object = json_loadb(line, length, JSON_REJECT_DUPLICATES, NULL);
    struct manifest_entry entry;
    bool good;

    if (json_object_get(object, "manifest") != NULL)
        good = take_run(reading, object);
    else if (!reading->manifest->is_resumed || !entry_from(object, &entry))
        good = refuse_line(reading, "this is no line of a manifest: name another file, or repair this one.");
    else
        good = add_entry(reading, &entry);
    json_decref(object);
    return good;
}

/* A line without its end is cut off. Not so the text of a file that was never a manifest. */
static bool take_torn(const struct reading *reading, const char *line, size_t length)
{
    static const char beginning[] = "{\"manifest\":1,";
    size_t compared = length < sizeof(beginning) - 1 ? length : sizeof(beginning) - 1;

    if (reading->manifest->is_resumed || memcmp(line, beginning, compared) == 0)
        return true;
    return refuse_line(reading, "this is no manifest: name another file.");
}

static bool take_lines(struct reading *reading, FILE *stream)
{
    char *line = NULL;
    size_t size = 0;
    bool good = true;

    while (good) {
        ssize_t length = getline(&line, &size, stream);
        reading->line++;
        if (length <= 0)
            break;
        if (line[length - 1] != '\n') {
            good = take_torn(reading, line, (size_t)length);
            break;
        }
        if (length > MANIFEST_LINE_MAX)
            good = refuse_line(reading, "this line is too long for a manifest.");
        else
            good = take_line(reading, line, (size_t)length - 1);
        reading->end += length;
    }
    free(line);
    if (good && ferror(stream) != 0)
        good = usage_refuse_file(reading->usage, errno, "The manifest %.300s cannot be read", reading->manifest->name);
    return good;
}

/* Of one key the later line comes later: `line` decides, as qsort keeps no order. */
static int compare_entries(const void *a, const void *b)
{
    const struct manifest_entry *first = a;
    const struct manifest_entry *second = b;
    int order = strcmp(first->key, second->key);

    return order != 0 ? order : first->line < second->line ? -1 : first->line > second->line ? 1 : 0;
}

/* The last word on each key. */
static void keep_last(struct manifest *manifest)
{
    size_t kept = 0;

    if (manifest->count > 0)
        qsort(manifest->entries, manifest->count, sizeof(*manifest->entries), compare_entries);
    for (size_t i = 0; i < manifest->count; i++) {
        if (kept > 0 && strcmp(manifest->entries[kept - 1].key, manifest->entries[i].key) == 0)
            manifest_entry_clear(&manifest->entries[--kept]);
        manifest->entries[kept++] = manifest->entries[i];
    }
    manifest->count = kept;
}

bool manifest_read(struct manifest *manifest, const char *target, struct usage *usage)
{
    struct reading reading = {.manifest = manifest, .target = target, .usage = usage};
    int fd = dup(manifest->fd);
    FILE *stream = fd < 0 ? NULL : fdopen(fd, "r");
    struct stat info;
    bool good;

    if (stream == NULL) {
        if (fd >= 0)
            (void)close(fd);
        return usage_refuse_file(usage, errno, "The manifest %.300s cannot be read", manifest->name);
    }
    good = fstat(manifest->fd, &info) == 0 && info.st_size <= MANIFEST_SIZE_MAX;
    if (!good)
        (void)usage_refuse(usage, "The manifest %.300s is too long: it has more than 1 GiB.", manifest->name);
    good = good && take_lines(&reading, stream);
    (void)fclose(stream);
    if (!good)
        return false;
    if (ftruncate(manifest->fd, reading.end) != 0)
        return usage_refuse_file(usage, errno, "The manifest %.300s cannot be written", manifest->name);
    keep_last(manifest);
    return true;
}
