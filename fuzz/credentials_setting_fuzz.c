/* SPDX-License-Identifier: Apache-2.0 */
/* What settings of the credentials chain say: a command line as words, and the URL of a service. */
#include "fuzz.h"

#include "credentials/fetch.h"
#include "credentials/words.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { WORDS_MAX = 8 };

static void check_words(char *const words[], const char *line, size_t size)
{
    size_t count = 0;
    const char *end = line;
    for (; words[count] != NULL; count++) {
        FUZZ_CHECK(count < WORDS_MAX);
        FUZZ_CHECK(words[count] >= end && words[count] <= line + size); /* one behind the other, in the line */
        end = words[count] + strlen(words[count]) + 1;
        FUZZ_CHECK(end <= line + size + 1);
    }
    FUZZ_CHECK(count > 0);
}

/* Each word in single quotes is the same word again. */
static void check_again(char *const words[], size_t size)
{
    char *line = malloc(4 * size + 4 * WORDS_MAX + 1);
    char *again[WORDS_MAX + 1];
    char *to = line;
    for (size_t i = 0; words[i] != NULL; i++) {
        *to++ = '\'';
        for (const char *from = words[i]; *from != '\0'; from++) {
            *to++ = *from;
            if (*from == '\'') { /* closed, a quote by itself, opened */
                to[-1] = '\'';
                memcpy(to, "\\''", 3);
                to += 3;
            }
        }
        *to++ = '\'';
        *to++ = ' ';
    }
    *to = '\0';
    FUZZ_CHECK(words_split(line, again, WORDS_MAX));
    for (size_t i = 0; words[i] != NULL || again[i] != NULL; i++)
        FUZZ_CHECK(words[i] != NULL && again[i] != NULL && strcmp(words[i], again[i]) == 0);
    free(line);
}

static void split(const uint8_t *data, size_t size)
{
    char *line = fuzz_string(data, size);
    char *words[WORDS_MAX + 1];
    size_t len = strlen(line);
    if (words_split(line, words, WORDS_MAX)) {
        check_words(words, line, len);
        check_again(words, len);
    }
    free(line);
}

static bool is_plain(const char *text, const char *also)
{
    for (; *text != '\0'; text++)
        if ((unsigned char)*text <= ' ' || (unsigned char)*text >= 0x7f || strchr(also, *text) != NULL)
            return false;
    return true;
}

static void check_request(const struct http_request *request, enum fetch_origin origin)
{
    bool tls = strcmp(request->scheme, "https") == 0;
    FUZZ_CHECK(tls || strcmp(request->scheme, "http") == 0);
    FUZZ_CHECK(origin != FETCH_TLS || tls);
    FUZZ_CHECK(origin != FETCH_PLAIN || !tls);
    FUZZ_CHECK(request->host[0] != '\0' && is_plain(request->host, "@/?#\\%"));
    FUZZ_CHECK(origin != FETCH_LOOPBACK || strncmp(request->host, "127.", 4) == 0 || request->host[0] == '[' ||
               strncasecmp(request->host, "localhost", 9) == 0);
    FUZZ_CHECK(request->path.len > 0 && buf_str(&request->path)[0] == '/' && is_plain(buf_str(&request->path), "?#"));
    FUZZ_CHECK(request->query.len == 0 || is_plain(buf_str(&request->query), "#"));
}

static void set_url(const uint8_t *data, size_t size)
{
    char *url = fuzz_copy(data, size);
    struct http_request request;
    http_request_init(&request);
    enum fetch_origin origin = fetch_set_url(&request, text_of(url, size));
    FUZZ_CHECK(origin != FETCH_NO_MEMORY);
    if (origin != FETCH_BAD_URL)
        check_request(&request, origin);
    else
        FUZZ_CHECK(request.host == NULL && request.path.len == 0 && request.query.len == 0);
    http_request_free(&request);
    free(url);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    split(data, size);
    set_url(data, size);
    return 0;
}
