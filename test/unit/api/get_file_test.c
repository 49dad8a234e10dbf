/* SPDX-License-Identifier: Apache-2.0 */
/* What os_get does with the names of files: what is no regular file is written to, and never replaced by one. */
#include "support/event.h"
#include "unit/api/client_scratch.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

enum { SHORT_MS = 300, AT_MOST_MS = 60000, LONG_MS = 120000, BIG = 4 << 20 /* more than a pipe holds */ };

static os_error error;
static os_client *client;
static struct scratch scratch;

static int make_object(void **state)
{
    (void)state;
    scratch_set_up(&scratch);
    client = scratch_client(&scratch, NULL);
    os_body body = OS_BODY_MEMORY("object", 6);
    return os_put(client, "k", &body, NULL, NULL, NULL, &error) == OS_OK ? 0 : -1;
}

static int remove_all(void **state)
{
    os_client_close(client);
    (void)state;
    scratch_tear_down(&scratch);
    return 0;
}

static const char *in(const char *name)
{
    static char paths[4][160];
    static unsigned next;
    char *path = paths[next++ % 4];
    (void)snprintf(path, sizeof(paths[0]), "%s/%s", scratch.folder, name);
    return path;
}

static os_code get_within(const char *key, const char *file, uint64_t deadline_ms, os_cancel *cancel)
{
    os_sink sink = OS_SINK_INIT;
    os_call call = OS_CALL_INIT;
    sink.file = file;
    call.deadline_ms = deadline_ms;
    call.cancel = cancel;
    return os_get(client, key, &sink, &call, NULL, &error);
}

static os_code get(const char *file)
{
    return get_within("k", file, 0, NULL);
}

static void write_text(const char *path, const char *text, mode_t mode)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    assert_int_equal(close(fd), 0);
}

static void check_text(const char *path, const char *wanted)
{
    char data[64] = "";
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_true(read(fd, data, sizeof(data) - 1) >= 0);
    assert_string_equal(data, wanted);
    assert_int_equal(close(fd), 0);
}

static struct stat status_of(const char *path)
{
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    return status;
}

/* -------------------------------------------------------------------------------------------------- regular files */

TEST_BETWEEN(make_object, remove_all, a_file_that_is_replaced_keeps_its_mode_and_a_new_one_gets_the_usual)
{
    write_text(in("secret"), "old", 0600);
    CHECK_CODE(get(in("secret")), OS_OK, &error);
    check_text(in("secret"), "object");
    assert_int_equal(status_of(in("secret")).st_mode & 0777, 0600);
    mode_t mask = umask(022);
    CHECK_CODE(get(in("new")), OS_OK, &error);
    (void)umask(mask);
    assert_int_equal(status_of(in("new")).st_mode & 0777, 0644);
}

TEST_BETWEEN(make_object, remove_all, a_file_that_cannot_be_got_stays_as_it_was)
{
    write_text(in("kept"), "old", 0600);
    CHECK_CODE(get_within("absent", in("kept"), 0, NULL), OS_ERR_NOT_FOUND, &error);
    check_text(in("kept"), "old");
}

TEST_BETWEEN(make_object, remove_all, a_link_stays_and_what_it_leads_to_is_replaced)
{
    assert_int_equal(mkdir(in("folder"), 0700), 0);
    write_text(in("folder/file"), "old", 0600);
    assert_int_equal(symlink("folder/file", in("first")), 0);
    assert_int_equal(symlink("first", in("second")), 0);
    CHECK_CODE(get(in("second")), OS_OK, &error);
    check_text(in("folder/file"), "object");
    assert_true(S_ISLNK(status_of(in("first")).st_mode) && S_ISLNK(status_of(in("second")).st_mode));
}

TEST_BETWEEN(make_object, remove_all, a_link_to_nothing_is_refused)
{
    assert_int_equal(symlink("nothing", in("link")), 0);
    CHECK_CODE(get(in("link")), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "symbolic link");
    assert_int_not_equal(access(in("nothing"), F_OK), 0);
}

TEST_BETWEEN(make_object, remove_all, a_folder_is_refused)
{
    CHECK_CODE(get(scratch.folder), OS_ERR_ARGUMENT, &error);
    CHECK_SAYS(&error, "folder");
}

/* As a shell gives it with 3>FILE. Renaming over the file would leave the shell's descriptor with the old one. */
TEST_BETWEEN(make_object, remove_all, an_open_file_by_its_number_is_written_to_in_place)
{
    char name[32];
    write_text(in("open"), "what was longer", 0600);
    int fd = open(in("open"), O_RDWR | O_CLOEXEC);
    assert_true(fd >= 0);
    (void)snprintf(name, sizeof(name), "/dev/fd/%d", fd);
    struct stat before = status_of(in("open"));
    CHECK_CODE(get(name), OS_OK, &error);
    assert_int_equal(status_of(in("open")).st_ino, before.st_ino);
    check_text(in("open"), "object");
    assert_int_equal(close(fd), 0);
}

/* -------------------------------------------------------------------------------------------------------- devices */

TEST_BETWEEN(make_object, remove_all, a_device_stays_a_device)
{
    const char *device = in("null");
    if (mknod(device, S_IFCHR | 0666, makedev(1, 3)) != 0) {
        print_message("SKIPPED: no device can be made here (%s)\n", strerror(errno));
        return;
    }
    os_code code = get(device);
    if (code != OS_OK)
        CHECK_CODE(code, OS_ERR_DENIED, &error); /* a file system without devices */
    assert_true(S_ISCHR(status_of(device).st_mode));
}

TEST_BETWEEN(make_object, remove_all, a_device_that_takes_nothing_is_an_error)
{
    const char *device = in("full");
    if (mknod(device, S_IFCHR | 0666, makedev(1, 7)) != 0 || access(device, W_OK) != 0) {
        print_message("SKIPPED: no device can be made here (%s)\n", strerror(errno));
        return;
    }
    os_code code = get(device);
    if (code != OS_ERR_DENIED)
        CHECK_CODE(code, OS_ERR_NO_SPACE, &error);
    assert_true(S_ISCHR(status_of(device).st_mode));
}

/* ---------------------------------------------------------------------------------------------------------- FIFOs */

static const char *make_fifo(void)
{
    const char *fifo = in("fifo");
    assert_int_equal(mkfifo(fifo, 0600), 0);
    return fifo;
}

static void check_still_a_fifo(void)
{
    assert_true(S_ISFIFO(status_of(in("fifo")).st_mode));
}

struct reader {
    const char *fifo;
    uint64_t length;
};

static void *read_all(void *argument)
{
    struct reader *reader = argument;
    char block[4096];
    int fd = open(reader->fifo, O_RDONLY | O_CLOEXEC);
    for (ssize_t got; (got = read(fd, block, sizeof(block))) > 0;)
        reader->length += (uint64_t)got;
    (void)close(fd);
    return NULL;
}

static void put_big(void)
{
    char *data = calloc(1, BIG);
    assert_non_null(data);
    os_body body = OS_BODY_MEMORY(data, BIG);
    CHECK_CODE(os_put(client, "big", &body, NULL, NULL, NULL, &error), OS_OK, &error);
    free(data);
}

TEST_BETWEEN(make_object, remove_all, a_fifo_is_written_to)
{
    struct reader reader = {.fifo = make_fifo()};
    pthread_t thread;
    put_big();
    assert_int_equal(pthread_create(&thread, NULL, read_all, &reader), 0);
    os_code code = get_within("big", reader.fifo, 0, NULL);
    pthread_join(thread, NULL);
    CHECK_CODE(code, OS_OK, &error);
    assert_int_equal(reader.length, BIG);
    check_still_a_fifo();
}

TEST_BETWEEN(make_object, remove_all, a_fifo_without_a_reader_is_waited_for_until_the_deadline)
{
    const char *fifo = make_fifo();
    uint64_t start_ms = now_ms();
    CHECK_CODE(get_within("k", fifo, SHORT_MS, NULL), OS_ERR_DEADLINE, &error);
    assert_in_range(now_ms() - start_ms, SHORT_MS, AT_MOST_MS);
    CHECK_SAYS(&error, "no reader");
    check_still_a_fifo();
}

static void *trigger_soon(void *cancel)
{
    (void)poll(NULL, 0, SHORT_MS);
    os_cancel_trigger(cancel);
    return NULL;
}

static void check_cancelled(const char *key, const char *fifo)
{
    pthread_t thread;
    os_cancel *cancel = NULL;
    assert_int_equal(os_cancel_new(&cancel), OS_OK);
    assert_int_equal(pthread_create(&thread, NULL, trigger_soon, cancel), 0);
    uint64_t start_ms = now_ms();
    CHECK_CODE(get_within(key, fifo, LONG_MS, cancel), OS_ERR_CANCELLED, &error);
    assert_in_range(now_ms() - start_ms, 0, AT_MOST_MS);
    pthread_join(thread, NULL);
    os_cancel_free(cancel);
}

TEST_BETWEEN(make_object, remove_all, waiting_for_a_reader_can_be_cancelled)
{
    check_cancelled("k", make_fifo());
    check_still_a_fifo();
}

TEST_BETWEEN(make_object, remove_all, a_reader_that_does_not_read_keeps_no_call_beyond_its_deadline_or_cancellation)
{
    const char *fifo = make_fifo();
    int deaf = open(fifo, O_RDWR | O_CLOEXEC);
    assert_true(deaf >= 0);
    put_big();
    uint64_t start_ms = now_ms();
    CHECK_CODE(get_within("big", fifo, SHORT_MS, NULL), OS_ERR_DEADLINE, &error);
    assert_in_range(now_ms() - start_ms, SHORT_MS, AT_MOST_MS);
    check_cancelled("big", fifo);
    assert_int_equal(close(deaf), 0);
}

static void *read_a_little(void *argument)
{
    char block[4096];
    int fd = open(argument, O_RDONLY | O_CLOEXEC);
    bool some = read(fd, block, sizeof(block)) > 0;
    (void)close(fd);
    return some ? argument : NULL;
}

TEST_BETWEEN(make_object, remove_all, a_reader_that_goes_away_is_an_error)
{
    char *fifo = strdup(make_fifo());
    pthread_t thread;
    void *some = NULL;
    put_big();
    assert_int_equal(pthread_create(&thread, NULL, read_a_little, fifo), 0);
    os_code code = get_within("big", fifo, 0, NULL);
    pthread_join(thread, &some);
    free(fifo);
    assert_non_null(some);
    CHECK_CODE(code, OS_ERR_IO, &error);
    CHECK_SAYS(&error, strerror(EPIPE));
}
