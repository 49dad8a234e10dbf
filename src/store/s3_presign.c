/* SPDX-License-Identifier: Apache-2.0 */
#include "store/s3_presign.h"

#include "base/container.h"
#include "base/error.h"
#include "store/s3_internal.h"

#include <string.h>

/* A GET here has no x-amz-checksum-mode, as a browser would not send it. */
static os_code build(const struct s3_target *target, const struct s3_presign *presign, struct http_request *ret,
                     os_error *err)
{
    static const struct http_body none = {.kind = HTTP_BODY_NONE};
    const struct s3_content content = {.content_type = presign->content_type};
    os_code code;
    if (strcmp(presign->method, "PUT") == 0) {
        code = s3_build_put(target, presign->key, &none, &content, &presign->condition, ret, err);
        if (presign->content_type == NULL) /* a PUT of ours has one always; whoever sends this one chooses */
            http_headers_remove(&ret->headers, "content-type");
        return code;
    }
    code = s3_build_head(target, presign->key, ret, err);
    ret->method = presign->method;
    return code == OS_OK ? s3_request_version(ret, presign->version_id, err) : code;
}

static bool add_lines(const struct http_headers *headers, struct buf *ret)
{
    bool good = true;
    for (size_t i = 0; good && i < headers->count; i++)
        good = buf_add_str(ret, headers->list[i].name) && buf_add_str(ret, ": ") &&
               buf_add_str(ret, headers->list[i].value) && buf_add_char(ret, '\n');
    return good;
}

os_code s3_store_presign(struct store *store, const struct s3_presign *presign, struct buf *ret_url,
                         struct buf *ret_headers, os_error *err)
{
    struct s3_store *s3 = container_of(store, struct s3_store, store);
    struct s3_target target = s3_store_target(s3);
    struct http_request http;
    http_request_init(&http);
    os_code code = build(&target, presign, &http, err);
    if (code == OS_OK)
        code = s3_store_sign_query(s3, &http, s3_store_now_s(s3), presign->expires_s, err);
    if (code == OS_OK && (!http_request_url(&http, ret_url) || !add_lines(&http.headers, ret_headers)))
        code = error_no_memory(err);
    http_request_free(&http);
    return code;
}
