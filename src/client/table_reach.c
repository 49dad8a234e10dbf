/* SPDX-License-Identifier: Apache-2.0 */
#include "client/table_reach.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/text.h"

#include <string.h>

/* As a shell takes it for one word. */
static void add_word(struct buf *out, const char *word)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:/@";
    if (word[strspn(word, plain)] == '\0') {
        (void)buf_add_str(out, word);
        return;
    }
    (void)buf_add_char(out, '\'');
    for (const char *at = word; *at != '\0'; at++)
        if (*at == '\'')
            (void)buf_add_str(out, "'\\''");
        else
            (void)buf_add_char(out, *at);
    (void)buf_add_char(out, '\'');
}

enum { REACH_MAX = 4096 };

static void add_flag(struct buf *out, const char *flag, const char *value)
{
    if (value == NULL || value[0] == '\0')
        return;
    (void)buf_add_str(out, flag);
    add_word(out, value);
}

os_code table_reach(const os_options *options, const struct endpoint *endpoint, char **ret, os_error *err)
{
    struct buf flags;
    char url[sizeof(endpoint->scheme) + sizeof(endpoint->host) + sizeof("://")] = "";
    const char *profile = options->dynamodb_profile;
    if (profile == NULL || profile[0] == '\0')
        profile = options->profile;
    if (!endpoint->is_aws)
        (void)text_concat(url, sizeof(url), endpoint->scheme, "://", endpoint->host, NULL);
    buf_init(&flags, REACH_MAX);
    add_flag(&flags, " --dynamodb-region ", endpoint->region);
    add_flag(&flags, " --dynamodb-endpoint ", url);
    add_flag(&flags, " --dynamodb-profile ", profile);
    *ret = strdup(buf_str(&flags)); /* "" where a profile has a name that no command takes */
    buf_free(&flags);
    return *ret != NULL ? OS_OK : error_no_memory(err);
}
