/* SPDX-License-Identifier: Apache-2.0 */
/* Locks. Include oscommit.hpp. */
#ifndef OSCOMMIT_LOCK_HPP
#define OSCOMMIT_LOCK_HPP

#include "lease.hpp"

#include <condition_variable>
#include <mutex>
#include <new>
#include <vector>

namespace oscommit
{

/* Which lock, and whose: os_lock. */
struct lock_id {
    lock_id()
    {
    }
    lock_id(std::string_view name_space_, std::string_view name_, std::string_view owner_, std::string_view instance_)
        : name_space(name_space_), name(name_), owner(owner_), instance(instance_)
    {
    }
    std::string name_space{}; /* without ':' */
    std::string name{};
    std::string owner{};    /* who: a service, a user */
    std::string instance{}; /* which of his processes. Whoever has the same owner and instance holds the same lock */
};

namespace detail
{

/* Borrows the id. */
inline os_lock c_lock(const lock_id &id) noexcept
{
    os_lock ret = OS_LOCK_INIT;
    ret.name_space = id.name_space.c_str();
    ret.name = id.name.c_str();
    ret.owner = id.owner.c_str();
    ret.instance = id.instance.c_str();
    return ret;
}

/* The locks of a client. It lets go of those that end while nobody waits, and waits for that before it closes: each has a
 * deadline. Whoever has the same owner and instance holds the same lock: so only the last object of a lock lets go of it. */
class letting_go : public std::enable_shared_from_this<letting_go>
{
  public:
    explicit letting_go(os_client *client) : client_(client)
    {
    }
    /* There is an object of it, or will be. */
    void add(const lock_id &id)
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        use *known = find(id);
        if (!known)
            uses_.push_back(use{id});
        (known ? known : &uses_.back())->objects++;
    }
    /* One less, without a release. */
    void remove(const lock_id &id) noexcept
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        drop(find(id));
    }
    /* Under the mutex, so that the client stays meanwhile. What cannot be started ends by itself, when its time is over. */
    void release(const lock_id &id) noexcept
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        if (!drop(find(id)) || !client_)
            return;
        std::unique_ptr<std::shared_ptr<letting_go>> own(new (std::nothrow)
                                                             std::shared_ptr<letting_go>(shared_from_this()));
        if (!own)
            return;
        const os_lock c = c_lock(id);
        os_call limits = OS_CALL_INIT;
        limits.deadline_ms = 5000;
        os_start start = OS_START_INIT;
        start.call = &limits;
        start.complete = completed;
        start.context = own.get();
        if (os_start_lock_release(client_, &c, &start, nullptr, nullptr) != OS_OK)
            return;
        (void)own.release(); /* the completion's, which waits for the mutex */
        count_++;
    }
    void close()
    {
        std::unique_lock<std::mutex> guard(mutex_);
        const bool steps_here = client_ && os_client_fd(client_) >= 0; /* then nothing completes while this waits */
        client_ = nullptr;
        if (!steps_here)
            none_.wait(guard, [this] { return count_ == 0; });
    }
    /* NULL: closed. */
    os_client *client()
    {
        const std::lock_guard<std::mutex> guard(mutex_);
        return client_;
    }

  private:
    struct use {
        lock_id id{};
        unsigned objects = 0;
    };
    static bool same(const lock_id &a, const lock_id &b) noexcept
    {
        return a.name_space == b.name_space && a.name == b.name && a.owner == b.owner && a.instance == b.instance;
    }
    use *find(const lock_id &id) noexcept
    {
        for (use &each : uses_)
            if (same(each.id, id))
                return &each;
        return nullptr;
    }
    /* True: it was the last. */
    bool drop(use *known) noexcept
    {
        if (!known || --known->objects > 0)
            return false;
        std::swap(*known, uses_.back());
        uses_.pop_back();
        return true;
    }
    static void completed(void *context, os_operation *operation) noexcept
    {
        const std::unique_ptr<std::shared_ptr<letting_go>> own(static_cast<std::shared_ptr<letting_go> *>(context));
        letting_go &all = **own;
        os_operation_free(operation);
        const std::lock_guard<std::mutex> guard(all.mutex_);
        all.count_--;
        all.none_.notify_all();
    }
    std::mutex mutex_{};
    std::condition_variable none_{};
    os_client *client_;
    std::vector<use> uses_{};
    unsigned count_ = 0;
};

/* What is being acquired counts as an object. */
class coming_lock
{
  public:
    coming_lock(std::shared_ptr<letting_go> by, lock_id id) : by_(std::move(by)), id_(std::move(id))
    {
        by_->add(id_);
    }
    coming_lock(const coming_lock &) = delete;
    coming_lock &operator=(const coming_lock &) = delete;
    ~coming_lock()
    {
        by_->remove(id_);
    }

  private:
    std::shared_ptr<letting_go> by_;
    lock_id id_;
};

template <typename T> struct lock_request;
struct unlock_request;

} // namespace detail

/* A lock that was acquired. Nothing extends it: renew it in time. It is released when this ends, in the background; its client
 * waits for that before it closes. Where a client has acquired one lock again, the last of its objects releases it. A lock
 * that outlives its client ends when its time is over. */
class lock
{
  public:
    lock(std::shared_ptr<detail::letting_go> by, lock_id which, const os_lock_info &found)
        : by_(std::move(by)), id_(std::move(which)), info_(found)
    {
        if (by_)
            by_->add(id_);
    }
    lock(lock &&other) noexcept : by_(std::move(other.by_)), id_(std::move(other.id_)), info_(other.info_)
    {
    }
    lock &operator=(lock &&other) noexcept
    {
        std::swap(by_, other.by_);
        std::swap(id_, other.id_);
        std::swap(info_, other.info_);
        return *this;
    }
    lock(const lock &) = delete;
    lock &operator=(const lock &) = delete;
    ~lock()
    {
        if (by_)
            by_->release(id_);
    } /* does not block */

    const lock_id &id() const noexcept
    {
        return id_;
    }
    /* What stood in the table when it was acquired, or renewed by `renew`. */
    const os_lock_info &info() const noexcept
    {
        return info_;
    }
    /* Until when it is held, by the wall clock. */
    std::chrono::system_clock::time_point expiry() const noexcept
    {
        return std::chrono::system_clock::time_point(std::chrono::seconds(info_.expiry_s));
    }

    /* os_lock_renew: adds to its duration and its expiry. Blocks. OS_ERR_CONFLICT: it has expired, or is another's. */
    result<os_lock_info> renew(std::chrono::seconds more, call how = {});
    /* The same; info() stays as it is. This lock may move meanwhile, or end. */
    pending<detail::lock_request<os_lock_info>> renew_async(std::chrono::seconds more, call how = {}) const;
    /* os_lock_release. Blocks. After OS_OK and OS_ERR_CONFLICT it is let go of; after another code it may be released again,
     * and is so in the background when this ends. */
    result<void> release(call how = {});
    /* os_start_lock_release; the same. */
    pending<detail::unlock_request> release_async(call how = {}) &&;

  private:
    friend struct detail::unlock_request;
    result<void> let_go(result<void> said)
    {
        if (by_ && (said || said.code() == OS_ERR_CONFLICT)) {
            by_->remove(id_);
            by_ = nullptr;
        }
        return said;
    }
    std::shared_ptr<detail::letting_go> by_; /* NULL: let go of */
    lock_id id_;
    os_lock_info info_;
};

namespace detail
{

enum class lock_call { acquire, renew, release, read, break_expired };

/* T is what it gives: a lock, what stands in the table, or nothing. */
template <typename T> struct lock_request : plain_request<T> {
    using value_type = result<T>;
    std::shared_ptr<letting_go> by{};
    lock_id id{};
    lock_call which = lock_call::read;
    uint64_t duration_s = 0;
    std::unique_ptr<coming_lock> coming{};

    static lock_request of(std::shared_ptr<letting_go> by, lock_id id, lock_call which, std::chrono::seconds duration,
                           call &&how)
    {
        lock_request ret;
        ret.by = std::move(by);
        ret.id = std::move(id);
        ret.which = which;
        ret.duration_s = duration.count() >= 0 ? static_cast<uint64_t>(duration.count()) : UINT64_MAX;
        ret.how = std::move(how);
        return ret;
    }
    bool refuse(os_error *ret) const
    {
        if (by && by->client())
            return refuse_nul(
                {{"namespace", id.name_space}, {"name", id.name}, {"owner", id.owner}, {"instance", id.instance}}, ret);
        *ret = os_error();
        ret->code = OS_ERR_ARGUMENT;
        std::snprintf(ret->message, sizeof(ret->message),
                      "The lock was released, or its client is closed; nothing was sent.");
        return true;
    }
    void expect()
    {
        if (which == lock_call::acquire)
            coming = std::make_unique<coming_lock>(by, id);
    }
    os_code call_c(const os_call *limits, os_lock_info *ret, os_error *err) const
    {
        os_client *client = by->client();
        const os_lock c = c_lock(id);
        switch (which) {
        case lock_call::acquire: return os_lock_acquire(client, &c, duration_s, limits, ret, err);
        case lock_call::renew: return os_lock_renew(client, &c, duration_s, limits, ret, err);
        case lock_call::release: return os_lock_release(client, &c, limits, ret, err);
        case lock_call::break_expired: return os_lock_break(client, &c, limits, ret, err);
        case lock_call::read: break;
        }
        return os_lock_read(client, &c, limits, ret, err);
    }
    os_code start_c(const os_start *start, os_error *err) const
    {
        os_client *client = by->client();
        const os_lock c = c_lock(id);
        switch (which) {
        case lock_call::acquire: return os_start_lock_acquire(client, &c, duration_s, start, nullptr, err);
        case lock_call::renew: return os_start_lock_renew(client, &c, duration_s, start, nullptr, err);
        case lock_call::release: return os_start_lock_release(client, &c, start, nullptr, err);
        case lock_call::break_expired: return os_start_lock_break(client, &c, start, nullptr, err);
        case lock_call::read: break;
        }
        return os_start_lock_read(client, &c, start, nullptr, err);
    }
    value_type give(const failure &why, const os_lock_info &found)
    {
        const std::unique_ptr<coming_lock> until_it_is_there = std::move(coming);
        if (why.code() != OS_OK)
            return why;
        if constexpr (std::is_void_v<T>)
            return {};
        else if constexpr (std::is_same_v<T, os_lock_info>)
            return found;
        else
            return lock(std::move(by), std::move(id), found);
    }
    value_type run()
    {
        failure why;
        os_lock_info found = OS_LOCK_INFO_INIT;
        if (refuse(why.c_error()))
            return why;
        const os_call limits = this->how.c_call();
        expect();
        (void)call_c(&limits, &found, why.c_error());
        return give(why, found);
    }
    os_code start(const os_start *with, os_error *err)
    {
        if (refuse(err))
            return OS_ERR_ARGUMENT;
        expect();
        const os_code code = this->started(with, [&](const os_start *own) { return start_c(own, err); });
        if (code != OS_OK) /* else this may be gone */
            coming = nullptr;
        return code;
    }
    value_type take(os_operation *operation)
    {
        const os_lock_info found = *os_operation_lock_info(operation);
        return give(failure_of(operation), found);
    }
};

/* It has the lock meanwhile, which ends with it unless it was released. */
struct unlock_request : lock_request<void> {
    explicit unlock_request(lock &&held) : own(std::move(held))
    {
        by = own.by_;
        id = own.id_;
        which = lock_call::release;
    }
    value_type run()
    {
        return own.let_go(lock_request<void>::run());
    }
    value_type take(os_operation *operation)
    {
        return own.let_go(lock_request<void>::take(operation));
    }
    lock own;
};

} // namespace detail

inline pending<detail::lock_request<os_lock_info>> lock::renew_async(std::chrono::seconds more, call how) const
{
    using request = detail::lock_request<os_lock_info>;
    return pending<request>(request::of(by_, id_, detail::lock_call::renew, more, std::move(how)));
}

inline result<os_lock_info> lock::renew(std::chrono::seconds more, call how)
{
    using request = detail::lock_request<os_lock_info>;
    auto ret = request::of(by_, id_, detail::lock_call::renew, more, std::move(how)).run();
    if (ret)
        info_ = *ret;
    return ret;
}

inline result<void> lock::release(call how)
{
    using request = detail::lock_request<void>;
    const auto none = std::chrono::seconds(0);
    return let_go(request::of(by_, id_, detail::lock_call::release, none, std::move(how)).run());
}

inline pending<detail::unlock_request> lock::release_async(call how) &&
{
    detail::unlock_request request(std::move(*this));
    request.how = std::move(how);
    return pending<detail::unlock_request>(std::move(request));
}

} // namespace oscommit

#endif
