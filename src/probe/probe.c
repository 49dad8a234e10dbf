/* SPDX-License-Identifier: Apache-2.0 */
#include "probe/probe.h"

#include "base/error.h"
#include "base/random.h"
#include "base/text.h"
#include "client/arguments.h"
#include "profile/profile_json.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    PROBE_WRITERS = 32,
    PROBE_ROUNDS = 100, /* OS_PROBE_PROOF_ROUNDS and as many again */
    PROBE_ROUNDS_MAX = 10000,
    PROBE_DEADLINE_MS = 1800000,
    PROBE_CLEAN_MS = 60000 /* after the caller's own deadline, and after a cancellation */
};

static_assert((int)PROFILE_VENDORS == (int)S3_VENDOR_END, "a profile knows every vendor's header");
static_assert((int)PROFILE_MARK_END == (int)S3_MARK_END + 1, "a profile knows every mark");
static_assert((int)PROFILE_CHECKSUMS == (int)S3_CHECKSUM_END, "a profile knows every checksum");

static const struct {
    const char *words;
    void (*ask)(struct probe *probe);
} questions[] = {
    {"objects and ETags", probe_ask_first}, {"uploads", probe_ask_uploads},       {"RenameObject", probe_ask_rename},
    {"metadata", probe_ask_metadata},       {"conditions", probe_ask_conditions}, {"checksums", probe_ask_checksums},
    {"expiry", probe_ask_expiry},           {"races", probe_ask_races},
};

static os_code probe_take_options(const os_probe_options *options, const os_client *client, os_probe_options *ret,
                                  os_error *err)
{
    os_code code = versioned_copy(options, ret, sizeof(*ret), "os_probe_options", err);
    if (code != OS_OK)
        return code;
    if (ret->writers == 0)
        ret->writers =
            PROBE_WRITERS < client->settings.max_connections ? PROBE_WRITERS : client->settings.max_connections;
    if (ret->rounds == 0)
        ret->rounds = PROBE_ROUNDS;
    if (ret->writers < 2 || ret->writers > PROBE_WRITERS_MAX || ret->writers > client->settings.max_connections)
        return error_set(err, OS_ERR_ARGUMENT,
                         "A race has 2 to %d writers, and not more than max_connections (%" PRIu32 "); not %" PRIu32
                         ".",
                         PROBE_WRITERS_MAX, client->settings.max_connections, ret->writers);
    if (ret->rounds > PROBE_ROUNDS_MAX)
        return error_set(err, OS_ERR_ARGUMENT, "A race has at most %d rounds, not %" PRIu32 ".", PROBE_ROUNDS_MAX,
                         ret->rounds);
    return OS_OK;
}

static os_code name_prefix(struct probe *probe, os_error *err)
{
    unsigned char random[8];
    char hex[2 * sizeof(random) + 1];
    const char *prefix = probe->client->settings.prefix ? probe->client->settings.prefix : "";
    if (!random_bytes(random, sizeof(random)))
        return error_set(err, OS_ERR_IO, "The system gave no random bytes; try again.");
    text_hex(random, sizeof(random), hex);
    int len = snprintf(probe->prefix, sizeof(probe->prefix), "%s.oscommit-probe-%s/", prefix, hex);
    if (len < 0 || (size_t)len + 24 > S3_KEY_MAX)
        return error_set(err, OS_ERR_ARGUMENT,
                         "The prefix of the URL is too long for scratch keys below it; use a shorter one.");
    return OS_OK;
}

/* What a service sent may be anything; a profile is JSON, which is Unicode. */
static void copy_printable(const char *from, char *ret, size_t ret_size)
{
    size_t len = 0;
    for (; *from && len + 1 < ret_size; from++)
        ret[len++] = *from >= 0x20 && *from < 0x7f ? *from : '?';
    ret[len] = '\0';
}

/* The day by the store's own clock. */
static void name_day(struct probe *probe)
{
    uint64_t now_s;
    char text[32];
    os_error err;
    if (client_store_time(probe->client, &now_s, &err) != OS_OK) {
        struct clock_reading now;
        clock_read(&now);
        now_s = now.realtime_ms / 1000;
    }
    text_format_amz_date((int64_t)now_s, text); /* "20060203T164509Z" */
    snprintf(probe->profile->measured_on, sizeof(probe->profile->measured_on), "%.4s-%.2s-%.2s", text, text + 4,
             text + 6);
}

/* One answer without a mark is enough: what comes without one is then no sign of another. */
static void name_mark(struct probe *probe)
{
    if (probe->marked[S3_MARK_NONE] > 0) {
        probe->profile->answer_mark = PROFILE_MARK_NONE;
        return;
    }
    for (int mark = S3_MARK_END - 1; mark > S3_MARK_NONE; mark--)
        if (probe->marked[mark] > 0)
            probe->profile->answer_mark = (enum profile_mark)(mark + 1);
}

static void name_profile(struct probe *probe)
{
    struct profile *profile = probe->profile;
    const char *name = probe->options.name && probe->options.name[0] ? probe->options.name : probe->server;
    copy_printable(name[0] ? name : "a store without a name", profile->name, sizeof(profile->name));
    if (probe->options.version)
        copy_printable(probe->options.version, profile->version, sizeof(profile->version));
    snprintf(profile->source, sizeof(profile->source), "probe: %" PRIu32 " writers at once, %" PRIu32 " rounds",
             probe->options.writers, probe->options.rounds);
    name_day(probe);
    name_mark(probe);
    if (probe->date.held > 0)
        profile->date_on_all = PROFILE_NO;
    else if (probe->date.written > 0)
        profile->date_on_all = PROFILE_YES;
}

/* What the first question finds out is that the store can be asked at all. */
static void ask_all(struct probe *probe, struct probe_beside *beside)
{
    uint32_t total = (uint32_t)(sizeof(questions) / sizeof(questions[0]));
    for (uint32_t i = 0; i < total && probe->code == OS_OK; i++) {
        if (probe->options.progress)
            probe->options.progress(probe->options.progress_context, questions[i].words, i, total);
        questions[i].ask(probe);
        if (i == 0 && probe->code == OS_OK)
            probe_beside_begin(probe, beside);
    }
}

static os_code probe_all(struct probe *probe, char **ret_profile, os_error *err)
{
    struct profile profile;
    struct clock_reading now;
    os_error why = {0};
    memset(&profile, 0, sizeof(profile));
    clock_read(&now);
    probe->profile = &profile;
    probe->err = &why;
    probe->deadline_ms = now.monotonic_ms + probe->call.deadline_ms;
    struct probe_beside beside = {.running = false};
    ask_all(probe, &beside);
    os_code code = probe->code;
    name_profile(probe);
    os_error ignored;
    probe_beside_end(probe, &beside, code != OS_OK); /* before the time for cleaning begins: it may take a minute */
    clock_read(&now);
    probe->err = &ignored;
    probe->code = OS_OK;
    probe->cleaning = true;
    probe->deadline_ms = now.monotonic_ms + PROBE_CLEAN_MS;
    probe_beside_clean(probe, &beside);
    probe_clean(probe);
    if (code != OS_OK) {
        *err = why;
        return code;
    }
    char *text = profile_write(&profile);
    if (text == NULL)
        return error_no_memory(err);
    *ret_profile = text;
    return OS_OK;
}

static os_code probe_perform(os_client *client, const void *context, os_error *err)
{
    const struct probe_arguments *arguments = context;
    const os_call *call = arguments->call;
    struct probe probe;
    memset(&probe, 0, sizeof(probe));
    probe.client = client;
    os_code code = probe_take_options(arguments->options, client, &probe.options, err);
    if (code == OS_OK)
        code = arguments_take_call(call, &probe.call, err);
    if (code == OS_OK && (call == NULL || call->deadline_ms == 0))
        probe.call.deadline_ms = PROBE_DEADLINE_MS;
    if (code == OS_OK && (client->store->is_local || !client->store->has_uploads))
        code = error_set(err, OS_ERR_UNSUPPORTED,
                         "Only a store with Signature V4 can be probed: the embedded store is known, and Signature V2 "
                         "has neither conditions nor fences.");
    if (code == OS_OK)
        code = name_prefix(&probe, err);
    return code == OS_OK ? probe_all(&probe, arguments->ret_profile, err) : code;
}

os_code probe_store(os_client *client, const struct probe_arguments *arguments, os_error *err)
{
    return client_perform(client, probe_perform, arguments, err);
}
