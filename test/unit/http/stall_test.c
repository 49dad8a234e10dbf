/* SPDX-License-Identifier: Apache-2.0 */
/* Requests on which nothing moves any more, and one that is merely slow. */
#include "support/clock_jump.h"
#include "unit/http/fixture.h"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

enum { LONG_BEFORE_MS = 60000 }; /* the deadline, which is two minutes away */

static void fixture_set_up(struct fixture *fixture)
{
    fixture_start(fixture, 8, NULL);
}

TEST_WITH(fixture, silence_is_a_stall)
{
    const struct http_server_step mute = {.hold = true};
    http_server_push(fixture->server, &mute);
    struct probe probe;
    probe_init(&probe, "GET", http_server_host(fixture->server), "/k", NULL, 0);
    probe.start.stall_ms = 150;
    uint64_t begun_ms = probe_now_ms();
    http_probe_run(fixture->engine, &probe);
    assert_in_range(probe_now_ms() - begun_ms, 150, LONG_BEFORE_MS);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_true(probe.sent);
    http_server_release(fixture->server, 1);
    probe_free(&probe);
}

TEST_WITH(fixture, an_upload_that_is_not_taken_is_a_stall)
{
    enum { LENGTH = 32 << 20 };
    const struct http_server_step deaf = {.read = HTTP_SERVER_READ_NOTHING, .hold = true};
    http_server_push(fixture->server, &deaf);
    char *body = calloc(1, LENGTH);
    assert_non_null(body);
    struct probe probe;
    probe_init(&probe, "PUT", http_server_host(fixture->server), "/k", body, LENGTH);
    probe.start.stall_ms = 200;
    http_probe_run(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_ERR_DEADLINE);
    assert_true(probe.duration_us < (uint64_t)LONG_BEFORE_MS * 1000);
    http_server_release(fixture->server, 1);
    probe_free(&probe);
    free(body);
}

/* ------------------------------------------------------------------------------------------------ a trickle */

/* Both ends of a connection of this process: the test's, and libcurl's. */
struct ends {
    int ours;
    int engines;
};

static int listen_on_loopback(struct sockaddr_in *ret)
{
    socklen_t length = sizeof(*ret);
    *ret = (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(fd, (struct sockaddr *)ret, sizeof(*ret)), 0);
    assert_int_equal(listen(fd, 1), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)ret, &length), 0);
    return fd;
}

static int find_engines_end(const struct sockaddr_in *server)
{
    for (int fd = 0; fd < 1024; fd++) {
        struct sockaddr_in peer;
        socklen_t length = sizeof(peer);
        if (getpeername(fd, (struct sockaddr *)&peer, &length) == 0 && peer.sin_family == AF_INET &&
            peer.sin_port == server->sin_port)
            return fd;
    }
    return -1;
}

/* What was sent has arrived, and libcurl has taken it. */
static bool is_taken(const struct ends *ends)
{
    int on_the_way = 1;
    int waiting = 1;
    assert_int_equal(ioctl(ends->ours, SIOCOUTQ, &on_the_way), 0);
    assert_int_equal(ioctl(ends->engines, FIONREAD, &waiting), 0);
    return on_the_way == 0 && waiting == 0;
}

/* All that is slow here is the clock of the test. */
TEST_WITH(fixture, a_trickle_is_no_stall)
{
    enum { MINUTE_MS = 60000 };
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n0123456789";
    struct sockaddr_in address;
    int listener = listen_on_loopback(&address);
    char host[32];
    (void)snprintf(host, sizeof(host), "127.0.0.1:%d", ntohs(address.sin_port));
    struct probe probe;
    probe_init(&probe, "GET", host, "/k", NULL, 0);
    probe.start.deadline_monotonic_ms = probe_now_ms() + 24 * HOUR_MS;
    probe.start.stall_ms = HOUR_MS;
    probe_start(fixture->engine, &probe);
    struct ends ends = {.ours = -1};
    while (ends.ours < 0 && !probe.done) {
        http_engine_poll(fixture->engine, 10);
        ends.ours = accept(listener, NULL, NULL);
    }
    ends.engines = find_engines_end(&address);
    assert_true(ends.engines >= 0);
    for (size_t i = 0; i + 1 < sizeof(answer); i++) {
        assert_false(probe.done);
        assert_int_equal(send(ends.ours, &answer[i], 1, MSG_NOSIGNAL), 1);
        while (!probe.done && !is_taken(&ends))
            http_engine_poll(fixture->engine, 10);
        clock_jump(2 * MINUTE_MS); /* half an hour and more for a line of the head, which counts as a whole */
    }
    probe_wait(fixture->engine, &probe);
    assert_int_equal(probe.code, OS_OK);
    assert_string_equal(buf_str(&probe.body), "0123456789");
    assert_true(probe.duration_us > (uint64_t)80 * MINUTE_MS * 1000);
    probe_free(&probe);
    assert_int_equal(close(ends.ours), 0);
    assert_int_equal(close(listener), 0);
}
