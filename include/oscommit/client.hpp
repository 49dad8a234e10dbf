/* SPDX-License-Identifier: Apache-2.0 */
/* A client, and all that it can do. Include oscommit.hpp. */
#ifndef OSCOMMIT_CLIENT_HPP
#define OSCOMMIT_CLIENT_HPP

#include "requests.hpp"

namespace oscommit
{

/* os_options with its size set. The strings are copied when the client is opened. */
struct options : os_options {
    options() : os_options(OS_OPTIONS_INIT)
    {
    }
};

/* Functions of a client, called on its I/O thread: they must neither block nor throw. They replace `log` and `metric`. */
struct client_functions {
    std::function<void(os_log_level, std::string_view)> log{};
    std::function<void(const os_metric &)> metric{};
};

/* A client: os_client. Closed by its destructor, which cancels what is under way, and waits for its completion. Not within
 * one of its callbacks, and not in a coroutine that goes on in one. */
class client
{
  public:
    /* os_client_open. */
    static result<client> open(os_options with, client_functions functions = {})
    {
        failure why;
        client ret;
        ret.functions_ = std::make_unique<client_functions>(std::move(functions));
        client_functions *kept = ret.functions_.get();
        if (kept->log) {
            with.log_context = kept;
            with.log = [](void *context, os_log_level level, const char *line) noexcept {
                static_cast<client_functions *>(context)->log(level, line);
            };
        }
        if (kept->metric) {
            with.metric_context = kept;
            with.metric = [](void *context, const os_metric *metric) noexcept {
                static_cast<client_functions *>(context)->metric(*metric);
            };
        }
        if (os_client_open(&with, &ret.client_, why.c_error()) != OS_OK)
            return why;
        ret.locks_ = std::make_shared<detail::letting_go>(ret.client_);
        return ret;
    }
    /* os_options_from_environment, then open. */
    static result<client> from_environment(os_options with = options(), client_functions functions = {})
    {
        failure why;
        if (os_options_from_environment(&with, why.c_error()) != OS_OK)
            return why;
        return open(with, std::move(functions));
    }
    client(client &&other) noexcept
        : functions_(std::move(other.functions_)), locks_(std::move(other.locks_)),
          client_(std::exchange(other.client_, nullptr))
    {
    }
    client &operator=(client &&other) noexcept
    {
        std::swap(client_, other.client_);
        std::swap(functions_, other.functions_);
        std::swap(locks_, other.locks_);
        return *this;
    }
    client(const client &) = delete;
    client &operator=(const client &) = delete;
    ~client()
    {
        if (locks_)
            locks_->close();
        os_client_close(client_);
    }
    os_client *get() const noexcept
    {
        return client_;
    } /* for what stands in the headers of C alone */

    /* ------------------------------------------------------------------------------------------ guarded writes
     *
     * Each is the call of C that has its name. It blocks; with _async behind its name it gives a call that has not begun. */

    outcome put_if_absent(std::string_view key, body what, put_options options = {}, call how = {})
    {
        return put(key, {}, false, std::move(what), std::move(options), std::move(how)).run();
    }
    auto put_if_absent_async(std::string_view key, body what, put_options options = {}, call how = {})
    {
        return pending(put(key, {}, false, std::move(what), std::move(options), std::move(how)));
    }
    outcome put_if_match(std::string_view key, std::string_view etag, body what, put_options options = {},
                         call how = {})
    {
        return put(key, etag, true, std::move(what), std::move(options), std::move(how)).run();
    }
    auto put_if_match_async(std::string_view key, std::string_view etag, body what, put_options options = {},
                            call how = {})
    {
        return pending(put(key, etag, true, std::move(what), std::move(options), std::move(how)));
    }
    outcome copy_if_not_exists(std::string_view source, std::string_view key, copy_options options = {}, call how = {})
    {
        return copy(source, key, {}, copying::if_not_exists, std::move(options), std::move(how)).run();
    }
    auto copy_if_not_exists_async(std::string_view source, std::string_view key, copy_options options = {},
                                  call how = {})
    {
        return pending(copy(source, key, {}, copying::if_not_exists, std::move(options), std::move(how)));
    }
    outcome copy_if_match(std::string_view source, std::string_view key, std::string_view etag,
                          copy_options options = {}, call how = {})
    {
        return copy(source, key, etag, copying::if_match, std::move(options), std::move(how)).run();
    }
    auto copy_if_match_async(std::string_view source, std::string_view key, std::string_view etag,
                             copy_options options = {}, call how = {})
    {
        return pending(copy(source, key, etag, copying::if_match, std::move(options), std::move(how)));
    }
    outcome rename_if_not_exists(std::string_view source, std::string_view key, copy_options options = {},
                                 call how = {})
    {
        return copy(source, key, {}, copying::rename, std::move(options), std::move(how)).run();
    }
    auto rename_if_not_exists_async(std::string_view source, std::string_view key, copy_options options = {},
                                    call how = {})
    {
        return pending(copy(source, key, {}, copying::rename, std::move(options), std::move(how)));
    }
    outcome delete_if_match(std::string_view key, std::string_view etag, call how = {})
    {
        return deletion(key, etag, std::move(how)).run();
    }
    auto delete_if_match_async(std::string_view key, std::string_view etag, call how = {})
    {
        return pending(deletion(key, etag, std::move(how)));
    }
    outcome resolve(std::string_view ticket, call how = {})
    {
        return ask(ticket, false, std::move(how)).run();
    }
    auto resolve_async(std::string_view ticket, call how = {})
    {
        return pending(ask(ticket, false, std::move(how)));
    }
    outcome settle(std::string_view ticket, call how = {})
    {
        return ask(ticket, true, std::move(how)).run();
    }
    auto settle_async(std::string_view ticket, call how = {})
    {
        return pending(ask(ticket, true, std::move(how)));
    }

    /* `change` is given what is there (const current &), and gives the new bytes (std::string, or std::optional<std::string>;
     * none: stop). It may run several times. What it throws comes out here; nothing was written then. As an operation it runs
     * on one of the client's eight threads; co_await throws it, and elsewhere the outcome is not_executed with
     * OS_ERR_STOPPED. */
    template <typename F> outcome update(std::string_view key, F &&change, put_options options = {}, call how = {})
    {
        return changing(key, std::forward<F>(change), std::move(options), std::move(how)).run();
    }
    template <typename F> auto update_async(std::string_view key, F &&change, put_options options = {}, call how = {})
    {
        return pending(changing(key, std::forward<F>(change), std::move(options), std::move(how)));
    }

    /* ------------------------------------------------------------------------------------------ plain calls */

    result<os_object> head(std::string_view key, std::string_view version_id = {}, call how = {})
    {
        return look(key, version_id, std::move(how)).run();
    }
    auto head_async(std::string_view key, std::string_view version_id = {}, call how = {})
    {
        return pending(look(key, version_id, std::move(how)));
    }
    result<fetched> get(std::string_view key, get_options which = {}, call how = {})
    {
        return fetch(key, std::move(which), std::move(how)).run();
    }
    auto get_async(std::string_view key, get_options which = {}, call how = {})
    {
        return pending(fetch(key, std::move(which), std::move(how)));
    }
    /* Gives every object whose key begins with `prefix`, until `each` says false. What it throws comes out here. */
    template <typename F> result<void> list(std::string_view prefix, F &&each, const call &how = {})
    {
        struct giving {
            F &each;
            detail::caught caught{};
        } own{each};
        failure why;
        const std::string text(prefix);
        if (detail::refuse_nul({{"prefix", prefix}}, why.c_error()))
            return why;
        const os_call limits = how.c_call();
        os_list_options c = OS_LIST_OPTIONS_INIT;
        c.prefix = detail::given(text);
        const os_code code = os_list(
            client_, &c, &limits,
            [](void *context, const os_object *object) noexcept {
                giving &to = *static_cast<giving *>(context);
                bool goes_on = false;
                return to.caught.run([&] { goes_on = to.each(*object); }) && goes_on ? 0 : 1;
            },
            &own, why.c_error());
        own.caught.rethrow();
        return code == OS_OK ? result<void>() : result<void>(why);
    }

    /* ------------------------------------------------------------------------------------------ leases */

    result<lease> acquire(std::string_view name, lease_options options = {}, call how = {})
    {
        return acquisition(name, nullptr, std::move(options), std::move(how)).run();
    }
    auto acquire_async(std::string_view name, lease_options options = {}, call how = {})
    {
        return pending(acquisition(name, nullptr, std::move(options), std::move(how)));
    }
    result<lease> adopt(std::string_view name, std::string_view handle, lease_options options = {}, call how = {})
    {
        return acquisition(name, &handle, std::move(options), std::move(how)).run();
    }
    auto adopt_async(std::string_view name, std::string_view handle, lease_options options = {}, call how = {})
    {
        return pending(acquisition(name, &handle, std::move(options), std::move(how)));
    }

    result<os_lease_info> read_lease(std::string_view name, call how = {})
    {
        return lease_reading(name, std::move(how)).run();
    }
    auto read_lease_async(std::string_view name, call how = {})
    {
        return pending(lease_reading(name, std::move(how)));
    }

    /* ------------------------------------------------------------------------------------------ locks */

    /* os_lock_acquire. OS_ERR_CONFLICT: another holds it; read_lock says who. Where the message says that it is not known, it
     * may have been acquired: acquire it again, with the same instance. */
    result<lock> acquire_lock(lock_id which, std::chrono::seconds duration, call how = {})
    {
        return locking<lock>(std::move(which), detail::lock_call::acquire, duration, std::move(how)).run();
    }
    auto acquire_lock_async(lock_id which, std::chrono::seconds duration, call how = {})
    {
        return pending(locking<lock>(std::move(which), detail::lock_call::acquire, duration, std::move(how)));
    }
    /* os_lock_read: what stands under namespace and name. */
    result<os_lock_info> read_lock(lock_id which, call how = {})
    {
        return locking<os_lock_info>(std::move(which), detail::lock_call::read, {}, std::move(how)).run();
    }
    auto read_lock_async(lock_id which, call how = {})
    {
        return pending(locking<os_lock_info>(std::move(which), detail::lock_call::read, {}, std::move(how)));
    }
    /* os_lock_break: deletes a lock whose time is over, whosever it is. OS_ERR_CONFLICT: it is not over. */
    result<void> break_lock(lock_id which, call how = {})
    {
        return locking<void>(std::move(which), detail::lock_call::break_expired, {}, std::move(how)).run();
    }
    auto break_lock_async(lock_id which, call how = {})
    {
        return pending(locking<void>(std::move(which), detail::lock_call::break_expired, {}, std::move(how)));
    }

  private:
    using copying = detail::copy_request::kind;
    client() = default;

    template <typename Request> Request request(call &&how) const
    {
        Request ret;
        ret.client = client_;
        ret.how = std::move(how);
        return ret;
    }
    detail::put_request put(std::string_view key, std::string_view etag, bool replaces, body &&what,
                            put_options &&options, call &&how) const
    {
        auto ret = request<detail::put_request>(std::move(how));
        ret.key = key;
        ret.etag = etag;
        ret.replaces = replaces;
        ret.what = std::move(what);
        ret.options = std::move(options);
        return ret;
    }
    detail::copy_request copy(std::string_view source, std::string_view key, std::string_view etag, copying as,
                              copy_options &&options, call &&how) const
    {
        auto ret = request<detail::copy_request>(std::move(how));
        ret.source = source;
        ret.key = key;
        ret.etag = etag;
        ret.as = as;
        ret.options = std::move(options);
        return ret;
    }
    detail::delete_request deletion(std::string_view key, std::string_view etag, call &&how) const
    {
        auto ret = request<detail::delete_request>(std::move(how));
        ret.key = key;
        ret.etag = etag;
        return ret;
    }
    detail::ticket_request ask(std::string_view ticket, bool settles, call &&how) const
    {
        auto ret = request<detail::ticket_request>(std::move(how));
        ret.ticket = ticket;
        ret.settles = settles;
        return ret;
    }
    template <typename F>
    detail::update_request changing(std::string_view key, F &&change, put_options &&options, call &&how) const
    {
        auto ret = request<detail::update_request>(std::move(how));
        ret.key = key;
        ret.change = std::forward<F>(change);
        ret.options = std::move(options);
        return ret;
    }
    detail::head_request look(std::string_view key, std::string_view version_id, call &&how) const
    {
        auto ret = request<detail::head_request>(std::move(how));
        ret.key = key;
        ret.version_id = version_id;
        return ret;
    }
    detail::get_request fetch(std::string_view key, get_options &&which, call &&how) const
    {
        auto ret = request<detail::get_request>(std::move(how));
        ret.key = key;
        ret.options = std::move(which);
        return ret;
    }
    detail::acquire_request acquisition(std::string_view name, const std::string_view *handle, lease_options &&options,
                                        call &&how) const
    {
        auto ret = request<detail::acquire_request>(std::move(how));
        ret.name = name;
        ret.adopts = handle != nullptr;
        ret.handle = handle ? *handle : std::string_view();
        ret.options = std::move(options);
        return ret;
    }
    detail::lease_read_request lease_reading(std::string_view name, call &&how) const
    {
        auto ret = request<detail::lease_read_request>(std::move(how));
        ret.name = name;
        return ret;
    }
    template <typename T>
    detail::lock_request<T> locking(lock_id &&which, detail::lock_call asks, std::chrono::seconds duration,
                                    call &&how) const
    {
        return detail::lock_request<T>::of(locks_, std::move(which), asks, duration, std::move(how));
    }

    std::unique_ptr<client_functions> functions_{};
    std::shared_ptr<detail::letting_go> locks_{};
    os_client *client_ = nullptr;
};

} // namespace oscommit

#endif
