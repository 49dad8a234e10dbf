/* SPDX-License-Identifier: Apache-2.0 */
/* The calls on objects, with their arguments kept: each is run by a thread that waits, or started. Include oscommit.hpp. */
#ifndef OSCOMMIT_REQUESTS_HPP
#define OSCOMMIT_REQUESTS_HPP

#include "lock.hpp"

namespace oscommit
{

/* What an update has found, borrowed while its function runs: os_current. */
struct current {
    std::string_view key;
    bool exists;
    std::string_view data;
    std::string_view etag;
    uint32_t round;
};

/* An object with its bytes. */
struct fetched {
    std::string data;
    os_object object;
};

/* Which bytes to get, of which version. */
struct get_options {
    get_options()
    {
    }
    uint64_t offset = 0;
    uint64_t count = 0;      /* [0: to the end] */
    uint64_t max_length = 0; /* [64 MiB] */
    std::string version_id{};
};

namespace detail
{

/* A guarded call. `call_c(result, error)` makes it, `start_c(start, error)` starts it, both with arguments that `refuse` has
 * looked at. */
template <typename Derived> struct guarded_request {
    using value_type = outcome;
    static constexpr os_verdict refusal = OS_NOT_EXECUTED;
    os_client *client = nullptr;
    call how{};

    outcome run()
    {
        Derived &self = static_cast<Derived &>(*this);
        os_error why = os_error();
        if (self.refuse(&why))
            return refused(why);
        const os_call limits = how.c_call();
        outcome ret = outcome::of([&](os_result *to, os_error *err) { return self.call_c(&limits, to, err); });
        rethrow(ret);
        return ret;
    }
    os_code start(const os_start *given, os_error *err)
    {
        Derived &self = static_cast<Derived &>(*this);
        if (self.refuse(err))
            return OS_ERR_ARGUMENT;
        const os_call limits = how.c_call();
        os_start own = *given;
        own.call = &limits;
        return self.start_c(&own, err);
    }
    outcome take(os_operation *operation)
    {
        return outcome::of_operation(operation);
    }
    outcome refused(const os_error &why) const
    {
        return outcome::refused(Derived::refusal, why);
    }
    /* What was thrown meanwhile, if nothing was written, so that no verdict gets lost. */
    void rethrow(const outcome &ended)
    {
        if (ended.verdict() == verdict::not_executed)
            static_cast<Derived &>(*this).thrown().rethrow();
    }
    caught &thrown()
    {
        return caught_;
    }

  private:
    caught caught_{};
};

struct put_request : guarded_request<put_request> {
    std::string key{}, etag{};
    bool replaces = false;
    body what{std::string_view()};
    put_options options{};

    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"key", key}, {"ETag", etag}}, ret) || what.refuse(ret) || options.refuse(ret);
    }
    os_verdict call_c(const os_call *limits, os_result *ret, os_error *err)
    {
        const os_body bytes = what.c_body();
        return options.with_c([&](const os_put_options *c) {
            return replaces ? os_put_if_match(client, key.c_str(), etag.c_str(), &bytes, c, limits, ret, err)
                            : os_put_if_absent(client, key.c_str(), &bytes, c, limits, ret, err);
        });
    }
    os_code start_c(const os_start *with, os_error *err)
    {
        const os_body bytes = what.c_body();
        return options.with_c([&](const os_put_options *c) {
            return replaces ? os_start_put_if_match(client, key.c_str(), etag.c_str(), &bytes, c, with, nullptr, err)
                            : os_start_put_if_absent(client, key.c_str(), &bytes, c, with, nullptr, err);
        });
    }
    caught &thrown()
    {
        return what.thrown();
    }
};

struct copy_request : guarded_request<copy_request> {
    enum class kind { if_not_exists, if_match, rename };
    std::string source{}, key{}, etag{};
    kind as = kind::if_not_exists;
    copy_options options{};

    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"source", source},
                           {"key", key},
                           {"ETag", etag},
                           {"ETag of the source", options.source_etag},
                           {"version of the source", options.source_version_id}},
                          ret);
    }
    os_copy_options c_options() const
    {
        os_copy_options ret = OS_COPY_OPTIONS_INIT;
        ret.source_etag = given(options.source_etag);
        ret.source_version_id = given(options.source_version_id);
        ret.fencing = options.fencing;
        return ret;
    }
    os_verdict call_c(const os_call *limits, os_result *ret, os_error *err)
    {
        const os_copy_options c = c_options();
        const char *from = source.c_str();
        const char *to = key.c_str();
        switch (as) {
        case kind::if_match: return os_copy_if_match(client, from, to, etag.c_str(), &c, limits, ret, err);
        case kind::rename: return os_rename_if_not_exists(client, from, to, &c, limits, ret, err);
        case kind::if_not_exists: break;
        }
        return os_copy_if_not_exists(client, from, to, &c, limits, ret, err);
    }
    os_code start_c(const os_start *with, os_error *err)
    {
        const os_copy_options c = c_options();
        const char *from = source.c_str();
        const char *to = key.c_str();
        switch (as) {
        case kind::if_match: return os_start_copy_if_match(client, from, to, etag.c_str(), &c, with, nullptr, err);
        case kind::rename: return os_start_rename_if_not_exists(client, from, to, &c, with, nullptr, err);
        case kind::if_not_exists: break;
        }
        return os_start_copy_if_not_exists(client, from, to, &c, with, nullptr, err);
    }
};

struct delete_request : guarded_request<delete_request> {
    std::string key{}, etag{};
    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"key", key}, {"ETag", etag}}, ret);
    }
    os_verdict call_c(const os_call *limits, os_result *ret, os_error *err)
    {
        return os_delete_if_match(client, key.c_str(), etag.c_str(), limits, ret, err);
    }
    os_code start_c(const os_start *with, os_error *err)
    {
        return os_start_delete_if_match(client, key.c_str(), etag.c_str(), with, nullptr, err);
    }
};

/* resolve, or settle. What is refused leaves the outcome as unknown as it was. */
struct ticket_request : guarded_request<ticket_request> {
    static constexpr os_verdict refusal = OS_UNKNOWN;
    std::string ticket{};
    bool settles = false;
    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"ticket", ticket}}, ret);
    }
    os_verdict call_c(const os_call *limits, os_result *ret, os_error *err)
    {
        return settles ? os_settle(client, ticket.c_str(), nullptr, limits, ret, err)
                       : os_resolve(client, ticket.c_str(), limits, ret, err);
    }
    os_code start_c(const os_start *with, os_error *err)
    {
        return settles ? os_start_settle(client, ticket.c_str(), nullptr, with, nullptr, err)
                       : os_start_resolve(client, ticket.c_str(), with, nullptr, err);
    }
};

struct update_request : guarded_request<update_request> {
    std::string key{};
    std::function<std::optional<std::string>(const current &)> change{};
    put_options options{};

    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"key", key}}, ret) || options.refuse(ret);
    }
    static int transform(void *context, const os_current *found, os_body *ret) noexcept
    {
        update_request &self = *static_cast<update_request *>(context);
        const current now{found->key, found->exists != 0,
                          std::string_view(static_cast<const char *>(found->data), found->length), found->etag,
                          found->round};
        self.next_.reset();
        if (!self.thrown().run([&] { self.next_ = self.change(now); }) || !self.next_)
            return 1;
        *ret = OS_BODY_MEMORY(self.next_->data(), self.next_->size());
        return 0;
    }
    template <typename F> auto with_c(F &&f) const
    {
        return options.with_c([&](const os_put_options *put) {
            os_update_options c = OS_UPDATE_OPTIONS_INIT;
            c.put = put;
            return f(&c);
        });
    }
    os_verdict call_c(const os_call *limits, os_result *ret, os_error *err)
    {
        return with_c([&](const os_update_options *c) {
            return os_update(client, key.c_str(), transform, this, c, limits, ret, err);
        });
    }
    os_code start_c(const os_start *with, os_error *err)
    {
        return with_c([&](const os_update_options *c) {
            return os_start_update(client, key.c_str(), transform, this, c, with, nullptr, err);
        });
    }

  private:
    std::optional<std::string> next_{};
};

/* ------------------------------------------------------------------------------------------------ plain */

struct head_request : plain_request<os_object> {
    os_client *client = nullptr;
    std::string key{}, version_id{};
    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"key", key}, {"version", version_id}}, ret);
    }
    value_type run()
    {
        failure why;
        os_object object = OS_OBJECT_INIT;
        if (refuse(why.c_error()))
            return why;
        const os_call limits = how.c_call();
        const os_code code = version_id.empty() ? os_head(client, key.c_str(), &limits, &object, why.c_error())
                                                : os_head_version(client, key.c_str(), version_id.c_str(), &limits,
                                                                  &object, why.c_error());
        return code == OS_OK ? value_type(object) : value_type(why);
    }
    os_code start(const os_start *with, os_error *err)
    {
        if (refuse(err))
            return OS_ERR_ARGUMENT;
        return started(with, [&](const os_start *own) {
            return os_start_head(client, key.c_str(), version_id.c_str(), own, nullptr, err);
        });
    }
    value_type take(os_operation *operation)
    {
        const os_object object = *os_operation_object(operation);
        const failure why = failure_of(operation);
        return why.code() == OS_OK ? value_type(object) : value_type(why);
    }
};

struct get_request : plain_request<fetched> {
    os_client *client = nullptr;
    std::string key{};
    get_options options{};
    bool refuse(os_error *ret) const
    {
        return refuse_nul({{"key", key}, {"version", options.version_id}}, ret);
    }
    /* The bytes come piece by piece, into a string of ours. */
    os_sink c_sink()
    {
        os_sink ret = OS_SINK_INIT;
        ret.write = [](void *context, const void *bytes, size_t length) noexcept {
            get_request &self = *static_cast<get_request *>(context);
            const uint64_t most = self.options.max_length ? self.options.max_length : uint64_t(64) << 20;
            self.is_too_large_ = self.data_.size() + length > most;
            if (self.is_too_large_)
                return 1;
            return self.caught_.run([&] { self.data_.append(static_cast<const char *>(bytes), length); }) ? 0 : 1;
        };
        ret.write_context = this;
        ret.offset = options.offset;
        ret.count = options.count;
        ret.version_id = given(options.version_id);
        return ret;
    }
    value_type run()
    {
        failure why;
        os_object object = OS_OBJECT_INIT;
        if (refuse(why.c_error()))
            return why;
        const os_call limits = how.c_call();
        const os_sink sink = c_sink();
        (void)os_get(client, key.c_str(), &sink, &limits, &object, why.c_error());
        value_type ret = ended(why, object);
        rethrow(ret);
        return ret;
    }
    os_code start(const os_start *with, os_error *err)
    {
        if (refuse(err))
            return OS_ERR_ARGUMENT;
        const os_sink sink = c_sink();
        return started(
            with, [&](const os_start *own) { return os_start_get(client, key.c_str(), &sink, own, nullptr, err); });
    }
    value_type take(os_operation *operation)
    {
        const os_object object = *os_operation_object(operation);
        return ended(failure_of(operation), object);
    }
    void rethrow(value_type &)
    {
        caught_.rethrow();
    }

  private:
    value_type ended(failure why, const os_object &object)
    {
        if (is_too_large_) {
            why.c_error()->code = OS_ERR_TOO_LARGE;
            std::snprintf(why.c_error()->message, sizeof(why.c_error()->message),
                          "The object is larger than max_length allows; ask for more, or for a part of it.");
        }
        return why.code() == OS_OK ? value_type(fetched{std::move(data_), object}) : value_type(why);
    }
    std::string data_{};
    bool is_too_large_ = false;
    caught caught_{};
};

} // namespace detail

} // namespace oscommit

#endif
