/* SPDX-License-Identifier: Apache-2.0 */
#include "command/commands.h"
#include "common/table.h"
#include "oscommit_delta.h"
#include "oscommit_lease.h"

#include <stdio.h>
#include <string.h>

enum { BUCKETS_MOST = 32, BUCKET_SIZE = 64, NAMES_SIZE = 256, SENTENCE_SIZE = 768 };

/* How the records of one bucket are named (T4). */
struct naming {
    char bucket[BUCKET_SIZE];
    bool plain;
    bool by_bucket;
    bool is_held; /* one of them is not released */
};

struct sharing {
    const char *record_prefix;
    struct naming buckets[BUCKETS_MOST];
    size_t count;
};

static struct naming *naming_of(struct sharing *sharing, const char *bucket)
{
    for (size_t i = 0; i < sharing->count; i++)
        if (strcmp(sharing->buckets[i].bucket, bucket) == 0)
            return &sharing->buckets[i];
    if (sharing->count == BUCKETS_MOST || strlen(bucket) >= BUCKET_SIZE)
        return NULL;
    struct naming *naming = &sharing->buckets[sharing->count++];
    (void)snprintf(naming->bucket, sizeof(naming->bucket), "%s", bucket);
    return naming;
}

static int note_record(void *context, const os_record *record)
{
    struct sharing *sharing = context;
    size_t prefix = strlen(sharing->record_prefix);
    size_t length = strlen(record->bucket);

    if (length == 0 || strncmp(record->path, sharing->record_prefix, prefix) != 0)
        return 0;
    struct naming *naming = naming_of(sharing, record->bucket);
    if (naming == NULL)
        return 0;
    const char *rest = record->path + prefix;
    bool by_bucket = strncmp(rest, record->bucket, length) == 0 && rest[length] == '/';
    naming->is_held |= record->timeout_ms != 0;
    naming->by_bucket |= by_bucket;
    naming->plain |= !by_bucket;
    return 0;
}

static void add_name(char names[NAMES_SIZE], const char *name)
{
    size_t used = strlen(names);

    (void)snprintf(names + used, NAMES_SIZE - used, "%s%s", used > 0 ? ", " : "", name);
}

/* T3.5: the record of a write that failed stays, and is only released. That bucket may not even exist. */
static void tell_released(struct output *output, const struct sharing *sharing)
{
    char names[NAMES_SIZE] = "";
    char sentence[SENTENCE_SIZE];

    for (size_t i = 0; i < sharing->count; i++)
        if (sharing->buckets[i].plain && !sharing->buckets[i].is_held)
            add_name(names, sharing->buckets[i].bucket);
    if (names[0] == '\0')
        return;
    (void)snprintf(sentence, sizeof(sentence),
                   "All records of %s are released: they block nobody. A write that failed leaves such a record, even "
                   "if its bucket does not exist. If no writer of this fleet uses that bucket, ignore them: the "
                   "table's TTL, or `oscommit gc`, removes them.",
                   names);
    output_log(output, OS_LOG_WARN, sentence);
}

/* Two of them make the names of all plain ones worth a sentence. */
static void tell_shared(struct output *output, const struct sharing *sharing)
{
    char names[NAMES_SIZE] = "";
    char sentence[SENTENCE_SIZE];
    size_t count = 0;

    for (size_t i = 0; i < sharing->count; i++) {
        count += sharing->buckets[i].plain;
        if (sharing->buckets[i].plain)
            add_name(names, sharing->buckets[i].bucket);
    }
    if (count < 2)
        return;
    (void)snprintf(
        sentence, sizeof(sentence),
        "Several buckets have records here whose names do not begin with the bucket (%s). Unless each of them "
        "has a record_prefix of its own, their writers wait for each other wherever keys are the same. Set "
        "records_by_bucket, as docs/operations.md says (rule T4).",
        names);
    output_log(output, OS_LOG_WARN, sentence);
    tell_released(output, sharing);
}

static void tell_divided(struct output *output, const struct naming *naming)
{
    char sentence[SENTENCE_SIZE];

    if (!naming->plain || !naming->by_bucket)
        return;
    (void)snprintf(sentence, sizeof(sentence),
                   "Some records of the bucket %s have its name before the key, and some have not. Writers that differ "
                   "in records_by_bucket do not exclude each other, and commits can be lost. If a fleet has just "
                   "changed it, TTL removes the records of the other kind.",
                   naming->bucket);
    output_log(output, OS_LOG_WARN, sentence);
}

/* What is wrong with the fleet's settings, as far as its records show it. The table itself is in order. */
static void look_at_records(struct session *session)
{
    const char *prefix = options_text(session->options, OPTION_RECORD_PREFIX);
    struct sharing sharing = {.record_prefix = prefix == NULL ? "" : prefix};
    os_error error = {0};
    char sentence[SENTENCE_SIZE];

    if (os_table_list(session->client, NULL, &session->call, note_record, &sharing, &error) != OS_OK) {
        (void)snprintf(sentence, sizeof(sentence),
                       "Whether several buckets share the records is not known, as they could not be listed: %.500s",
                       error.message);
        output_log(&session->output, OS_LOG_WARN, sentence);
        return;
    }
    tell_shared(&session->output, &sharing);
    for (size_t i = 0; i < sharing.count; i++)
        tell_divided(&session->output, &sharing.buckets[i]);
}

static enum status table_check_run(const struct options *options)
{
    static const struct table_calls calls = {
        .of_records = os_table_check,
        .of_leases = os_lease_table_check,
        .of_locks = os_lock_table_check,
        .of_entries = os_delta_log_store_check,
        .then = look_at_records,
    };
    return table_call(options, &calls);
}

static const enum option_id own_options[] = {OPTION_LEASES, OPTION_LOCKS, OPTION_LOG_ENTRIES, OPTION_COUNT};

const struct command command_table_check = {
    .name = "table check",
    .operands = "[URL]",
    .summary = "check that the table is fit for records, leases, locks or log entries",
    .description =
        "Checks key schema, attribute types, TTL, state and replication. Says what is wrong and how to correct it.\n"
        "Then reads all records, and warns if several buckets share them, or if the writers of one bucket name them\n"
        "in two ways (records_by_bucket). With --leases checks a table for `oscommit lock`, with --locks one for\n"
        "locks with owner and instance, with --log-entries a log store of Delta. Writes nothing.\n",
    .examples = "oscommit table check --ledger dynamodb://commits\n"
                "oscommit table check --leases --ledger dynamodb://leases\n"
                "oscommit table check --locks --ledger dynamodb://locks\n"
                "oscommit table check --log-entries --ledger dynamodb://delta_log\n",
    .options = own_options,
    .max_operands = 1,
    .run = table_check_run,
};
