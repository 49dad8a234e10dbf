/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that block: what they give, what they refuse, and what functions of the caller's throw. */
#include "check.hpp"

#include <stdexcept>
#include <type_traits>

using namespace oscommit;
using namespace std::string_view_literals;

template <typename T>
constexpr bool is_move_only = std::is_move_constructible_v<T> &&std::is_move_assignable_v<T> &&
                              !std::is_copy_constructible_v<T> && !std::is_copy_assignable_v<T>;
static_assert(is_move_only<client> && is_move_only<outcome> && is_move_only<lease> && is_move_only<lock> &&
              is_move_only<operation>);
static_assert(!std::is_copy_constructible_v<queue> && !std::is_copy_constructible_v<cancel>);

static void guarded_writes(client &store)
{
    outcome first = store.put_if_absent("a", "one");
    CHECK(first.committed() && first.verdict() == verdict::committed && !first.etag().empty());
    CHECK(first.ticket().empty() && first.code() == OS_OK && first.details().final);
    outcome second = store.put_if_absent("a", "two");
    CHECK(second.verdict() == verdict::conflict && second.code() == OS_ERR_CONFLICT && *second.message());
    CHECK(second.details().found_etag == first.etag());
    outcome replaced = store.put_if_match("a", first.etag(), std::string("three"));
    CHECK(replaced.committed());
    CHECK(store.put_if_match("a", first.etag(), "four").verdict() == verdict::conflict);
    CHECK(store.copy_if_not_exists("a", "b").committed());
    CHECK(store.copy_if_match("a", "b", store.head("b")->etag).committed());
    CHECK(store.rename_if_not_exists("b", "c").committed());
    CHECK(store.head("b").code() == OS_ERR_NOT_FOUND);
    CHECK(store.delete_if_match("c", store.head("c")->etag).committed());
    second = std::move(first);
    CHECK(second.committed());
    CHECK(std::string(to_string(verdict::not_executed)) == "not executed");
}

static void plain_calls(client &store)
{
    put_options options;
    options.content_type = "text/plain";
    options.metadata = {{"colour", "red"}};
    const std::string bytes = "0123456789";
    CHECK(store.put_if_absent("dir/x", bytes, options).committed());
    CHECK(store.put_if_absent("dir/y", "").committed());
    CHECK(std::string(store.head("dir/x")->content_type) == "text/plain");
    CHECK(store.get("dir/x")->data == bytes);
    CHECK(store.get("dir/y")->data.empty());
    get_options part;
    part.offset = 2;
    part.count = 3;
    CHECK(store.get("dir/x", part)->data == "234");
    get_options little;
    little.max_length = 9;
    CHECK(store.get("dir/x", little).code() == OS_ERR_TOO_LARGE);
    std::string keys;
    CHECK(store.list("dir/", [&](const os_object &object) {
        keys += object.key;
        return true;
    }));
    CHECK(keys == "dir/xdir/y");
    CHECK(store.list("dir/", [](const os_object &) { return false; }).code() == OS_ERR_STOPPED);
}

/* A C string would end there, and mean another object. */
static void texts_with_a_nul(client &store)
{
    CHECK(store.put_if_absent("x\0y"sv, "x").code() == OS_ERR_ARGUMENT);
    CHECK(store.put_if_absent("x\0y"sv, "x").verdict() == verdict::not_executed);
    CHECK(store.head("x").code() == OS_ERR_NOT_FOUND);
    CHECK(store.resolve("{}\0"sv).verdict() == verdict::unknown);
    CHECK(store.head("x\0y"sv).code() == OS_ERR_ARGUMENT);
    CHECK(store.get("x\0y"sv).code() == OS_ERR_ARGUMENT);
    CHECK(store.acquire("x\0y"sv).code() == OS_ERR_ARGUMENT);
    CHECK(store.list("x\0y"sv, [](const os_object &) { return true; }).code() == OS_ERR_ARGUMENT);
    put_options options;
    options.metadata = {{"name", std::string("a\0b", 3)}};
    CHECK(store.put_if_absent("x", "x", options).code() == OS_ERR_ARGUMENT);
    CHECK(store.put_if_absent("", "x").code() == OS_ERR_ARGUMENT);
}

static std::string one_more(const current &now)
{
    return std::to_string(now.exists ? std::stoi(std::string(now.data)) + 1 : 1);
}

static void updates(client &store)
{
    for (int i = 1; i <= 3; i++)
        CHECK(store.update("counter", one_more).committed());
    CHECK(store.get("counter")->data == "3");
    outcome stopped = store.update("counter", [](const current &) { return std::optional<std::string>(); });
    CHECK(stopped.verdict() == verdict::not_executed && stopped.code() == OS_ERR_STOPPED);
    CHECK(store.update("x\0y"sv, one_more).code() == OS_ERR_ARGUMENT);
    CHECK(store.get("counter")->data == "3");
}

static void streams(client &store)
{
    int left = 3;
    auto read = [&](void *to, size_t size) -> int64_t {
        CHECK(size > 0);
        *static_cast<char *>(to) = 'z';
        return left-- > 0 ? 1 : 0;
    };
    CHECK(store.put_if_absent("stream", body::stream(read)).committed());
    CHECK(store.get("stream")->data == "zzz");
    CHECK(store.put_if_absent("file", body::file("/nowhere/to/be/found")).verdict() == verdict::not_executed);
    CHECK(store.put_if_absent("file", body::file(std::string("a\0b", 3))).code() == OS_ERR_ARGUMENT);
}

#if OSCOMMIT_EXCEPTIONS
template <typename F> static std::string thrown_by(F &&call)
{
    try {
        call();
    } catch (const std::runtime_error &thrown) {
        return thrown.what();
    }
    return "";
}

static void exceptions(client &store)
{
    auto throws = [](auto &&...) -> std::string { throw std::runtime_error("mine"); };
    CHECK(thrown_by([&] { (void)store.update("counter", throws); }) == "mine");
    CHECK(store.get("counter")->data == "3");
    CHECK(thrown_by([&] {
              (void)store.list(
                  "", [&](const os_object &) { return throws().empty(); });
          }) == "mine");
    auto read = [&](void *, size_t) -> int64_t { return static_cast<int64_t>(throws().size()); };
    CHECK(thrown_by([&] { (void)store.put_if_absent("thrown", body::stream(read)); }) == "mine");
    CHECK(store.head("thrown").code() == OS_ERR_NOT_FOUND);
    try {
        (void)store.head("thrown").value();
        CHECK(false);
    } catch (const error &missing) {
        CHECK(missing.code() == OS_ERR_NOT_FOUND && *missing.what());
    }
}
#else
static void exceptions(client &)
{
}
#endif

static void ends(client &store)
{
    cancel token;
    call how;
    how.token = &token;
    token.trigger();
    CHECK(store.put_if_absent("cancelled", "x", {}, how).code() == OS_ERR_CANCELLED);
    call soon;
    soon.deadline = std::chrono::milliseconds(-1);
    CHECK(store.head("cancelled", {}, soon).code() != OS_OK);
}

static void functions(const std::string &url)
{
    int lines = 0;
    int requests = 0;
    client_functions mine;
    mine.log = [&](os_log_level, std::string_view line) { lines += !line.empty(); };
    mine.metric = [&](const os_metric &metric) { requests += metric.kind == OS_METRIC_REQUEST; };
    options with;
    with.store_url = url.c_str();
    with.no_environment = 1;
    with.log_level = OS_LOG_DEBUG;
    {
        client store = client::open(with, mine).value();
        client moved = std::move(store);
        CHECK(moved.head("a"));
    }
    CHECK(lines > 0 && requests > 0);
    with.store_url = "nothing://";
    CHECK(client::open(with).code() == OS_ERR_CONFIG);
}

void test_calls(const std::string &url)
{
    client store = open_client(url);
    guarded_writes(store);
    plain_calls(store);
    texts_with_a_nul(store);
    updates(store);
    streams(store);
    exceptions(store);
    ends(store);
    functions(url);
}
