/* SPDX-License-Identifier: Apache-2.0 */
/* What all of oscommit.hpp stands on: failures, results, outcomes. Include oscommit.hpp. */
#ifndef OSCOMMIT_CORE_HPP
#define OSCOMMIT_CORE_HPP

#include "oscommit.h"
#include "oscommit_async.h"
#include "oscommit_lease.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

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

} // namespace oscommit

#endif
