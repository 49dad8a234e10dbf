/* SPDX-License-Identifier: Apache-2.0 */
#include "common/manifest.h"
#include "support/test.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char target[] = "s3://b/p/";
#define HEAD                                 \
    "{\"manifest\":1,\"target\":\"s3://b/p/" \
    "\",\"command\":\"cp\",\"owner\":\"h:1\",\"time\":\"2026-11-28T10:00:00Z\"}\n"
#define ENTRY "{\"key\":\"p/a\",\"verdict\":\"committed\",\"etag\":\"e1\",\"length\":3,\"mtime_ns\":7}\n"

struct file {
    char path[64];
    struct manifest manifest;
    struct usage usage;
    struct command command;
    struct options options;
};

static void file_set_up(struct file *file)
{
    file->command.name = "cp";
    file->options.command = &file->command;
    file->manifest.fd = -1;
    (void)snprintf(file->path, sizeof(file->path), "/tmp/oscommit-manifest-%ld", (long)getpid());
    (void)unlink(file->path);
}

static void file_tear_down(struct file *file)
{
    manifest_close(&file->manifest);
    (void)unlink(file->path);
}

static void fill(const struct file *file, const char *text)
{
    FILE *stream = fopen(file->path, "w");

    assert_non_null(stream);
    assert_true(fputs(text, stream) >= 0);
    assert_int_equal(fclose(stream), 0);
    assert_int_equal(chmod(file->path, 0600), 0);
}

static bool open_it(struct file *file)
{
    memset(&file->usage, 0, sizeof(file->usage));
    return manifest_open(file->path, target, &file->options, &file->manifest, &file->usage);
}

static void note(struct file *file, const char *key, const char *verdict, const char *ticket)
{
    const struct manifest_note noted = {.key = key, .verdict = verdict, .etag = "\"e\"", .ticket = ticket, .length = 5};
    assert_true(manifest_write(&file->manifest, &noted));
}

TEST_WITH(file, what_is_noted_is_found_by_the_next_run)
{
    struct stat info;

    assert_true(open_it(file));
    assert_false(file->manifest.is_resumed);
    assert_int_equal(stat(file->path, &info), 0);
    assert_int_equal(info.st_mode & 0777, 0600);
    note(file, "p/b", "unknown", "{\"ticket\":1}");
    note(file, "p/a", "conflict", NULL);
    note(file, "p/b", "committed", NULL);
    assert_null(manifest_find(&file->manifest, "p/b")); /* of this run it knows nothing */
    manifest_close(&file->manifest);
    assert_true(open_it(file));
    assert_true(file->manifest.is_resumed);
    assert_int_equal(file->manifest.count, 2);
    assert_string_equal(manifest_find(&file->manifest, "p/a")->verdict, "conflict");
    assert_string_equal(manifest_find(&file->manifest, "p/b")->verdict, "committed");
    assert_string_equal(manifest_find(&file->manifest, "p/b")->etag, "\"e\"");
    assert_null(manifest_find(&file->manifest, "p/b")->ticket);
    assert_null(manifest_find(&file->manifest, "p/c"));
}

TEST_WITH(file, a_torn_last_line_is_cut_off)
{
    fill(file, HEAD ENTRY "{\"key\":\"p/b\",\"verd");
    assert_true(open_it(file));
    assert_int_equal(file->manifest.count, 1);
    assert_int_equal(manifest_find(&file->manifest, "p/a")->mtime_ns, 7);
    note(file, "p/b", "committed", NULL);
    manifest_close(&file->manifest);
    assert_true(open_it(file));
    assert_int_equal(file->manifest.count, 2);
}

TEST_WITH(file, a_torn_first_line_is_cut_off)
{
    fill(file, "{\"mani");
    assert_true(open_it(file));
    assert_false(file->manifest.is_resumed);
    manifest_close(&file->manifest);
    assert_true(open_it(file));
    assert_true(file->manifest.is_resumed);
}

static const struct {
    const char *name;
    const char *text;
    const char *sentence; /* its end */
} refused[] = {
    {.name = "text without a line end", .text = "precious", .sentence = ":1: this is no manifest: name another file."},
    {.name = "another file",
     .text = "a,b\n1,2\n",
     .sentence = ":1: this is no line of a manifest: name another file, or repair this one."},
    {.name = "another object",
     .text = "{}\n",
     .sentence = ":1: this is no line of a manifest: name another file, or repair this one."},
    {.name = "an entry before the first line",
     .text = ENTRY HEAD,
     .sentence = ":1: this is no line of a manifest: name another file, or repair this one."},
    {.name = "a damaged line",
     .text = HEAD "{\"key\":\"p/a\"\n" ENTRY,
     .sentence = ":2: this is no line of a manifest: name another file, or repair this one."},
    {.name = "an unknown verdict",
     .text = HEAD "{\"key\":\"p/a\",\"verdict\":\"done\"}\n",
     .sentence = ":2: this is no line of a manifest: name another file, or repair this one."},
    {.name = "an empty key",
     .text = HEAD "{\"key\":\"\",\"verdict\":\"conflict\"}\n",
     .sentence = ":2: this is no line of a manifest: name another file, or repair this one."},
    {.name = "a key twice",
     .text = HEAD "{\"key\":\"p/a\",\"key\":\"p/b\",\"verdict\":\"conflict\"}\n",
     .sentence = ":2: this is no line of a manifest: name another file, or repair this one."},
    {.name = "a later release",
     .text = "{\"manifest\":2,\"target\":\"s3://b/p/\"}\n",
     .sentence = ":1: this manifest is of a later release of oscommit."},
    {.name = "another target",
     .text = "{\"manifest\":1,\"target\":\"s3://b/q/\"}\n",
     .sentence = ":1: this manifest is of another target, s3://b/q/, and not of s3://b/p/: name another file."},
    {.name = "no target",
     .text = "{\"manifest\":1}\n",
     .sentence = ":1: this manifest is of another target, which it does not name, and not of s3://b/p/: name another "
                 "file."},
};

TEST_ROWS_WITH(file, refused, a_file_that_is_no_manifest_is_refused_and_stays)
{
    struct stat info;

    fill(file, row->text);
    assert_false(open_it(file));
    if (strstr(file->usage.message, row->sentence) == NULL)
        fail_msg("it said: %s", file->usage.message);
    assert_int_equal(stat(file->path, &info), 0);
    assert_int_equal(info.st_size, strlen(row->text));
}

TEST_WITH(file, a_line_that_is_too_long_is_refused)
{
    char *text = malloc(sizeof(HEAD) + MANIFEST_LINE_MAX + 2);

    assert_non_null(text);
    memcpy(text, HEAD, sizeof(HEAD) - 1);
    memset(text + sizeof(HEAD) - 1, ' ', MANIFEST_LINE_MAX);
    memcpy(text + sizeof(HEAD) - 1 + MANIFEST_LINE_MAX, "\n", 2);
    fill(file, text);
    free(text);
    assert_false(open_it(file));
    assert_non_null(strstr(file->usage.message, ":2: this line is too long for a manifest."));
}

TEST_WITH(file, others_must_not_be_able_to_write_it)
{
    fill(file, HEAD);
    assert_int_equal(chmod(file->path, 0620), 0);
    assert_false(open_it(file));
    assert_non_null(strstr(file->usage.message, "may be written by others"));
    assert_int_equal(chmod(file->path, 0602), 0);
    assert_false(open_it(file));
    assert_int_equal(unlink(file->path), 0);
    assert_int_equal(mkfifo(file->path, 0600), 0);
    assert_false(open_it(file));
    assert_non_null(strstr(file->usage.message, "is no regular file"));
    assert_int_equal(unlink(file->path), 0);
    assert_int_equal(symlink("/tmp/elsewhere", file->path), 0);
    assert_false(open_it(file));
    assert_non_null(strstr(file->usage.message, "it is a symbolic link"));
}

TEST_WITH(file, one_process_at_a_time_has_it)
{
    struct manifest second;

    assert_true(open_it(file));
    assert_false(manifest_open(file->path, target, &file->options, &second, &file->usage));
    assert_non_null(strstr(file->usage.message, "is in use by another process"));
    assert_int_equal(second.fd, -1);
}

TEST_WITH(file, after_a_line_that_could_not_be_written_none_is)
{
    const struct manifest_note noted = {.key = "p/a", .verdict = "committed"};

    assert_true(open_it(file));
    assert_int_equal(close(file->manifest.fd), 0);
    file->manifest.fd = open("/dev/full", O_WRONLY | O_CLOEXEC);
    assert_false(manifest_write(&file->manifest, &noted));
    assert_int_equal(file->manifest.failure, ENOSPC);
    assert_false(manifest_write(&file->manifest, &noted));
}
