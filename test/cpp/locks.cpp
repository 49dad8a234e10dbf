/* SPDX-License-Identifier: Apache-2.0 */
/* A lock as an object: released with it, waited for by its client, and harmless when it outlives that. */
#include "check.hpp"

using namespace oscommit;
using namespace std::chrono_literals;

static lock_id of(const char *instance)
{
    return {"jobs", "nightly", "tests", instance};
}

static bool is_held(client &store)
{
    return store.read_lock(of("anybody")).value().held != 0;
}

static void one_holds_the_lock(client &store, client &other)
{
    lock held = store.acquire_lock(of("a"), 3600s).value();
    CHECK(std::string(held.info().owner) == "tests" && held.info().duration_s == 3600);
    CHECK(held.expiry() > std::chrono::system_clock::now() + 3000s);
    CHECK(other.acquire_lock(of("b"), 60s).code() == OS_ERR_CONFLICT);
    CHECK(other.break_lock(of("b")).code() == OS_ERR_CONFLICT);
    CHECK(held.renew(60s)->duration_s == 3660 && held.info().duration_s == 3660);
    lock moved = std::move(held);
    CHECK(held.release().code() == OS_ERR_ARGUMENT);
    CHECK(is_held(other) && moved.id().instance == "a");
    CHECK(moved.release());
    CHECK(!is_held(other));
    CHECK(moved.renew(60s).code() == OS_ERR_ARGUMENT);
    CHECK(other.acquire_lock(of("b"), 60s).value().release());
}

static void it_ends_with_its_object(const std::string &url, client &other)
{
    {
        client store = open_client(url);
        lock held = store.acquire_lock(of("a"), 3600s).value();
        CHECK(is_held(other));
    }
    CHECK(!is_held(other)); /* the client has waited for it */
}

static void the_lock_outlives_its_client(const std::string &url, client &other)
{
    std::optional<lock> held;
    {
        client store = open_client(url);
        held = store.acquire_lock(of("a"), 3600s).value();
    }
    CHECK(held->renew(60s).code() == OS_ERR_ARGUMENT);
    CHECK(held->release().code() == OS_ERR_ARGUMENT);
    held.reset();
    CHECK(is_held(other));
    CHECK(other.acquire_lock(of("a"), 60s).value().release());
}

/* Whoever has the same owner and instance holds the same lock: an object that ends takes it from no other one. */
static void it_is_acquired_again(const std::string &url, client &other)
{
    std::optional<lock> held;
    {
        client store = open_client(url);
        held = store.acquire_lock(of("a"), 60s).value();
        held = store.acquire_lock(of("a"), 3600s).value();
        lock second = store.acquire_lock(of("a"), 3600s).value();
    }
    CHECK(is_held(other));
    held.reset();
    queue taken;
    {
        client store = open_client(url);
        held = store.acquire_lock(of("a"), 60s).value();
        CHECK(store.acquire_lock_async(of("a"), 3600s).into(taken, [&](result<lock> got) {
            held = std::move(got).value();
        }));
        held.reset(); /* while it is acquired again */
        taken.take(60s)->run();
        CHECK(is_held(other));
        CHECK(store.acquire_lock_async(of("a"), -1s).into(taken, [](result<lock> got) { CHECK(!got); }));
        taken.take(60s)->run();
        held.reset();
    }
    CHECK(!is_held(other));
}

/* What is released in the background comes before it is acquired again, and not behind. */
static void it_is_acquired_while_it_is_released(client &store, client &other)
{
    for (int i = 0; i < 50; i++) {
        (void)store.acquire_lock(of("a"), 3600s).value();
        lock held = store.acquire_lock(of("a"), 3600s).value();
        CHECK(is_held(other));
    }
    queue taken;
    std::optional<lock> held;
    for (int i = 0; i < 50; i++) {
        held.reset();
        CHECK(store.acquire_lock_async(of("a"), 3600s).into(taken, [&](result<lock> got) {
            held = std::move(got).value();
        }));
        taken.take(60s)->run();
        CHECK(is_held(other));
    }
}

static void nobody_waits(client &store, client &other)
{
    event done;
    CHECK(store.acquire_lock_async(of("a"), 3600s).then([&](result<lock> got) {
        auto own = std::make_shared<lock>(std::move(got).value());
        CHECK(own->renew_async(60s).then([&, own](result<os_lock_info> info) {
            CHECK(info->duration_s == 3660);
            CHECK(std::move(*own).release_async().then([&](result<void> released) {
                CHECK(released);
                done.set();
            }));
        }));
    }));
    done.wait();
    CHECK(!is_held(other));
    queue taken;
    CHECK(other.break_lock_async(of("a")).into(taken, [](result<void> broken) { CHECK(broken); }));
    taken.take(60s)->run();
    const lock_id with_nul(std::string_view("jo\0bs", 5), "n", "o", "i");
    CHECK(store.acquire_lock(with_nul, 60s).code() == OS_ERR_ARGUMENT);
    CHECK(!store.acquire_lock_async(with_nul, 60s).then([](result<lock>) { std::abort(); }));
    CHECK(store.acquire_lock(of("a"), -1s).code() == OS_ERR_ARGUMENT);
}

/* What a queue drops has a lock in it, which goes with it. */
static void it_is_dropped(const std::string &url, client &other)
{
    queue taken;
    {
        client store = open_client(url);
        CHECK(store.acquire_lock_async(of("a"), 3600s).into(taken, [](result<lock>) {}));
        taken.take(60s)->run(); /* the function drops it */
    }
    CHECK(!is_held(other));
}

static void reads_of_leases(client &store)
{
    lease held = store.acquire("read").value();
    CHECK(store.read_lease("read")->held != 0);
    queue taken;
    CHECK(store.read_lease_async("read").into(taken, [](result<os_lease_info> info) { CHECK(info->ttl_ms == 60000); }));
    taken.take(60s)->run();
    CHECK(store.read_lease("").code() == OS_ERR_ARGUMENT);
}

void test_locks(const std::string &url)
{
    client store = open_client(url);
    client other = open_client(url);
    one_holds_the_lock(store, other);
    it_ends_with_its_object(url, other);
    the_lock_outlives_its_client(url, other);
    it_is_acquired_again(url, other);
    it_is_acquired_while_it_is_released(store, other);
    nobody_waits(store, other);
    it_is_dropped(url, other);
    reads_of_leases(store);
}
