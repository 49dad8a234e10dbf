/* SPDX-License-Identifier: Apache-2.0 */
/* Coroutines that await calls, on the I/O thread and elsewhere. */
#include "check.hpp"

#if OSCOMMIT_COROUTINES

#include <deque>
#include <string>
#include <sys/syscall.h>
#include <unistd.h>

using namespace oscommit;
using namespace std::string_view_literals;

/* pthread_self would do, but compilers take it for the same on both sides of a co_await. */
static long this_thread()
{
    return syscall(SYS_gettid);
}

/* One that begins at once, and that nobody awaits. */
struct task {
    struct promise_type {
        task get_return_object()
        {
            return {};
        }
        std::suspend_never initial_suspend() noexcept
        {
            return {};
        }
        std::suspend_never final_suspend() noexcept
        {
            return {};
        }
        void return_void()
        {
        }
        void unhandled_exception()
        {
            std::abort();
        }
    };
};

/* Coroutines that wait for a thread that runs them. */
class loop
{
  public:
    void post(std::coroutine_handle<> handle)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        handles_.push_back(handle);
        condition_.notify_all();
    }
    void run_one()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        condition_.wait(lock, [this] { return !handles_.empty(); });
        const auto next = handles_.front();
        handles_.pop_front();
        lock.unlock();
        next.resume();
    }

  private:
    std::mutex mutex_;
    std::condition_variable condition_;
    std::deque<std::coroutine_handle<>> handles_;
};

static task on_the_io_thread(client &store, event &done)
{
    const auto first_thread = this_thread();
    outcome created = co_await store.put_if_absent_async("co/a", "one");
    CHECK(created.committed());
    CHECK(this_thread() != first_thread);
    CHECK(store.head("co/a").code() == OS_ERR_ARGUMENT); /* a call that blocks would wait for itself */
    CHECK((co_await store.head_async("co/a"))->length == 3);
    outcome again = co_await store.put_if_absent_async("co/a", "two");
    CHECK(again.verdict() == verdict::conflict);
    const std::string mark = "!";
    /* Named first: GCC 12 copies captures byte by byte into the frame where a lambda stands in the co_await itself. */
    auto append = [mark](const current &now) { return std::string(now.data) + mark; };
    outcome updated = co_await store.update_async("co/a", append);
    CHECK(updated.committed());
    put_options typed;
    typed.content_type = "a/b";
    CHECK((co_await store.put_if_absent_async("co/typed", std::string("own"), typed)).committed());
    CHECK((co_await store.head_async("co/typed"))->content_type == "a/b"sv);
    result<fetched> read = co_await store.get_async("co/a");
    CHECK(read->data == "one!");
    CHECK((co_await store.get_async("co/none")).code() == OS_ERR_NOT_FOUND);
    {
        lease held = (co_await store.acquire_async("co-job")).value();
        CHECK((co_await store.acquire_async("co-job")).code() == OS_ERR_CONFLICT);
        CHECK(co_await std::move(held).release_async());
        const lock_id id("jobs", "co", "tests", "a");
        lock locked = (co_await store.acquire_lock_async(id, std::chrono::seconds(60))).value();
        CHECK((co_await locked.renew_async(std::chrono::seconds(60)))->duration_s == 120);
        CHECK((co_await store.read_lock_async(id))->held != 0);
        CHECK(co_await std::move(locked).release_async());
        CHECK((co_await store.read_lock_async(id))->held == 0);
    }
    done.set();
}

/* What is refused at once does not suspend. */
static task refused_at_once(client &store, bool &done)
{
    const auto thread = this_thread();
    outcome refused = co_await store.put_if_absent_async("x\0y"sv, "x");
    CHECK(refused.verdict() == verdict::not_executed && refused.code() == OS_ERR_ARGUMENT);
    CHECK((co_await store.resolve_async("\0"sv)).verdict() == verdict::unknown);
    CHECK(this_thread() == thread);
    done = true;
}

static task on_my_loop(client &store, loop &mine, bool &done)
{
    const auto thread = this_thread();
    auto here = [&mine](std::coroutine_handle<> handle) { mine.post(handle); };
    outcome created = co_await store.put_if_absent_async("co/b", "one").on(here);
    CHECK(created.committed() && this_thread() == thread);
    CHECK(store.head("co/b")); /* it may block here */
#if OSCOMMIT_EXCEPTIONS
    int thrown = 0;
    try {
        (void)co_await store
            .update_async(
                "co/b", [](const current &) -> std::string { throw 5; })
            .on(here);
    } catch (int number) {
        thrown = number;
    }
    CHECK(thrown == 5 && this_thread() == thread);
#endif
    CHECK((co_await store.get_async("co/b").on(here))->data == "one");
    done = true;
}

void test_coroutines(const std::string &url)
{
    client store = open_client(url);
    event done;
    on_the_io_thread(store, done);
    done.wait();
    bool was_refused = false;
    refused_at_once(store, was_refused);
    CHECK(was_refused);
    loop mine;
    bool is_done = false;
    on_my_loop(store, mine, is_done);
    while (!is_done)
        mine.run_one();
}

#else
void test_coroutines(const std::string &)
{
}
#endif
