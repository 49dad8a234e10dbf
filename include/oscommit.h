/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oscommit: writes to an object store that happen exactly once, and only if nothing changed.
 *
 * CONVENTIONS
 *
 * Verdicts. Every guarded call (os_put_if_absent and its relatives) returns an os_verdict. It is the truth about the
 *   caller's own write. Each verdict asks for one thing:
 *     OS_COMMITTED     The write was applied, and its expectation held. Go on.
 *     OS_CONFLICT      The expectation did not hold. The write was not applied and never will be.
 *                      Read the object again and decide anew.
 *     OS_NOT_EXECUTED  Nothing was applied and never will be. os_error gives the reason: remove it, call again.
 *     OS_UNKNOWN       The write may have been applied, or may still be. Pass os_result.ticket to os_resolve, here or
 *                      in another process. Until then delete nothing that the write could refer to.
 *   Plain calls (os_get, os_head, os_put ...) return an os_code. OS_OK is 0.
 *
 * Ownership. A call borrows its arguments until it returns. What it returns through `T **ret` belongs to the caller,
 *   who frees it with the function that the comment names. A returned `const` pointer is borrowed. It lives as long as
 *   the object that it was taken from. Every *_free, *_close and *_clear accepts NULL.
 *
 * Outputs. Parameters named `ret_...` are set on success and untouched on failure. An exception is os_result: a guarded
 *   call always fills it. `os_error *err` may be NULL. If it is not, it is always filled, with OS_OK if there is
 *   nothing to report.
 *
 * Strings are UTF-8 and end in NUL. NULL means "not given", and so does an empty string unless the comment says
 *   otherwise. Lengths are in bytes. Units stand in the names: _ms, _s.
 *
 * Structs that start with `size_t size` are versioned. Set `size` to sizeof the struct (the OS_..._INIT macros do it)
 *   and leave the other members zero for their defaults, which stand in [brackets] below. NULL for a whole struct means
 *   all defaults. Later releases only append members. A struct that is larger than this release knows is refused with
 *   OS_ERR_ARGUMENT if its unknown tail is not zero.
 *
 * Threads. Any number of threads may use one os_client or os_cancel at the same time. Each client has one I/O thread.
 *   Callbacks run on it unless their comment says otherwise; for a local store, and for Signature V2, they run on one
 *   of the client's workers. A callback must not block for long. Within such a callback, a call on the same client
 *   would wait for itself, so it is refused at once with OS_ERR_ARGUMENT. os_cancel_trigger is allowed there, and so
 *   are calls on other clients. Callbacks that run on the calling thread may call the client. os_client_close does
 *   nothing within any callback of its client.
 *
 * Without waiting. oscommit_async.h has a function for each call on objects. It starts the call and returns at once.
 *
 * fork(). A client works only in the process that opened it. In a forked child its calls are refused with
 *   OS_ERR_ARGUMENT, os_client_close does nothing, and no lock stays held. A child that was forked while an embedded
 *   store or ledger was open cannot open any until it calls exec: os_client_open and os_init return OS_ERR_ARGUMENT.
 *   SQLite would mistake its parent's locks for its own, and exclude nobody ("How To Corrupt An SQLite Database File",
 *   2.6).
 *
 * Keys. An object key is 1 to 1,024 bytes of UTF-8 without NUL (the limit of S3, "Naming Amazon S3 objects"). It is
 *   relative to the prefix of the store URL. In the embedded store keys are file names. There a key is refused if it
 *   starts with '/', or if a segment is empty, ".", ".." or, in any case, ".oscommit". Other stores get keys as
 *   they are.
 *
 * ETags are those of the store, with their double quotes. A caller may leave the quotes out. A weak ETag (W/"...") is
 *   refused, because it does not identify bytes.
 *
 * Embedded store: a store of plain files (file:///ROOT), with its records in SQLite.
 *
 * Rule ids such as R6 or T3 refer to docs/rules.md, which is installed below share/doc/oscommit.
 */
#ifndef OSCOMMIT_H
#define OSCOMMIT_H

#include <stddef.h>
#include <stdint.h>

/* The OS_..._INIT macros: every member zero but `size`. C++ has no such initialiser before C++20, and warns of the
 * members that are not named. */
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

/* Receives one thing that a report of a defect should say, such as "libcurl" and "7.88.1". Both are borrowed for the call. */
typedef void (*os_version_detail_fn)(void *context, const char *name, const char *value);

/* Tells `each`, on the calling thread, what the library was built with and what it runs with: "library", "compiler",
 * "build_type", "sanitizers", "libcurl", "libcurl_tls", "libcurl_zlib", "openssl", "sqlite", "expat", "jansson",
 * "certificates" (where authorities are taken from), "signature_v2" (the module, or why there is none). What is not there is
 * left out. A library that is not of the version of its header is told with both: "7.88.1 (built with 7.88.0)". For
 * people: names may be added, and values have no form. Sends nothing, never fails; looks for files. */
OS_API void os_version_details(os_version_detail_fn each, void *context);

/* ------------------------------------------------------------------------------------- verdicts and errors */

/* What became of a guarded write. 0 is not a valid verdict. */
typedef enum os_verdict { OS_COMMITTED = 1, OS_CONFLICT = 2, OS_NOT_EXECUTED = 3, OS_UNKNOWN = 4 } os_verdict;

/* The name of a verdict: "committed", "conflict", "not executed" or "unknown". */
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
    X(ERR_BUSY, 19, "a record of another write is in the way")  \
    X(ERR_NETWORK, 20, "network failure")                       \
    X(ERR_TLS, 21, "TLS failure")                               \
    X(ERR_PROTOCOL, 22, "unreadable answer")                    \
    X(ERR_SERVICE, 23, "service error")                         \
    X(ERR_REFUSED, 24, "request refused by the service")        \
    X(ERR_IO, 25, "local input/output error")                   \
    X(ERR_NO_SPACE, 26, "no space left")                        \
    X(ERR_UNSUPPORTED, 27, "not supported")                     \
    X(ERR_UNDECIDED, 28, "outcome not known")                   \
    X(ERR_STOPPED, 29, "stopped by a callback")                 \
    X(ERR_IN_FLIGHT, 30, "too many operations in flight")

/* What a call has to say: OS_OK (0), or why it failed. */
typedef enum os_code {
#define OS_CODE_ENUM_(symbol, value, text) OS_##symbol = value,
    OS_CODE_LIST(OS_CODE_ENUM_)
#undef OS_CODE_ENUM_
} os_code;

/* The name of a code: "OS_ERR_DENIED"; "OS_ERR_?" for a value that is not a code. */
OS_API const char *os_code_name(os_code code);
/* What a code means, in a few words: "access denied"; "unknown code" for a value that is not a code. */
OS_API const char *os_code_text(os_code code);

/* Details of a failure. The caller owns the struct; nothing in it needs to be freed. `message` is a whole sentence
 * for a person: what failed, on which object, what the service said, what to do. It contains no secret, and no
 * character that could command a terminal (os_escape_text). */
typedef struct os_error {
    os_code code;
    int http_status;       /* 0: there was no HTTP answer */
    char service_code[64]; /* "AccessDenied", "ResourceNotFoundException"; empty if none */
    char request_id[128];  /* the id that the service's support asks for; empty if none */
    char message[1024];
} os_error;

/* What excludes other writers (docs/rules.md, M1). */
typedef enum os_guard {
    /* Decided for each operation. Native if the profile proves this request, and every other request that may write the
     * key, safe. Otherwise the record. */
    OS_GUARD_AUTO = 0,
    OS_GUARD_RECORD = 1, /* the record in the ledger */
    OS_GUARD_NATIVE = 2, /* the store's own condition, no record. Refused unless the profile proves it safe */
    OS_GUARD_BOTH = 3    /* record and condition: for a fleet that is mixed, or moves from one to the other */
} os_guard;

/* Copies `length` bytes of `text` into `ret` (at least 16 bytes) in a form that is safe to show to a person. These
 * become escapes such as "\x1b", "\u202e", "\U000e0041": control characters (C0, DEL, C1), invisible characters,
 * characters that change the direction of writing, line separators, and bytes that are not UTF-8. A backslash stays
 * as it is. Messages and log lines of this library are already escaped. Keys, ETags, content types and all else that
 * a store returned are not: they are exact.
 * Returns how many bytes of `text` fitted. To show the rest, call again with the bytes behind them. Never fails, never
 * blocks. */
OS_API size_t os_escape_text(const char *text, size_t length, char *ret, size_t ret_size);

/* ----------------------------------------------------------------------------------------------- log, metrics */

/* How much a line of the log matters. */
typedef enum os_log_level { OS_LOG_ERROR = 1, OS_LOG_WARN = 2, OS_LOG_INFO = 3, OS_LOG_DEBUG = 4 } os_log_level;

/* Receives one line, without a line end, without secrets, and safe for a terminal (os_escape_text). Runs on the I/O
 * thread or on a calling thread, one line at a time per client. */
typedef void (*os_log_fn)(void *context, os_log_level level, const char *line);

/* What a metric is of. */
typedef enum os_metric_kind {
    OS_METRIC_REQUEST = 1, /* one request to the store or to the ledger has ended */
    OS_METRIC_GUARDED = 2  /* one guarded call has ended */
} os_metric_kind;

/* What was measured of a request or of a guarded call. Borrowed for the duration of the callback. */
typedef struct os_metric {
    size_t size;
    os_metric_kind kind;
    const char *operation; /* "HEAD", "PutItem", "put_if_absent" ...; static strings */
    uint64_t duration_us;
    int http_status;     /* REQUEST: 0 if no answer came; also of a ledger that said yes, and of a local store */
    os_verdict verdict;  /* GUARDED */
    uint32_t guards;     /* GUARDED: how many guards ran */
    uint32_t requests;   /* GUARDED: how many requests were made */
    os_guard guard;      /* GUARDED: as in os_result */
    const char *request; /* GUARDED: as in os_result */
} os_metric;
/* Receives a metric. */
typedef void (*os_metric_fn)(void *context, const os_metric *metric);

/* ----------------------------------------------------------------------------------------------- credentials */

/* What a credentials callback returns. The client copies the strings before it calls again. */
typedef struct os_credentials {
    size_t size;
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token; /* NULL for long-lived keys */
    int64_t expires_s;         /* epoch seconds; 0: never. Asked again 5 minutes before, and on ExpiredToken */
} os_credentials;

/* Fills *ret and returns 0, or returns non-zero if there are no credentials. Runs on the I/O thread. */
typedef int (*os_credentials_fn)(void *context, os_credentials *ret);

/* ---------------------------------------------------------------------------------------------------- client */

/* A store, its ledger, and the thread that talks to both. os_client_open makes one, os_client_close frees it. */
typedef struct os_client os_client;

/* When a record is released after its write (R9). */
typedef enum os_release { OS_RELEASE_ON_FAILURE = 0, OS_RELEASE_ALWAYS = 1 } os_release;
/* Whether something is done. AUTO: as the default of the option says. */
typedef enum os_toggle { OS_AUTO = 0, OS_ON = 1, OS_OFF = 2 } os_toggle;
/* Where the name of the bucket stands in a request: in the path, or in the name of the host. */
typedef enum os_addressing { OS_ADDRESSING_AUTO = 0, OS_ADDRESSING_PATH = 1, OS_ADDRESSING_VIRTUAL = 2 } os_addressing;
/* How requests are signed. */
typedef enum os_signature { OS_SIGNATURE_V4 = 0, OS_SIGNATURE_V2 = 1 } os_signature;

/* The settings of a client. os_client_open copies all strings. */
typedef struct os_options {
    size_t size;

    /* Where the objects are: "s3://bucket[/prefix]", or "file:///root" (made by os_init). Required. */
    const char *store_url;
    /* Where the records are: "dynamodb://TABLE", "dynamo:TABLE[:TIMEOUT_MS]" (object_store's spelling) or
     * "sqlite:///FILE". A store of files has its own below the root, and no other is taken for it. s3:// has none by
     * default. General-purpose buckets on AWS's own endpoints need none. Elsewhere a guarded call without a ledger is
     * refused unless `store_profile` proves it safe. */
    const char *ledger_url;

    /* Services. An endpoint is "http[s]://host[:port]"; default: AWS's own for the region. The region comes from
     * AWS_REGION, AWS_DEFAULT_REGION or the profile; otherwise it is us-east-1. DynamoDB's region defaults to S3's. */
    const char *s3_endpoint;
    const char *s3_region;
    os_addressing s3_addressing; /* AUTO: virtual host on AWS for bucket names without a dot, path style elsewhere */
    os_signature signature;      /* V2 needs the module liboscommit-sigv2 and the shared library; no fence (E7) */
    const char *dynamodb_endpoint;
    const char *dynamodb_region;
    const char *ca_file; /* PEM bundle to use instead of the system's */

    /* Credentials. The first that is given counts: the callback; the static keys; then, unless no_environment is set,
     * those that AWS's tools find: AWS_ACCESS_KEY_ID and its relatives (not where a profile is named here), the profile
     * named here or by AWS_PROFILE or the default one, with its role, IAM Identity Center, keys or program, then the
     * container's service, then the machine's own (docs/credentials.md). Those that expire are renewed in the
     * background. Those of DynamoDB default to those of S3. */
    const char *access_key_id;
    const char *secret_access_key;
    const char *session_token;
    const char *profile; /* [AWS_PROFILE, then "default"] */
    os_credentials_fn credentials;
    void *credentials_context;
    const char *dynamodb_access_key_id;
    const char *dynamodb_secret_access_key;
    const char *dynamodb_session_token;
    const char *dynamodb_profile;
    os_credentials_fn dynamodb_credentials;
    void *dynamodb_credentials_context;
    int no_environment; /* non-zero: read no AWS_* variable and no profile file */

    /* The protocol (docs/rules.md, F1). Settings that break T5 or T6 are refused. */
    uint64_t timeout_ms;          /* lease that is written into a record [20,000] */
    uint32_t max_clock_skew_rate; /* [3], at least 2 */
    uint64_t ttl_s;               /* [3,600], at least 600 and at least 10 x timeout x rate */
    uint32_t length_s;            /* validity of an attempt's signature [5]; keep it above margin_s + 1 */
    uint32_t allowance_s;         /* the store's time for a request that it has whole [docs/configuration.md] */
    uint32_t margin_s;            /* clock spread of the store's front ends [2] */
    uint64_t recheck_after_ms;    /* R5 [5,000] */
    os_release release;           /* [ON_FAILURE] */
    os_toggle fences;             /* E7 [AUTO: found out before the first guarded call] */
    os_toggle condition_headers;  /* R7. ON: If-None-Match / If-Match go with it [AUTO: off without a profile] */
    const char *record_prefix;    /* T4: put before each key in the records; the whole fleet must agree [none] */
    int check_table;              /* non-zero: os_client_open checks the table (E3), and fails if it is unfit */

    /* Network. */
    uint64_t connect_timeout_ms; /* [5,000] */
    /* How long one request may make no progress; guarded attempts have limits of their own [10,000]. A request to the
     * ledger that has no answer after 2 s is sent once more before that. */
    uint64_t request_timeout_ms;
    /* Per host [64]. An eighth of them, but at least one if there are several, is kept for guarded calls. Downloads,
     * plain writes and copies, and parts of uploads use the others, and wait for them. */
    uint32_t max_connections;
    const char *user_agent; /* put in front of "oscommit/VERSION" */

    os_log_fn log;
    void *log_context;
    os_log_level log_level; /* [OS_LOG_WARN] */
    os_metric_fn metric;
    void *metric_context;

    /* Stores and sizes. */
    os_guard guard; /* [AUTO; BOTH with a ledger where "aws" is the default profile] */
    /* What the store can do: a file with the answer of os_store_probe (a path with a '/' or ending in ".json"), or the
     * name of a shipped profile ("aws"). [none; "aws" for a general-purpose bucket at AWS's own endpoint] */
    const char *store_profile;
    /* Bodies of more bytes go in parts (R15). [8 MiB. Guarded: what arrives at once, unless the profile proves the
     * condition of PutObject] */
    uint64_t stage_above;
    /* Bytes of a part, 5 MiB to 5 GiB. It grows if 10,000 parts are too few. [16 MiB; copies 512 MiB] */
    uint64_t part_size;
    /* How many parts of one call are sent at the same time [4]. A call holds at most parts_at_once + 1 parts in memory,
     * and none for a copy or for a body that is already in memory. */
    uint32_t parts_at_once;

    /* How slowly a guarded write may arrive (docs/rules.md, F2). They do not matter for a request that fits
     * into one segment (over TLS: into 16 KiB). */

    /* Bytes per second [262,144], at least 1,024. A call gives up a slower body and tries again with more time. A lower
     * rate lets a dead writer block the others for longer. */
    uint64_t minimum_rate;
    /* How long the store waits for the rest of a body [from the profile, else 65]. UINT32_MAX: for ever; then such
     * bodies go in parts, or carry no fence. */
    uint32_t stalled_body_s;
    uint32_t late_segment_s; /* how long the last segment may take to arrive, round trip included [1] */

    /* How many operations may be under way (oscommit_async.h) [10,000]. The start of one more is refused. */
    uint32_t max_in_flight;

    os_toggle forward_only; /* ON: of each call that does not say otherwise, as in os_call [OFF] */

    /* Non-zero: the bucket's name and a '/' stand before each key in the records, behind record_prefix. So one table
     * serves many buckets, none of which waits for another (T4.2). All writers of the bucket must set it, and peers
     * cannot. docs/operations.md says how a running fleet changes it. */
    int records_by_bucket;

    /* Non-zero: the client has no I/O thread. The program's own event loop moves it on, by os_client_fd, os_client_step
     * and os_client_timeout_ms (oscommit_async.h), and all calls but the start of operations are refused. */
    int foreign_loop;

    /* As forward_only is ON, but only for keys that begin so, such as "_delta_log/" [none] */
    const char *forward_only_prefix;
} os_options;
#define OS_OPTIONS_INIT OS_SIZED_(os_options)

/* Fills the members of `options` that are zero from OSCOMMIT_STORE, OSCOMMIT_LEDGER, OSCOMMIT_REGION and the tool's
 * other variables (docs/configuration.md), except OSCOMMIT_DEADLINE_MS, which belongs to a call. Members that are set
 * stay as they are; a store_url of files gets no ledger. Call it after OS_OPTIONS_INIT and before os_client_open. The
 * strings are borrowed from the environment: do not change it before os_client_open has copied them. It reads no AWS_*
 * variable; os_client_open does, unless no_environment is set. Sends nothing, does not block.
 *   OS_OK            also if no variable is set
 *   OS_ERR_CONFIG    a variable has a value that the option cannot have: the message names it; `options` is unchanged
 *   OS_ERR_ARGUMENT  `options` is NULL, or its size is wrong */
OS_API os_code os_options_from_environment(os_options *options, os_error *err);

/* Opens a client: checks every option and starts the I/O thread. Credentials are looked up when they are first needed.
 * Sends nothing unless check_table is set. os_client_close frees the client.
 *   OS_ERR_CONFIG       an option or URL is wrong: the message names it
 *   OS_ERR_DENIED       a file that an option names, the root or the ledger may not be read
 *   OS_ERR_NO_TABLE, OS_ERR_TABLE, OS_ERR_DENIED ...   only with check_table
 *   OS_ERR_UNSUPPORTED  signature v2 in the static library, or without the module liboscommit-sigv2
 *   OS_ERR_IO           the embedded root or ledger cannot be opened
 * Blocks only with check_table or an embedded store. */
OS_API os_code os_client_open(const os_options *options, os_client **ret, os_error *err);

/* Cancels every running call, waits until all have returned, waits up to 5 s for releases in flight, and frees the
 * client. From within one of its callbacks (a sink, a transform, a completing function) it does nothing: close
 * the client when that has returned. No other thread may be in a call, or begin one, that starts after this; but a lease
 * may end meanwhile (oscommit_lease.h). */
OS_API void os_client_close(os_client *client);

/* Makes an embedded store: the folder (mode 0700 if it is new) and its ledger below ROOT/.oscommit. Calling it again
 * changes nothing. OS_ERR_CONFIG, and nothing is made:
 *   - the folder lies inside a store, or a store inside it: two ledgers over the same files would both grant a write
 *   - the file system takes two names for one file
 * Name another folder then. Blocks. */
OS_API os_code os_init(const char *root, os_error *err);

/* ------------------------------------------------------------------------------------------------------ calls */

/* A token that ends calls early. One token may serve many calls. Once cancelled, it stays cancelled. */
typedef struct os_cancel os_cancel;
/* Makes a token that is not cancelled; os_cancel_free frees it. OS_OK or OS_ERR_NO_MEMORY. */
OS_API os_code os_cancel_new(os_cancel **ret);
/* Ends the calls that were given the token, and those that will be. From any thread; not from a signal handler. */
OS_API void os_cancel_trigger(os_cancel *cancel);
/* Frees a token, after the calls that use it have returned. */
OS_API void os_cancel_free(os_cancel *cancel);

/* Progress of a body. Runs on the I/O thread, at most ten times a second and once at the end. `total_bytes` is 0
 * while it is unknown: for a stream, until its end. */
typedef void (*os_progress_fn)(void *context, uint64_t done_bytes, uint64_t total_bytes);

/* How long a call may take, and what may end it. NULL: defaults. */
typedef struct os_call {
    size_t size;
    /* From the start of the call [120,000]. A guarded call that ends here is NOT_EXECUTED or UNKNOWN. In an embedded
     * store, a started flush to disk (fsync) always runs to its end, even after cancellation. For gigabytes that may
     * take seconds, in which the client's other calls wait as well. */
    uint64_t deadline_ms;
    os_cancel *cancel;
    os_progress_fn progress;
    void *progress_context;
    /* ON: the caller promises that this key is never deleted and never takes earlier bytes again, as entries of a log and
     * numbered pointers do not. Then a write under the store's own condition is sent again after an answer that says
     * nothing, and one look decides what became of it (docs/rules.md, N4). A delete, os_delete too, or a rename of such
     * a key is refused. Of a rename or copy, ON speaks of both keys. [the client's] */
    os_toggle forward_only;
} os_call;
#define OS_CALL_INIT OS_SIZED_(os_call)

/* Gets a client ready, so that its first calls do not wait: looks up credentials, opens `connections` to the store and
 * as many to the ledger [0: one; at most max_connections], and finds out what the first guarded call would (E7) and the
 * store's time (R3). Sends reads only, of the bucket and of a key that is nowhere. Call it just before the work: a
 * connection that is not used for 4 s is closed again (R6.6). Of an embedded store it only sees that it is there.
 *   OS_OK             ready, as far as reads can tell: what a key's policy denies shows in the call that needs it
 *   OS_ERR_NO_BUCKET, OS_ERR_NO_TABLE, OS_ERR_CREDENTIALS, OS_ERR_NETWORK, OS_ERR_TLS ...   what the first guarded call
 *                     would meet. The client stays usable, and the call may be made again.
 *   OS_ERR_DEADLINE, OS_ERR_CANCELLED
 * Blocks until all have been answered. */
OS_API os_code os_client_warm(os_client *client, uint32_t connections, const os_call *call, os_error *err);

/* Says of one source of credentials whether its keys are used; else `reason` says why not, in a clause. Strings are
 * borrowed for the call. The sources, in their order: "callback" or "options"; then "environment", "assume-role",
 * "web-identity", "sso", "credentials-file", "login", "process", "config-file", "container", "instance". */
typedef void (*os_credentials_source_fn)(void *context, const char *source, int used, const char *reason);

/* Whose keys are used. Nothing in it is secret. */
typedef struct os_credentials_info {
    size_t size;
    char source[32];
    char key_end[8];   /* the last four characters of the access key id */
    int64_t expires_s; /* epoch seconds; 0: never, or not known */
} os_credentials_info;
#define OS_CREDENTIALS_INFO_INIT OS_SIZED_(os_credentials_info)

/* Looks for credentials of the store, or with `of_ledger` of the ledger, as the client does when it needs some, and tells
 * `each` of every source, on the calling thread. Asks the services that are set up (STS, IAM Identity Center, a program, a
 * container's or the machine's own), but not the store. The client keeps the keys that it has. `call`, `each`, `ret` and
 * `err` may be NULL. Blocks.
 *   OS_OK               ret says whose keys they are; a callback is not asked
 *   OS_ERR_CREDENTIALS  there are none, or a source that is set up gave none: the message says why
 *   OS_ERR_CONFIG       the store (the ledger) needs no credentials; or a profile file is damaged
 *   OS_ERR_NETWORK, OS_ERR_TLS, OS_ERR_DEADLINE ...   a service could not be asked
 *   OS_ERR_CANCELLED */
OS_API os_code os_credentials_explain(os_client *client, int of_ledger, const os_call *call,
                                      os_credentials_source_fn each, void *context, os_credentials_info *ret,
                                      os_error *err);

/* Puts the next bytes of a body into `ret_data`, at most `size`. Returns how many, 0 at the end of the body, or less
 * than 0 if it cannot be read. Runs on the thread that made the call, and may block. */
typedef int64_t (*os_read_fn)(void *context, void *ret_data, size_t size);

/* What to write: exactly one source. A file is read while it is sent. If its size changes meanwhile, the call fails
 * with OS_ERR_BODY; or with OS_ERR_UNDECIDED if a part was already sent, because some stores keep it. */
typedef struct os_body {
    size_t size;
    const void *data; /* memory; may be NULL if length is 0 */
    uint64_t length;
    const char *file; /* a path; data and length are then ignored */
    /* A stream of unknown length, such as a pipe; the others are then ignored. While it blocks, the call notices
     * neither its deadline nor its cancellation. */
    os_read_fn read;
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

/* A name and a value that are stored with an object. */
typedef struct os_metadata {
    const char *name; /* lower case, without "x-amz-meta-"; "oscommit-nonce", "-replaced", "-history" and "-fencing" are
                         reserved */
    const char *value;
} os_metadata;

/* What is stored with an object. Tags, storage class and encryption are features of the store. The embedded store and
 * signature v2 refuse a write with one of them (ERR_UNSUPPORTED); some other stores ignore what they do not have. */
typedef struct os_put_options {
    size_t size;
    const char *content_type;
    const char *content_encoding;
    const char *content_language;
    const char *content_disposition;
    const char *cache_control;
    const os_metadata *metadata;
    size_t metadata_count;
    const os_metadata *tags; /* at most 10 with different names: names of 1 to 128 characters, values of up to 256 */
    size_t tag_count;
    const char *storage_class; /* "STANDARD_IA" [the bucket's] */
    const char *encryption;    /* "AES256", "aws:kms", "aws:kms:dsse" [the bucket's] */
    const char *kms_key_id;    /* with one of the latter two */
    /* The token of a lease (os_lease_token) that the write is done under, 1 to 2^64 - 1 [0: none]. The object keeps it, and
     * a guarded write over one that was written with a larger token is a CONFLICT: another holds the lease since then. All
     * writers of the key must give theirs. Of guarded puts, and as `fencing` of os_copy_options of copies; a creation is
     * decided by what is there alone. */
    uint64_t fencing;
} os_put_options;
#define OS_PUT_OPTIONS_INIT OS_SIZED_(os_put_options)

/* Which version is copied, and under which lease. */
typedef struct os_copy_options {
    size_t size;
    const char *source_etag; /* copy only this version [the one that the first HEAD finds] */
    /* Copy this version, current or not [the current one]. Source and key may then be the same: the old version becomes
     * the current one again. Not for a rename. */
    const char *source_version_id;
    /* The token of a lease that the copy is made under, as in os_put_options: the copy keeps it, and is a CONFLICT over
     * what was written with a larger one. The source's own token is neither compared nor copied, also by a rename, whose
     * delete no token holds back. A source whose metadata leaves no room for it is ERR_UNSUPPORTED. */
    uint64_t fencing;
} os_copy_options;
#define OS_COPY_OPTIONS_INIT OS_SIZED_(os_copy_options)

/* How a guarded call went. Every guarded call fills it, whatever the verdict. os_result_clear frees what it holds. */
typedef struct os_result {
    size_t size;
    char etag[128];       /* COMMITTED: of the new object, in quotes; empty after a delete or if unknown */
    char version_id[256]; /* COMMITTED, versioned bucket: of the new object, or of the delete marker */
    uint64_t generation;  /* of the caller's last record */
    uint32_t guards;      /* guards that ran */
    uint32_t attempts;    /* attempts that were sent */
    uint32_t requests;    /* requests made to store and ledger, or tried; not those for which there were no keys */
    uint64_t waited_ms;   /* time spent waiting for other writers' records */
    uint64_t duration_ms;
    int took_over;        /* non-zero: the record of another writer was taken over */
    int fenced;           /* non-zero: the record carried a fence (E7) */
    char found_etag[128]; /* CONFLICT: of the object that is there instead; empty if there is none */
    char found_version_id[256];
    char rule[8];     /* the rule, or the row of R13, that gave the verdict: "R9", "R1", "R13.E" ... */
    char *ticket;     /* UNKNOWN: for os_resolve; one line of JSON, no secrets. Else NULL */
    os_guard guard;   /* what excluded other writers: RECORD, NATIVE or BOTH. AUTO: nothing was sent */
    char request[32]; /* the request that wrote, or would have: "PutObject", "CompleteMultipartUpload" ... */
    /* Non-zero: this verdict will never change. If it is UNKNOWN, no evidence is left that could decide it. Asking
     * again does not help: compare the object with what was to be written. */
    int final;
    /* UNKNOWN that is not final: after this time it makes sense to resolve the ticket (os_settle waits by itself). 0:
     * only when the cause that os_error names is removed. */
    uint64_t ask_again_ms;
    uint32_t conflicts; /* os_update: so many writes lost to other writers, and the transform was called again */
    int unchanged;      /* os_update, COMMITTED: non-zero: the transform gave the bytes back, so nothing was written */
    uint64_t found_fencing; /* CONFLICT: the fencing token of the object that is there instead; 0: none */
} os_result;
#define OS_RESULT_INIT OS_SIZED_(os_result)

/* Frees the ticket and empties the result for the next call. */
OS_API void os_result_clear(os_result *result);

/* -------------------------------------------------------------------------------------------- guarded writes
 *
 * All of these block until the verdict or the deadline. `options`, `call`, `ret` and `err` may be NULL, but a caller
 * that passes NULL for `ret` loses the ticket of an UNKNOWN. OS_CONFLICT comes with ERR_CONFLICT, OS_UNKNOWN with
 * ERR_UNDECIDED, and OS_NOT_EXECUTED with one of these:
 *   ERR_ARGUMENT, ERR_CONFIG, ERR_CREDENTIALS, ERR_DENIED, ERR_NO_BUCKET, ERR_NO_TABLE, ERR_REGION, ERR_REFUSED ...
 *     Calling again does not help before the cause is removed.
 *   ERR_SOURCE, ERR_TOO_LARGE, ERR_BODY
 *     The source or body is at fault.
 *   ERR_DEADLINE, ERR_CANCELLED, ERR_BUSY, ERR_THROTTLED, ERR_EXPIRED, ERR_NETWORK, ERR_TLS, ERR_SERVICE, ERR_PROTOCOL
 *     The same call may be made again.
 *
 * On a versioned bucket, the list of versions can decide an ambiguous write that would otherwise stay UNKNOWN (R16).
 * For that the client needs s3:ListBucketVersions, s3:GetObjectVersion and s3:GetBucketVersioning. */

/* Creates `key` if nothing is there.
 *
 * A body over stage_above is sent in parts first, and so is a stream that turns out to be longer. Only the request that
 * joins the parts is guarded (R15). Such a call holds up to (parts_at_once + 1) x part_size bytes of a file or stream
 * in memory. If the write fails, the call aborts its upload before it returns. That may take three seconds beyond its
 * deadline, or four if it is in doubt whether the parts were joined. If parts must be uploaded again, a stream cannot
 * be replayed: OS_ERR_EXPIRED. */
OS_API os_verdict os_put_if_absent(os_client *client, const char *key, const os_body *body,
                                   const os_put_options *options, const os_call *call, os_result *ret, os_error *err);

/* Replaces `key` if it is still the version whose ETag is `etag`. An absent key is a CONFLICT. */
OS_API os_verdict os_put_if_match(os_client *client, const char *key, const char *etag, const os_body *body,
                                  const os_put_options *options, const os_call *call, os_result *ret, os_error *err);

/* Copies `source` to `key` inside the store if nothing is there. The source's metadata, content headers and tags are
 * copied too. A missing source is NOT_EXECUTED with ERR_SOURCE. A source over stage_above, or over 5 GiB (the limit of
 * CopyObject), is copied in parts, up to 5 TiB. Where the store takes no parts, over 5 GiB is ERR_TOO_LARGE. */
OS_API os_verdict os_copy_if_not_exists(os_client *client, const char *source, const char *key,
                                        const os_copy_options *options, const os_call *call, os_result *ret,
                                        os_error *err);

/* Copies like os_copy_if_not_exists, but replaces `key` if it is still the version whose ETag is `etag`. */
OS_API os_verdict os_copy_if_match(os_client *client, const char *source, const char *key, const char *etag,
                                   const os_copy_options *options, const os_call *call, os_result *ret, os_error *err);

/* Renames `source` to `key` if nothing is there: a guarded copy, then a guarded delete of exactly the version that was
 * copied. The verdict is that of the copy. If the process dies in between, or if the delete fails (COMMITTED, and err
 * is filled), both objects are there. At least one of them always is.
 * If the profile proves RenameObject safe, that one request does both. It is sent once. An UNKNOWN then has no ticket,
 * because a renamed object keeps its metadata and so carries no nonce: look where the object is. */
OS_API os_verdict os_rename_if_not_exists(os_client *client, const char *source, const char *key,
                                          const os_copy_options *options, const os_call *call, os_result *ret,
                                          os_error *err);

/* Deletes `key` if it is still the version whose ETag is `etag`. An absent key is a CONFLICT. Without conditional
 * DELETE in the store, an ambiguous answer can end UNKNOWN for good: a deleted object carries no evidence (R13). */
OS_API os_verdict os_delete_if_match(os_client *client, const char *key, const char *etag, const os_call *call,
                                     os_result *ret, os_error *err);

/* Decides an UNKNOWN from its ticket, in any process with the same store and ledger. Asks until the evidence decides,
 * or until the deadline. Blocks. On a versioned bucket it also reads the list of versions (R16): resolve within 20
 * hours.
 *   UNKNOWN again  see ret->final and ret->ask_again_ms; keep ret->ticket in place of this one, for it may know more
 *   ERR_ARGUMENT   the ticket does not parse, belongs to another store, ledger, prefix or key, or contradicts the
 *                  stored record. Nothing was written; the outcome stays UNKNOWN.
 *
 * It makes no attempt. It may write two things: the release of the ticket's record (T3), and the abort of the upload
 * that the record names (up to four seconds beyond the deadline). Both need a *stored* record that equals the ticket
 * in every attribute and shows the attempt to be dead (R17). So a ticket from a stranger can cause a false verdict
 * about the write that it describes, but cannot harm other writes. */
OS_API os_verdict os_resolve(os_client *client, const char *ticket, const os_call *call, os_result *ret, os_error *err);

/* Which tickets are taken, and what may be done for them. */
typedef struct os_resolve_options {
    size_t size;
    const char *key; /* the ticket must be for this key [any of the store] */
    /* Non-zero: another endpoint or root in the ticket is another name of this client's store and ledger. Bucket,
     * prefix, region, table and record_prefix must be the same nevertheless. */
    int same_store;
    /* Non-zero: the ticket is the caller's own, so its upload may be aborted although no record says whose upload it
     * is. A native write has no record; other records disappear after their ttl. If 0, such a write in parts stays
     * UNKNOWN while its upload is open. */
    int abort_upload;
    /* Non-zero: os_settle gives up, as os_resolve does, when store or ledger have not answered for ten seconds, or for
     * request_timeout_ms if that is longer. The verdict is UNKNOWN, not final: keep the ticket. */
    int give_up;
} os_resolve_options;
#define OS_RESOLVE_OPTIONS_INIT OS_SIZED_(os_resolve_options)

/* Resolves like os_resolve, and goes on until the verdict is final or the deadline has passed [120 s]. It also goes on
 * where os_resolve would give up, unless options->give_up is set; *err then says what did not answer. It asks when the
 * fence has passed, and otherwise less and less often, down to once a minute: a deadline of hours is fine. Returns
 * early if waiting does not help (ret->final, or ret->ask_again_ms is 0). `options` may be NULL. Blocks. */
OS_API os_verdict os_settle(os_client *client, const char *ticket, const os_resolve_options *options,
                            const os_call *call, os_result *ret, os_error *err);

/* ---------------------------------------------------------------------------------------- read, change, write back */

/* What os_update has found. Borrowed for the call of the transform. */
typedef struct os_current {
    size_t size;
    const char *key;
    int exists;       /* 0: nothing is there; the next three are then empty */
    const void *data; /* never NULL; a NUL stands behind it */
    size_t length;
    const char *etag;
    uint32_t round; /* 1 for the first call of the transform, 2 for the next ... */
} os_current;

/* Makes the new bytes from the current ones: sets `data` and `length` of *ret, which may be NULL and 0. They must stay
 * until the transform is called again or os_update returns. `file` and `read` are not allowed. Returns 0 to write them;
 * any other value ends os_update, and nothing is written (OS_ERR_STOPPED).
 * Runs on the calling thread. It may run several times, and only the last run counts: do nothing in it that must not be
 * repeated. It may call the client, but not os_update of the same key. */
typedef int (*os_transform_fn)(void *context, const os_current *current, os_body *ret);

/* What os_update stores, and how much. */
typedef struct os_update_options {
    size_t size;
    const os_put_options *put; /* stored with the new object; nothing of the old one's is kept [nothing] */
    uint64_t max_length;       /* of the object, before and after [64 MiB]; more is ERR_TOO_LARGE */
    int always_write;          /* non-zero: write also if the transform gives back the same bytes */
} os_update_options;
#define OS_UPDATE_OPTIONS_INIT OS_SIZED_(os_update_options)

/* Reads `key`, lets `transform` make the new bytes, and writes them if the object is still what was read
 * (os_put_if_match, or os_put_if_absent). If another writer was first, it does so again, until the deadline. So a
 * counter, a pointer or a small document is changed exactly once, however many writers there are.
 *   COMMITTED     The last run of the transform was given what the write replaced. If it gave back the same bytes, there
 *                 was no write (ret->unchanged); `etag` is then that of the object, as it was read in this call.
 *   CONFLICT      The time is up, and every write lost. Nothing of this call was written.
 *   UNKNOWN       Ends the call at once. The write may be applied: resolve the ticket before you call again, or the
 *                 change may be made twice.
 *   NOT_EXECUTED  ERR_STOPPED: the transform said so. ERR_TOO_LARGE: max_length. Else as of the other guarded calls.
 *
 * Calls for one object in one process take turns, in order of arrival, through whatever client. So only one of them
 * competes with other processes. After a conflict it waits for a random time, which grows with the number of conflicts in a row.
 * `etag` and the rest of *ret are of the last write; its counts are of all. Blocks. */
OS_API os_verdict os_update(os_client *client, const char *key, os_transform_fn transform, void *context,
                            const os_update_options *options, const os_call *call, os_result *ret, os_error *err);

/* ---------------------------------------------------------------------------------------------- plain object calls
 *
 * Not guarded. These writes race with everything. Do not use them on keys that guarded writers share (E4). */

/* What is known of an object, without its bytes. */
typedef struct os_object {
    size_t size;
    char etag[128];
    char version_id[256];
    uint64_t length;
    int64_t last_modified_s; /* epoch seconds */
    char content_type[256];
    char nonce[65];       /* of the guarded write that made it; empty if none */
    const char *key;      /* os_list: borrowed for the callback; else NULL */
    int is_latest;        /* os_list with versions: a read without a version id returns this one */
    int is_delete_marker; /* os_list with versions: not an object; it says that the key was deleted at this point */
    char replaced[65];    /* nonce of the version that this write replaced; empty if its writer did not know it */
    uint64_t fencing;     /* head, get: the fencing token of the guarded write that made it (os_put_options); 0: none */
} os_object;
#define OS_OBJECT_INIT OS_SIZED_(os_object)

/* Reads the properties of an object. OS_OK, OS_ERR_NOT_FOUND, OS_ERR_NO_BUCKET, OS_ERR_DENIED ... S3 also answers "denied"
 * for an absent key if the caller lacks s3:ListBucket. Where there is no object, and the client has not met the bucket yet,
 * one more request asks for that. Blocks. */
OS_API os_code os_head(os_client *client, const char *key, const os_call *call, os_object *ret, os_error *err);

/* Reads the properties of one version of a versioned bucket, current or not. An empty `version_id` means the current
 * one. OS_ERR_NOT_FOUND if the version is absent or a delete marker. OS_ERR_UNSUPPORTED from the embedded store and
 * over signature V2, which know only the current version. Blocks. */
OS_API os_code os_head_version(os_client *client, const char *key, const char *version_id, const os_call *call,
                               os_object *ret, os_error *err);

/* Receives a piece of the object; returns 0 to go on. Any other value ends the call with OS_ERR_STOPPED. Runs on the
 * I/O thread. */
typedef int (*os_sink_fn)(void *context, const void *data, size_t length);

/* Where os_get puts the bytes: exactly one of ret_data, file and write. */
typedef struct os_sink {
    size_t size;
    void **ret_data; /* a malloc'ed block with a NUL behind it, freed with os_free; at most max_length */
    size_t *ret_length;
    uint64_t max_length; /* of ret_data [64 MiB]; more is ERR_TOO_LARGE */
    /* A path. A regular file is written beside it and renamed when it is complete, with the mode of the one that it
     * replaces. A symbolic link is followed and stays. Written to in place: a device, an open file by its name in
     * /proc or /dev/fd, and a FIFO. The call waits for the first reader of a FIFO, and a slow reader delays the
     * client's other calls. A folder and a link to nothing are refused. */
    const char *file;
    os_sink_fn write;
    void *write_context;
    uint64_t offset;        /* first byte wanted */
    uint64_t count;         /* how many bytes [0: to the end] */
    const char *version_id; /* which version [the current one]; as os_head_version */
} os_sink;
#define OS_SINK_INIT OS_SIZED_(os_sink)

/* Reads the object, or the bytes of it that `sink` asks for. OS_OK: all bytes have arrived, and they are the right
 * ones. The range and the length of the answer are checked, and for a whole object the checksum if the store keeps one.
 * OS_ERR_PROTOCOL: the answer has other bytes, or does not say where they end.
 * After any code but OS_OK, the sink does not have the whole object. `ret_data` is then untouched, and so is a file
 * unless it is written to in place. `ret` may be NULL. Blocks. */
OS_API os_code os_get(os_client *client, const char *key, const os_sink *sink, const os_call *call, os_object *ret,
                      os_error *err);

/* Frees a block that a call returned. */
OS_API void os_free(void *data);

/* Writes without a condition.
 *   OS_OK             the write was applied
 *   OS_ERR_UNDECIDED  it may have been applied, or may still be (no answer, a 5xx, the deadline)
 *   any other code    it was not applied
 * A body over 5 GiB, or a stream over stage_above, goes in parts, as in os_put_if_absent. Blocks. */
OS_API os_code os_put(os_client *client, const char *key, const os_body *body, const os_put_options *options,
                      const os_call *call, os_object *ret, os_error *err);

/* Deletes without a condition, with the codes of os_put. OS_OK also if nothing is there. OS_ERR_ARGUMENT under
 * forward_only, before anything is sent. Blocks. */
OS_API os_code os_delete(os_client *client, const char *key, const os_call *call, os_error *err);

/* What os_list gives. */
typedef struct os_list_options {
    size_t size;
    const char *prefix;
    const char *delimiter;   /* keys with the same text before it are given once, with length 0 and an empty ETag */
    const char *start_after; /* only keys behind this one */
    uint64_t max_keys;       /* [0: all] */
    /* Non-zero: every version and delete marker. Those of a key come newest first, as far as the store's seconds and
     * order tell. max_keys counts them. Not with a delimiter. If 0, deleted keys are left out. */
    int versions;
} os_list_options;
#define OS_LIST_OPTIONS_INIT OS_SIZED_(os_list_options)

/* Receives an object of a list. Runs on the calling thread, in key order (UTF-8 bytes). Returns 0 to go on; any other value ends the call with
 * OS_ERR_STOPPED. */
typedef int (*os_list_fn)(void *context, const os_object *object);

/* Gives every object whose key starts with `prefix`, page after page. OS_OK after the last one. After an error, some
 * may already have been given. Blocks. */
OS_API os_code os_list(os_client *client, const os_list_options *options, const os_call *call, os_list_fn each,
                       void *context, os_error *err);

/* The request that a URL is for. */
typedef enum os_presign_method {
    OS_PRESIGN_GET = 0,
    OS_PRESIGN_HEAD = 1,
    OS_PRESIGN_PUT_IF_ABSENT = 2 /* a PUT with the store's own condition, If-None-Match: * */
} os_presign_method;

/* What a URL is for, and for how long. */
typedef struct os_presign_options {
    size_t size;
    os_presign_method method; /* [GET] */
    uint32_t expires_s;       /* for how long it is valid, at most 604,800 [3,600]; temporary keys may end it earlier */
    const char *version_id;   /* GET, HEAD: this version [the current one] */
    const char *content_type; /* PUT: the request must have it too [not signed: it may have any] */
} os_presign_options;
#define OS_PRESIGN_OPTIONS_INIT OS_SIZED_(os_presign_options)

/* Makes a URL with which anybody who has it can send this one request, as often as he likes until it expires. It is a
 * credential: do not log it. `options` may be NULL. *ret_url, and *ret_headers unless that is NULL, are freed with
 * os_free; the latter has a line "name: value\n" for each header that the request must have, and may be empty.
 * Sends nothing. The date is that of this machine, mended by what the client has learned from the store's answers.
 *
 * A PUT made so promises less than a guarded call. It excludes others only by the store's own condition, so it is
 * refused unless the store's profile proves that, and the client's creations rely on it. It leaves no record and no nonce:
 * nobody can settle an answer that was lost, or a 5xx. 412 is then either another's object or one's own.
 *   OS_ERR_UNSUPPORTED  an embedded store, or signature v2; a PUT where the condition is not proven, or not relied on
 *   OS_ERR_CREDENTIALS  no usable keys
 * Blocks while keys are looked up. */
OS_API os_code os_presign(os_client *client, const char *key, const os_presign_options *options, char **ret_url,
                          char **ret_headers, os_error *err);

/* ------------------------------------------------------------------------------------------------ table of records */

/* Creates the table (on-demand billing, keys `path` and `etag`, TTL on `ttl`) and waits until it is ACTIVE. OS_OK
 * also if a fit table exists. For sqlite it creates the file. Blocks. */
OS_API os_code os_table_create(os_client *client, const os_call *call, os_error *err);

/* Checks the table (E3): key schema, attribute types, TTL, ACTIVE, replication. OS_OK, OS_ERR_NO_TABLE, OS_ERR_TABLE
 * (the message says what is wrong and what to do). Blocks. */
OS_API os_code os_table_check(os_client *client, const os_call *call, os_error *err);

/* One stored record. */
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
    const char *other;  /* attributes that this release does not know, as JSON; "{}" if none */
    const char *upload; /* id of the multipart upload that the holder completes; empty if none */
    /* Empty for a valid record. Otherwise a sentence that says why the item is not one; only path, etag and `other`
     * (the whole item) then have a meaning. It blocks every writer. os_table_release with `force` replaces it. */
    const char *unreadable;
    const char *key; /* of the object, as this client names it; NULL: no key of the client's store */
    /* When the holder signed, or when the record was released, in S3 time. It is the ttl less this client's settings,
     * so it is right only if the writer had the same ones. 0: unknown. */
    int64_t since_s;
    const char *bucket; /* that its writer wrote to (T4); empty: not known */
} os_record;
#define OS_RECORD_INIT OS_SIZED_(os_record)
/* Receives a record. Returns 0 to go on; any other value ends the call with OS_ERR_STOPPED. */
typedef int (*os_record_fn)(void *context, const os_record *record);

/* Gives every record of `key`, or of the whole table if `key` is NULL, on the calling thread. Blocks. */
OS_API os_code os_table_list(os_client *client, const char *key, const os_call *call, os_record_fn each, void *context,
                             os_error *err);

/* Releases a stuck record so that the next writer can take it (T3). Writes generation + 1 and timeout 0, on the
 * condition that the record still has the generation that was seen. Deletes nothing. `etag` is NULL or "*" for a
 * create.
 *   OS_OK             released now, or already
 *   OS_ERR_BUSY       refused, because the holder's attempt may still be applied: the record's fence has not passed, it
 *                     has no fence, or it names an upload that is open (R14). A non-zero `force` releases it
 *                     nevertheless; a holder that is still alive can then overwrite the next writer's object.
 *   OS_ERR_PROTOCOL, OS_ERR_TABLE  the item is not a record (os_record.unreadable). `force` replaces it by a released
 *                     record, on the condition that it is still the item that was seen.
 *   OS_ERR_NOT_FOUND  there is no such record
 * Blocks. */
OS_API os_code os_table_release(os_client *client, const char *key, const char *etag, int force, const os_call *call,
                                os_error *err);

/* --------------------------------------------------------------------------------------------- garbage collection */

/* What a dead writer has left. */
typedef enum os_garbage_kind {
    OS_GARBAGE_UPLOAD = 1, /* a multipart upload that nobody completed or aborted: its parts are stored and paid for */
    OS_GARBAGE_RECORD = 2  /* a record whose ttl passed long ago, in a table without TTL */
} os_garbage_kind;

/* What os_gc has done with it. */
typedef enum os_garbage_fate {
    OS_GARBAGE_FOUND = 1,   /* a dry run: it would be removed */
    OS_GARBAGE_REMOVED = 2, /* also if somebody else removed it first */
    OS_GARBAGE_SPARED = 3,  /* kept although it is old: `reason` says why it may be needed */
    OS_GARBAGE_FAILED = 4   /* not removed, or not certainly: `reason` says why */
} os_garbage_fate;

/* One thing that os_gc has looked at. */
typedef struct os_garbage {
    size_t size;
    os_garbage_kind kind;
    os_garbage_fate fate;
    const char *key;    /* the strings of this struct are borrowed for the callback */
    const char *etag;   /* RECORD: "*" for a create; else "" */
    const char *upload; /* UPLOAD: its id. RECORD: the id that it names, "" if none */
    int64_t since_s;    /* UPLOAD: when it was begun, S3 time; 0 if the store gave no readable date. RECORD: its ttl */
    const char *reason; /* a sentence, or "" */
} os_garbage;
/* Receives what os_gc has looked at. Runs on the calling thread. Returns 0 to go on; any other value ends the call with OS_ERR_STOPPED. */
typedef int (*os_garbage_fn)(void *context, const os_garbage *garbage);

/* What os_gc looks at. */
typedef struct os_gc_options {
    size_t size;
    const char *prefix;    /* only keys that start with it [all of the store] */
    uint64_t older_than_s; /* only uploads begun longer ago than this, by the store's clock [86,400] */
    int remove;            /* non-zero: remove what is found. 0: a dry run */
} os_gc_options;
#define OS_GC_OPTIONS_INIT OS_SIZED_(os_gc_options)

/* How much the store has listed. */
typedef enum os_gc_listing {
    OS_GC_LISTING_WHOLE = 1, /* the store listed the uploads of every key below the prefix */
    /* The store listed no upload of a key longer than the prefix. That may be because it only lists uploads of one
     * whole key (MinIO). Looked at were the prefix itself, taken as a key, and keys whose record names an upload. */
    OS_GC_LISTING_UNPROVEN = 2,
    OS_GC_LISTING_NONE = 3, /* the store was not asked: signature V2 knows no uploads */
    /* One key has more uploads than the store lists at once, and it did not continue its list (versitygw, over
     * 1,000). The rest appears when those have been removed. */
    OS_GC_LISTING_PARTIAL = 4
} os_gc_listing;

/* What os_gc has seen and done. */
typedef struct os_gc_result {
    size_t size;
    uint64_t uploads; /* seen, of any age */
    uint64_t records; /* the same */
    uint64_t found;   /* dry run: would be removed */
    uint64_t removed;
    uint64_t spared;
    uint64_t failed;
    int64_t date_s; /* the store's time by which ages were judged */
    os_gc_listing listing;
} os_gc_result;
#define OS_GC_RESULT_INIT OS_SIZED_(os_gc_result)

/* Finds what dead writers have left: multipart uploads that anybody began more than `older_than_s` ago, and records
 * whose ttl passed more than a day ago (DynamoDB's TTL removes those by itself). Removes nothing unless
 * options.remove is set.
 *   Kept: uploads named by a record whose holder may still complete them (the record's fence + margin has not passed;
 *     without a fence, its ttl); uploads of unknown age; records whose upload is open.
 *   Removed: an upload is aborted by its id. A record is deleted on the condition that generation, ttl and nonce are as
 *     seen.
 *   A writer that needs longer than older_than_s for its upload loses it and gets OS_NOT_EXECUTED.
 *
 * OS_OK: everything was looked at; ret->failed counts what could not be removed. After any other code `each` may have
 * run for some. Without a ledger only uploads are looked at. `options`, `call`, `each` and `ret` may be NULL. `ret`
 * is filled on failure too, with what was done until then. Blocks. */
OS_API os_code os_gc(os_client *client, const os_gc_options *options, const os_call *call, os_garbage_fn each,
                     void *context, os_gc_result *ret, os_error *err);

/* ------------------------------------------------------------------------------------------------ probing a store */

/* Says that a probe begins question number `done` of `total`; `question` is a few words. Runs on the calling thread. */
typedef void (*os_probe_fn)(void *context, const char *question, uint32_t done, uint32_t total);

/* A measured profile proves a condition by at least this many rounds of its race. A store that breaks in one round of
 * 25 passes 20 rounds in nearly half of all probes, 50 in one of eight, 100 in one of sixty. */
#define OS_PROBE_PROOF_ROUNDS 50

/* How a store is probed. */
typedef struct os_probe_options {
    size_t size;
    const char *name;    /* of the store, for the profile [the `Server` header of its answers] */
    const char *version; /* of the store [unknown] */
    uint32_t writers;    /* at the same time in a race [32], 2 to 256, and not over max_connections */
    uint32_t rounds;     /* of each race [100], up to 10,000; OS_PROBE_PROOF_ROUNDS are a proof */
    /* Non-zero: leave out two questions that take some 80 s. Is the expiry checked again when a body ends? Does the
     * store give up a stalled body? */
    int no_held_body;
    os_probe_fn progress;
    void *progress_context;
} os_probe_options;
#define OS_PROBE_OPTIONS_INIT OS_SIZED_(os_probe_options)

/* Finds out what the store does with conditions, races, expired signatures, metadata and checksums (docs/stores.md).
 * Writes some thousand small objects below a scratch prefix ("PREFIX.oscommit-probe-HEX/"). Removes them and its
 * uploads, also if it fails. Versions and delete markers of a versioned bucket stay. Needs no ledger.
 *
 * *ret_profile is JSON, freed with os_free: write it to a file, and name that in os_options.store_profile. A question
 * whose answers were missing or disagreed is "unknown" there. The library then relies on nothing and promises nothing.
 *   OS_ERR_UNSUPPORTED  an embedded store, or signature v2: there is nothing to find out
 *   OS_ERR_DENIED, OS_ERR_NO_BUCKET, OS_ERR_CREDENTIALS, OS_ERR_NETWORK ...   the first PUT did not succeed
 *   OS_ERR_DEADLINE     the default deadline is 1800 s here
 *   OS_ERR_CANCELLED
 * Blocks: one to three minutes on a fast store. Most of it are races, whose time grows with `rounds`. */
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
