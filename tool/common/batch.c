/* SPDX-License-Identifier: Apache-2.0 */
#include "common/batch.h"

#include "cli/streams.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

bool batch_items_add(struct batch_items *items, char *name, uint64_t length)
{
    if (items->count == items->room) {
        size_t room = items->room == 0 ? 64 : 2 * items->room;
        struct batch_item *list = reallocarray(items->list, room, sizeof(*list));
        if (list == NULL) {
            free(name);
            return false;
        }
        items->list = list;
        items->room = room;
    }
    items->list[items->count++] = (struct batch_item){.name = name, .length = length};
    return true;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(((const struct batch_item *)a)->name, ((const struct batch_item *)b)->name);
}

/* Is there a name that lies below this one? The first that is not before "NAME/" would be. */
static bool is_folder_of_others(const struct batch_items *items, const char *name)
{
    size_t length = strlen(name);
    size_t low = 0;
    size_t high = items->count;

    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const char *found = items->list[middle].name;
        int order = strncmp(found, name, length);
        bool before = order != 0 ? order < 0 : (unsigned char)found[length] < '/';
        low = before ? middle + 1 : low;
        high = before ? high : middle;
    }
    for (; low < items->count; low++) {
        const struct batch_item *found = &items->list[low];
        if (strncmp(found->name, name, length) != 0 || found->name[length] != '/')
            return false;
        if (!found->is_marker)
            return true;
    }
    return false;
}

void batch_items_sort(struct batch_items *items)
{
    if (items->count > 0)
        qsort(items->list, items->count, sizeof(*items->list), compare_names);
    for (size_t i = 0; i < items->count; i++) {
        struct batch_item *item = &items->list[i];
        if (item->refusal == NULL && is_folder_of_others(items, item->name))
            item->refusal = "is a file in one place and a folder of others: they collide";
    }
}

void batch_items_clear(struct batch_items *items)
{
    for (size_t i = 0; i < items->count; i++)
        free(items->list[i].name);
    free(items->list);
    *items = (struct batch_items){.list = NULL};
}

static int rank(enum status status)
{
    static const enum status order[] = {STATUS_DONE,        STATUS_OUTPUT, STATUS_CONFLICT,     STATUS_ABSENT,
                                        STATUS_UNREACHABLE, STATUS_DENIED, STATUS_NOT_EXECUTED, STATUS_USAGE,
                                        STATUS_UNDECIDABLE, STATUS_UNKNOWN};

    for (int i = 0; i < (int)(sizeof(order) / sizeof(order[0])); i++)
        if (order[i] == status)
            return i;
    return -1;
}

enum status batch_worse(enum status a, enum status b)
{
    return rank(a) >= rank(b) ? a : b;
}

void batch_lock(struct batch *batch)
{
    (void)pthread_mutex_lock(&batch->mutex);
}

void batch_unlock(struct batch *batch)
{
    (void)pthread_mutex_unlock(&batch->mutex);
}

void batch_stop(struct batch *batch)
{
    batch->is_stopped = true;
}

/* NULL: there is none left, or no more are to be begun. */
static const struct batch_item *take_next(struct batch *batch)
{
    const struct batch_item *item = NULL;

    batch_lock(batch);
    if (interrupt_seen(&batch->session->interrupt))
        batch_stop(batch);
    if (!batch->is_stopped && batch->next < batch->items->count)
        item = &batch->items->list[batch->next++];
    batch_unlock(batch);
    return item;
}

static void *batch_thread(void *context)
{
    struct batch *batch = context;

    for (const struct batch_item *item = take_next(batch); item != NULL; item = take_next(batch)) {
        enum status status = batch->work(batch, item);
        batch_lock(batch);
        batch->worst = batch_worse(batch->worst, status);
        batch->has_asked = batch->has_asked || status != STATUS_USAGE;
        batch_unlock(batch);
    }
    return NULL;
}

static void finish(struct batch *batch)
{
    batch->not_begun = batch->items->count - batch->next;
    if (batch->not_begun > 0)
        batch->worst = batch_worse(batch->worst, STATUS_NOT_EXECUTED);
    if (batch->worst == STATUS_USAGE && batch->has_asked)
        batch->worst = STATUS_NOT_EXECUTED;
}

enum status batch_run(struct batch *batch, unsigned jobs)
{
    pthread_t threads[BATCH_JOBS_MAX];
    unsigned started = 0;

    batch->worst = STATUS_DONE;
    batch->session->call.progress = NULL; /* of one body: here are several */
    (void)pthread_mutex_init(&batch->mutex, NULL);
    while (started + 1 < jobs && started + 1 < batch->items->count && started < BATCH_JOBS_MAX &&
           pthread_create(&threads[started], NULL, batch_thread, batch) == 0)
        started++;
    (void)batch_thread(batch);
    for (unsigned i = 0; i < started; i++)
        (void)pthread_join(threads[i], NULL);
    (void)pthread_mutex_destroy(&batch->mutex);
    finish(batch);
    return batch->worst;
}

struct counted {
    const char *name;
    uint64_t count;
};

static void print_counts(struct batch *batch, const char *url, const struct counted *counted, size_t kinds)
{
    struct output *output = &batch->session->output;
    struct json_line line;

    if (output->json) {
        output_json_begin(output, &line, url, batch->worst == STATUS_DONE ? "done" : status_name(batch->worst));
        json_line_flag(&line, "summary", true);
        for (size_t i = 0; i < kinds; i++)
            json_line_number(&line, counted[i].name, counted[i].count);
        (void)output_json_print(output, &line);
        return;
    }
    const char *separator = "";
    for (size_t i = 0; i < kinds; i++) {
        if (counted[i].count == 0)
            continue;
        (void)printf("%s%" PRIu64 " ", separator, counted[i].count);
        for (const char *letter = counted[i].name; *letter != '\0'; letter++)
            (void)fputc(*letter == '_' ? ' ' : *letter, stdout);
        separator = ", ";
    }
    (void)puts(separator[0] == '\0' ? "nothing to do" : "");
    (void)streams_flush();
}

void batch_print_summary(struct batch *batch, const char *url)
{
    const struct counted counted[] = {
        {"committed", batch->counts.committed}, {"done", batch->counts.done},
        {"unchanged", batch->counts.unchanged}, {"conflict", batch->counts.conflicts},
        {"not_executed", batch->counts.failed}, {"unknown", batch->counts.unknown},
        {"not_begun", batch->not_begun},
    };

    progress_end(&batch->session->output.progress);
    if (!batch->session->output.quiet || batch->session->output.json)
        print_counts(batch, url, counted, sizeof(counted) / sizeof(counted[0]));
    if (batch->not_begun > 0)
        output_message(&batch->session->output, "The command was stopped before all were begun: run it again.");
}
