/* SPDX-License-Identifier: Apache-2.0 */
/* A program that has closed its standard streams, and prints all the same: not a byte of that gets into an object or
 * onto a connection, because no descriptor of a client is ever 0, 1 or 2. */
#include "unit/api/client_scratch.h"

#include "support/http_server.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { OBJECT_SIZE = 200 * 1024, TAKEN = 20, FAILED = 21, DIFFERENT = 22 };

struct content {
    size_t given;
    size_t got;
    bool right;
};

static void close_standard_streams(void)
{
    (void)close(STDIN_FILENO);
    (void)close(STDOUT_FILENO);
    (void)close(STDERR_FILENO);
}

/* Within a call: where one of the three is the library's, what the program prints or reads meets it, and the child
 * ends. SQLite puts /dev/null there, for the same reason. */
static void expect_free(void)
{
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++) {
        struct stat found;
        struct stat null;
        if (fstat(fd, &found) == 0 && (stat("/dev/null", &null) != 0 || found.st_rdev != null.st_rdev))
            _exit(TAKEN);
    }
}

static char byte_at(size_t at)
{
    return (char)('a' + at % 23);
}

static int64_t give(void *context, void *data, size_t size)
{
    struct content *content = context;
    char *bytes = data;
    size_t count = 0;
    expect_free();
    while (count < size && count < 1000 && content->given < OBJECT_SIZE)
        bytes[count++] = byte_at(content->given++);
    return (int64_t)count;
}

static int take(void *context, const void *data, size_t length)
{
    struct content *content = context;
    const char *bytes = data;
    expect_free();
    for (size_t i = 0; i < length; i++)
        content->right = content->right && bytes[i] == byte_at(content->got + i);
    content->got += length;
    return 0;
}

static bool get_back(os_client *client)
{
    struct content content = {.right = true};
    os_sink sink = OS_SINK_INIT;
    sink.write = take;
    sink.write_context = &content;
    return os_get(client, "key", &sink, NULL, NULL, NULL) == OS_OK && content.right && content.got == OBJECT_SIZE;
}

static void progress(void *context, uint64_t done_bytes, uint64_t total_bytes)
{
    (void)context;
    (void)done_bytes;
    (void)total_bytes;
    expect_free();
}

/* ------------------------------------------------------------------------------------------------------ children */

/* `talk` is what the parent has to say, by a pipe. */
typedef int (*play_fn)(const struct scratch *scratch, int talk);

struct player {
    pid_t pid;
    int talk;
};

/* Before any thread is started: a process that had some may not start others after a fork() everywhere. */
static struct player begin(const struct scratch *scratch, play_fn play)
{
    int ends[2];
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)close(ends[1]);
        _exit(play(scratch, ends[0]));
    }
    assert_true(child > 0);
    (void)close(ends[0]);
    return (struct player){.pid = child, .talk = ends[1]};
}

static int end(struct player player)
{
    int status;
    (void)close(player.talk);
    assert_int_equal(waitpid(player.pid, &status, 0), player.pid);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static int put_and_get_embedded(const struct scratch *scratch, int talk)
{
    struct content content = {0};
    os_body body = {.size = sizeof(body), .read = give, .read_context = &content};
    os_body first = OS_BODY_MEMORY("", 0);
    os_call call = OS_CALL_INIT;
    os_client *client = scratch_client(scratch, NULL);
    (void)talk;
    call.progress = progress;                                             /* on the thread that writes */
    if (os_put(client, "first", &first, NULL, NULL, NULL, NULL) != OS_OK) /* now SQLite has its files open */
        return FAILED;
    close_standard_streams();
    if (os_put(client, "key", &body, NULL, &call, NULL, NULL) != OS_OK)
        return FAILED;
    return get_back(client) ? 0 : DIFFERENT;
}

/* Over a connection that stays open between two requests. */
static int get_over_http(const struct scratch *scratch, int talk)
{
    char host[64] = "";
    if (read(talk, host, sizeof(host)) <= 0)
        return FAILED;
    os_client *client = scratch_s3_client(scratch, host, NULL);
    close_standard_streams();
    for (int i = 0; i < 2; i++) {
        if (!get_back(client))
            return FAILED;
        expect_free();
    }
    return 0;
}

/* --------------------------------------------------------------------------------------------------------- tests */

TEST_WITH(scratch, what_a_program_prints_gets_into_no_object)
{
    assert_int_equal(end(begin(scratch, put_and_get_embedded)), 0);
}

TEST_WITH(scratch, what_a_program_prints_gets_onto_no_connection)
{
    struct player player = begin(scratch, get_over_http);
    struct http_server *server = http_server_start(NULL);
    char *answer = malloc(OBJECT_SIZE + 200);
    assert_non_null(answer);
    int head = sprintf(answer, "HTTP/1.1 200 OK\r\nx-amz-request-id: 1\r\nETag: \"e\"\r\nContent-Length: %d\r\n\r\n",
                       OBJECT_SIZE);
    for (size_t i = 0; i < OBJECT_SIZE; i++)
        answer[(size_t)head + i] = byte_at(i);
    struct http_server_step step = {.answer = answer, .answer_length = (size_t)head + OBJECT_SIZE};
    http_server_push(server, &step);
    http_server_push(server, &step);
    size_t len = strlen(http_server_host(server)) + 1;
    assert_int_equal(write(player.talk, http_server_host(server), len), len);
    assert_int_equal(end(player), 0);
    http_server_stop(server);
    free(answer);
}
