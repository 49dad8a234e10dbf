/* SPDX-License-Identifier: Apache-2.0 */
#include "common/lease_info.h"

#include "cli/clean.h"
#include "cli/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <time.h>

/* ----------------------------------------------------------------------------------------------------- leases */

static bool lease_json(struct output *output, const char *name, const os_lease_info *info)
{
    struct json_line line;

    output_json_begin(output, &line, name, status_name(STATUS_DONE));
    json_line_flag(&line, "held", info->held != 0);
    if (info->held != 0) {
        json_line_text(&line, "owner", info->owner);
        json_line_flag(&line, "foreign", info->foreign != 0);
        if (info->ttl_ms != 0)
            json_line_number(&line, "ttl_ms", info->ttl_ms);
        json_line_signed(&line, "expiry_s", info->expiry_s);
        json_line_time(&line, "expiry", info->expiry_s);
        json_line_text(&line, "version", info->version);
    }
    if (info->token != 0)
        json_line_number(&line, "token", info->token);
    return output_json_print(output, &line);
}

static void lease_holder_human(const os_lease_info *info)
{
    char text[64];

    output_field("state", info->foreign != 0 ? "held, by another implementation"
                                             : "held; its holder may be dead, and then it ends by itself");
    output_field("owner", info->owner[0] == '\0' ? "not told" : info->owner);
    (void)snprintf(text, sizeof(text), "%.1f s", (double)info->ttl_ms / 1000);
    output_field("ttl", info->ttl_ms == 0 ? "not told" : text);
    output_field_time("expiry", info->expiry_s, "not told");
    output_field("version", info->version);
}

static void lease_human(const char *name, const os_lease_info *info)
{
    char text[32];

    output_field("lease", name);
    if (info->held != 0)
        lease_holder_human(info);
    else
        output_field("state", "free");
    (void)snprintf(text, sizeof(text), "%" PRIu64, info->token);
    output_field("token", info->token == 0 ? "none" : text);
}

/* "held   host:1234  nightly" */
static void lease_line(const char *name, const os_lease_info *info)
{
    (void)printf("%-5s  ", info->held != 0 ? "held" : "free");
    clean_print(stdout, info->held == 0 ? "-" : info->owner[0] == '\0' ? "not told" : info->owner);
    (void)fputs("  ", stdout);
    clean_print(stdout, name);
    (void)putchar('\n');
}

bool lease_info_print(struct output *output, const char *name, const os_lease_info *info, bool brief)
{
    progress_end(&output->progress);
    if (output->json)
        return lease_json(output, name, info);
    if (output->quiet)
        return true;
    if (brief)
        lease_line(name, info);
    else
        lease_human(name, info);
    return streams_flush();
}

enum status lease_info_show(struct session *session)
{
    const char *name = session->options->operand[0];
    os_lease_info info = OS_LEASE_INFO_INIT;
    os_error error = {0};
    os_code code = os_lease_read(session->client, name, &session->call, &info, &error);

    if (code != OS_OK)
        return output_outcome(&session->output, name, status_of_lease(&error), &error);
    return lease_info_print(&session->output, name, &info, false) ? STATUS_DONE : STATUS_OUTPUT;
}

/* ------------------------------------------------------------------------------------------------------ locks */

static const char *lock_state(const os_lock_info *info)
{
    if (info->held == 0)
        return "free";
    return info->expiry_s < (int64_t)time(NULL) ? "expired" : "held";
}

static bool lock_json(struct output *output, const os_lock *lock, const os_lock_info *info)
{
    struct json_line line;

    output_json_begin(output, &line, lock->name, status_name(STATUS_DONE));
    json_line_text(&line, "namespace", lock->name_space);
    json_line_text(&line, "state", lock_state(info));
    if (info->held != 0) {
        json_line_text(&line, "owner", info->owner);
        json_line_text(&line, "instance", info->instance);
        json_line_number(&line, "duration_s", info->duration_s);
        json_line_signed(&line, "expiry_s", info->expiry_s);
        json_line_time(&line, "expiry", info->expiry_s);
    }
    return output_json_print(output, &line);
}

static void lock_human(const os_lock *lock, const os_lock_info *info)
{
    char text[32];

    output_field("namespace", lock->name_space);
    output_field("lock", lock->name);
    output_field("state", lock_state(info));
    if (info->held == 0)
        return;
    output_field("owner", info->owner);
    output_field("instance", info->instance);
    (void)snprintf(text, sizeof(text), "%" PRIu64 " s", info->duration_s);
    output_field("duration", text);
    output_field_time("expiry", info->expiry_s, "not told");
}

static void lock_line(const os_lock *lock, const os_lock_info *info)
{
    (void)printf("%-7s  ", lock_state(info));
    clean_print(stdout, info->held == 0 ? "-" : info->owner);
    (void)fputs("  ", stdout);
    clean_print(stdout, lock->name_space);
    (void)putchar(':');
    clean_print(stdout, lock->name);
    (void)putchar('\n');
}

bool lock_info_print(struct output *output, const os_lock *lock, const os_lock_info *info, bool brief)
{
    progress_end(&output->progress);
    if (output->json)
        return lock_json(output, lock, info);
    if (output->quiet)
        return true;
    if (brief)
        lock_line(lock, info);
    else
        lock_human(lock, info);
    return streams_flush();
}
