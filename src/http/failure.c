/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Why a request failed: libcurl's codes as ours, and a clause that a person can act on. Knows libcurl's codes and
 * texts, and nothing of connections or bodies. libcurl's own words may quote a URL, and a URL may hold a signature:
 * such a text is not passed on.
 */
#include "http/internal.h"
#include "http/proxy.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Cut where it does not fit: a long host name must not hide that there was a failure. */
static void say(struct http_result *ret, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct http_result *ret, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    (void)vsnprintf(ret->message, sizeof(ret->message), format, args);
    va_end(args);
}

void failure_set(struct http_transfer *transfer, os_code code, const char *format, ...)
{
    if (transfer->fault.code != OS_OK)
        return; /* the first one is the cause */
    transfer->fault.code = code;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(transfer->fault.message, sizeof(transfer->fault.message), format, args);
    va_end(args);
}

/* Those that are not listed are network failures. */
static const struct {
    CURLcode code;
    os_code means;
} meanings[] = {
    {CURLE_OK, OS_OK},
    {CURLE_OUT_OF_MEMORY, OS_ERR_NO_MEMORY},
    {CURLE_URL_MALFORMAT, OS_ERR_ARGUMENT},
    {CURLE_SSL_CONNECT_ERROR, OS_ERR_TLS},
    {CURLE_SSL_ENGINE_NOTFOUND, OS_ERR_TLS},
    {CURLE_SSL_ENGINE_SETFAILED, OS_ERR_TLS},
    {CURLE_SSL_ENGINE_INITFAILED, OS_ERR_TLS},
    {CURLE_SSL_CERTPROBLEM, OS_ERR_TLS},
    {CURLE_SSL_CIPHER, OS_ERR_TLS},
    {CURLE_SSL_CACERT_BADFILE, OS_ERR_TLS},
    {CURLE_SSL_CRL_BADFILE, OS_ERR_TLS},
    {CURLE_SSL_ISSUER_ERROR, OS_ERR_TLS},
    {CURLE_SSL_INVALIDCERTSTATUS, OS_ERR_TLS},
    {CURLE_SSL_CLIENTCERT, OS_ERR_TLS},
    {CURLE_PEER_FAILED_VERIFICATION, OS_ERR_TLS},
    {CURLE_USE_SSL_FAILED, OS_ERR_TLS},
    {CURLE_PARTIAL_FILE, OS_ERR_PROTOCOL},
    {CURLE_WEIRD_SERVER_REPLY, OS_ERR_PROTOCOL},
    {CURLE_UNSUPPORTED_PROTOCOL, OS_ERR_PROTOCOL}, /* HTTP/0.9 */
    {CURLE_BAD_CONTENT_ENCODING, OS_ERR_PROTOCOL},
    {CURLE_FILESIZE_EXCEEDED, OS_ERR_PROTOCOL},
    {CURLE_READ_ERROR, OS_ERR_IO},
    {CURLE_WRITE_ERROR, OS_ERR_IO},
    {CURLE_ABORTED_BY_CALLBACK, OS_ERR_IO},
};

/* libcurl says so as well of a header line that is longer than it keeps (100 KiB). */
static bool over_a_line(const struct http_transfer *transfer, CURLcode code)
{
    return code == CURLE_OUT_OF_MEMORY && transfer->answer.response.status != 0;
}

/* The system had no complaint. */
static bool is_broken_chunk(const struct http_transfer *transfer, CURLcode code, long os_errno)
{
    return code == CURLE_RECV_ERROR && transfer->answer.headers_whole && os_errno == 0;
}

static os_code code_of(const struct http_transfer *transfer, CURLcode code, long os_errno)
{
    if (is_broken_chunk(transfer, code, os_errno))
        return OS_ERR_PROTOCOL;
    if (over_a_line(transfer, code))
        return OS_ERR_PROTOCOL;
    for (size_t i = 0; i < sizeof(meanings) / sizeof(meanings[0]); i++)
        if (meanings[i].code == code)
            return meanings[i].means;
    return OS_ERR_NETWORK;
}

static const char *words_of(const struct http_transfer *transfer, CURLcode code)
{
    const char *words = transfer->curl_message;
    if (words[0] == '\0' || strchr(words, '?') != NULL || strstr(words, "ignature") != NULL)
        words = curl_easy_strerror(code);
    return words;
}

static const char *proxy_hint(const struct http_transfer *transfer)
{
    long connect_status = 0;
    (void)curl_easy_getinfo(transfer->easy, CURLINFO_HTTP_CONNECTCODE, &connect_status);
    return connect_status != 0 ? " (through a proxy)" : "";
}

static void describe_tls(const struct http_transfer *transfer, const char *words, CURLcode code,
                         struct http_result *ret)
{
    const char *host = transfer->start.request->host;
    if (code == CURLE_PEER_FAILED_VERIFICATION && transfer->engine->trust.source == TRUST_NOBODY)
        say(ret,
            "the certificate of %s is not accepted: this machine has no CA certificates; install ca-certificates, "
            "or name a file of them in SSL_CERT_FILE",
            host);
    else if (code == CURLE_PEER_FAILED_VERIFICATION)
        say(ret, "the certificate of %s is not accepted: %s; check the host name and the CA file", host, words);
    else if (code == CURLE_SSL_CACERT_BADFILE)
        say(ret, "the CA file cannot be used: %s", words);
    else
        say(ret, "there is no TLS connection with %s: %s; check that it is an https endpoint", host, words);
}

static void describe_connect(const struct http_transfer *transfer, long os_errno, struct http_result *ret)
{
    const char *host = transfer->start.request->host;
    char reason[96] = "no connection was made";
    if (os_errno != 0) {
        const char *text = strerror_r((int)os_errno, reason, sizeof(reason)); /* GNU's, which returns the text */
        say(ret, "could not connect to %s: %s%s", host, text, proxy_hint(transfer));
    } else {
        say(ret, "could not connect to %s: %s%s", host, words_of(transfer, CURLE_COULDNT_CONNECT),
            proxy_hint(transfer));
    }
}

/* `when`: "", or a clause. */
static void describe_look_up(const struct http_transfer *transfer, bool of_proxy, const char *when,
                             struct http_result *ret)
{
    const char *host = transfer->start.request->host;
    if (of_proxy) {
        say(ret, "the host name of the proxy on the way to %s could not be looked up%s; check the proxy's settings",
            host, when);
    } else {
        size_t name_length = host[0] == '[' ? strlen(host) : strcspn(host, ":");
        say(ret, "the host name %.*s could not be looked up%s; check the endpoint, and this machine's name resolution",
            (int)name_length, host, when);
    }
}

/* Only libcurl knows whether it waits for a name; one that was looked up before takes it no time, but not none. */
static bool looks_up(const struct http_transfer *transfer)
{
    curl_off_t took_us = 0;
    return transfer->begun && transfer->easy != NULL &&
           curl_easy_getinfo(transfer->easy, CURLINFO_NAMELOOKUP_TIME_T, &took_us) == CURLE_OK && took_us == 0;
}

void failure_describe_deadline(const struct http_transfer *transfer, struct http_result *ret)
{
    const struct http_start *start = &transfer->start;
    bool proxied = !start->loopback && http_goes_through_proxy(start->request->scheme, start->request->host);
    ret->code = OS_ERR_DEADLINE;
    if (transfer->wire.sent)
        say(ret, "the deadline passed before the answer came");
    else if (looks_up(transfer))
        describe_look_up(transfer, proxied, " before the deadline", ret);
    else
        say(ret, "the deadline passed before anything was sent");
}

void failure_describe(const struct http_transfer *transfer, CURLcode code, struct http_result *ret)
{
    if (transfer->fault.code != OS_OK) {
        ret->code = transfer->fault.code;
        memcpy(ret->message, transfer->fault.message, sizeof(ret->message));
        return;
    }
    long os_errno = 0;
    (void)curl_easy_getinfo(transfer->easy, CURLINFO_OS_ERRNO, &os_errno);
    const char *host = transfer->start.request->host;
    const char *words = words_of(transfer, code);
    ret->code = code_of(transfer, code, os_errno);
    ret->message[0] = '\0';
    if (code == CURLE_OK)
        return;
    if (ret->code == OS_ERR_TLS) {
        describe_tls(transfer, words, code, ret);
    } else if (code == CURLE_COULDNT_RESOLVE_HOST || code == CURLE_COULDNT_RESOLVE_PROXY) {
        describe_look_up(transfer, code == CURLE_COULDNT_RESOLVE_PROXY, "", ret);
    } else if (code == CURLE_COULDNT_CONNECT) {
        describe_connect(transfer, os_errno, ret);
    } else if (code == CURLE_OPERATION_TIMEDOUT) { /* the only timeout that libcurl keeps for us */
        say(ret, "could not connect to %s within %llu ms", host,
            (unsigned long long)transfer->engine->connect_timeout_ms);
    } else if (code == CURLE_GOT_NOTHING) {
        say(ret, "%s closed the connection without an answer", host);
    } else if (over_a_line(transfer, code)) {
        say(ret, "a header line of the answer of %s is longer than libcurl takes, or memory is short", host);
    } else if (is_broken_chunk(transfer, code, os_errno)) {
        say(ret, "the answer of %s is cut or malformed in its chunks, or a trailer is longer than libcurl takes", host);
    } else if (code == CURLE_PARTIAL_FILE) {
        say(ret, "the answer of %s was cut short: %s", host, words);
    } else {
        say(ret, "%s: %s", host, words);
    }
}
