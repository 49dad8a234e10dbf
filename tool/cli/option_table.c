/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/options.h"

#define SETTING_TEXT(flag, value, text)                                                                             \
    {                                                                                                               \
        .name = (flag), .kind = OPTION_KIND_TEXT, .scope = OPTION_SCOPE_SETTING, .operand = (value), .help = (text) \
    }
#define OFTEN_TEXT(flag, value, text)                                                                               \
    {                                                                                                               \
        .name = (flag), .kind = OPTION_KIND_TEXT, .scope = OPTION_SCOPE_SETTING, .often = true, .operand = (value), \
        .help = (text)                                                                                              \
    }
#define SETTING_NUMBER(flag, most, text)                                                                          \
    {                                                                                                             \
        .name = (flag), .kind = OPTION_KIND_NUMBER, .scope = OPTION_SCOPE_SETTING, .max = (most), .operand = "N", \
        .help = (text)                                                                                            \
    }
#define SETTING_CHOICE(flag, list, text)                                                                             \
    {                                                                                                                \
        .name = (flag), .kind = OPTION_KIND_CHOICE, .scope = OPTION_SCOPE_SETTING, .operand = (list), .help = (text) \
    }
#define COMMON_SWITCH(flag, short_form, text)                                                             \
    {                                                                                                     \
        .name = (flag), .letter = (short_form), .kind = OPTION_KIND_SWITCH, .scope = OPTION_SCOPE_COMMON, \
        .help = (text)                                                                                    \
    }
#define OWN_TEXT(flag, value, text)                                                                                 \
    {                                                                                                               \
        .name = (flag), .kind = OPTION_KIND_TEXT, .scope = OPTION_SCOPE_COMMAND, .operand = (value), .help = (text) \
    }
#define OWN_NUMBER(flag, most, text)                                                                              \
    {                                                                                                             \
        .name = (flag), .kind = OPTION_KIND_NUMBER, .scope = OPTION_SCOPE_COMMAND, .max = (most), .operand = "N", \
        .help = (text)                                                                                            \
    }
#define OWN_SWITCH(flag, text)                                                                    \
    {                                                                                             \
        .name = (flag), .kind = OPTION_KIND_SWITCH, .scope = OPTION_SCOPE_COMMAND, .help = (text) \
    }

const struct option_spec option_table[OPTION_COUNT] = {
    [OPTION_STORE] = OFTEN_TEXT("store", "URL", "where the objects are: s3://BUCKET[/PREFIX] or file:///ROOT"),
    [OPTION_LEDGER] = OFTEN_TEXT("ledger", "URL",
                                 "where the records are: dynamodb://TABLE, dynamo:TABLE[:TIMEOUT_MS], sqlite:///FILE"),
    [OPTION_ENDPOINT_URL] = OFTEN_TEXT("endpoint-url", "URL", "server for both S3 and DynamoDB"),
    [OPTION_S3_ENDPOINT] = SETTING_TEXT("s3-endpoint", "URL", "server for S3"),
    [OPTION_DYNAMODB_ENDPOINT] = SETTING_TEXT("dynamodb-endpoint", "URL", "server for DynamoDB"),
    [OPTION_REGION] = OFTEN_TEXT("region", "NAME", "region of S3, and of DynamoDB unless that is given"),
    [OPTION_DYNAMODB_REGION] = SETTING_TEXT("dynamodb-region", "NAME", "region of DynamoDB"),
    [OPTION_PROFILE] = OFTEN_TEXT("profile", "NAME", "profile of the AWS files that credentials come from"),
    [OPTION_DYNAMODB_PROFILE] = SETTING_TEXT("dynamodb-profile", "NAME", "another profile for DynamoDB"),
    [OPTION_CA_FILE] = SETTING_TEXT("ca-file", "FILE", "PEM bundle to trust instead of the system's"),
    [OPTION_ADDRESSING] = SETTING_CHOICE("addressing", "auto|path|virtual", "where a request has the bucket's name"),
    [OPTION_SIGNATURE] =
        SETTING_CHOICE("signature", "v4|v2", "v2: for old servers, by liboscommit-sigv2; has no fence"),
    [OPTION_TIMEOUT_MS] = SETTING_NUMBER("timeout-ms", UINT64_MAX, "milliseconds of the lease in a record [20000]"),
    [OPTION_MAX_CLOCK_SKEW_RATE] =
        SETTING_NUMBER("max-clock-skew-rate", UINT32_MAX, "how many leases to wait for a record without a fence [3]"),
    [OPTION_TTL_S] = SETTING_NUMBER("ttl-s", UINT64_MAX, "seconds until DynamoDB may delete a record [3600]"),
    [OPTION_LENGTH_S] = SETTING_NUMBER("length-s", UINT32_MAX, "seconds that an attempt's signature is valid [5]"),
    [OPTION_ALLOWANCE_S] =
        SETTING_NUMBER("allowance-s", UINT32_MAX, "seconds the store may take once it has the request [by operation]"),
    [OPTION_MARGIN_S] =
        SETTING_NUMBER("margin-s", UINT32_MAX, "seconds between the clocks of the store's front ends [2]"),
    [OPTION_RECHECK_AFTER_MS] =
        SETTING_NUMBER("recheck-after-ms", UINT64_MAX, "read the object again if the first look is older (ms) [5000]"),
    [OPTION_RELEASE] = SETTING_CHOICE("release", "on_failure|always", "when records are released"),
    [OPTION_FENCES] =
        SETTING_CHOICE("fences", "auto|on|off", "whether the store refuses expired requests [auto: find out]"),
    [OPTION_CONDITION_HEADERS] =
        SETTING_CHOICE("condition-headers", "auto|on|off", "send If-None-Match / If-Match with the attempt"),
    [OPTION_GUARD] = SETTING_CHOICE("guard", "auto|record|native|both", "what excludes other writers"),
    [OPTION_STORE_PROFILE] =
        SETTING_TEXT("store-profile", "FILE|NAME", "what the store can do: a file of probe, or a shipped profile"),
    [OPTION_STAGE_ABOVE] =
        SETTING_NUMBER("stage-above", UINT64_MAX, "send larger bodies in parts (bytes) [what arrives at once]"),
    [OPTION_PART_SIZE] = SETTING_NUMBER("part-size", UINT64_MAX, "bytes of a part [16 MiB; copies 512 MiB]"),
    [OPTION_PARTS_AT_ONCE] = SETTING_NUMBER("parts-at-once", UINT32_MAX, "parts that one call sends at once [4]"),
    [OPTION_MINIMUM_RATE] =
        SETTING_NUMBER("minimum-rate", UINT64_MAX, "bytes per second at which a guarded body must arrive [262144]"),
    [OPTION_STALLED_BODY_S] = SETTING_NUMBER("stalled-body-s", UINT32_MAX,
                                             "seconds the store waits for the rest of a body [of the profile, or 65]"),
    [OPTION_LATE_SEGMENT_S] =
        SETTING_NUMBER("late-segment-s", UINT32_MAX, "seconds the last segment may take to arrive [1]"),
    [OPTION_RECORD_PREFIX] =
        SETTING_TEXT("record-prefix", "TEXT", "put before each key in the records; the whole fleet must agree"),
    [OPTION_FORWARD_ONLY] = {.name = "forward-only",
                             .kind = OPTION_KIND_SWITCH,
                             .scope = OPTION_SCOPE_SETTING,
                             .help = "promise: no key is ever deleted, or takes earlier bytes again (N4)"},
    [OPTION_FORWARD_ONLY_PREFIX] =
        SETTING_TEXT("forward-only-prefix", "TEXT", "the same promise for keys that begin so, such as _delta_log/"),
    [OPTION_RECORDS_BY_BUCKET] = {.name = "records-by-bucket",
                                  .kind = OPTION_KIND_SWITCH,
                                  .scope = OPTION_SCOPE_SETTING,
                                  .help = "put the bucket before each key in the records; the whole fleet must agree"},
    [OPTION_CHECK_TABLE] = {.name = "check-table",
                            .kind = OPTION_KIND_SWITCH,
                            .scope = OPTION_SCOPE_SETTING,
                            .help = "check the table of records first"},
    [OPTION_CONNECT_TIMEOUT_MS] =
        SETTING_NUMBER("connect-timeout-ms", UINT64_MAX, "milliseconds for one connection [5000]"),
    [OPTION_REQUEST_TIMEOUT_MS] =
        SETTING_NUMBER("request-timeout-ms", UINT64_MAX, "milliseconds a plain request may make no progress [10000]"),
    [OPTION_DEADLINE_MS] = {.name = "deadline-ms",
                            .of_tool = true,
                            .kind = OPTION_KIND_NUMBER,
                            .scope = OPTION_SCOPE_SETTING,
                            .max = UINT64_MAX,
                            .often = true,
                            .operand = "N",
                            .help = "milliseconds for the whole call [120000]"},
    [OPTION_METRICS] = {.name = "metrics",
                        .kind = OPTION_KIND_TEXT,
                        .scope = OPTION_SCOPE_SETTING,
                        .of_tool = true,
                        .operand = "FILE",
                        .help = "add what the run did to this file, for Prometheus"},
    [OPTION_CONFIG] = {.name = "config",
                       .kind = OPTION_KIND_TEXT,
                       .scope = OPTION_SCOPE_SETTING,
                       .of_tool = true,
                       .not_in_file = true,
                       .operand = "FILE",
                       .help = "config file [~/.config/oscommit/config.toml]"},
    [OPTION_CONFIG_PROFILE] = {.name = "config-profile",
                               .kind = OPTION_KIND_TEXT,
                               .scope = OPTION_SCOPE_SETTING,
                               .of_tool = true,
                               .not_in_file = true,
                               .operand = "NAME",
                               .help = "the part [profile.NAME] of the config file"},

    [OPTION_JSON] = COMMON_SWITCH("json", '\0', "print one JSON object per result, one a line, to stdout"),
    [OPTION_QUIET] = COMMON_SWITCH("quiet", 'q', "print no result lines and no progress; errors still go to stderr"),
    [OPTION_VERBOSE] = COMMON_SWITCH(
        "verbose", 'v', "log to stderr; if given twice, every request; of version: all that a report should say"),
    [OPTION_HELP] = COMMON_SWITCH("help", 'h', "print this help and exit"),
    [OPTION_ALL] = COMMON_SWITCH("all", '\0', "with --help, and of config: every flag and setting"),
    [OPTION_VERSION] = COMMON_SWITCH("version", 'V', "print the version and exit"),

    [OPTION_IF_ABSENT] = OWN_SWITCH("if-absent", "only if nothing is there"),
    [OPTION_IF_MATCH] = OWN_TEXT("if-match", "ETAG", "only if it is still this version"),
    [OPTION_SOURCE_ETAG] = OWN_TEXT("source-etag", "ETAG", "copy only this version of the source"),
    [OPTION_SOURCE_VERSION_ID] = OWN_TEXT("source-version-id", "ID", "copy this version of the source, current or not"),
    [OPTION_CONTENT_TYPE] = OWN_TEXT("content-type", "TYPE", "stored with the object"),
    [OPTION_CONTENT_ENCODING] = OWN_TEXT("content-encoding", "TEXT", "stored with the object"),
    [OPTION_CONTENT_LANGUAGE] = OWN_TEXT("content-language", "TEXT", "stored with the object"),
    [OPTION_CONTENT_DISPOSITION] = OWN_TEXT("content-disposition", "TEXT", "stored with the object"),
    [OPTION_CACHE_CONTROL] = OWN_TEXT("cache-control", "TEXT", "stored with the object"),
    [OPTION_METADATA] = OWN_TEXT("metadata", "NAME=VALUE", "user metadata; may be given several times"),
    [OPTION_TAG] = OWN_TEXT("tag", "NAME=VALUE", "a tag of the object; may be given several times"),
    [OPTION_STORAGE_CLASS] = OWN_TEXT("storage-class", "NAME", "such as STANDARD_IA; default: the bucket's"),
    [OPTION_ENCRYPTION] = OWN_TEXT("encryption", "NAME", "AES256, aws:kms or aws:kms:dsse; default: the bucket's"),
    [OPTION_KMS_KEY] = OWN_TEXT("kms-key", "ID", "the key of --encryption aws:kms or aws:kms:dsse"),
    [OPTION_TICKET_FILE] =
        OWN_TEXT("ticket-file", "FILE", "file for the ticket of an unknown outcome (resolve reads it)"),
    [OPTION_SAME_STORE] = OWN_SWITCH("same-store", "the ticket's endpoint is another name of this store"),
    [OPTION_ABORT_UPLOAD] = OWN_SWITCH("abort-upload", "the ticket is your own: its upload may be aborted"),
    [OPTION_RANGE] = OWN_TEXT("range", "FIRST-[LAST]", "only these bytes, counted from 0, LAST included"),
    [OPTION_RECURSIVE] = {.name = "recursive",
                          .letter = 'r',
                          .kind = OPTION_KIND_SWITCH,
                          .scope = OPTION_SCOPE_COMMAND,
                          .help = "ls: every key below, not one level; cp: all below a folder or URL"},
    [OPTION_DELIMITER] = OWN_TEXT("delimiter", "TEXT", "text that ends a level [/]"),
    [OPTION_START_AFTER] = OWN_TEXT("start-after", "KEY", "only keys behind this one"),
    [OPTION_MAX_KEYS] = OWN_NUMBER("max-keys", UINT64_MAX, "stop after so many"),
    [OPTION_VERSIONS] = OWN_SWITCH("versions", "list all versions and delete markers of each key, newest first"),
    [OPTION_VERSION_ID] = OWN_TEXT("version-id", "ID", "this version, current or not"),
    [OPTION_ETAG] = OWN_TEXT("etag", "ETAG", "the record of this version; '*' for the creation"),
    [OPTION_FORCE] = OWN_SWITCH("force", "table release: even while the holder may still write; lock break: do it"),
    [OPTION_STUCK] = OWN_SWITCH("stuck", "only records that block writers and that nobody takes over soon"),
    [OPTION_OLDER_THAN] =
        OWN_TEXT("older-than", "TIME", "only uploads begun longer ago than this (\"90m\", \"36h\", \"7d\") [1d]"),
    [OPTION_REMOVE] = OWN_SWITCH("remove", "remove what is found, not only list it"),
    [OPTION_WRITERS] = OWN_NUMBER("writers", 256, "processes [8]; probe: writers at once [32]"),
    [OPTION_KEYS] = OWN_NUMBER(
        "keys", 100000,
        "keys that each of them tries to create [50]; with --lock: leases [2]; with --transactions: accounts [50]"),
    [OPTION_UPDATES] = OWN_NUMBER("updates", 100000, "increments of the counter that each must commit [none]"),
    [OPTION_COPIES] = OWN_NUMBER("copies", 100000, "names that each tries to copy its own object to [none]"),
    [OPTION_DELETES] = OWN_NUMBER("deletes", 100000, "deletions and re-creations that each must commit [none]"),
    [OPTION_DURATION] = OWN_TEXT("duration", "TIME", "race for this time (\"90s\", \"10m\", \"1h\"), not by counts"),
    [OPTION_FAULTS] = OWN_TEXT("faults", "LIST",
                               "what goes wrong: pause,kill,slow,lost-reply,late,5xx,throttle, or all [none; with "
                               "--lock or --transactions: pause,kill]"),
    [OPTION_SEED] = OWN_NUMBER("seed", UINT64_MAX, "seed of the random faults [random]"),
    [OPTION_HISTORY] = OWN_TEXT("history", "FILE", "write every call, the faults and the end state as lines of JSON"),
    [OPTION_REPORT] = OWN_TEXT("report", "FILE", "write every call as one HTML page"),
    [OPTION_KEEP] = OWN_SWITCH("keep", "keep the objects"),
    [OPTION_LOCK] = OWN_SWITCH("lock", "race for leases, not for keys; needs no URL"),
    [OPTION_TRANSACTIONS] = OWN_SWITCH("transactions", "race with transactions over rows and documents; needs no URL"),
    [OPTION_PROFILE_OUT] = OWN_TEXT("profile-out", "FILE", "write the profile here, for --store-profile"),
    [OPTION_ROUNDS] = OWN_NUMBER("rounds", 10000, "rounds of each race [100]; 50 or more prove a condition"),
    [OPTION_STORE_NAME] = OWN_TEXT("store-name", "TEXT", "for the profile [as its answers say]"),
    [OPTION_STORE_VERSION] = OWN_TEXT("store-version", "TEXT", "in the profile"),
    [OPTION_MAX_LENGTH] = OWN_NUMBER("max-length", UINT64_MAX, "most bytes of the object, old and new [64 MiB]"),
    [OPTION_WAIT] = OWN_TEXT("wait", "TIME", "wait so long for another holder (\"90s\", \"10m\", \"1h\") [not at all]"),
    [OPTION_TTL] =
        OWN_TEXT("ttl", "TIME", "how long others wait for a holder that died (2s to 1d) [60s; of a race 3s]"),
    [OPTION_OWNER] =
        OWN_TEXT("owner", "TEXT", "who holds it, for people [host name and process id; lease acquire: of the shell]"),
    [OPTION_GRACE] =
        OWN_TEXT("grace", "TIME", "from SIGTERM to SIGKILL, at most an eighth of --ttl, when the lease is lost [5s]"),
    [OPTION_HANDLE] = OWN_TEXT("handle", "TEXT", "as `lease acquire` printed it [OSCOMMIT_LEASE_HANDLE]"),
    [OPTION_NAMESPACE] = OWN_TEXT("namespace", "TEXT", "a lock with owner and instance, not a lease"),
    [OPTION_LEASES] = OWN_SWITCH("leases", "the table of leases, not that of records"),
    [OPTION_LOCKS] = OWN_SWITCH("locks", "the table of locks with owner and instance, not that of records"),
    [OPTION_LOG_STORE] =
        OWN_TEXT("log-store", "URL", "table of Delta's S3DynamoDBLogStore, which all writers use: dynamodb://TABLE"),
    [OPTION_LOG_ENTRIES] = OWN_SWITCH("log-entries", "the table of a log store of Delta, not that of records"),
    [OPTION_MANIFEST_STORE] =
        OWN_TEXT("manifest-store", "URL", "table of rows of s3+ddb://, which all writers use: dynamodb://TABLE"),
    [OPTION_APP_ID] = OWN_TEXT("app-id", "TEXT", "application whose commits are counted, so that none is made twice"),
    [OPTION_APP_VERSION] = OWN_NUMBER("app-version", INT64_MAX, "number of this commit of --app-id"),
    [OPTION_PARTITION] = OWN_TEXT("partition", "COLUMN[:TYPE]=VALUE",
                                  "a column that the table is partitioned by; may be given several times"),
    [OPTION_JOBS] = OWN_NUMBER("jobs", 64, "how many files at the same time [8]"),
    [OPTION_MANIFEST] = OWN_TEXT(
        "manifest", "FILE", "note what was committed; another run goes on from there, and settles what is unknown"),
    [OPTION_LITERAL] = OWN_SWITCH("literal", "the key is no pattern: *, ? and [ stand for themselves"),
    [OPTION_LONG] = {.name = "long",
                     .letter = 'l',
                     .kind = OPTION_KIND_SWITCH,
                     .scope = OPTION_SCOPE_COMMAND,
                     .help = "with the ETag of each"},
    [OPTION_METHOD] = {.name = "method",
                       .kind = OPTION_KIND_CHOICE,
                       .scope = OPTION_SCOPE_COMMAND,
                       .operand = "get|head|put",
                       .help = "what the URL is for; put: only if nothing is there"},
    [OPTION_EXPIRES] = OWN_TEXT("expires", "TIME", "for how long it is valid (\"15m\", \"12h\"), 7d at most [1h]"),
    [OPTION_NO_HELD_BODY] = OWN_SWITCH("no-held-body", "leave out the questions about stalled bodies (80 s)"),
};
