/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that nobody waits for, told to functions and through queues. */
#include "check.hpp"

#include <atomic>
#include <thread>

using namespace oscommit;
using namespace std::chrono_literals;
using namespace std::string_view_literals;

static void a_function_is_told(client &store)
{
    event done;
    auto owned = std::make_unique<int>(7); /* what it captures may be of one owner */
    std::string etag;
    CHECK(store.put_if_absent_async("told", "bytes").then([&, mine = std::move(owned)](outcome ended) {
        CHECK(ended.committed() && *mine == 7);
        etag = ended.etag();
        done.set();
    }));
    done.wait();
    event read;
    CHECK(store.get_async("told").then([&](result<fetched> got) {
        CHECK(got->data == "bytes" && got->object.etag == etag);
        read.set();
    }));
    read.wait();
    CHECK(store.put_if_absent_async("x\0y"sv, "x").then([](outcome) { std::abort(); }).code() == OS_ERR_ARGUMENT);
}

static void one_follows_another(client &store)
{
    event done;
    CHECK(store.acquire_async("job").then([&](result<lease> held) {
        CHECK(held->state() == lease_status::held);
        CHECK(std::move(*held).release_async().then([&](result<void> released) {
            CHECK(released);
            done.set();
        }));
    }));
    done.wait();
    CHECK(store.acquire("job").value().release());
}

static void a_queue_is_emptied(client &store)
{
    queue done;
    std::atomic<int> committed{0};
    for (int i = 0; i < 50; i++)
        CHECK(store.put_if_absent_async("queued/" + std::to_string(i), std::string("mine"))
                  .into(done, [&](outcome ended) { committed += ended.committed(); }));
    for (int i = 0; i < 50; i++) {
        auto next = done.take(60s);
        CHECK(next);
        next->run();
        next->run(); /* once more does nothing */
    }
    CHECK(committed == 50);
    CHECK(!done.take());
}

/* The lease in it goes with it, so that it is not held for ever. */
static void one_that_is_not_run_is_dropped(client &store, client &other)
{
    lease_options hour_long;
    hour_long.ttl = 3600s;
    {
        queue done;
        CHECK(store.acquire_async("dropped", hour_long).into(done, [](result<lease>) { std::abort(); }));
        CHECK(done.take(60s));
    }
    hour_long.wait = true;
    CHECK(other.acquire("dropped", hour_long).value().release());
    (void)store.put_if_absent_async("never", "sent"); /* it was not begun */
    CHECK(store.head("never").code() == OS_ERR_NOT_FOUND);
}

static void an_update_runs_elsewhere(client &store)
{
    queue done;
    const auto here = std::this_thread::get_id();
    CHECK(store
              .update_async("updated",
                            [here](const current &) {
                                CHECK(std::this_thread::get_id() != here);
                                return std::string("new");
                            })
              .into(done, [](outcome ended) { CHECK(ended.committed()); }));
    done.take(60s)->run();
#if OSCOMMIT_EXCEPTIONS
    CHECK(store.update_async("updated", [](const current &) -> std::string { throw 1; }).into(done, [](outcome ended) {
        CHECK(ended.code() == OS_ERR_STOPPED);
    }));
    done.take(60s)->run();
    bool thrown = false;
    CHECK(store.head_async("updated").into(done, [](result<os_object>) { throw 2; }));
    try {
        done.take(60s)->run();
    } catch (int) {
        thrown = true;
    }
    CHECK(thrown);
#endif
    CHECK(store.get("updated")->data == "new");
}

/* What waits for a lease ends when the client does, and its functions have been told before that returns. */
static void closing_ends_what_waits(const std::string &url, client &other)
{
    lease held = other.acquire("kept").value();
    std::atomic<int> cancelled{0};
    {
        client store = open_client(url);
        lease_options patient;
        patient.wait = true;
        for (int i = 0; i < 8; i++)
            CHECK(store.acquire_async("kept", patient).then([&](result<lease> got) {
                cancelled += got.code() == OS_ERR_CANCELLED;
            }));
    }
    CHECK(cancelled == 8);
    CHECK(held.release());
}

void test_pending(const std::string &url)
{
    client store = open_client(url);
    client other = open_client(url);
    a_function_is_told(store);
    one_follows_another(store);
    a_queue_is_emptied(store);
    one_that_is_not_run_is_dropped(store, other);
    an_update_runs_elsewhere(store);
    closing_ends_what_waits(url, other);
}
