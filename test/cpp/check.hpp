/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of oscommit.hpp share: a check that ends the program, and waiting for what another thread does. */
#ifndef OSCOMMIT_TEST_CPP_CHECK_HPP
#define OSCOMMIT_TEST_CPP_CHECK_HPP

#include <oscommit.hpp>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>

#define CHECK(condition)                                                                             \
    do {                                                                                             \
        if (!(condition)) {                                                                          \
            std::fprintf(stderr, "%s:%d: this does not hold: %s\n", __FILE__, __LINE__, #condition); \
            std::exit(1);                                                                            \
        }                                                                                            \
    } while (0)

/* Set once, by any thread. */
class event
{
  public:
    void set()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        is_set_ = true;
        condition_.notify_all();
    }
    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        condition_.wait(lock, [this] { return is_set_; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable condition_;
    bool is_set_ = false;
};

inline oscommit::client open_client(const std::string &url)
{
    oscommit::options options;
    options.store_url = url.c_str();
    options.no_environment = 1;
    auto client = oscommit::client::open(options);
    if (!client)
        std::fprintf(stderr, "%s\n", client.message());
    CHECK(client);
    return std::move(client).value();
}

void test_calls(const std::string &url);
void test_leases(const std::string &url);
void test_locks(const std::string &url);
void test_pending(const std::string &url);
void test_coroutines(const std::string &url);

#endif
