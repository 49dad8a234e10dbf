/* SPDX-License-Identifier: Apache-2.0 */
/* What calls are given: limits, options, bodies. Include oscommit.hpp. */
#ifndef OSCOMMIT_OPTIONS_HPP
#define OSCOMMIT_OPTIONS_HPP

#include "core.hpp"

#include <chrono>
#include <functional>
#include <vector>

namespace oscommit
{

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
