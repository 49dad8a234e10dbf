/* SPDX-License-Identifier: Apache-2.0 */
/*
 *   bench_client MODE --s3 URL --bucket NAME --table NAME [OPTION VALUE ...]
 *   bench_client MODE --folder PATH [OPTION VALUE ...]
 *
 * The second is an embedded store, which is made in that folder.
 *
 * Modes: create, update, copy (each operation in flight has keys of its own), counter (all increment one object), lines
 * (commands on standard input). Options: --ledger URL, --prefix TEXT, --guard NAME, --profile FILE, --calls blocking or
 * started, --ca-file FILE, --in-flight N, --bytes N, --stage-above N, --records-by-bucket 1, --forward-only 1, --seconds S, --warm S.
 * Credentials: AWS_ACCESS_KEY_ID ...
 *
 * A load says "ready" when it is warm, begins when it is given a line, and says what it measured as one line of JSON.
 */
#include "client.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const mode_names[] = {"create", "update", "copy", "counter", "lines"};
enum { MODES = sizeof(mode_names) / sizeof(mode_names[0]) };

static bool set_text(struct settings *settings, const char *name, const char *value)
{
    const struct {
        const char *name;
        const char **text;
    } texts[] = {
        {"--s3", &settings->store_endpoint}, {"--ledger", &settings->ledger_endpoint}, {"--bucket", &settings->bucket},
        {"--table", &settings->table},       {"--prefix", &settings->prefix},          {"--guard", &settings->guard},
        {"--profile", &settings->profile},   {"--ca-file", &settings->ca_file},        {"--folder", &settings->folder},
    };
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (strcmp(name, texts[i].name) == 0) {
            *texts[i].text = value;
            return true;
        }
    }
    return strcmp(name, "--runtime") == 0; /* of the peers alone */
}

static bool set_option(struct settings *settings, const char *name, const char *value)
{
    if (strcmp(name, "--calls") == 0) {
        settings->started = strcmp(value, "started") == 0;
        return settings->started || strcmp(value, "blocking") == 0;
    }
    if (strcmp(name, "--in-flight") == 0)
        return (settings->in_flight = (unsigned)strtoul(value, NULL, 10)) > 0;
    if (strcmp(name, "--bytes") == 0)
        return (settings->bytes = strtoul(value, NULL, 10)) >= 64; /* room for what makes each body another */
    if (strcmp(name, "--stage-above") == 0)
        return (settings->stage_above = strtoul(value, NULL, 10)) > 0;
    if (strcmp(name, "--records-by-bucket") == 0)
        return settings->records_by_bucket = strcmp(value, "1") == 0;
    if (strcmp(name, "--forward-only") == 0)
        return settings->forward_only = strcmp(value, "1") == 0;
    if (strcmp(name, "--seconds") == 0)
        return (settings->seconds = strtod(value, NULL)) > 0;
    if (strcmp(name, "--warm") == 0)
        return (settings->warm = strtod(value, NULL)) >= 0;
    return set_text(settings, name, value);
}

static bool parse(int argc, char **argv, struct settings *ret)
{
    *ret = (struct settings){.prefix = "bench", .in_flight = 1, .bytes = 1024, .seconds = 1, .warm = 0.3};
    int mode = 0;
    while (argc > 1 && mode < MODES && strcmp(argv[1], mode_names[mode]) != 0)
        mode++;
    if (argc < 2 || mode == MODES)
        return false;
    ret->mode = (enum client_mode)mode;
    for (int i = 2; i < argc; i += 2)
        if (i + 1 == argc || !set_option(ret, argv[i], argv[i + 1]))
            return false;
    if (ret->ledger_endpoint == NULL)
        ret->ledger_endpoint = ret->store_endpoint;
    bool can_start = ret->mode != MODE_COUNTER && ret->mode != MODE_LINES;
    bool has_place = ret->folder != NULL || (ret->store_endpoint != NULL && ret->bucket != NULL);
    return has_place && (!ret->started || can_start);
}

static os_guard guard_of(const char *name)
{
    if (name != NULL && strcmp(name, "record") == 0)
        return OS_GUARD_RECORD;
    if (name != NULL && strcmp(name, "native") == 0)
        return OS_GUARD_NATIVE;
    return name != NULL && strcmp(name, "both") == 0 ? OS_GUARD_BOTH : OS_GUARD_AUTO;
}

static os_code open_embedded(const struct settings *settings, os_options *options, os_client **ret, os_error *err)
{
    char store[PATH_MAX + 16];
    snprintf(store, sizeof(store), "file://%s", settings->folder);
    options->store_url = store;
    os_code code = os_init(settings->folder, err);
    return code == OS_OK ? os_client_open(options, ret, err) : code;
}

static os_code open_client(const struct settings *settings, os_client **ret, os_error *err)
{
    os_options options = OS_OPTIONS_INIT;
    char store[256];
    char ledger[256];
    options.max_in_flight = settings->in_flight;
    if (settings->folder != NULL)
        return open_embedded(settings, &options, ret, err);
    snprintf(store, sizeof(store), "s3://%s", settings->bucket);
    snprintf(ledger, sizeof(ledger), "dynamodb://%s", settings->table ? settings->table : "");
    options.store_url = store;
    options.ledger_url = settings->table != NULL ? ledger : NULL;
    options.s3_endpoint = settings->store_endpoint;
    options.dynamodb_endpoint = settings->ledger_endpoint;
    options.guard = guard_of(settings->guard);
    options.store_profile = settings->profile;
    options.ca_file = settings->ca_file;
    options.stage_above = settings->stage_above;
    options.records_by_bucket = settings->records_by_bucket;
    options.forward_only = settings->forward_only ? OS_ON : OS_AUTO;
    return os_client_open(&options, ret, err);
}

int main(int argc, char **argv)
{
    struct settings settings;
    os_client *client = NULL;
    os_error error;
    if (!parse(argc, argv, &settings)) {
        fprintf(stderr,
                "usage: bench_client MODE --s3 URL --bucket NAME --table NAME|--folder PATH [OPTION VALUE ...]\n");
        return 2;
    }
    if (open_client(&settings, &client, &error) != OS_OK) {
        fprintf(stderr, "bench_client: %s\n", error.message);
        return 1;
    }
    int status = settings.mode == MODE_LINES ? run_lines(client) : run_load(client, &settings);
    os_client_close(client);
    return status;
}
