/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tool says: results to stdout, as a line for a person or as one JSON object; messages to stderr. Every result
 * has the command, the object's URL and a verdict: "committed", "done", "conflict", "not executed", "unknown".
 */
#ifndef OSCOMMIT_TOOL_OUTPUT_H
#define OSCOMMIT_TOOL_OUTPUT_H

#include "cli/json_line.h"
#include "cli/options.h"
#include "cli/progress.h"
#include "cli/verdict.h"
#include "oscommit.h"

#include <stdbool.h>

struct output {
    const char *command;
    bool json;
    bool quiet;
    struct progress progress; /* its line is cleared before anything else is printed */
};

void output_start(struct output *output, const struct options *options);

/* One sentence to stderr, behind "oscommit: ". */
void output_message(struct output *output, const char *sentence);

/* Also the log callback's way out. */
void output_log(struct output *output, os_log_level level, const char *line);

/* "oscommit: SENTENCE" and where the help is. Gives the exit status. */
enum status output_usage(const struct options *options, const struct usage *usage);

/* A guarded call. `url` may be NULL. Gives the exit status. */
enum status output_guarded(struct output *output, const char *url, os_verdict verdict, const os_result *result,
                           const os_error *error);

/* A call that ended badly or has nothing to show but that it is done. */
enum status output_outcome(struct output *output, const char *url, enum status status, const os_error *error);

/* A check that found nothing: `sentence` says what was looked at. */
enum status output_checked(struct output *output, const char *url, const char *sentence);

/* The end of an unguarded write that has nothing else to show. */
enum status output_plain_write(struct output *output, const char *url, const os_error *error);

/* An object as a call found or made it; `length_known` is false after a write. */
enum status output_object(struct output *output, const char *url, const os_object *object, bool length_known);
void output_json_object(struct json_line *line, const os_object *object, bool length_known);

/* Starts a JSON result of this command, and prints one; what could not be printed is said on stderr, and false. */
void output_json_begin(struct output *output, struct json_line *line, const char *url, const char *verdict);
bool output_json_print(struct output *output, struct json_line *line);

/* A line of a block of them: "owner       host:1234". */
void output_field(const char *name, const char *value);
/* In local time; `otherwise` for 0. */
void output_field_time(const char *name, int64_t time_s, const char *otherwise);

/* May a human result line be printed? */
bool output_is_human(const struct output *output);

#endif
