/* SPDX-License-Identifier: Apache-2.0 */
#include "common/many.h"

#include "common/fencing.h"
#include "common/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum many_direction { MANY_UP, MANY_DOWN, MANY_INSIDE };

/* What lies below the key: it is empty, or ends with a slash. */
static bool make_prefix(struct location *at)
{
    size_t length = strlen(at->key);
    char *key;
    bool good;

    if (length == 0 || at->key[length - 1] == '/')
        return true;
    key = malloc(length + 2);
    if (key == NULL)
        return false;
    memcpy(key, at->key, length);
    memcpy(key + length, "/", 2);
    good = location_set_key(at, key);
    free(key);
    return good;
}

static bool parse_prefix(const struct options *options, const char *name, struct location *ret, struct usage *usage)
{
    return location_parse(name, LOCATION_PREFIX, options, ret, usage) &&
           (make_prefix(ret) || usage_refuse(usage, "There is not enough memory."));
}

bool many_is_pattern(const struct options *options, const char *operand)
{
    const char *key = strstr(operand, "://");

    return !options_on(options, OPTION_LITERAL) && glob_is_pattern(key == NULL ? operand : key + 3);
}

/* A pattern's prefix is the folder that it is in before it begins; a name behind it is a name below that. */
static bool parse_source(const struct options *options, const char *name, struct many *many, struct usage *usage)
{
    char *folder;
    bool good;

    if (!many_is_pattern(options, name))
        return parse_prefix(options, name, &many->from, usage);
    if (!location_parse(name, LOCATION_OBJECT, options, &many->from, usage) ||
        !glob_open(many->from.key, &many->glob, usage))
        return false;
    folder = strndup(many->glob.literal, many->glob.folder_length);
    good = folder != NULL && location_set_key(&many->from, folder);
    free(folder);
    return good || usage_refuse(usage, "There is not enough memory.");
}

/* Of a store the root is marked: its objects have a URL, and bytes that are put beside them are none. */
static bool open_folder(const char *name, bool make, struct many *many, struct usage *usage)
{
    struct stat info;

    if (make && mkdir(name, 0777) != 0 && errno != EEXIST)
        return usage_refuse_file(usage, errno, "The folder \"%.300s\" cannot be made", name);
    many->folder_name = name;
    many->folder = open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (many->folder < 0)
        return usage_refuse_file(usage, errno, "\"%.300s\" cannot be opened as a folder", name);
    if (fstatat(many->folder, ".oscommit", &info, 0) == 0)
        return usage_refuse(usage, "The folder \"%.300s\" is an embedded store: name it by its URL, file://...", name);
    return true;
}

static bool parse_inside(const struct options *options, struct many *many, struct usage *usage)
{
    if (!parse_source(options, options->operand[0], many, usage) ||
        !parse_prefix(options, options->operand[1], &many->to, usage))
        return false;
    if (strcmp(many->from.store, many->to.store) != 0) {
        return usage_refuse(usage, "\"%.200s\" and \"%.200s\" are in different stores; %s works inside one store.",
                            many->from.url, many->to.url, options->command->name);
    }
    if (many->glob.tokens == NULL && strncmp(many->to.key, many->from.key, strlen(many->from.key)) == 0)
        return usage_refuse(usage, "\"%.200s\" lies in \"%.200s\", which is to be copied.", many->to.url,
                            many->from.url);
    return true;
}

static bool refuse_each(const struct options *options, const enum option_id *ids, const char *why, struct usage *usage)
{
    for (; *ids != OPTION_COUNT; ids++)
        if (options_on(options, *ids))
            return usage_refuse(usage, "--%s does not go with %s.", option_table[*ids].name, why);
    return true;
}

static bool check_flags(const struct options *options, enum many_direction direction, bool sync, struct usage *usage)
{
    static const enum option_id single[] = {OPTION_IF_MATCH,    OPTION_SOURCE_ETAG, OPTION_SOURCE_VERSION_ID,
                                            OPTION_TICKET_FILE, OPTION_RANGE,       OPTION_VERSION_ID,
                                            OPTION_COUNT};
    static const enum option_id writes[] = {OPTIONS_OF_HEADERS, OPTION_MANIFEST, OPTION_COUNT};
    static const enum option_id headers[] = {OPTIONS_OF_HEADERS, OPTION_COUNT};
    bool if_absent = options_on(options, OPTION_IF_ABSENT);

    if (!refuse_each(options, single, "many objects: it speaks of one", usage))
        return false;
    if (sync && !if_absent)
        return usage_refuse(usage, "sync adds what is missing, and neither replaces nor deletes: say --if-absent.");
    if (direction == MANY_DOWN && !sync && if_absent)
        return usage_refuse(usage, "--if-absent does not go with a download; `oscommit sync` replaces no file.");
    if (direction == MANY_DOWN)
        return refuse_each(options, writes, "a download", usage);
    if (!if_absent)
        return usage_refuse(usage, "Many objects are written to a store only with --if-absent, each exactly once.");
    return direction == MANY_UP ||
           refuse_each(options, headers, "a copy inside a store, which keeps the source's headers", usage);
}

/* False, with a sentence. */
static bool parse(const struct options *options, enum many_direction *ret, struct many *many, struct usage *usage)
{
    bool from_store = location_is_url(options->operand[0]);
    bool to_store = location_is_url(options->operand[1]);
    bool keys = !from_store && !to_store && options_text(options, OPTION_STORE) != NULL;

    if (!from_store && !to_store && !keys)
        return usage_refuse(usage, "At least one of the two operands must be the URL of a store.");
    *ret = keys || (from_store && to_store) ? MANY_INSIDE : to_store ? MANY_UP : MANY_DOWN;
    if (!check_flags(options, *ret, many->same_is_done, usage))
        return false;
    if (*ret == MANY_INSIDE)
        return parse_inside(options, many, usage);
    if (*ret == MANY_UP)
        return parse_prefix(options, options->operand[1], &many->to, usage) &&
               open_folder(options->operand[0], false, many, usage);
    return parse_source(options, options->operand[0], many, usage) &&
           open_folder(options->operand[1], true, many, usage);
}

static void many_clear(struct many *many)
{
    location_clear(&many->from);
    location_clear(&many->to);
    glob_close(&many->glob);
    batch_items_clear(&many->items);
    manifest_close(&many->manifest);
    if (many->folder >= 0)
        (void)close(many->folder);
}

static unsigned jobs_of(const struct options *options)
{
    uint64_t jobs = options_number(options, OPTION_JOBS); /* the table bounds it */
    return jobs == 0 ? BATCH_JOBS : (unsigned)jobs;
}

static bool read_items(struct session *session, enum many_direction direction, struct many *many, os_error *err)
{
    if (direction == MANY_UP)
        return tree_read_folder(many->folder, many->folder_name, &many->items, err);
    const struct tree_wanted wanted = {.prefix = many->from.key,
                                       .glob = many->glob.tokens == NULL ? NULL : &many->glob,
                                       .to_files = direction == MANY_DOWN};

    if (!tree_read_keys(session, &wanted, &many->items, err))
        return false;
    if (wanted.glob == NULL || many->items.count > 0)
        return true;
    err->code = OS_ERR_NOT_FOUND;
    (void)snprintf(err->message, sizeof(err->message), "No object matches \"%.900s\".", session->options->operand[0]);
    return false;
}

static enum status many_work(struct session *session, enum many_direction direction, struct many *many)
{
    static enum status (*const works[])(struct batch *, const struct batch_item *) = {
        [MANY_UP] = many_up, [MANY_DOWN] = many_down, [MANY_INSIDE] = many_inside};
    const struct location *at = direction == MANY_DOWN ? &many->from : &many->to;
    struct batch batch = {.session = session,
                          .items = &many->items,
                          .work = works[direction],
                          .context = many,
                          .has_asked = direction != MANY_UP};
    os_error error = {0};
    enum status status;

    if (direction != MANY_DOWN) {
        status = fencing_take(session, at->url, &many->fencing);
        if (status != STATUS_DONE)
            return status;
    }
    if (!headers_fill(&many->headers, session->options))
        return session_fail(session, at->url, OS_ERR_NO_MEMORY, "There is no memory for the metadata.");
    many->headers.options.fencing = many->fencing;
    if (read_items(session, direction, many, &error)) {
        status = batch_run(&batch, jobs_of(session->options));
        batch_print_summary(&batch, at->url);
    } else {
        status = output_outcome(&session->output, at->url, status_of_read(&error), &error);
    }
    headers_clear(&many->headers);
    return status;
}

enum status many_run(const struct options *options, bool sync)
{
    struct many many = {.folder = -1, .manifest = {.fd = -1}, .same_is_done = sync};
    const char *manifest = options_text(options, OPTION_MANIFEST);
    enum many_direction direction = MANY_DOWN;
    struct usage usage = {0};
    struct session session;
    enum status status;

    if (!parse(options, &direction, &many, &usage) ||
        (manifest != NULL && !manifest_open(manifest, many.to.url, options, &many.manifest, &usage))) {
        many_clear(&many);
        return output_usage(options, &usage);
    }
    status = session_open(&session, options, direction == MANY_DOWN ? many.from.store : many.to.store);
    if (status == STATUS_DONE)
        status = many_work(&session, direction, &many);
    status = session_close(&session, status);
    many_clear(&many);
    return status;
}
