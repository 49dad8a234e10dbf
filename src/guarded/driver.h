/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver: one guarded call on the loop's thread. It drives guard after guard (commit/guard.h) over store and ledger
 * until the verdict, or until the caller's deadline or cancellation. Single-threaded and deterministic: all that it
 * does follows from its events.
 */
#ifndef OSCOMMIT_GUARDED_DRIVER_H
#define OSCOMMIT_GUARDED_DRIVER_H

#include "client/absence.h"
#include "client/client.h"
#include "client/fence_check.h"
#include "loop/op.h"
#include "store/source_metadata.h"

/* A multipart upload whose Complete is guarded (R14). */
struct driver_upload {
    const char *id;
    const char *nonce; /* that its creation has put into the object's metadata: of every guard of this upload */
    const struct s3_part_name *parts;
    size_t part_count;
    const struct s3_completion *completion;
    uint64_t length;     /* of all parts */
    bool parts_in_doubt; /* a part was not answered: a copy of it may come late */
};

/* What the call wants; borrowed until its verdict is given. */
struct driver_params {
    enum guard_operation operation;
    struct write_plan plan;                 /* unset when resolving a ticket */
    const char *name;                       /* of the public function, for logs and metrics */
    const char *key;                        /* whole object key */
    const char *etag;                       /* normalised expected ETag, or NULL: absent */
    const char *source_key;                 /* COPY */
    const char *source_etag;                /* COPY: normalised, or NULL */
    const char *source_version_id;          /* COPY; NULL: the current one */
    uint32_t length_s;                      /* E6: as an earlier driver of the call has left it; 0: as set */
    uint64_t copy_most;                     /* COPY: a larger source has to go in parts */
    struct http_body body;                  /* PUT: memory */
    const struct s3_content *content;       /* PUT */
    uint64_t fencing;                       /* L10: the caller's token; 0: none */
    const char *fencing_text;               /* the same, for what is sent; NULL: none */
    const struct s3_attributes *attributes; /* PUT; NULL: none */
    const struct driver_upload *upload;     /* COMPLETE; of a ticket only its id counts */
    const struct guard_ticket *ticket;      /* os_resolve: makes no attempt */
    bool forward_only;                      /* N4: the caller's promise */
    bool patient;                           /* os_settle: rounds become rare, and wait for the fence */
    uint64_t deadline_ms;                   /* from now */
    os_cancel *cancel;
    os_progress_fn progress;
    void *progress_context;
};

/* What settles later what an attempt has done. */
struct driver_attempted {
    struct guard_ticket ticket;    /* UNKNOWN; of an upload with by_fence, too: of the last attempt */
    struct object_version lost_at; /* by_fence: what the HEAD showed by which the first such attempt was called lost */
    struct object_version seen;    /* that the last HEAD showed; not of one that failed */
};

/* What came of it. `result` has no ticket string yet. */
enum { DRIVER_STORE = 1, DRIVER_LEDGER = 2 };

struct driver_outcome {
    os_verdict verdict;
    os_result result;
    os_error error;
    struct driver_attempted *attempted; /* own; NULL: nothing is to be settled, or there was no memory for it. There
                                           with every upload and ticket */
    bool upload_gone;      /* by_fence: whenever one was called lost, ListParts had said that its upload was gone */
    uint32_t length_s;     /* E6: of the last signature */
    bool owns_upload;      /* R17: of a ticket, by the stored record: its upload may be aborted */
    bool by_fence;         /* an attempt is held for lost since it is dead: no answer said so */
    bool upload_again;     /* NOT_EXECUTED, and the upload is of no more use: its parts may be uploaded again */
    bool too_large;        /* COPY: NOT_EXECUTED, as the source is larger than copy_most */
    unsigned reached;      /* DRIVER_...: which have answered */
    unsigned away;         /* DRIVER_...: which was given up, as it did not; it may yet */
    uint64_t source_bytes; /* COPY */
    char source_etag[VERSION_ETAG_SIZE]; /* COPY: of the version that was copied */
};
typedef void (*driver_done_fn)(void *context);

void driver_outcome_clear(struct driver_outcome *outcome); /* but for the ticket's text, which is not its own */

/* Starts; `done` is called exactly once, later, on the loop's thread. `ret` is written until then, and whole from then
 * on; not touched when out of memory: false. */
bool driver_start(os_client *client, const struct driver_params *params, struct driver_outcome *ret,
                  driver_done_fn done, void *context);

/* What is left when the last call of a client that closes has returned: drivers that waited for a PutItem. */
void driver_free_all(os_client *client);

/* The rest is for driver*.c. */

/* HEAD of the key (driver_io.c). */
struct driver_head {
    struct store_op *op;
    struct clock_reading sent;
    char version_id[VERSION_ID_SIZE]; /* of the version, or delete marker, that it showed */
    uint32_t unbelieved_count;        /* in a row with a Date that is not believed; an absurd one counts more */
    uint32_t dateless_count;          /* in a row that the store answered without a Date */
};

/* COPY: HEAD of the source, and what is taken from it (driver_io.c). */
struct driver_source {
    struct store_op *op;
    struct clock_reading sent;
    char etag[VERSION_ETAG_SIZE];
    struct source_metadata source_metadata; /* its metadata and content headers */
    bool has_source_metadata;
    bool leave_nonce_out; /* no room for it in the metadata */
    os_error error;       /* what is wrong with it */
};

/* The guarded request (driver_io_attempt.c). */
struct driver_attempt {
    enum store_verb verb; /* of the one signed last, with the next two */
    bool carries_nonce;
    bool has_if_match;
    char replaced[RECORD_NONCE_SIZE]; /* G3.5: as the guard said when it was signed; "": not known */
    char *history;                    /* N4.1: what goes along; NULL: nothing; own */
    struct store_attempt *signed_request;
    struct credentials_waiter keys; /* E2: others are looked for, to sign it again, with the next two */
    uint64_t sign_date_s;
    uint32_t sign_length_s;
    struct store_op *op;
    struct clock_reading sent;
    uint64_t allowance_ms;                   /* of the one sent last */
    uint64_t tail_rate;                      /* bytes per second of one that was too slow to be whole; 0: none was */
    char marker_version_id[VERSION_ID_SIZE]; /* DELETE that was applied: of its delete marker, "" if it made none */
};

/* ListParts of our upload, or the abort of another's (driver_io_upload.c). */
struct driver_upload_io {
    enum store_verb verb;
    struct s3_parts_page page;
    struct store_op *op;
    struct clock_reading sent;
    bool gone; /* our upload, by the last ListParts */
};

/* The record's requests, and whether the ledger is there (driver_io_ledger.c). */
struct driver_records {
    struct ledger_op *put_op;
    struct ledger_op *get_op;
    struct record put_record;
    struct record_condition put_condition;
    struct guard_evidence evidence; /* of the Query under way */
    struct clock_reading put_sent, get_sent;
    char *seen_upload;  /* of the record that was answered last; NULL: it has none */
    char *other_bucket; /* T4.3: not ours, that the record last in the way names; else NULL */
    struct absence absence;
};

/* Whether the store is there (driver_io.c). */
struct driver_reach {
    struct clock_reading lost_since; /* first of an unbroken row of failures before anything was sent */
    bool lost;
};

/* What the requests are about, and what came of them. */
struct driver_io {
    struct driver_head head;
    struct driver_source *source; /* COPY; else NULL */
    struct driver_attempt attempt;
    struct driver_upload_io parts;
    struct driver_records records;
    struct driver_versions *versions; /* being listed; else NULL */
    bool versions_denied;             /* R16: for want of a right the list of versions has shown nothing */
    bool versions_await; /* R16: a key that is not there is not known to them, and will be once it is written */
    struct driver_reach reach;
    struct loop_timer failed_timer;
    bool half;            /* V4.4, V4.6: the last HEAD that showed our nonce as the object's own showed only a part */
    unsigned failed;      /* GUARD_DO_... of requests that could not even be started */
    const char *gave_up;  /* why a service was not waited for any longer, as a clause; NULL: it was not given up */
    os_error *last_error; /* what a service said last of a failure; NULL: none did */
    bool last_is_the_ledgers;
};

/* What the outcome says in the end, and what counts beyond it: requests are answered after it, too. */
struct driver_tally {
    uint32_t guards;
    uint32_t attempts;
    uint32_t requests;
    unsigned reached;
    unsigned away;
    bool by_fence;
};

enum { DRIVER_MD5_ETAG_SIZE = 35 };

/* When a guard wants to be stepped, and how long the driver has waited. */
struct driver_time {
    struct loop_timer guard_timer;
    uint64_t waited_ms;
    struct clock_reading waiting_since;
    bool waiting;
    uint64_t patience_ms;
};

/* release.c. Strings are borrowed. */
struct release_waiter {
    struct release_waiter *next;
    const char *path;
    const char *etag;
    void (*go)(struct release_waiter *waiter);
    bool knows_released; /* R12.11: the record as it was released */
    struct record released;
};

struct driver {
    os_client *client;
    struct driver *next;
    struct driver *previous;
    struct fence_waiter fences;
    struct release_waiter waiter;
    struct release *creation; /* T3.10: of the record of what it deleted, which is being read */
    struct driver_params params;
    char *key;                           /* own copies: a driver can outlive its call by the answer of a PutItem */
    char *path;                          /* of the record */
    char *upload;                        /* COMPLETE: the upload's id; else NULL */
    char md5_etag[DRIVER_MD5_ETAG_SIZE]; /* PUT: quoted MD5 of the body */

    struct guard guard;
    struct driver_io io;
    struct driver_time time;
    struct loop_turn turn;  /* of its next guard */
    struct op op;           /* until it has answered; each attempt is a guard */
    uint32_t length_s;      /* E6 */
    uint32_t refused_count; /* how often the condition was refused although the expectation holds */
    bool stopped;           /* deadline or cancellation has come */
    bool cancelled;
    bool answered; /* done has been called */

    void (*on_event)(struct driver *driver, struct guard_event *event);

    struct driver_tally tally;
    struct driver_outcome *outcome; /* the caller's; NULL: it has been told */
    driver_done_fn done;
    void *context;
};

/* driver_memory.c. After driver_make_memory, whatever it said, driver_free_memory frees the driver; *ret_attempted is for
 * the outcome. */
bool driver_make_memory(struct driver *driver, struct driver_attempted **ret_attempted);
void driver_free_memory(struct driver *driver);

/* driver_whole.c: V4.4. It shows the nonce of this write, and less than was sent, or the store is at it yet: no proof.
 * Nor is what comes after that (V4.8). */
bool driver_shows_part(struct driver *driver, const struct store_answer *answer);
/* F2.11: of a copy. The store ignores the pin, and what is copied is not named by its version id. */
bool driver_source_may_change(const struct driver *driver);
void driver_ticket_of(const struct driver *driver, struct guard_ticket *ret);

/* driver_io.c: makes the requests that a step asks for. */
void driver_perform(struct driver *driver, const struct guard_actions *actions);
void driver_cancel_requests(struct driver *driver, unsigned what); /* GUARD_DO_... */

/* driver_io_event.c: the last error. It is lost where there is no memory for it. */
void driver_note_error(struct driver *driver, const os_error *error);
os_code driver_last_code(const struct driver *driver);
const char *driver_last_words(const struct driver *driver); /* "": none */

/* driver_io_event.c: what their answers have in common. */
void driver_event(struct driver *driver, struct guard_event *event); /* the answer, handed to the driver */
void driver_on_failed(struct loop_timer *timer);
void driver_fail_later(struct driver *driver, unsigned request); /* a request could not even be started */
void driver_count_request(struct driver *driver, const char *operation, const struct clock_reading *sent,
                          const struct store_answer *answer);

/* E10; of the answer that was counted last. */
void driver_date_of(const struct driver *driver, const struct store_answer *answer, struct guard_event *ret);

/* driver_io_attempt.c */
void driver_sign_attempt(struct driver *driver, const struct guard_actions *actions);
void driver_send_attempt(struct driver *driver, const struct guard_actions *actions);

/* driver_io_ledger.c */
void driver_put_record(struct driver *driver, const struct guard_actions *actions);
void driver_read_record(struct driver *driver, const struct guard_actions *actions); /* GetItem, or Query */
void driver_read_creation(struct driver *driver);                                    /* T3.10 */
/* How long the first try of a small request to the ledger may take. */
uint64_t client_ledger_try_ms(const os_client *client);
/* Until one that does not answer is given up. UINT64_MAX: it does, or is not to be given up. */
uint64_t driver_ledger_left_ms(const struct driver *driver);
uint64_t driver_store_left_ms(const struct driver *driver); /* driver_io.c */

/* driver_io_upload.c: the two questions of R14. */
void driver_list_parts(struct driver *driver);
void driver_abort_upload(struct driver *driver, uint64_t upload);

/* driver_io_versions.c: R16. */
void driver_list_versions(struct driver *driver);
void driver_free_versions(struct driver *driver); /* ends it without an event */

/* driver_history.c */
void driver_describe_history(struct driver *driver, struct store_request *request);
void driver_read_history(struct driver *driver, const struct store_answer *answer,
                         struct guard_history *ret); /* of a HEAD that found something */

void driver_version_of(const struct s3_object *object, struct object_version *ret); /* of a HEAD that found something */
void driver_note_version(struct driver *driver, const char *etag, const char *nonce); /* R3.6: of the key */
bool driver_etag_is_missing(const char *etag); /* none, or the empty one in quotes, as rclone may say while it writes */
/* R1.4. False: the HEAD of a copy's source names no ETag that could pin it. */
bool driver_names_source(const char *key, const struct s3_object *source, os_error *err);
bool driver_has_md5_etag(const struct driver *driver); /* where the store's ETags are MD5, that of this write is, too */
/* driver_again.c: how long an `unknown` should wait before it is asked of again. At least a second. */
uint64_t driver_ask_again_ms(const struct driver *driver);
/* The timer of a patient driver: rounds become rare, but the one after the fence is not late, nor is giving up. */
uint64_t driver_patient_ms(struct driver *driver, uint64_t timer_ms);

bool driver_new_nonce(char *ret); /* driver.c: RECORD_NONCE_SIZE bytes; false: the system gives no random bytes */

/* result.c: verdict, result and the sentence of a finished guard. */
void driver_describe(struct driver *driver);
/* The sentence and the version found. */
struct driver_expected {
    const char *key;
    const char *etag; /* "": nothing there */
    uint64_t fencing; /* L10; 0: none */
    bool deletes;
};
void driver_describe_conflict(struct driver_outcome *outcome, const struct driver_expected *expected,
                              const struct object_version *found);

/* release.c: T3, in the background; copies what it needs. A client that closes waits for it as long as its patience. */
enum { RELEASE_PATIENCE_MS = 5000, RELEASE_AWAY_MS = 1000 /* of a ledger that was given up */ };
void release_free_all(os_client *client);
/* What a step of the guard releases; of its own record only where `own`. */
void release_of_step(struct driver *driver, const struct guard_actions *actions, bool own);
/* One that may follow, as driver->creation (T3.10): with a step, or it is dropped. NULL: out of memory. */
struct release *release_expect(os_client *client, const char *path, const char *etag);
void release_drop(struct release *release);
/* Who wants a record that this client is about to release waits for that: it would only be in the way. True: `go` is
 * called when all of them have ended. */
bool release_holds_back(os_client *client, struct release_waiter *waiter);
void release_let_go(os_client *client, struct release_waiter *waiter); /* it waits no longer, if it did */

#endif
