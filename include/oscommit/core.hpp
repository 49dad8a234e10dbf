/* SPDX-License-Identifier: Apache-2.0 */
/* What all of oscommit.hpp stands on: failures, results, options, bodies. Include oscommit.hpp. */
#ifndef OSCOMMIT_CORE_HPP
#define OSCOMMIT_CORE_HPP

#include "oscommit.h"
#include "oscommit_async.h"
#include "oscommit_lease.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <initializer_list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#if defined(__cpp_exceptions) && __cpp_exceptions >= 199711L
#define OSCOMMIT_EXCEPTIONS 1
#else
#define OSCOMMIT_EXCEPTIONS 0
#endif

namespace oscommit
{

/* ------------------------------------------------------------------------------------------------ failures */

/* What became of a guarded write: os_verdict. */
enum class verdict {
    committed = OS_COMMITTED,
    conflict = OS_CONFLICT,
    not_executed = OS_NOT_EXECUTED,
    unknown = OS_UNKNOWN
};

/* "committed", "conflict", "not executed" or "unknown". */
inline const char *to_string(verdict value) noexcept
{
    return os_verdict_name(static_cast<os_verdict>(value));
}

/* Why a call failed, as os_error says it; OS_OK: it did not. */
class failure
{
  public:
    failure() noexcept : error_()
    {
    }
    explicit failure(const os_error &error) noexcept : error_(error)
    {
    }
    os_code code() const noexcept
    {
        return error_.code;
    }
    const char *message() const noexcept
    {
        return error_.message;
    } /* a whole sentence */
    int http_status() const noexcept
    {
        return error_.http_status;
    }
    const char *service_code() const noexcept
    {
        return error_.service_code;
    }
    const char *request_id() const noexcept
    {
        return error_.request_id;
    }
    os_error *c_error() noexcept
    {
        return &error_;
    }

  private:
    os_error error_;
};

#if OSCOMMIT_EXCEPTIONS
/* Thrown where a value was asked for that is not there. */
class error : public std::exception
{
  public:
    explicit error(const failure &why) noexcept : why_(why)
    {
    }
    os_code code() const noexcept
    {
        return why_.code();
    }
    const failure &why() const noexcept
    {
        return why_;
    }
    const char *what() const noexcept override
    {
        return why_.message();
    }

  private:
    failure why_;
};
#endif

namespace detail
{

[[noreturn]] inline void no_value(const failure &why)
{
#if OSCOMMIT_EXCEPTIONS
    throw error(why);
#else
    std::fprintf(stderr, "oscommit: a result was used that failed: %s\n", why.message());
    std::abort();
#endif
}

/* What a function of the caller's threw, on its way through C. */
class caught
{
  public:
    /* False: it threw. */
    template <typename F> bool run(F &&f) noexcept
    {
#if OSCOMMIT_EXCEPTIONS
        try {
            f();
            return true;
        } catch (...) {
            thrown_ = std::current_exception();
            return false;
        }
#else
        f();
        return true;
#endif
    }
    void rethrow()
    {
#if OSCOMMIT_EXCEPTIONS
        if (thrown_)
            std::rethrow_exception(std::exchange(thrown_, nullptr));
#endif
    }

  private:
    std::exception_ptr thrown_;
};

struct named {
    const char *name;
    std::string_view text;
};

/* C strings end at a NUL, so that another object would be meant. */
inline bool refuse_nul(std::initializer_list<named> texts, os_error *ret)
{
    for (const named &each : texts) {
        if (each.text.find('\0') == std::string_view::npos)
            continue;
        *ret = os_error();
        ret->code = OS_ERR_ARGUMENT;
        std::snprintf(ret->message, sizeof(ret->message), "The %s has a NUL byte inside; nothing was sent.", each.name);
        return true;
    }
    return false;
}

inline const char *given(const std::string &text) noexcept
{
    return text.empty() ? nullptr : text.c_str();
}

} // namespace detail

/* A value, or why there is none. */
template <typename T> class [[nodiscard]] result
{
  public:
    result(T value) : value_(std::move(value))
    {
    }
    result(const failure &why) : why_(why)
    {
    }
    explicit operator bool() const noexcept
    {
        return value_.has_value();
    }
    os_code code() const noexcept
    {
        return why_.code();
    }
    const char *message() const noexcept
    {
        return why_.message();
    }
    const failure &why() const noexcept
    {
        return why_;
    }

    /* Throws oscommit::error where there is none; without exceptions it ends the program. */
    T &value() &
    {
        if (!value_)
            detail::no_value(why_);
        return *value_;
    }
    T &&value() &&
    {
        return std::move(value());
    }
    T &operator*() &
    {
        return value();
    }
    T &&operator*() &&
    {
        return std::move(value());
    }
    T *operator->()
    {
        return &value();
    }

  private:
    std::optional<T> value_;
    failure why_;
};

/* The same of a call that has nothing to give. */
template <> class [[nodiscard]] result<void>
{
  public:
    result() = default;
    result(const failure &why) : why_(why)
    {
    }
    explicit operator bool() const noexcept
    {
        return why_.code() == OS_OK;
    }
    os_code code() const noexcept
    {
        return why_.code();
    }
    const char *message() const noexcept
    {
        return why_.message();
    }
    const failure &why() const noexcept
    {
        return why_;
    }
    void value() const
    {
        if (why_.code() != OS_OK)
            detail::no_value(why_);
    }

  private:
    failure why_;
};

/* How a guarded call ended. No verdict is thrown: an `unknown` has a ticket, which must not get lost. */
class [[nodiscard]] outcome
{
  public:
    outcome() noexcept : verdict_(OS_NOT_EXECUTED), result_(OS_RESULT_INIT)
    {
    }
    outcome(outcome &&other) noexcept
    {
        take(other);
    }
    outcome &operator=(outcome &&other) noexcept
    {
        if (this != &other) {
            clear();
            take(other);
        }
        return *this;
    }
    outcome(const outcome &) = delete;
    outcome &operator=(const outcome &) = delete;
    ~outcome()
    {
        clear();
    }

    oscommit::verdict verdict() const noexcept
    {
        return static_cast<oscommit::verdict>(verdict_);
    }
    bool committed() const noexcept
    {
        return verdict_ == OS_COMMITTED;
    }
    std::string_view etag() const noexcept
    {
        return result_.etag;
    }
    /* For resolve and settle, in any process; empty unless the verdict is unknown. It lives as long as this. */
    std::string_view ticket() const noexcept
    {
        return result_.ticket ? result_.ticket : std::string_view();
    }
    const os_result &details() const noexcept
    {
        return result_;
    }
    os_code code() const noexcept
    {
        return why_.code();
    }
    const char *message() const noexcept
    {
        return why_.message();
    }
    const failure &why() const noexcept
    {
        return why_;
    }

    /* A call of C fills it. */
    template <typename F> static outcome of(F &&call)
    {
        outcome ret;
        ret.verdict_ = call(&ret.result_, ret.why_.c_error());
        return ret;
    }
    static outcome refused(os_verdict value, const os_error &why) noexcept
    {
        outcome ret;
        ret.verdict_ = value;
        ret.result_.final = value != OS_UNKNOWN;
        ret.why_ = failure(why);
        return ret;
    }
    /* Takes the operation over, to which the ticket belongs. */
    static outcome of_operation(os_operation *operation) noexcept
    {
        outcome ret;
        ret.verdict_ = os_operation_verdict(operation);
        ret.result_ = *os_operation_result(operation);
        ret.why_ = failure(*os_operation_error(operation));
        ret.operation_ = operation;
        return ret;
    }

  private:
    void take(outcome &other) noexcept
    {
        verdict_ = other.verdict_;
        result_ = other.result_;
        why_ = other.why_;
        operation_ = std::exchange(other.operation_, nullptr);
        other.result_.ticket = nullptr;
    }
    void clear() noexcept
    {
        if (operation_)
            os_operation_free(operation_);
        else
            os_result_clear(&result_);
        operation_ = nullptr;
    }

    os_verdict verdict_;
    os_result result_;
    failure why_;
    os_operation *operation_ = nullptr;
};

/* ------------------------------------------------------------------------------------------------ options */

/* A token that ends calls early, from any thread. It lives longer than the calls that have it. */
class cancel
{
  public:
    cancel()
    {
        if (os_cancel_new(&token_) != OS_OK)
            token_ = nullptr;
    }
    cancel(const cancel &) = delete;
    cancel &operator=(const cancel &) = delete;
    ~cancel()
    {
        os_cancel_free(token_);
    }
    void trigger() noexcept
    {
        if (token_)
            os_cancel_trigger(token_);
    }
    os_cancel *get() const noexcept
    {
        return token_;
    } /* NULL: there was no memory for it */

  private:
    os_cancel *token_ = nullptr;
};

/* How long a call may take, and what ends it: os_call. */
struct call {
    call() noexcept
    {
    } /* no aggregate: GCC 12 copies those byte by byte into the frame of a coroutine */
    std::chrono::milliseconds deadline{0}; /* [120 s] */
    cancel *token = nullptr;
    std::function<void(uint64_t done_bytes, uint64_t total_bytes)> progress{}; /* must not throw */
    os_toggle forward_only = OS_AUTO;

    /* Borrows this. */
    os_call c_call() const noexcept
    {
        os_call ret = OS_CALL_INIT;
        ret.deadline_ms = deadline.count() >= 0 ? static_cast<uint64_t>(deadline.count()) : 1;
        ret.cancel = token ? token->get() : nullptr;
        ret.forward_only = forward_only;
        if (progress) {
            ret.progress = [](void *context, uint64_t done, uint64_t total) noexcept {
                (*static_cast<decltype(progress) *>(context))(done, total);
            };
            ret.progress_context = const_cast<decltype(progress) *>(&progress);
        }
        return ret;
    }
};

using pairs = std::vector<std::pair<std::string, std::string>>;

namespace detail
{

inline std::vector<os_metadata> c_pairs(const pairs &list)
{
    std::vector<os_metadata> ret;
    ret.reserve(list.size());
    for (const auto &each : list)
        ret.push_back({each.first.c_str(), each.second.c_str()});
    return ret;
}

inline bool refuse_nul(const pairs &list, os_error *ret)
{
    for (const auto &each : list)
        if (refuse_nul({{"name of a pair", each.first}, {"value of a pair", each.second}}, ret))
            return true;
    return false;
}

} // namespace detail

/* What is stored with an object: os_put_options. */
struct put_options {
    put_options()
    {
    } /* no aggregate, as above */
    std::string content_type{}, content_encoding{}, content_language{}, content_disposition{}, cache_control{};
    pairs metadata{}, tags{};
    std::string storage_class{}, encryption{}, kms_key_id{};
    uint64_t fencing = 0; /* lease::token of the lease that this is done under */

    bool refuse(os_error *ret) const
    {
        return detail::refuse_nul({{"content type", content_type},
                                   {"content encoding", content_encoding},
                                   {"content language", content_language},
                                   {"content disposition", content_disposition},
                                   {"cache control", cache_control},
                                   {"storage class", storage_class},
                                   {"encryption", encryption},
                                   {"id of the key", kms_key_id}},
                                  ret) ||
               detail::refuse_nul(metadata, ret) || detail::refuse_nul(tags, ret);
    }

    /* Calls `f` with the struct of C, which borrows this. */
    template <typename F> auto with_c(F &&f) const
    {
        const auto names = detail::c_pairs(metadata);
        const auto marks = detail::c_pairs(tags);
        os_put_options c = OS_PUT_OPTIONS_INIT;
        c.content_type = detail::given(content_type);
        c.content_encoding = detail::given(content_encoding);
        c.content_language = detail::given(content_language);
        c.content_disposition = detail::given(content_disposition);
        c.cache_control = detail::given(cache_control);
        c.metadata = names.data();
        c.metadata_count = names.size();
        c.tags = marks.data();
        c.tag_count = marks.size();
        c.storage_class = detail::given(storage_class);
        c.encryption = detail::given(encryption);
        c.kms_key_id = detail::given(kms_key_id);
        c.fencing = fencing;
        return f(&c);
    }
};

/* Of copies and renames: os_copy_options. */
struct copy_options {
    copy_options()
    {
    }
    std::string source_etag{}, source_version_id{};
    uint64_t fencing = 0;
};

/* What to write. */
class body
{
  public:
    /* Borrows the bytes: they stay until the call has returned, or the operation has completed. */
    body(std::string_view bytes) : bytes_(bytes)
    {
    }
    body(const char *text) : bytes_(text)
    {
    }
    body(const std::string &bytes) : bytes_(bytes)
    {
    }
    /* Owns them. */
    body(std::string &&bytes) : owned_(std::move(bytes)), kind_(kind::owned)
    {
    }
    static body file(std::string path)
    {
        body ret(std::move(path));
        ret.kind_ = kind::file;
        return ret;
    }
    /* Puts the next bytes into `to`, and says how many; 0 at the end, less than 0 if it cannot read. May block. What it throws
     * ends the call; the caller is thrown that where the verdict is not_executed, and sees the verdict alone elsewhere. */
    static body stream(std::function<int64_t(void *to, size_t size)> read)
    {
        body ret{std::string()};
        ret.read_ = std::move(read);
        ret.kind_ = kind::stream;
        return ret;
    }

    bool refuse(os_error *ret) const
    {
        return kind_ == kind::file && detail::refuse_nul({{"path", owned_}}, ret);
    }

    /* Borrows this, which then stays where it is. */
    os_body c_body() noexcept
    {
        switch (kind_) {
        case kind::file: return OS_BODY_FILE(owned_.c_str());
        case kind::stream: break;
        case kind::owned: return OS_BODY_MEMORY(owned_.data(), owned_.size());
        case kind::borrowed: return OS_BODY_MEMORY(bytes_.data(), bytes_.size());
        }
        os_body ret = OS_BODY_MEMORY(nullptr, 0);
        ret.read = [](void *context, void *to, size_t size) noexcept -> int64_t {
            body *own = static_cast<body *>(context);
            int64_t count = -1;
            return own->caught_.run([&] { count = own->read_(to, size); }) ? count : -1;
        };
        ret.read_context = this;
        return ret;
    }
    detail::caught &thrown() noexcept
    {
        return caught_;
    }

  private:
    enum class kind { borrowed, owned, file, stream };
    std::string_view bytes_{};
    std::string owned_{};
    std::function<int64_t(void *, size_t)> read_{};
    detail::caught caught_{};
    kind kind_ = kind::borrowed;
};

} // namespace oscommit

#endif
