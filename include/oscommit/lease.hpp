/* SPDX-License-Identifier: Apache-2.0 */
/* Leases. Include oscommit.hpp. */
#ifndef OSCOMMIT_LEASE_HPP
#define OSCOMMIT_LEASE_HPP

#include "pending.hpp"

namespace oscommit
{

enum class lease_status { held = OS_LEASE_HELD, at_risk = OS_LEASE_AT_RISK, lost = OS_LEASE_LOST };

/* What a lease is to be like: os_lease_options. */
struct lease_options {
    lease_options()
    {
    }
    std::chrono::seconds ttl{0}; /* [60 s] */
    bool wait = false;
    bool fencing = false;
    std::string owner{};                         /* [host name and process id] */
    std::function<void(lease_status)> changed{}; /* on the client's I/O thread; must neither block nor throw */
};

namespace detail
{

/* Who calls it keeps it, as it may end the lease that has it. */
using changed_function = std::shared_ptr<std::function<void(lease_status)>>;

inline void tell_change(void *context, os_lease *, os_lease_status status) noexcept
{
    const changed_function keep = *static_cast<changed_function *>(context);
    (*keep)(static_cast<lease_status>(status));
}

/* A plain call whose value is what it has, or nothing. */
template <typename T> struct plain_request {
    using value_type = result<T>;
    call how{};
    value_type refused(const os_error &why) const
    {
        return failure(why);
    }
    void rethrow(value_type &)
    {
    }
    template <typename F> os_code started(const os_start *start, F &&begin) const
    {
        const os_call c = how.c_call();
        os_start own = *start;
        own.call = &c;
        return begin(&own);
    }
};

inline failure failure_of(os_operation *operation)
{
    const failure why(*os_operation_error(operation));
    os_operation_free(operation);
    return why;
}

inline result<void> said(os_operation *operation)
{
    const failure why = failure_of(operation);
    return why.code() == OS_OK ? result<void>() : result<void>(why);
}

struct end_request;
struct acquire_request;

} // namespace detail

/* A lease that is held, until it is released, or this ends. */
class lease
{
  public:
    lease(os_lease *held, std::unique_ptr<detail::changed_function> changed)
        : lease_(held), changed_(std::move(changed))
    {
    }
    lease(lease &&other) noexcept : lease_(std::exchange(other.lease_, nullptr)), changed_(std::move(other.changed_))
    {
    }
    lease &operator=(lease &&other) noexcept
    {
        std::swap(lease_, other.lease_);
        std::swap(changed_, other.changed_);
        return *this;
    }
    lease(const lease &) = delete;
    lease &operator=(const lease &) = delete;
    ~lease()
    {
        os_lease_free(lease_);
    } /* in the background; does not block */

    /* By the clocks, at this instant. Any thread. */
    lease_status state() const noexcept
    {
        return static_cast<lease_status>(os_lease_state(lease_));
    }
    std::chrono::milliseconds remaining() const noexcept
    {
        return std::chrono::milliseconds(os_lease_remaining_ms(lease_));
    }
    uint64_t token() const noexcept
    {
        return os_lease_token(lease_);
    }
    result<std::string> handle() const
    {
        char text[OS_LEASE_HANDLE_SIZE];
        failure why;
        if (os_lease_handle(lease_, text, why.c_error()) != OS_OK)
            return why;
        return std::string(text);
    }

    /* os_lease_release. Blocks. After OS_ERR_ARGUMENT and OS_ERR_NO_MEMORY it is still held. */
    result<void> release(const call &how = {})
    {
        const os_call c = how.c_call();
        return end([&](os_lease *held, os_error *err) { return os_lease_release(held, &c, err); });
    }
    /* os_lease_detach; the same. */
    result<void> detach()
    {
        return end([](os_lease *held, os_error *err) { return os_lease_detach(held, err); });
    }
    /* os_start_lease_release. Where that is refused, it ends as by the destructor. */
    pending<detail::end_request> release_async(call how = {}) &&;

    os_lease *get() const noexcept
    {
        return lease_;
    }

  private:
    friend struct detail::end_request;
    template <typename F> result<void> end(F &&by)
    {
        failure why;
        const os_code code = by(lease_, why.c_error());
        if (code != OS_ERR_ARGUMENT && code != OS_ERR_NO_MEMORY)
            lease_ = nullptr;
        return code == OS_OK ? result<void>() : result<void>(why);
    }
    os_lease *lease_;
    std::unique_ptr<detail::changed_function> changed_;
};

namespace detail
{

struct end_request : plain_request<void> {
    explicit end_request(lease &&held) : own(std::move(held))
    {
    }
    os_code start(const os_start *given, os_error *err)
    {
        /* Before it begins: this may be gone afterwards. */
        os_lease *held = std::exchange(own.lease_, nullptr);
        const os_code code =
            started(given, [&](const os_start *with) { return os_start_lease_release(held, with, nullptr, err); });
        if (code != OS_OK)
            own.lease_ = held;
        return code;
    }
    value_type take(os_operation *operation)
    {
        return said(operation);
    }
    lease own; /* with what `changed` calls */
};

/* Acquires, or adopts where there is a handle. */
struct acquire_request : plain_request<lease> {
    os_client *client = nullptr;
    std::string name{}, handle{};
    bool adopts = false;
    lease_options options{};
    std::unique_ptr<changed_function> changed{};

    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"name", name}, {"handle", handle}, {"owner", options.owner}}, ret);
    }
    /* Borrows this. */
    os_lease_options c_options()
    {
        os_lease_options ret = OS_LEASE_OPTIONS_INIT;
        ret.ttl_s = options.ttl.count() >= 0 ? static_cast<uint64_t>(options.ttl.count()) : UINT64_MAX;
        ret.wait = options.wait;
        ret.fencing = options.fencing;
        ret.owner = given(options.owner);
        if (options.changed) {
            changed = std::make_unique<changed_function>(
                std::make_shared<std::function<void(lease_status)>>(std::move(options.changed)));
            ret.changed = tell_change;
            ret.context = changed.get();
        }
        return ret;
    }
    value_type run()
    {
        failure why;
        if (refuse(why.c_error()))
            return why;
        const os_call limits = how.c_call();
        const os_lease_options c = c_options();
        os_lease *held = nullptr;
        const os_code code =
            adopts ? os_lease_adopt(client, name.c_str(), handle.c_str(), &c, &limits, &held, why.c_error())
                   : os_lease_acquire(client, name.c_str(), &c, &limits, &held, why.c_error());
        return code == OS_OK ? value_type(lease(held, std::move(changed))) : value_type(why);
    }
    os_code start(const os_start *with, os_error *err)
    {
        if (refuse(err))
            return OS_ERR_ARGUMENT;
        const os_lease_options c = c_options();
        return started(with, [&](const os_start *own) {
            return adopts ? os_start_lease_adopt(client, name.c_str(), handle.c_str(), &c, own, nullptr, err)
                          : os_start_lease_acquire(client, name.c_str(), &c, own, nullptr, err);
        });
    }
    value_type take(os_operation *operation)
    {
        os_lease *held = os_operation_lease(operation);
        const failure why = failure_of(operation);
        return held ? value_type(lease(held, std::move(changed))) : value_type(why);
    }
};

struct lease_read_request : plain_request<os_lease_info> {
    os_client *client = nullptr;
    std::string name{};

    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"name", name}}, ret);
    }
    value_type run()
    {
        failure why;
        os_lease_info found = OS_LEASE_INFO_INIT;
        if (refuse(why.c_error()))
            return why;
        const os_call limits = how.c_call();
        if (os_lease_read(client, name.c_str(), &limits, &found, why.c_error()) != OS_OK)
            return why;
        return found;
    }
    os_code start(const os_start *with, os_error *err)
    {
        if (refuse(err))
            return OS_ERR_ARGUMENT;
        return started(
            with, [&](const os_start *own) { return os_start_lease_read(client, name.c_str(), own, nullptr, err); });
    }
    value_type take(os_operation *operation)
    {
        const os_lease_info found = *os_operation_lease_info(operation);
        const failure why = failure_of(operation);
        return why.code() == OS_OK ? value_type(found) : value_type(why);
    }
};

} // namespace detail

inline pending<detail::end_request> lease::release_async(call how) &&
{
    detail::end_request request(std::move(*this));
    request.how = std::move(how);
    return pending<detail::end_request>(std::move(request));
}

} // namespace oscommit

#endif
