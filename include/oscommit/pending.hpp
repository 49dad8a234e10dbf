/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that nobody waits for: told to a function, put into a queue, or awaited by a coroutine. Include oscommit.hpp. */
#ifndef OSCOMMIT_PENDING_HPP
#define OSCOMMIT_PENDING_HPP

#include "options.hpp"

#include <memory>
#include <type_traits>

#if defined(__cpp_impl_coroutine) && __has_include(<coroutine>)
#define OSCOMMIT_COROUTINES 1
#include <coroutine>
#else
#define OSCOMMIT_COROUTINES 0
#endif

namespace oscommit
{

namespace detail
{

/* What lies in a queue beside its operation. */
struct queued {
    queued() = default;
    queued(const queued &) = delete;
    queued &operator=(const queued &) = delete;
    virtual ~queued() = default;
    virtual void run(os_operation *operation) = 0; /* takes it over */
};

template <typename Request, typename F> struct queued_request final : queued {
    queued_request(Request &&request_, F &&function_)
        : request(std::move(request_)), function(std::forward<F>(function_))
    {
    }
    void run(os_operation *operation) override
    {
        function(request.take(operation));
    }
    Request request;
    std::decay_t<F> function;
};

} // namespace detail

/* An operation that has completed, and was taken from a queue. */
class operation
{
  public:
    operation(operation &&other) noexcept
        : operation_(std::exchange(other.operation_, nullptr)), queued_(std::move(other.queued_))
    {
    }
    operation &operator=(operation &&other) noexcept
    {
        std::swap(operation_, other.operation_);
        std::swap(queued_, other.queued_);
        return *this;
    }
    operation(const operation &) = delete;
    operation &operator=(const operation &) = delete;
    /* One that was not run is dropped, and a lease in it released. */
    ~operation()
    {
        os_operation_free(operation_);
    }

    /* Calls, here, the function that it was put into the queue with: once. What that throws comes out. */
    void run()
    {
        if (operation_)
            queued_->run(std::exchange(operation_, nullptr));
    }

  private:
    friend class queue;
    explicit operation(os_operation *taken)
        : operation_(taken), queued_(static_cast<detail::queued *>(os_operation_context(taken)))
    {
    }
    os_operation *operation_;
    std::unique_ptr<detail::queued> queued_;
};

/* Where completed operations wait until somebody takes them. It lives longer than the clients whose operations it gets. */
class queue
{
  public:
    queue()
    {
        if (os_queue_new(&queue_) != OS_OK)
            queue_ = nullptr;
    }
    queue(const queue &) = delete;
    queue &operator=(const queue &) = delete;
    ~queue()
    {
        while (take())
            continue;
        os_queue_free(queue_);
    }
    /* The one that has waited longest; none if none completes in that time. Any thread. */
    std::optional<operation> take(std::chrono::milliseconds wait = std::chrono::milliseconds(0))
    {
        os_operation *taken = queue_ ? os_queue_take(queue_, static_cast<uint64_t>(wait.count())) : nullptr;
        return taken ? std::optional<operation>(operation(taken)) : std::nullopt;
    }
    os_queue *get() const noexcept
    {
        return queue_;
    } /* NULL: there was no memory for it */

  private:
    os_queue *queue_ = nullptr;
};

#if OSCOMMIT_COROUTINES
/* Resumes where the completion comes: on the client's I/O thread, or within os_client_step. */
struct on_io_thread {
    void operator()(std::coroutine_handle<> handle) const
    {
        handle.resume();
    }
};

namespace detail
{

template <typename Request, typename Executor> class awaiter
{
  public:
    awaiter(Request &&request, Executor &&executor) : request_(std::move(request)), executor_(std::move(executor))
    {
    }
    bool await_ready() const noexcept
    {
        return false;
    }
    /* Once it was started this may be gone: the coroutine may have gone on. */
    bool await_suspend(std::coroutine_handle<> handle)
    {
        os_start start = OS_START_INIT;
        os_error why = os_error();
        handle_ = handle;
        start.complete = completed;
        start.context = this;
        if (request_.start(&start, &why) == OS_OK)
            return true;
        refused_ = why;
        return false;
    }
    auto await_resume()
    {
        if (!operation_)
            return request_.refused(refused_);
        auto ret = request_.take(operation_);
        request_.rethrow(ret);
        return ret;
    }

  private:
    static void completed(void *context, os_operation *operation) noexcept
    {
        awaiter *self = static_cast<awaiter *>(context);
        self->operation_ = operation;
        Executor executor = std::move(self->executor_);
        executor(self->handle_);
    }
    Request request_;
    Executor executor_;
    std::coroutine_handle<> handle_{};
    os_operation *operation_ = nullptr;
    os_error refused_ = os_error();
};

} // namespace detail
#endif

/* A call that has not begun. It begins when it is told to whom its end is told: once, by one of the functions below. */
template <typename Request> class [[nodiscard]] pending
{
  public:
    using value_type = typename Request::value_type;
    explicit pending(Request &&request) : request_(std::move(request))
    {
    }

    /* `function` is given the value_type, on the client's I/O thread (or within os_client_step): it must neither block nor
     * throw. A failure that is returned is that of os_start_...: the function is not called then. */
    template <typename F> result<void> then(F &&function) &&
    {
        struct state {
            Request request;
            std::decay_t<F> function;
            static void completed(void *context, os_operation *operation) noexcept
            {
                std::unique_ptr<state> self(static_cast<state *>(context));
                self->function(self->request.take(operation));
            }
        };
        auto own = std::unique_ptr<state>(new state{std::move(request_), std::forward<F>(function)});
        os_start start = OS_START_INIT;
        start.complete = state::completed;
        start.context = own.get();
        return begin(own->request, &start, own);
    }

    /* It lies in the queue when it has completed. Whoever takes it has the function called (operation::run), on a thread
     * of his own, where it may block and throw. */
    template <typename F> result<void> into(queue &to, F &&function) &&
    {
        using state = detail::queued_request<Request, F>;
        auto own = std::unique_ptr<state>(new state(std::move(request_), std::forward<F>(function)));
        os_start start = OS_START_INIT;
        start.queue = to.get();
        start.context = static_cast<detail::queued *>(own.get());
        return begin(own->request, &start, own);
    }

#if OSCOMMIT_COROUTINES
    /* co_await gives the value_type, on the I/O thread. Where it was refused, it says so at once. */
    auto operator co_await() &&
    {
        return detail::awaiter<Request, on_io_thread>(std::move(request_), {});
    }

    /* co_await std::move(call).on(executor): the coroutine goes on where the executor wants. It is called with the
     * std::coroutine_handle<> on the I/O thread, must not throw, and has it resumed once. */
    template <typename Executor> auto on(Executor executor) &&
    {
        return detail::awaiter<Request, Executor>(std::move(request_), std::move(executor));
    }
#endif

  private:
    /* It may have completed, and freed what it owns, when it has been started. */
    template <typename State>
    static result<void> begin(Request &request, const os_start *start, std::unique_ptr<State> &own)
    {
        failure why;
        State *given = own.release();
        if (request.start(start, why.c_error()) == OS_OK)
            return {};
        own.reset(given);
        return why;
    }
    Request request_;
};

} // namespace oscommit

#endif
