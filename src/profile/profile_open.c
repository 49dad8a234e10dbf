/* SPDX-License-Identifier: Apache-2.0 */
/* Where profiles come from: a file, or the ones that the library carries. Never from the name of a given host: a
 * gateway, a proxy and a test server have any name, and each makes something else of a condition. */
#include "base/buf.h"
#include "base/error.h"
#include "base/named_file.h"
#include "profile/profile_json.h"
#include "profile/shipped.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

const char *profile_shipped_name(size_t index)
{
    for (size_t i = 0; profile_shipped[i].name; i++)
        if (i == index)
            return profile_shipped[i].name;
    return NULL;
}

os_code profile_shipped_find(const char *name, struct profile *ret, os_error *err)
{
    struct buf names;
    buf_init(&names, 512);
    for (const struct profile_shipped *shipped = profile_shipped; shipped->name; shipped++) {
        if (strcmp(shipped->name, name) == 0) {
            buf_free(&names);
            return profile_parse(shipped->asset->data, shipped->asset->length, name, ret, err);
        }
        buf_add_f(&names, "%s%s", names.len > 0 ? ", " : "", shipped->name);
    }
    error_set(err, OS_ERR_CONFIG,
              "There is no store profile \"%.100s\"; the shipped ones are %s. To name a file, write its path with a "
              "'/' or \".json\".",
              name, buf_str(&names));
    buf_free(&names);
    return OS_ERR_CONFIG;
}

/* One byte over the limit shows that it is passed. */
static bool read_all(int fd, struct buf *ret)
{
    char block[4096];
    ssize_t count;
    do {
        count = read(fd, block, sizeof(block));
        size_t whole = ret->len + (count > 0 ? (size_t)count : 0); /* before a failure empties the buffer */
        if (count > 0 && !buf_add(ret, block, (size_t)count)) {
            errno = whole > PROFILE_TEXT_MAX ? EFBIG : ENOMEM;
            return false;
        }
    } while (count > 0 || (count < 0 && errno == EINTR));
    return count == 0;
}

os_code profile_read_file(const char *path, struct profile *ret, os_error *err)
{
    struct buf text;
    const char *why = "";
    int fd = named_file_open(path, &why);
    buf_init(&text, PROFILE_TEXT_MAX);
    bool ok = fd >= 0 && read_all(fd, &text);
    int failure = errno;
    if (fd >= 0) {
        why = strerror(failure);
        close(fd);
    }
    os_code code = OS_OK;
    if (ok)
        code = profile_parse(buf_str(&text), text.len, path, ret, err);
    else if (fd >= 0 && failure == ENOMEM)
        code = error_no_memory(err);
    else
        code =
            error_set(err, error_code_of_settings(failure), "The store profile %.300s cannot be read: %s.", path, why);
    buf_free(&text);
    return code;
}

os_code profile_open(const char *name_or_path, struct profile *ret, os_error *err)
{
    static const char ending[] = ".json";
    size_t len = strlen(name_or_path);
    size_t tail = sizeof(ending) - 1;
    bool is_path = strchr(name_or_path, '/') != NULL || (len >= tail && strcmp(name_or_path + len - tail, ending) == 0);
    return is_path ? profile_read_file(name_or_path, ret, err) : profile_shipped_find(name_or_path, ret, err);
}
