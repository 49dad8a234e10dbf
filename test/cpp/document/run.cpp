/* SPDX-License-Identifier: Apache-2.0 */
/* The examples of docs/cpp.md, and what they call. document_test.sh makes a file of each. usage: PROGRAM NEW-FOLDER */
#include "../check.hpp"

#include <condition_variable>
#include <deque>
#include <vector>

static const std::string_view bytes = "{}";
static std::vector<std::string> used;

static void use(std::string_view text)
{
    used.emplace_back(text);
}
/* Of a case that does not come up here. */
[[noreturn]] static void say(std::string_view text)
{
    std::fprintf(stderr, "An example says: %.*s\n", static_cast<int>(text.size()), text.data());
    std::exit(1);
}
[[noreturn]] static void keep(std::string_view ticket)
{
    say(ticket);
}

/* A thread of one's own, in the place of a pool. */
class my_pool
{
  public:
    template <typename F> void post(F &&function)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        posted_.emplace_back(std::forward<F>(function));
        condition_.notify_all();
    }
    void run_one()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        condition_.wait(lock, [this] { return !posted_.empty(); });
        const auto first = std::move(posted_.front());
        posted_.pop_front();
        lock.unlock();
        first();
    }

  private:
    std::mutex mutex_{};
    std::condition_variable condition_{};
    std::deque<std::function<void()>> posted_{};
};

static bool has_ended;

/* Begins at once, and says when it has ended. */
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
            has_ended = true;
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

#include "coroutine.inc"

static void run_the_page()
{
#include "first.inc"
    CHECK(outcome.committed() && used.back() == outcome.etag());
#include "result.inc"
    CHECK(used.size() == 2 && used[0] == used[1]);
#include "update.inc"
    CHECK(counted.committed() && client.get("counter")->data == "1");
#include "lease.inc"
    CHECK(written.committed() && released && client.head("out")->fencing == under.fencing && under.fencing > 0);
#include "lock.inc"
    CHECK(used.back() == "host-1" && client.read_lock(which)->held == 0);
    my_pool pool;
    compact(client, pool);
    while (!has_ended)
        pool.run_one();
    CHECK(client.head("log/0002.json") && used.back() == "2");
    CHECK(client.read_lease("compaction")->held == 0);
}

int main(int argc, char **argv)
{
    os_error why;
    CHECK(argc == 2);
    CHECK(os_init(argv[1], &why) == OS_OK);
    CHECK(setenv("OSCOMMIT_STORE", (std::string("file://") + argv[1]).c_str(), 1) == 0);
    run_the_page();
    return 0;
}
