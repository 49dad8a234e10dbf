/* SPDX-License-Identifier: Apache-2.0 */
/* A lease as an object: it ends with it, and may outlive its client. */
#include "check.hpp"

using namespace oscommit;
using namespace std::chrono_literals;

static lease_options hour_long()
{
    lease_options ret;
    ret.ttl = 3600s; /* nobody gets it by waiting */
    ret.fencing = true;
    return ret;
}

static lease wait_for_it(client &store)
{
    lease_options patient = hour_long();
    patient.wait = true;
    call how;
    how.deadline = 60s;
    auto held = store.acquire("job", patient, how);
    CHECK(held);
    return std::move(held).value();
}

static void one_holds_it(client &store, client &other)
{
    {
        lease held = wait_for_it(store);
        CHECK(held.state() == lease_status::held && held.remaining() > 0ms && held.token() > 0);
        CHECK(other.acquire("job").code() == OS_ERR_CONFLICT);
        lease moved = std::move(held);
        CHECK(held.state() == lease_status::lost && moved.state() == lease_status::held);
    }
    lease next = wait_for_it(other); /* the destructor has released it */
    CHECK(next.release());
    CHECK(next.get() == nullptr);
    CHECK(store.acquire("job", hour_long()).value().release());
}

static void it_is_passed_on(client &store, client &other)
{
    lease held = wait_for_it(store);
    const std::string handle = held.handle().value();
    const uint64_t token = held.token();
    CHECK(held.detach());
    CHECK(other.adopt("job", "no handle", hour_long()).code() == OS_ERR_ARGUMENT);
    lease adopted = other.adopt("job", handle, hour_long()).value();
    CHECK(adopted.token() == token);
    put_options under;
    under.fencing = token;
    CHECK(store.put_if_absent("fenced", "x", under).committed());
    CHECK(adopted.release());
}

static void it_outlives_its_client(const std::string &url)
{
    std::optional<lease> held;
    {
        client store = open_client(url);
        lease_options short_lived;
        short_lived.ttl = 2s;
        short_lived.changed = [](lease_status) { std::abort(); }; /* nothing changes before the client is closed */
        held = store.acquire("other", short_lived).value();
    }
    CHECK(held->release().code() == OS_ERR_CANCELLED);
    CHECK(held->get() == nullptr);
}

void test_leases(const std::string &url)
{
    client store = open_client(url);
    client other = open_client(url);
    one_holds_it(store, other);
    it_is_passed_on(store, other);
    it_outlives_its_client(url);
}
