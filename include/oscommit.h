/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit: writes to an object store that happen exactly once, and only if nothing changed.
 *
 * CONVENTIONS
 *
 * Verdicts. Every guarded call (os_put_if_absent and its relatives) returns an os_verdict. It is the truth
 *   about the caller's own write, and each verdict asks for one thing:
 *     OS_COMMITTED     the write was applied under its expectation: go on.
 *     OS_CONFLICT      the expectation did not hold; the write was not applied and never will be:
 *                      read the object again, decide anew.
 *     OS_NOT_EXECUTED  nothing was applied and never will be, for the reason in os_error: mend it, call again.
 *     OS_UNKNOWN       the write may have been applied, or may still be: pass os_result.ticket to os_resolve,
 *                      here or in another process; until then delete nothing that the write could refer to.
 *   Plain calls (os_get, os_head, os_put ...) return an os_code; OS_OK is 0.
 *
 * Ownership. What a call gets is borrowed until the call returns. What it gives through `T **ret` belongs to
 *   the caller, who frees it with the function that the docstring names. A returned `const` pointer is
 *   borrowed, and lives as long as what it was asked of. Every *_free, *_close and *_clear accepts NULL.
 *
 * Outputs. Parameters named `ret_...` are set on success and untouched on failure, except os_result, which a
 *   guarded call always fills. `os_error *err` may be NULL; when it is given, it is always filled (code OS_OK
 *   when there is nothing to report).
 *
 * Strings are UTF-8 and end in NUL; a NULL string means "not given", and so does an empty one unless said
 *   otherwise. Lengths are bytes. Units stand in the names: _ms, _s.
 *
 * Structs that start with `size_t size` are versioned: set `size` to sizeof the struct (the OS_..._INIT
 *   macros do it) and leave the rest zero for the defaults. NULL for the whole struct means all defaults.
 *   Later releases append fields only; a larger struct whose unknown tail is not zero is refused with
 *   OS_ERR_ARGUMENT.
 *
 * Threads. An os_client and an os_cancel may be used from any number of threads at once. Each client has one
 *   I/O thread; callbacks run on it (or, for a local store and one with Signature V2, on a worker of the client) unless
 * the docstring says otherwise, and must not block for long. A call from one of those on the same client would wait for
 *   itself: it is refused at once with OS_ERR_ARGUMENT (os_cancel_trigger is fine, and so are other clients). From a
 *   callback that runs on the calling thread the client may be called. os_client_close from any callback of the client
 *   does nothing.
 *
 * fork(). A client does not survive it: open it in the process that uses it. In a child that was forked beside one,
 *   its calls are refused with OS_ERR_ARGUMENT and os_client_close does nothing; the child keeps nothing locked. A
 *   child that was forked while an embedded store or ledger was open opens none at all, until it calls exec:
 *   os_client_open and os_init return OS_ERR_ARGUMENT. SQLite would take its parent's locks for its own, and exclude
 *   nobody ("How To Corrupt An SQLite Database File", 2.6).
 *
 * Keys. An object key is 1 to 1,024 bytes of UTF-8 without NUL (the limit of S3, "Naming Amazon S3 objects"),
 *   relative to the prefix of the store URL. A key that starts with '/', or has a '.' or '..' segment, an empty
 *   one, or one that is ".oscommit" in any case, is refused by the embedded store, where keys are file names, and
 *   sent verbatim to any other.
 *
 * ETags are the store's, with their double quotes. A caller may leave the quotes out; a weak one (W/"...") is
 *   refused, because it does not name bytes.
 *
 * Rule ids such as R6 or T3 refer to docs/rules.md, which is installed below share/doc/oscommit.
 */
#ifndef OSCOMMIT_H
#define OSCOMMIT_H

#include <stddef.h>
#include <stdint.h>

/* What the OS_..._INIT macros are: every member zero but `size`. C++ has no such initialiser before C++20, and warns of
 * the members that are not named. */
#ifdef __cplusplus
template <typename T> inline T os_sized_()
{
    T sized = T();
    sized.size = sizeof(T);
    return sized;
}
#define OS_SIZED_(type) os_sized_<type>()
extern "C" {
#else
#define OS_SIZED_(type)      \
    {                        \
        .size = sizeof(type) \
    }
#endif

#if defined(OSCOMMIT_BUILDING) && defined(__GNUC__)
#define OS_API __attribute__((visibility("default")))
#else
#define OS_API
#endif

/* ------------------------------------------------------------------------------------------------ version */

#define OS_VERSION_MAJOR 0
#define OS_VERSION_MINOR 1
#define OS_VERSION_PATCH 0

/* The version of the library that is linked, "0.1.0". Never fails, never blocks. */
OS_API const char *os_version(void);

/* ------------------------------------------------------------------------------------- verdicts and errors */

/* What became of a guarded write. Zero is no verdict, so a struct that was never filled says nothing. */
typedef enum os_verdict { OS_COMMITTED = 1, OS_CONFLICT = 2, OS_NOT_EXECUTED = 3, OS_UNKNOWN = 4 } os_verdict;

/* "committed", "conflict", "not executed" or "unknown". */
OS_API const char *os_verdict_name(os_verdict verdict);

/* The one list of error codes: X(symbol, value, short text). Values never change. */
#define OS_CODE_LIST(X)                                         \
    X(OK, 0, "no error")                                        \
    X(ERR_ARGUMENT, 1, "bad argument")                          \
    X(ERR_CONFIG, 2, "bad configuration")                       \
    X(ERR_NO_MEMORY, 3, "out of memory")                        \
    X(ERR_CREDENTIALS, 4, "no usable credentials")              \
    X(ERR_DENIED, 5, "access denied")                           \
    X(ERR_NOT_FOUND, 6, "no such object")                       \
    X(ERR_NO_BUCKET, 7, "no such bucket")                       \
    X(ERR_NO_TABLE, 8, "no such table")                         \
    X(ERR_TABLE, 9, "table unfit for records")                  \
    X(ERR_REGION, 10, "wrong region")                           \
    X(ERR_CONFLICT, 11, "expectation did not hold")             \
    X(ERR_SOURCE, 12, "copy source missing or changed")         \
    X(ERR_TOO_LARGE, 13, "too large")                           \
    X(ERR_BODY, 14, "body changed while it was sent")           \
    X(ERR_THROTTLED, 15, "throttled")                           \
    X(ERR_DEADLINE, 16, "deadline passed")                      \
    X(ERR_CANCELLED, 17, "cancelled")                           \
    X(ERR_EXPIRED, 18, "attempt expired before it was applied") \
    X(ERR_BUSY, 19, "another writer holds the record")          \
    X(ERR_NETWORK, 20, "network failure")                       \
    X(ERR_TLS, 21, "TLS failure")                               \
    X(ERR_PROTOCOL, 22, "unreadable answer")                    \
    X(ERR_SERVICE, 23, "service error")                         \
    X(ERR_REFUSED, 24, "request refused by the service")        \
    X(ERR_IO, 25, "local input/output error")                   \
    X(ERR_NO_SPACE, 26, "no space left")                        \
    X(ERR_UNSUPPORTED, 27, "not supported")                     \
    X(ERR_UNDECIDED, 28, "outcome not known")                   \
    X(ERR_STOPPED, 29, "stopped by a callback")

typedef enum os_code {
#define OS_CODE_ENUM_(symbol, value, text) OS_##symbol = value,
    OS_CODE_LIST(OS_CODE_ENUM_)
#undef OS_CODE_ENUM_
} os_code;

/* "OS_ERR_DENIED"; for a value that is no code, "OS_ERR_?". */
OS_API const char *os_code_name(os_code code);
/* "access denied"; for a value that is no code, "unknown code". */
OS_API const char *os_code_text(os_code code);

/* Details of a failure, owned by the caller; no call to free it. `message` is a whole sentence for a person:
 * what failed, on which object, what the service said, what to do. It never contains a secret, nor a character that a
 * terminal must not get (os_escape_text). */
typedef struct os_error {
    os_code code;
    int http_status;       /* 0: no answer was involved */
    char service_code[64]; /* "AccessDenied", "ResourceNotFoundException"; empty if none */
    char request_id[128];  /* what the service's support asks for; empty if none */
    char message[1024];
} os_error;

/* What keeps other writers out (docs/rules.md, M1). */
typedef enum os_guard {
    OS_GUARD_AUTO = 0,   /* per operation: native where the store's profile proves it, and all that can meet it, safe;
                            else the record */
    OS_GUARD_RECORD = 1, /* the record in the ledger */
    OS_GUARD_NATIVE = 2, /* the store's own condition, no record; refused where the profile does not prove it safe */
    OS_GUARD_BOTH = 3    /* record and condition: while a fleet moves from one to the other, or is mixed */
} os_guard;

/* Copies `length` bytes of `text` into `ret` (at least 16 bytes), as they may be shown to a person: control characters
 * (C0, DEL, C1), characters that turn the direction of writing or that nobody sees, line separators, and bytes that are
 * not UTF-8 become "\x1b", "\u202e", "\U000e0041"; a backslash stays as it is. Messages and log lines of this library
 * are so already; keys, ETags, content types and whatever else a store gave are not: they are exact. Gives how many
 * bytes of `text` fitted: to show the rest, call again behind them. Never fails, never blocks. */
OS_API size_t os_escape_text(const char *text, size_t length, char *ret, size_t ret_size);

/* ----------------------------------------------------------------------------------------------- log, metrics */

typedef enum os_log_level { OS_LOG_ERROR = 1, OS_LOG_WARN = 2, OS_LOG_INFO = 3, OS_LOG_DEBUG = 4 } os_log_level;

/* One line without a line end, without secrets, safe for a terminal (os_escape_text). Runs on the I/O thread or on a
 * calling thread, one at a time per client. */
typedef void (*os_log_fn)(void *context, os_log_level level, const char *line);

typedef enum os_metric_kind {
    OS_METRIC_REQUEST = 1, /* one request to the store or to the ledger has ended */
    OS_METRIC_GUARDED = 2  /* one guarded call has ended */
} os_metric_kind;

/* Borrowed for the duration of the callback. */
typedef struct os_metric {
    size_t size;
    os_metric_kind kind;
    const char *operation; /* "HEAD", "PutItem", "put_if_absent" ... static strings */
    uint64_t duration_us;
    int http_status;    /* REQUEST: 0 when no answer came */
    os_verdict verdict; /* GUARDED */
    uint32_t guards;    /* GUARDED: how many guards were run */
    uint32_t requests;  /* GUARDED: how many requests were made */
    os_guard guard;     /* GUARDED: as in os_result */
    const char *request;
} os_metric;
typedef void (*os_metric_fn)(void *context, const os_metric *metric);

/* ----------------------------------------------------------------------------------------------- credentials */

/* What a credentials callback gives. Strings are copied before the callback is called again. */
typedef struct os_credentials {
    size_t size;
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token; /* NULL for long-lived keys */
    int64_t expires_s; /* epoch seconds; 0: they do not expire. Asked again 5 minutes before, and on ExpiredToken */
} os_credentials;

/* Fills *ret and returns 0, or returns non-zero when there are none. Runs on the I/O thread. */
typedef int (*os_credentials_fn)(void *context, os_credentials *ret);

/* ---------------------------------------------------------------------------------------------------- client */

typedef struct os_client os_client;

typedef enum os_release { OS_RELEASE_ON_FAILURE = 0, OS_RELEASE_ALWAYS = 1 } os_release; /* R9 */
typedef enum os_toggle { OS_AUTO = 0, OS_ON = 1, OS_OFF = 2 } os_toggle;
typedef enum os_addressing { OS_ADDRESSING_AUTO = 0, OS_ADDRESSING_PATH = 1, OS_ADDRESSING_VIRTUAL = 2 } os_addressing;
typedef enum os_signature { OS_SIGNATURE_V4 = 0, OS_SIGNATURE_V2 = 1 } os_signature;

/* Everything that a client can be told. All strings are copied by os_client_open. */
typedef struct os_options {
    size_t size;

    /* Where the objects are: "s3://bucket[/prefix]" or "file:///root" (made by os_init or `oscommit init`). Required.
     */
    const char *store_url;
    /* Where the records are: "dynamodb://TABLE", "dynamo:TABLE[:TIMEOUT_MS]" (object_store's spelling) or
     * "sqlite:///FILE". Default: for file:// the ledger below the root; for s3:// none. On AWS's own endpoints general-
     * purpose buckets need none; elsewhere a guarded call without it is refused, but for what `store_profile` proves.
     */
    const char *ledger_url;

    /* Services. An endpoint is "http[s]://host[:port]"; default: AWS's own for the region. Default region:
     * AWS_REGION, AWS_DEFAULT_REGION, the profile's, else us-east-1. The DynamoDB region defaults to the S3 one. */
    const char *s3_endpoint;
    const char *s3_region;
    os_addressing s3_addressing; /* AUTO: virtual-host on AWS for names without a dot, path style elsewhere */
    os_signature signature;      /* V2: by the module liboscommit-sigv2, which is loaded for it, and not by the static
                                    library;      has no fence (E7) */
    const char *dynamodb_endpoint;
    const char *dynamodb_region;
    const char *ca_file; /* PEM bundle instead of the system's */

    /* Credentials, the first that is given: callback, static keys, then (no_environment not set) a profile that
     * is named here, AWS_ACCESS_KEY_ID and so on, AWS_PROFILE or the default profile of the files. The DynamoDB ones
     * default to the S3 ones. */
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token;
    const char *profile; /* default AWS_PROFILE, then "default" */
    os_credentials_fn credentials;
    void *credentials_context;
    const char *dynamodb_access_key_id;
    const char *dynamodb_secret_access_key;
    const char *dynamodb_session_token;
    const char *dynamodb_profile;
    os_credentials_fn dynamodb_credentials;
    void *dynamodb_credentials_context;
    int no_environment; /* non-zero: read no AWS_* variable and no profile file */

    /* The protocol (docs/rules.md, F1); zero means the default in brackets. Settings that break T5 or T6 are
     * refused. */
    uint64_t timeout_ms;          /* lease written into a record [20,000] */
    uint32_t max_clock_skew_rate; /* [3], at least 2 */
    uint64_t ttl_s;               /* [3,600], at least 600 and at least 10 x timeout x rate */
    uint32_t length_s;            /* validity of an attempt's signature [5]; keep it above margin_s + 1 */
    uint32_t allowance_s;         /* how long the store may take over a request that it has whole [by operation,
                                     docs/configuration.md] */
    uint32_t margin_s;            /* clock spread of the store's front ends [2] */
    uint64_t recheck_after_ms;    /* R5 [5,000] */
    os_release release;           /* [ON_FAILURE] */
    os_toggle fences;             /* E7 [AUTO: found out before the first guarded call] */
    os_toggle
        condition_headers;     /* R7 [AUTO: off without a profile]. ON: If-None-Match / If-Match go with the attempt */
    const char *record_prefix; /* T4 [none]: put before each key in the records; the whole fleet must agree */
    int check_table;           /* non-zero: os_client_open checks the table (E3), and fails if it is unfit */

    /* Network. */
    uint64_t connect_timeout_ms; /* [5,000] */
    uint64_t request_timeout_ms; /* one request that is not a guarded attempt: time without progress [10,000]. One to
                                    the ledger that is not answered within 2 s is sent again before, once */
    uint32_t
        max_connections; /* per host [64]; of several an eighth, but at least one, is kept for guarded calls: downloads,
                            plain writes and copies, and the parts of uploads wait where they take the others */
    const char *user_agent; /* added in front of "oscommit/VERSION" */

    os_log_fn log;
    void *log_context;
    os_log_level log_level; /* [OS_LOG_WARN] */
    os_metric_fn metric;
    void *metric_context;

    /* Stores and sizes. */
    os_guard guard;            /* [AUTO; with a ledger, where "aws" is the default below, BOTH] */
    const char *store_profile; /* what the store can do: the file that os_store_probe's answer was written to (a path
                                  with a '/' or ending in ".json"), or the name of a shipped one ("aws") [none; at
                                  AWS's own endpoint, for a general-purpose bucket, "aws"] */
    uint64_t stage_above; /* bodies over this many bytes go in parts (R15) [8 MiB; what arrives at once where conditions
                             are not honoured] */
    uint64_t part_size;   /* bytes of a part, 5 MiB to 5 GiB; grows where 10,000 would not do [16 MiB; copies 512
                             MiB] */
    uint32_t parts_at_once; /* parts under way of one call [4]: a call holds at most parts_at_once + 1 parts in
                               memory, none for a body in memory and for a copy */

    /* How slowly a guarded write may arrive (docs/rules.md, F2). A request that fits into one segment (over
     * TLS into 16 KiB) is not concerned. */
    uint64_t minimum_rate;   /* bytes per second [262,144], at least 1,024: a body that is slower is given up, and its
                                call tries again with more time. A lower one makes a dead writer block others longer */
    uint32_t stalled_body_s; /* how long the store waits for the rest of a body [as the profile says, else 65].
                                UINT32_MAX: for ever; then such bodies go in parts, or carry no fence */
    uint32_t late_segment_s; /* how long the last segment may take to arrive, round trip included [1] */
} os_options;
#define OS_OPTIONS_INIT OS_SIZED_(os_options)

/* Fills what is zero in `options` from the variables OSCOMMIT_STORE, OSCOMMIT_LEDGER, OSCOMMIT_REGION and so on: those
 * of the tool (docs/configuration.md), but for OSCOMMIT_DEADLINE_MS, which belongs to a call. What the caller has set
 * counts more. Call it before os_client_open, and after OS_OPTIONS_INIT. The strings are borrowed from the environment:
 * change it only after os_client_open, which copies them. Reads no AWS_* variable: os_client_open does, unless
 * no_environment is set. Sends nothing, does not block.
 *   OS_OK            also when no variable is set
 *   OS_ERR_CONFIG    a variable has a value that the option cannot have: the message names it; `options` is as it was
 *   OS_ERR_ARGUMENT  `options` is NULL, or its size is wrong */
OS_API os_code os_options_from_environment(os_options *options, os_error *err);

/* Opens a client: checks every option, starts the I/O thread, resolves credentials lazily.
 * Sends nothing unless check_table is set. Returns OS_OK and a client that os_client_close frees, or
 *   OS_ERR_CONFIG       an option or URL is wrong: the message names it
 *   OS_ERR_NO_TABLE, OS_ERR_TABLE, OS_ERR_DENIED ...   only with check_table
 *   OS_ERR_UNSUPPORTED  signature v2 without the module liboscommit-sigv2, or by the static library
 *   OS_ERR_IO           the embedded root or ledger cannot be opened
 * Blocks only with check_table or a local store. */
OS_API os_code os_client_open(const os_options *options, os_client **ret, os_error *err);

/* Cancels every running call and waits until all have returned, waits up to 5 s for releases in flight, frees the
 * client. From one of its callbacks, or within one of its calls, it does nothing: close it when they have returned.
 * NULL is fine. */
OS_API void os_client_close(os_client *client);

/* Makes an embedded store: the folder (mode 0700 if it is new) and its ledger below ROOT/.oscommit. Doing it twice is
 * fine. OS_ERR_CONFIG, and nothing is made, for a folder inside a store or with a store inside it (two ledgers over the
 * same files would both grant), and on a file system that takes two names for one; name another folder. Blocks. */
OS_API os_code os_init(const char *root, os_error *err);

/* ------------------------------------------------------------------------------------------------------ calls */

/* A token that ends calls early. One token may serve many calls; once cancelled it stays so. */
typedef struct os_cancel os_cancel;
/* A token that is not cancelled; os_cancel_free frees it. OS_OK or OS_ERR_NO_MEMORY. */
OS_API os_code os_cancel_new(os_cancel **ret);
OS_API void os_cancel_trigger(os_cancel *cancel); /* from any thread; not from a signal handler */
OS_API void os_cancel_free(os_cancel *cancel);    /* after the calls that use it have returned */

/* Progress of a body. Runs on the I/O thread, at most ten times a second and once at the end. `total_bytes` is 0 as
 * long as it is not known: of a stream, until its end. */
typedef void (*os_progress_fn)(void *context, uint64_t done_bytes, uint64_t total_bytes);

/* How long a call may take, and how it is ended. NULL: defaults. */
typedef struct os_call {
    size_t size;
    uint64_t deadline_ms; /* from the start of the call [120,000]. A guarded call that ends here is NOT_EXECUTED or
                             UNKNOWN. An embedded store's flush to disk (fsync), once begun, is waited for, after a
                             cancellation too: of gigabytes it can take seconds, in which the client's other calls
                             wait as well */
    os_cancel *cancel;
    os_progress_fn progress;
    void *progress_context;
} os_call;
#define OS_CALL_INIT OS_SIZED_(os_call)

/* Gives the next bytes of a body: how many were put into `ret_data` (at most `size`), 0 at its end, less than 0 when it
 * cannot be read. Runs on the thread that made the call, and may block. */
typedef int64_t (*os_read_fn)(void *context, void *ret_data, size_t size);

/* What to write. Exactly one source. A file is read while it is sent; one that grows or shrinks meanwhile is
 * OS_ERR_BODY, or OS_ERR_UNDECIDED when a part had been sent by then (some stores keep it). */
typedef struct os_body {
    size_t size;
    const void *data; /* memory; may be NULL when length is 0 */
    uint64_t length;
    const char *file; /* path; then data and length are ignored */
    os_read_fn read;  /* a stream of unknown length, such as a pipe; then the others are ignored. While it blocks, the
                         call hears neither its deadline nor its cancellation */
    void *read_context;
} os_body;
#ifdef __cplusplus
#define OS_BODY_MEMORY(pointer, bytes) os_body_(pointer, bytes, nullptr)
#define OS_BODY_FILE(path)             os_body_(nullptr, 0, path)
#else
#define OS_BODY_MEMORY(pointer, bytes)                                \
    {                                                                 \
        .size = sizeof(os_body), .data = (pointer), .length = (bytes) \
    }
#define OS_BODY_FILE(path)                      \
    {                                           \
        .size = sizeof(os_body), .file = (path) \
    }
#endif

typedef struct os_metadata {
    const char *name; /* without "x-amz-meta-"; lower case; "oscommit-nonce" is reserved */
    const char *value;
} os_metadata;

/* What is stored with an object. Tags, storage class and encryption are the store's: one that has none of the kind
 * refuses the write (ERR_UNSUPPORTED: the embedded store, signature v2) or says nothing, as some do. */
typedef struct os_put_options {
    size_t size;
    const char *content_type;
    const char *content_encoding;
    const char *content_language;
    const char *content_disposition;
    const char *cache_control;
    const os_metadata *metadata;
    size_t metadata_count;
    const os_metadata *tags; /* at most 10, each name once: 1 to 128 characters, values up to 256 */
    size_t tag_count;
    const char *storage_class; /* "STANDARD_IA"; default: the bucket's */
    const char *encryption;    /* "AES256", "aws:kms", "aws:kms:dsse"; default: the bucket's */
    const char *kms_key_id;    /* with one of the latter two */
} os_put_options;
#define OS_PUT_OPTIONS_INIT OS_SIZED_(os_put_options)

typedef struct os_copy_options {
    size_t size;
    const char *source_etag;       /* copy only this version; default: the one found by the first HEAD */
    const char *source_version_id; /* copy this one, current or not [the current one]. Then source and key may be the
                                      same: the old version is written again. Not for a rename */
} os_copy_options;
#define OS_COPY_OPTIONS_INIT OS_SIZED_(os_copy_options)

/* How a guarded call went. Filled by every guarded call, whatever its verdict; os_result_clear frees what it holds. */
typedef struct os_result {
    size_t size;
    char etag[128]; /* COMMITTED: of the new object, with quotes; empty after a delete or if the store did not say */
    char version_id[256]; /* COMMITTED, on a versioned bucket: of the new object; after a delete, of its marker */
    uint64_t generation;  /* of our last record */
    uint32_t guards;      /* guards run */
    uint32_t attempts;    /* attempts sent */
    uint32_t requests;    /* requests made to store and ledger */
    uint64_t waited_ms;   /* time spent waiting for other writers' records */
    uint64_t duration_ms;
    int took_over;        /* non-zero: the record of another writer was taken over */
    int fenced;           /* non-zero: the record carried a fence (E7) */
    char found_etag[128]; /* CONFLICT: what stands there instead; empty if nothing does */
    char found_version_id[256];
    char rule[8];     /* which rule or row of R13 gave the verdict, "R9", "R1", "R13.E" ... */
    char *ticket;     /* UNKNOWN: for os_resolve; one line of JSON, no secrets. Else NULL */
    os_guard guard;   /* what kept others out: RECORD, NATIVE or BOTH; AUTO: nothing was sent */
    char request[32]; /* the request that wrote or would have: "PutObject", "CopyObject", "CompleteMultipartUpload" ...
                       */
    int final; /* non-zero: nothing will change this verdict. Of an UNKNOWN: no evidence is left that could decide,
                  asking again will not help; compare the object with what was written */
    uint64_t ask_again_ms; /* UNKNOWN that is not final: after so long it makes sense to resolve the ticket (os_settle
                              does the waiting). 0: not before what os_error says is mended */
} os_result;
#define OS_RESULT_INIT OS_SIZED_(os_result)

/* Frees what the result holds (its ticket) and empties it for the next call. NULL is fine. */
OS_API void os_result_clear(os_result *result);

/* -------------------------------------------------------------------------------------------- guarded writes
 *
 * All of these block until the verdict or the deadline. `options`, `call`, `ret` and `err` may be NULL, but a
 * caller that passes NULL for `ret` throws away the ticket of an UNKNOWN. Errors that come with OS_NOT_EXECUTED:
 *   ERR_ARGUMENT, ERR_CONFIG, ERR_CREDENTIALS, ERR_DENIED, ERR_NO_BUCKET, ERR_NO_TABLE, ERR_REGION, ERR_REFUSED:
 *     nothing will help but mending the cause
 *   ERR_SOURCE, ERR_TOO_LARGE, ERR_BODY: the source or body is at fault
 *   ERR_DEADLINE, ERR_CANCELLED, ERR_BUSY, ERR_THROTTLED, ERR_EXPIRED, ERR_NETWORK, ERR_TLS, ERR_SERVICE, ERR_PROTOCOL:
 *     may be called again as it is
 * OS_CONFLICT comes with ERR_CONFLICT, OS_UNKNOWN with ERR_UNDECIDED. On a bucket with versioning an ambiguous write
 * that would end UNKNOWN for want of evidence is looked for in the list of versions (R16), for which the client needs
 * s3:ListBucketVersions, s3:GetObjectVersion and s3:GetBucketVersioning; without them it stays UNKNOWN. */

/* Creates `key` if nothing is there. A body over stage_above, and a stream that goes on beyond it, is sent in parts
 * first, and only what joins them is guarded (R15): the call then holds up to (parts_at_once + 1) x part_size bytes of
 * a file or stream in memory, and an upload that came to nothing is aborted before it returns, for which it may take
 * three seconds longer than its deadline, and four where what joins its parts is in doubt. Where the parts would have
 * to be sent again (ERR_EXPIRED) a stream cannot. */
OS_API os_verdict os_put_if_absent(os_client *client, const char *key, const os_body *body,
                                   const os_put_options *options, const os_call *call, os_result *ret, os_error *err);

/* Replaces `key` if it is still the version whose ETag is `etag`. An absent key is a CONFLICT. */
OS_API os_verdict os_put_if_match(os_client *client, const char *key, const char *etag, const os_body *body,
                                  const os_put_options *options, const os_call *call, os_result *ret, os_error *err);

/* Copies `source` to `key` inside the store if nothing is there. The source's metadata, content headers and tags go
 * along. A missing source is NOT_EXECUTED with ERR_SOURCE. A source over 5 GiB (CopyObject's limit), or beyond
 * stage_above, is copied in parts, up to 5 TiB; where the store takes no parts it is refused with ERR_TOO_LARGE. */
OS_API os_verdict os_copy_if_not_exists(os_client *client, const char *source, const char *key,
                                        const os_copy_options *options, const os_call *call, os_result *ret,
                                        os_error *err);

/* The same, replacing the version of `key` whose ETag is `etag`. */
OS_API os_verdict os_copy_if_match(os_client *client, const char *source, const char *key, const char *etag,
                                   const os_copy_options *options, const os_call *call, os_result *ret, os_error *err);

/* A guarded copy, then a guarded delete of exactly the source version that was copied. The verdict is the copy's. If
 * the process dies, or the delete fails (COMMITTED with err filled), source and target are both there; never neither.
 * Where the profile proves it, one RenameObject does both, which is sent once: UNKNOWN then has no ticket, as the
 * object keeps its metadata and carries no nonce; look where the object is. */
OS_API os_verdict os_rename_if_not_exists(os_client *client, const char *source, const char *key,
                                          const os_copy_options *options, const os_call *call, os_result *ret,
                                          os_error *err);

/* Deletes `key` if it is still the version whose ETag is `etag`. An absent key is a CONFLICT. On a store without
 * conditional DELETE an ambiguous answer can end UNKNOWN for good, because a deleted object carries no evidence (R13).
 */
OS_API os_verdict os_delete_if_match(os_client *client, const char *key, const char *etag, const os_call *call,
                                     os_result *ret, os_error *err);

/* Settles an UNKNOWN from its ticket, in any process that is configured for the same store and ledger; on a bucket with
 * versioning also from the list of versions (R16), best within 20 hours. Asks until the evidence decides, or the
 * deadline. Blocks. UNKNOWN again: see ret->final and ret->ask_again_ms. ERR_ARGUMENT: the ticket does not parse, is of
 * another store, ledger, prefix or key, or contradicts the stored record; nothing was written, and it stays UNKNOWN.
 *
 * Makes no attempt. It may write two things, and both only of an attempt that is dead by the record as it is *stored*,
 * when that is the ticket's in every attribute (R17): the release of that record (T3), and the abort of the upload that
 * it names, for which it may take four seconds longer than its deadline. So a ticket from a stranger can tell its
 * reader a false verdict about the write that it describes, and harms nobody else's. */
OS_API os_verdict os_resolve(os_client *client, const char *ticket, const os_call *call, os_result *ret, os_error *err);

typedef struct os_resolve_options {
    size_t size;
    const char *key;  /* the ticket must be of this key [any of the store] */
    int same_store;   /* non-zero: another endpoint, or root, in the ticket is another name of this client's store and
                         ledger; bucket, prefix, region, table and record_prefix must be the same all the same */
    int abort_upload; /* non-zero: the ticket is the caller's own, and its upload may be aborted although no record says
                         whose it is: that of a native write has none, and others' are gone after their ttl. Without,
                         such a write in parts stays UNKNOWN while its upload is open */
    int give_up;      /* non-zero: os_settle returns, as os_resolve does, when store or ledger have not answered for ten
                         seconds, or request_timeout_ms where that is longer. UNKNOWN, not final: keep the ticket */
} os_resolve_options;
#define OS_RESOLVE_OPTIONS_INIT OS_SIZED_(os_resolve_options)

/* As os_resolve, and goes on until the verdict is final or the deadline has passed [120 s], also where os_resolve would
 * give up (but see options->give_up); what did not answer then stands in *err. It looks more and more rarely, up to
 * once a minute, and when the fence has passed: give it hours. Returns early where waiting would not help (ret->final,
 * or ret->ask_again_ms is 0). `options` may be NULL. Blocks. */
OS_API os_verdict os_settle(os_client *client, const char *ticket, const os_resolve_options *options,
                            const os_call *call, os_result *ret, os_error *err);

/* ---------------------------------------------------------------------------------------------- plain object calls
 *
 * Not guarded: writes here race with everything, and must not be used on keys that guarded writers share (E4). */

typedef struct os_object {
    size_t size;
    char etag[128];
    char version_id[256];
    uint64_t length;
    int64_t last_modified_s; /* epoch seconds */
    char content_type[256];
    char nonce[65];       /* of the guarded write that made it; empty if none */
    const char *key;      /* os_list: borrowed for the callback; else NULL */
    int is_latest;        /* os_list with versions: it is what is read without a version id */
    int is_delete_marker; /* os_list with versions: no object, but that there was none from then on */
} os_object;
#define OS_OBJECT_INIT OS_SIZED_(os_object)

/* OS_OK, OS_ERR_NOT_FOUND, OS_ERR_DENIED (also what S3 says of an absent key when s3:ListBucket is missing) ... Blocks.
 */
OS_API os_code os_head(os_client *client, const char *key, const os_call *call, os_object *ret, os_error *err);

/* The same of one version of a versioned bucket, current or not; an empty `version_id` is the current one. A version
 * that is a delete marker is OS_ERR_NOT_FOUND, as is one that is not there. OS_ERR_UNSUPPORTED from the embedded store
 * and over signature V2, which know only the current one. Blocks. */
OS_API os_code os_head_version(os_client *client, const char *key, const char *version_id, const os_call *call,
                               os_object *ret, os_error *err);

/* Receives a piece of the object; returns 0 to go on. Anything else ends the call with OS_ERR_STOPPED. On the I/O
 * thread. */
typedef int (*os_sink_fn)(void *context, const void *data, size_t length);

/* Where os_get puts the bytes: exactly one of the three. */
typedef struct os_sink {
    size_t size;
    void **ret_data; /* a malloc'ed block with a NUL behind it, freed with os_free; at most max_length */
    size_t *ret_length;
    uint64_t max_length; /* of ret_data [64 MiB]; more is ERR_TOO_LARGE */
    const char *file;    /* a regular file is written beside it and renamed when complete, with the mode of the one
                            that it replaces; through a symbolic link, which stays. Written to in place: a device, a
                            FIFO (its first reader is waited for; a slow one holds up this client's other calls), and an
                            open    file by its name in /proc or /dev/fd. A link to nothing and a folder are refused */
    os_sink_fn write;
    void *write_context;
    uint64_t offset;        /* first byte wanted */
    uint64_t count;         /* how many [0: to the end] */
    const char *version_id; /* which version [the current one]; as os_head_version */
} os_sink;
#define OS_SINK_INIT OS_SIZED_(os_sink)

/* Reads the object, or the bytes of it that `sink` wants. OS_OK when all of them have arrived, and are those: the range
 * and the length of the answer are looked at, and of a whole object the sum that the store keeps of it, where it keeps
 * one. OS_ERR_PROTOCOL when the answer has other bytes, or does not say where they end. After any code but OS_OK what
 * the sink got is not the whole: `ret_data` is untouched, and so is the file unless it is one that is written to in
 * place. `ret` may be NULL. Blocks. */
OS_API os_code os_get(os_client *client, const char *key, const os_sink *sink, const os_call *call, os_object *ret,
                      os_error *err);

/* Frees a block that a call gave. NULL is fine. */
OS_API void os_free(void *data);

/* An unconditional write. OS_OK only on a definite success; OS_ERR_UNDECIDED when it may have been applied,
 * or may still be (no answer, a 5xx, the deadline); after any other error it was not applied. A stream that goes on
 * beyond stage_above, and more than 5 GiB, goes in parts, as in os_put_if_absent. Blocks. */
OS_API os_code os_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                      const os_call *call, os_object *ret, os_error *err);

/* An unconditional delete, with the codes of os_put; OS_OK also when nothing is there. Blocks. */
OS_API os_code os_delete(os_client *client, const char *key, const os_call *call, os_error *err);

typedef struct os_list_options {
    size_t size;
    const char *prefix;
    const char *delimiter;   /* keys that share what comes before it are given once, with length 0 and an empty ETag */
    const char *start_after; /* only keys behind this one */
    uint64_t max_keys;       /* [0: all] */
    int versions; /* non-zero: every version and delete marker, those of a key newest first as far as the store's
                     seconds and order tell; max_keys counts them. Not with a delimiter. Without, deleted keys are not
                     given */
} os_list_options;
#define OS_LIST_OPTIONS_INIT OS_SIZED_(os_list_options)

/* Called on the calling thread, in key order (UTF-8 bytes); returns 0 to go on, else the call ends with OS_ERR_STOPPED.
 */
typedef int (*os_list_fn)(void *context, const os_object *object);

/* Gives every object whose key starts with `prefix`, page after page. OS_OK after the last one; an error may come
 * behind entries that were given already. Blocks. */
OS_API os_code os_list(os_client *client, const os_list_options *options, const os_call *call, os_list_fn each,
                       void *context, os_error *err);

/* ------------------------------------------------------------------------------------------------ table of records */

/* Creates the table (on-demand billing, keys `path` and `etag`, TTL on `ttl`) and waits until it is ACTIVE. OS_OK also
 * when a fit one exists. For sqlite: creates the file. Blocks. */
OS_API os_code os_table_create(os_client *client, const os_call *call, os_error *err);

/* E3: key schema, attribute types, TTL, ACTIVE, replication. OS_OK, OS_ERR_NO_TABLE, OS_ERR_TABLE (the message says
 * what and how to mend it). Blocks. */
OS_API os_code os_table_check(os_client *client, const os_call *call, os_error *err);

/* One record as it stands. */
typedef struct os_record {
    size_t size;
    const char *path; /* borrowed for the callback */
    const char *etag; /* "*" for a create */
    uint64_t generation;
    uint64_t timeout_ms; /* 0: released */
    int64_t ttl_s;
    int has_fence;
    int64_t fence_s;
    const char *nonce; /* empty: written by object_store */
    const char *saw;
    const char *other;      /* attributes that this release does not know, as JSON; "{}" if none */
    const char *upload;     /* id of the multipart upload that the holder completes; empty: none */
    const char *unreadable; /* empty: a record. Else why it is none, as a sentence: only path, etag and other (the whole
                               item) say anything then. No writer passes it; os_table_release with `force` mends it */
    const char *key;        /* the object's, as this client names it; NULL: the record is of no key of its store */
    int64_t since_s; /* when its holder signed, or when it was released, S3 time: the ttl less this client's settings,
                        and so as true as they are its writer's; 0: not to be told */
} os_record;
#define OS_RECORD_INIT OS_SIZED_(os_record)
typedef int (*os_record_fn)(void *context, const os_record *record);

/* Gives every record of `key`, or of the whole table when `key` is NULL; on the calling thread. Blocks. */
OS_API os_code os_table_list(os_client *client, const char *key, const os_call *call, os_record_fn each, void *context,
                             os_error *err);

/* Hands a stuck record over (T3): writes generation + 1 and timeout 0 on the condition that it is still the generation
 * that was seen; deletes nothing. `etag` is NULL or "*" for a create. Released already: OS_OK. Refused with OS_ERR_BUSY
 * while the holder's attempt may still be applied (it has a fence that has not passed, or none, or names an upload that
 * is open: R14), unless `force` is non-zero: then a holder that is still alive can write over whoever comes next. An
 * item that is no record (os_record.unreadable) is OS_ERR_PROTOCOL or OS_ERR_TABLE, and by force replaced by a released
 * record on the condition that it still is what was seen. OS_ERR_NOT_FOUND: no such record. Blocks. */
OS_API os_code os_table_release(os_client *client, const char *key, const char *etag, int force, const os_call *call,
                                os_error *err);

/* ------------------------------------------------------------------------------------------------ what was left behind
 */

typedef enum os_garbage_kind {
    OS_GARBAGE_UPLOAD = 1, /* a staged upload that nobody completed or aborted: its parts are stored, and paid for */
    OS_GARBAGE_RECORD = 2  /* a record whose ttl passed long ago, in a table without TTL */
} os_garbage_kind;

typedef enum os_garbage_fate {
    OS_GARBAGE_FOUND = 1,   /* a dry run: it would be removed */
    OS_GARBAGE_REMOVED = 2, /* also when somebody else was quicker */
    OS_GARBAGE_SPARED = 3,  /* old, but `reason` says why it may be needed */
    OS_GARBAGE_FAILED = 4   /* `reason` says why it could not be removed, or may have been */
} os_garbage_fate;

typedef struct os_garbage {
    size_t size;
    os_garbage_kind kind;
    os_garbage_fate fate;
    const char *key;    /* this and the others are borrowed for the callback */
    const char *etag;   /* RECORD: "*" for a create; else "" */
    const char *upload; /* UPLOAD: its id. RECORD: the id that it names, "" if none */
    int64_t since_s;    /* UPLOAD: when it was begun, S3 time; 0 if the store said nothing readable. RECORD: its ttl */
    const char *reason; /* a sentence, or "" */
} os_garbage;
/* Runs on the calling thread; returns 0 to go on, else the call ends with OS_ERR_STOPPED. */
typedef int (*os_garbage_fn)(void *context, const os_garbage *garbage);

typedef struct os_gc_options {
    size_t size;
    const char *prefix;    /* keys that start so [all of the store] */
    uint64_t older_than_s; /* uploads begun before so long, by the store's clock [86,400] */
    int remove;            /* non-zero: remove what is found. Else a dry run */
} os_gc_options;
#define OS_GC_OPTIONS_INIT OS_SIZED_(os_gc_options)

typedef enum os_gc_listing {
    OS_GC_LISTING_WHOLE = 1,    /* the store names the uploads of every key under a prefix */
    OS_GC_LISTING_UNPROVEN = 2, /* it named none of a longer key than the prefix. Some stores (MinIO) only ever name
                                   those of one whole key: then only the prefix itself, taken as a key, and keys whose
                                   record names an upload were looked at */
    OS_GC_LISTING_NONE = 3,     /* it was not asked: uploads are not known to signature V2 */
    OS_GC_LISTING_PARTIAL = 4   /* one key has more uploads than the store lists at once, and it did not go on: the rest
                                   is seen when those have been removed (versitygw, over 1,000) */
} os_gc_listing;

typedef struct os_gc_result {
    size_t size;
    uint64_t uploads; /* seen, of any age */
    uint64_t records; /* the same */
    uint64_t found;   /* in a dry run: what would be removed */
    uint64_t removed;
    uint64_t spared;
    uint64_t failed;
    int64_t date_s; /* the store's time by which all was judged */
    os_gc_listing listing;
} os_gc_result;
#define OS_GC_RESULT_INIT OS_SIZED_(os_gc_result)

/* Finds what writers that died have left: staged uploads begun more than `older_than_s` ago, whoever began them, and
 * records whose ttl passed more than a day ago (DynamoDB's TTL removes those by itself). Spared are an upload that a
 * record of its key names whose holder may still complete it (its fence + margin has not passed; without a fence: its
 * ttl), one of unknown age, and a record whose upload is open. Removes nothing unless options.remove is set: then an
 * upload is aborted by its id, and a record is deleted on the condition that generation, ttl and nonce are as seen. An
 * upload that is still being written to for longer than older_than_s is lost: its writer then gets OS_NOT_EXECUTED.
 *
 * OS_OK when everything was looked at: ret->failed counts what could not be removed. After any other code `each` may
 * have been told of some. Without a ledger only uploads are looked at. `options`, `call`, `each` and `ret` may be NULL;
 * `ret` is filled also on failure, as far as it went. Blocks. */
OS_API os_code os_gc(os_client *client, const os_gc_options *options, const os_call *call, os_garbage_fn each,
                     void *context, os_gc_result *ret, os_error *err);

/* ------------------------------------------------------------------------------------------------ probing a store */

/* A probe begins its question number `done` of `total`; `question` is a few words. On the calling thread. */
typedef void (*os_probe_fn)(void *context, const char *question, uint32_t done, uint32_t total);

/* A condition of a measured profile is proven by so many rounds of its race and more: a store that breaks in one round
 * of 25 passes 20 of them in nearly half of all probes, 50 in one of eight, 100 in one of sixty. */
#define OS_PROBE_PROOF_ROUNDS 50

typedef struct os_probe_options {
    size_t size;
    const char *name;    /* of the store, for the profile [what its answers say in `Server`] */
    const char *version; /* of the store [not known] */
    uint32_t writers;    /* at once in a race [32], 2 to 256, and not over max_connections */
    uint32_t rounds;     /* of each race [100], up to 10,000; OS_PROBE_PROOF_ROUNDS prove */
    int no_held_body;    /* non-zero: leave out the questions that take some 80 s: is the expiry looked at again when a
                            body ends, and does the store give a stalled one up? */
    os_probe_fn progress;
    void *progress_context;
} os_probe_options;
#define OS_PROBE_OPTIONS_INIT OS_SIZED_(os_probe_options)

/* Finds out what the store does with conditions, races, expired signatures, metadata and checksums (docs/stores.md).
 * Writes some thousand small objects below a scratch prefix of its own ("PREFIX.oscommit-probe-HEX/") and removes them,
 * and its uploads, also when it fails; on a bucket with versioning, versions and delete markers stay. Needs no ledger.
 * *ret_profile is JSON, for a file that os_options.store_profile names; freed with os_free. What could not be found
 * out, because answers were missing or disagreed, is "unknown" in it, which protects nobody and promises nothing.
 *   OS_ERR_UNSUPPORTED  an embedded store, or signature v2: there is nothing to find out
 *   OS_ERR_DENIED, OS_ERR_NO_BUCKET, OS_ERR_CREDENTIALS, OS_ERR_NETWORK ...   the first PUT did not succeed
 *   OS_ERR_DEADLINE     the default deadline is 1800 s here; OS_ERR_CANCELLED
 * Blocks: one to three minutes on a fast store, most of it races, whose time goes with `rounds`. */
OS_API os_code os_store_probe(os_client *client, const os_probe_options *options, const os_call *call,
                              char **ret_profile, os_error *err);

#ifdef __cplusplus
}
#endif

/* What OS_BODY_MEMORY and OS_BODY_FILE are in C++. */
#ifdef __cplusplus
inline os_body os_body_(const void *data, uint64_t length, const char *file)
{
    os_body body = OS_SIZED_(os_body);
    body.data = data;
    body.length = length;
    body.file = file;
    return body;
}
#endif
#endif
