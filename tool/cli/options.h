/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The command line and the OSCOMMIT_* variables as values. One table (option_table.c) says for each flag what it
 * takes, whether it is a setting that every command accepts (and that a variable may give), and its help line; the
 * parser, the help texts and the bash completion's test all follow that table.
 *
 * No flag takes a secret, and none may be added that does: command lines are visible to every user of a machine.
 * This module knows nothing of the library's options; settings.c translates.
 */
#ifndef OSCOMMIT_TOOL_OPTIONS_H
#define OSCOMMIT_TOOL_OPTIONS_H

#include "cli/status.h"
#include "cli/usage.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum option_id {
    /* settings: every command, and OSCOMMIT_<NAME> */
    OPTION_STORE,
    OPTION_LEDGER,
    OPTION_ENDPOINT_URL,
    OPTION_S3_ENDPOINT,
    OPTION_DYNAMODB_ENDPOINT,
    OPTION_REGION,
    OPTION_DYNAMODB_REGION,
    OPTION_PROFILE,
    OPTION_DYNAMODB_PROFILE,
    OPTION_CA_FILE,
    OPTION_ADDRESSING,
    OPTION_SIGNATURE,
    OPTION_TIMEOUT_MS,
    OPTION_MAX_CLOCK_SKEW_RATE,
    OPTION_TTL_S,
    OPTION_LENGTH_S,
    OPTION_ALLOWANCE_S,
    OPTION_MARGIN_S,
    OPTION_RECHECK_AFTER_MS,
    OPTION_RELEASE,
    OPTION_FENCES,
    OPTION_CONDITION_HEADERS,
    OPTION_GUARD,
    OPTION_STORE_PROFILE,
    OPTION_STAGE_ABOVE,
    OPTION_PART_SIZE,
    OPTION_PARTS_AT_ONCE,
    OPTION_MINIMUM_RATE,
    OPTION_STALLED_BODY_S,
    OPTION_LATE_SEGMENT_S,
    OPTION_RECORD_PREFIX,
    OPTION_FORWARD_ONLY,
    OPTION_FORWARD_ONLY_PREFIX,
    OPTION_RECORDS_BY_BUCKET,
    OPTION_CHECK_TABLE,
    OPTION_CONNECT_TIMEOUT_MS,
    OPTION_REQUEST_TIMEOUT_MS,
    OPTION_DEADLINE_MS,
    OPTION_METRICS,
    OPTION_CONFIG,
    OPTION_CONFIG_PROFILE,
    /* how the tool speaks: every command */
    OPTION_JSON,
    OPTION_QUIET,
    OPTION_VERBOSE,
    OPTION_HELP,
    OPTION_ALL,
    OPTION_VERSION,
    /* the commands' own */
    OPTION_IF_ABSENT,
    OPTION_IF_MATCH,
    OPTION_SOURCE_ETAG,
    OPTION_SOURCE_VERSION_ID,
    OPTION_CONTENT_TYPE,
    OPTION_CONTENT_ENCODING,
    OPTION_CONTENT_LANGUAGE,
    OPTION_CONTENT_DISPOSITION,
    OPTION_CACHE_CONTROL,
    OPTION_METADATA,
    OPTION_TAG,
    OPTION_STORAGE_CLASS,
    OPTION_ENCRYPTION,
    OPTION_KMS_KEY,
    OPTION_TICKET_FILE,
    OPTION_SAME_STORE,
    OPTION_ABORT_UPLOAD,
    OPTION_RANGE,
    OPTION_RECURSIVE,
    OPTION_DELIMITER,
    OPTION_START_AFTER,
    OPTION_MAX_KEYS,
    OPTION_VERSIONS,
    OPTION_VERSION_ID,
    OPTION_ETAG,
    OPTION_FORCE,
    OPTION_STUCK,
    OPTION_OLDER_THAN,
    OPTION_REMOVE,
    OPTION_WRITERS,
    OPTION_KEYS,
    OPTION_UPDATES,
    OPTION_COPIES,
    OPTION_DELETES,
    OPTION_DURATION,
    OPTION_FAULTS,
    OPTION_SEED,
    OPTION_HISTORY,
    OPTION_REPORT,
    OPTION_KEEP,
    OPTION_LOCK,
    OPTION_TRANSACTIONS,
    OPTION_PROFILE_OUT,
    OPTION_ROUNDS,
    OPTION_STORE_NAME,
    OPTION_STORE_VERSION,
    OPTION_NO_HELD_BODY,
    OPTION_MAX_LENGTH,
    OPTION_WAIT,
    OPTION_TTL,
    OPTION_OWNER,
    OPTION_GRACE,
    OPTION_LEASES,
    OPTION_LOCKS,
    OPTION_HANDLE,
    OPTION_NAMESPACE,
    OPTION_LOG_STORE,
    OPTION_LOG_ENTRIES,
    OPTION_MANIFEST_STORE,
    OPTION_APP_ID,
    OPTION_PARTITION,
    OPTION_APP_VERSION,
    OPTION_JOBS,
    OPTION_MANIFEST,
    OPTION_LITERAL,
    OPTION_LONG,
    OPTION_METHOD,
    OPTION_EXPIRES,
    OPTION_COUNT
};

/* What goes with the object that is written: common/headers.h. */
#define OPTIONS_OF_HEADERS                                                                             \
    OPTION_CONTENT_TYPE, OPTION_CONTENT_ENCODING, OPTION_CONTENT_LANGUAGE, OPTION_CONTENT_DISPOSITION, \
        OPTION_CACHE_CONTROL, OPTION_METADATA, OPTION_TAG, OPTION_STORAGE_CLASS, OPTION_ENCRYPTION, OPTION_KMS_KEY

enum option_kind { OPTION_KIND_SWITCH, OPTION_KIND_TEXT, OPTION_KIND_NUMBER, OPTION_KIND_CHOICE };
enum option_scope { OPTION_SCOPE_COMMAND, OPTION_SCOPE_COMMON, OPTION_SCOPE_SETTING };

struct option_spec {
    const char *name; /* without the dashes */
    char letter;      /* '\0': no short form */
    enum option_kind kind;
    enum option_scope scope;
    uint64_t max;        /* of a number; the least is 1 */
    bool often;          /* a setting that the short help names, too */
    bool of_tool;        /* a setting that the library knows nothing of */
    bool not_in_file;    /* a setting that says which part of the config file counts */
    const char *operand; /* what the help calls the value; of a choice: the choices, "auto|on|off" */
    const char *help;
};
extern const struct option_spec option_table[OPTION_COUNT];

enum { OPERANDS_MAX = 256, METADATA_MAX = 64, TAGS_MAX = 10, PARTITIONS_MAX = 32 };

struct options;
struct config;
struct config_setting;

/* One command, as its file describes it. */
struct command {
    const char *name;     /* "put", "table create" */
    const char *operands; /* "FILE|- URL" */
    const char *summary;  /* one line */
    const char *description;
    const char *examples;          /* lines, each with its end */
    const enum option_id *options; /* its own flags, ended by OPTION_COUNT; NULL: none */
    size_t min_operands;
    size_t max_operands;
    const char *exit_status; /* lines of its own for the help; NULL: those of most commands */
    bool hidden;             /* not listed: the tool starts it itself */
    bool reads_file;         /* the first operand is a file, also where --store makes names keys */
    bool covers_keys;        /* it writes to, or removes, whatever begins with its operand */
    bool settles;            /* it asks about an earlier write: where it fails, that is as unknown as before */
    bool runs_program;       /* what stands behind "--" is a program and its arguments */
    const char *program;     /* another one, in the same package, that does it; NULL: `run` does */
    enum status (*run)(const struct options *options);
};

/* Everything is borrowed from argv, the environment and the config file. */
struct options {
    const struct command *const *commands; /* of this program, ends with NULL */
    const struct command *command;         /* NULL: none was named (then --help or --version was given) */
    const char *group;                     /* "table" where the help of all its commands is wanted; else NULL */
    const char *value[OPTION_COUNT];
    /* How far from the command it was said: 0: on its line, or nowhere; 1: in a variable; 2 and more: in the config file,
     * the part that is closest to the object first. */
    unsigned distance[OPTION_COUNT];
    const struct config_setting *in_file[OPTION_COUNT]; /* where; NULL: it does not come from there */
    const struct config *config;                        /* the file that was read; NULL: none yet */
    unsigned given[OPTION_COUNT];                       /* how often, on the command line */
    const char *operand[OPERANDS_MAX];
    size_t operand_count;
    char *const *program; /* of a command that runs one: it and its arguments, ends with NULL; NULL: none is given */
    const char *metadata[METADATA_MAX]; /* "name=value", in order */
    size_t metadata_count;
    const char *tags[TAGS_MAX]; /* the same */
    size_t tag_count;
    const char *partitions[PARTITIONS_MAX]; /* "column=value" or "column:type=value" */
    size_t partition_count;
};

/* Reads argv[1] and on. Flags may stand before or behind operands; "--" ends them; "-" is an operand. `commands` ends
 * with NULL. After a refusal `ret` still says which command and which of --help, --json ... were seen before it. */
bool options_parse(int argc, char **argv, const struct command *const *commands, struct options *ret,
                   struct usage *usage);

enum { DISTANCE_VARIABLE = 1, DISTANCE_FILE = 2 };

/* Fills settings that the command line left open from OSCOMMIT_<NAME>; an empty variable counts as not set. */
bool options_take_environment(struct options *options, struct usage *usage);

/* Is it a value that the option may have? `source` is the flag, the variable or the key, as the user knows it. */
bool option_check(enum option_id id, const char *source, const char *value, struct usage *usage);

/* May the config file give it, as far as it is not given closer to the command? */
bool option_is_open(const struct options *options, enum option_id id);

bool option_is_of(const struct command *command, enum option_id id);
void option_variable(enum option_id id, char *ret, size_t ret_size); /* "OSCOMMIT_TTL_S" */

bool options_on(const struct options *options, enum option_id id);
const char *options_text(const struct options *options, enum option_id id); /* NULL: not given */
uint64_t options_number(const struct options *options, enum option_id id);  /* 0: not given */
int options_choice(const struct options *options,
                   enum option_id id); /* index among the choices; 0: the first, or not given */

#endif
