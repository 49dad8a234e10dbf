/* SPDX-License-Identifier: Apache-2.0 */
/* Files as bodies: sent as they are, and never as a complete body when their length is not the one promised. */
#include "support/clock_jump.h"
#include "support/http_probe.h"
#include "support/http_server.h"
#include "support/test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LARGE = 24 << 20 };

struct fixture {
    struct http_server *server;
    struct http_engine *engine;
    int fd;
    char *content;
};

static void fixture_set_up(struct fixture *fixture)
{
    fixture->server = http_server_start(NULL);
    fixture->engine = probe_engine(4, NULL);
    char name[] = "/tmp/oscommit-test-body-XXXXXX";
    fixture->fd = mkstemp(name);
    assert_true(fixture->fd >= 0);
    assert_int_equal(unlink(name), 0);
    fixture->content = malloc(LARGE);
    assert_non_null(fixture->content);
    for (size_t i = 0; i < LARGE; i++)
        fixture->content[i] = (char)(i * 7 >> 2);
}

static void fixture_tear_down(struct fixture *fixture)
{
    http_engine_free(fixture->engine);
    http_server_stop(fixture->server);
    (void)close(fixture->fd);
    free(fixture->content);
}

static void fill(struct fixture *fixture, size_t length)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = pwrite(fixture->fd, fixture->content + done, length - done, (off_t)done);
        assert_true(n > 0);
        done += (size_t)n;
    }
}

/* What libcurl joins with the headers. */
enum { JOINED_MAX = 65535 };

static void init_file(struct fixture *fixture, struct probe *probe, uint64_t length)
{
    probe_init(probe, "PUT", http_server_host(fixture->server), "/k", NULL, 0);
    probe->request.body = (struct http_body){.kind = HTTP_BODY_FILE, .fd = fixture->fd, .length = length};
}

TEST_WITH(fixture, files_of_every_size_arrive_as_they_are)
{
    static const size_t lengths[] = {0, 1, JOINED_MAX, JOINED_MAX + 1, 1000003};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        assert_int_equal(ftruncate(fixture->fd, 0), 0);
        fill(fixture, lengths[i]);
        assert_int_equal(lseek(fixture->fd, 5, SEEK_SET), 5);
        struct probe probe;
        init_file(fixture, &probe, lengths[i]);
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_OK);
        const struct http_server_record *record = http_server_record(fixture->server, i);
        assert_int_equal(record->body_length, lengths[i]);
        assert_memory_equal(record->body, fixture->content, lengths[i]);
        assert_int_equal(lseek(fixture->fd, 0, SEEK_CUR), 5); /* pread moves nothing */
        probe_free(&probe);
    }
}

TEST_WITH(fixture, a_file_of_another_length_is_refused_at_once)
{
    fill(fixture, 100);
    static const uint64_t lengths[] = {0, 99, 101, 1000000};
    for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
        struct probe probe;
        os_error err;
        init_file(fixture, &probe, lengths[i]);
        assert_int_equal(http_engine_start(fixture->engine, &probe.start, &probe.id, &err), OS_ERR_BODY);
        assert_non_null(strstr(err.message, "100 bytes"));
        assert_false(probe.done);
        probe_free(&probe);
    }
    assert_int_equal(http_server_connections(fixture->server), 0);
}

TEST_WITH(fixture, what_is_no_file_is_refused)
{
    int ends[2];
    os_error err;
    struct probe probe;
    assert_int_equal(pipe(ends), 0);
    init_file(fixture, &probe, 10);
    probe.request.body.fd = ends[0];
    assert_int_equal(http_engine_start(fixture->engine, &probe.start, &probe.id, &err), OS_ERR_ARGUMENT);
    probe.request.body.fd = -1;
    assert_int_equal(http_engine_start(fixture->engine, &probe.start, &probe.id, &err), OS_ERR_IO);
    probe_free(&probe);
    (void)close(ends[0]);
    (void)close(ends[1]);
}

struct change {
    struct fixture *fixture;
    off_t length;
    bool made;
};

static void change_length(void *context, uint64_t sent_bytes, uint64_t total_bytes)
{
    struct change *change = context;
    if (sent_bytes > 0 && sent_bytes < total_bytes && !change->made) {
        change->made = true;
        assert_int_equal(ftruncate(change->fixture->fd, change->length), 0);
    }
}

/* The file changes once its first bytes have left; the server must not get the last ones. */
static void check_change(struct fixture *fixture, off_t length)
{
    const struct http_server_step patient = {.read = HTTP_SERVER_READ_HEADERS, .leave = HTTP_SERVER_DRAIN};
    http_server_push(fixture->server, &patient);
    fill(fixture, LARGE);
    struct change change = {.fixture = fixture, .length = length};
    struct probe probe;
    init_file(fixture, &probe, LARGE);
    probe.start.progress = change_length;
    probe.start.progress_context = &change;
    http_probe_run(fixture->engine, &probe);
    assert_true(change.made);
    assert_int_equal(probe.code, OS_ERR_BODY);
    assert_true(probe.sent);
    assert_true(http_server_wait_count(fixture->server, 1));
    const struct http_server_record *record = http_server_record(fixture->server, 0);
    assert_false(record->whole);
    assert_true(record->body_length < LARGE);
    assert_int_equal(record->end_errno, ECONNRESET);
    probe_free(&probe);
}

TEST_WITH(fixture, a_file_that_shrinks_is_never_complete_at_the_server)
{
    check_change(fixture, LARGE - 1);
}

TEST_WITH(fixture, a_file_that_grows_is_never_complete_at_the_server)
{
    check_change(fixture, LARGE + 1);
}

static const uint64_t held_from[] = {0, 1000, LARGE / 2};

static void init_held(struct fixture *fixture, struct probe *probe, size_t from, uint64_t for_ms)
{
    probe_init(probe, "PUT", http_server_host(fixture->server), "/k", fixture->content, LARGE);
    probe->request.body.held_until_monotonic_ms = probe_now_ms() + for_ms;
    probe->request.body.held_from = from;
}

TEST_WITH(fixture, a_body_that_is_held_back_waits_and_arrives_whole)
{
    enum { HELD_MS = 150 };
    for (size_t i = 0; i < sizeof(held_from) / sizeof(held_from[0]); i++) {
        struct probe probe;
        init_held(fixture, &probe, held_from[i], HELD_MS);
        probe.request.body.length = i == 0 ? 5 : LARGE;
        uint64_t until_ms = probe.request.body.held_until_monotonic_ms;
        http_probe_run(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_OK);
        assert_true(probe_now_ms() >= until_ms);
        const struct http_server_record *record = http_server_record(fixture->server, i);
        assert_true(record->whole);
        assert_int_equal(record->body_length, probe.request.body.length);
        assert_memory_equal(record->body, fixture->content, record->body_length);
        probe_free(&probe);
    }
}

static void note_sent(void *context, uint64_t sent_bytes, uint64_t total_bytes)
{
    (void)total_bytes;
    *(uint64_t *)context = sent_bytes;
}

TEST_WITH(fixture, until_its_time_only_the_beginning_of_a_held_body_leaves)
{
    const struct http_server_step patient = {
        .read = HTTP_SERVER_READ_HEADERS, .hold = true, .leave = HTTP_SERVER_DRAIN};
    for (size_t i = 0; i + 1 < sizeof(held_from) / sizeof(held_from[0]); i++) {
        struct probe probe;
        http_server_push(fixture->server, &patient);
        uint64_t sent_bytes = 0;
        init_held(fixture, &probe, held_from[i], 2 * HOUR_MS);
        probe.start.deadline_monotonic_ms = probe_now_ms() + HOUR_MS;
        probe.start.progress = note_sent;
        probe.start.progress_context = &sent_bytes;
        probe_start(fixture->engine, &probe);
        while ((http_server_held(fixture->server) == 0 || sent_bytes < held_from[i]) && !probe.done)
            http_engine_poll(fixture->engine, 10);
        clock_jump(HOUR_MS);
        probe_wait(fixture->engine, &probe);
        assert_int_equal(probe.code, OS_ERR_DEADLINE);
        assert_true(probe.sent);
        http_server_release(fixture->server, 1);
        assert_true(http_server_wait_count(fixture->server, i + 1));
        const struct http_server_record *record = http_server_record(fixture->server, i);
        size_t head = record->bytes - held_from[i];
        assert_false(record->whole);
        assert_true(head > 0 && head < 1000); /* the headers, and not one byte more */
        probe_free(&probe);
    }
}
