/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct fault_entry {
    struct fault_entry *next;
    unsigned id;
    struct fault_rule rule; /* its strings are owned */
    unsigned matched;
    unsigned hits;
    unsigned finished;
    bool removed;
    enum fault_release released; /* 0: not yet */
};

bool fault_book_init(struct fault_book *book)
{
    memset(book, 0, sizeof(*book));
    pthread_condattr_t attributes;
    if (pthread_condattr_init(&attributes) != 0)
        return false;
    bool ok = pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC) == 0 &&
              pthread_cond_init(&book->changed, &attributes) == 0;
    pthread_condattr_destroy(&attributes);
    return ok && pthread_mutex_init(&book->mutex, NULL) == 0;
}

/* The fields of a rule that are strings, for the few loops over all of them. */
static const char **rule_string(struct fault_rule *rule, size_t index)
{
    const char **strings[] = {&rule->match.method,
                              &rule->match.path_contains,
                              &rule->match.query_contains,
                              &rule->match.target,
                              &rule->match.has_header,
                              &rule->match.lacks_header,
                              &rule->match.body_contains,
                              &rule->headers,
                              &rule->body,
                              &rule->header};
    return index < sizeof(strings) / sizeof(strings[0]) ? strings[index] : NULL;
}

static void rule_free(struct fault_rule *rule)
{
    const char **field;
    for (size_t i = 0; (field = rule_string(rule, i)) != NULL; i++) {
        free((void *)(uintptr_t)*field);
        *field = NULL;
    }
}

static bool rule_copy(const struct fault_rule *from, struct fault_rule *ret)
{
    *ret = *from;
    bool ok = true;
    const char **field;
    for (size_t i = 0; (field = rule_string(ret, i)) != NULL; i++) {
        if (*field != NULL) {
            *field = strdup(*field);
            ok = ok && *field != NULL;
        }
    }
    if (!ok)
        rule_free(ret);
    return ok;
}

void fault_seen_free(struct fault_seen *seen)
{
    if (seen == NULL)
        return;
    free(seen->method);
    free(seen->path);
    free(seen->query);
    free(seen->head);
    free(seen->body);
    memset(seen, 0, sizeof(*seen));
}

void fault_book_destroy(struct fault_book *book)
{
    for (struct fault_entry *entry = book->entries, *next; entry != NULL; entry = next) {
        next = entry->next;
        rule_free(&entry->rule);
        free(entry);
    }
    for (size_t i = 0; i < book->seen_count; i++) {
        fault_seen_free(book->seen[i]);
        free(book->seen[i]);
    }
    free(book->seen);
    pthread_cond_destroy(&book->changed);
    pthread_mutex_destroy(&book->mutex);
}

static bool contains(const char *text, const char *part)
{
    return part == NULL || strstr(text, part) != NULL;
}

static bool has_header(const char *head, const char *name)
{
    struct buf view = {.data = (char *)(uintptr_t)head, .len = strlen(head)};
    char *value = fault_header(&view, name);
    bool has = value != NULL;
    free(value);
    return has;
}

static bool target_fits(const char *head, const char *wanted)
{
    struct buf view = {.data = (char *)(uintptr_t)head, .len = strlen(head)};
    char *target = fault_header(&view, "x-amz-target");
    size_t len = target != NULL ? strlen(target) : 0;
    bool fits = target != NULL && len >= strlen(wanted) && strcmp(target + len - strlen(wanted), wanted) == 0;
    free(target);
    return fits;
}

static bool matches(const struct fault_match *match, const struct fault_seen *seen)
{
    if (match == NULL || seen->method[0] == '\0')
        return seen->method[0] != '\0'; /* empty: forgotten */
    return (match->method == NULL || strcmp(match->method, seen->method) == 0) &&
           contains(seen->path, match->path_contains) && contains(seen->query, match->query_contains) &&
           contains(seen->body, match->body_contains) &&
           (match->target == NULL || target_fits(seen->head, match->target)) &&
           (match->has_header == NULL || has_header(seen->head, match->has_header)) &&
           (match->lacks_header == NULL || !has_header(seen->head, match->lacks_header));
}

static bool seen_copy(const struct fault_seen *from, struct fault_seen *ret)
{
    *ret = *from;
    ret->method = strdup(from->method);
    ret->path = strdup(from->path);
    ret->query = strdup(from->query);
    ret->head = strdup(from->head);
    ret->body = strdup(from->body);
    if (ret->method != NULL && ret->path != NULL && ret->query != NULL && ret->head != NULL && ret->body != NULL)
        return true;
    fault_seen_free(ret);
    return false;
}

/* Makes the memory of a request; the book's lock is held. */
static struct fault_seen *remember(struct fault_book *book, const struct fault_message *request)
{
    if (book->seen_count == book->seen_cap) {
        size_t cap = book->seen_cap > 0 ? book->seen_cap * 2 : 64;
        struct fault_seen **grown = realloc(book->seen, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        book->seen = grown;
        book->seen_cap = cap;
    }
    const char *head = buf_str(&request->head);
    struct fault_seen view = {.method = (char *)(uintptr_t)request->method,
                              .path = request->path,
                              .query = request->query,
                              .head = (char *)(uintptr_t)head,
                              .body =
                                  (char *)(uintptr_t)(has_header(head, "x-amz-target") ? buf_str(&request->body) : "")};
    struct fault_seen *seen = calloc(1, sizeof(*seen));
    if (seen == NULL || !seen_copy(&view, seen)) {
        free(seen);
        return NULL;
    }
    book->seen[book->seen_count++] = seen;
    return seen;
}

static bool window_open(struct fault_entry *entry)
{
    unsigned first = entry->rule.first > 0 ? entry->rule.first : 1;
    entry->matched++;
    return entry->matched >= first && (entry->rule.times == 0 || entry->matched - first < entry->rule.times);
}

struct fault_seen *fault_book_meet(struct fault_book *book, const struct fault_message *request,
                                   struct fault_rule *ret_rule)
{
    memset(ret_rule, 0, sizeof(*ret_rule));
    pthread_mutex_lock(&book->mutex);
    struct fault_seen *seen = remember(book, request);
    for (struct fault_entry *entry = book->entries; seen != NULL && entry != NULL; entry = entry->next) {
        if (!entry->removed && matches(&entry->rule.match, seen) && window_open(entry)) {
            seen->rule = entry->id;
            *ret_rule = entry->rule; /* its strings live as long as the book */
            break;
        }
    }
    pthread_mutex_unlock(&book->mutex);
    return seen;
}

void fault_book_status(struct fault_book *book, struct fault_seen *seen, int status, int upstream_status)
{
    pthread_mutex_lock(&book->mutex);
    seen->status = status != 0 ? status : seen->status;
    seen->upstream_status = upstream_status != 0 ? upstream_status : seen->upstream_status;
    pthread_mutex_unlock(&book->mutex);
}

static struct fault_entry *find(struct fault_book *book, unsigned id)
{
    struct fault_entry *entry = book->entries;
    while (entry != NULL && entry->id != id)
        entry = entry->next;
    return entry;
}

static void count(struct fault_book *book, unsigned id, bool finished)
{
    pthread_mutex_lock(&book->mutex);
    struct fault_entry *entry = find(book, id);
    if (entry != NULL) {
        *(finished ? &entry->finished : &entry->hits) += 1;
        pthread_cond_broadcast(&book->changed);
    }
    pthread_mutex_unlock(&book->mutex);
}

void fault_book_hit(struct fault_book *book, unsigned id)
{
    count(book, id, false);
}

void fault_book_finished(struct fault_book *book, unsigned id)
{
    count(book, id, true);
}

enum fault_release fault_book_wait_release(struct fault_book *book, unsigned id)
{
    pthread_mutex_lock(&book->mutex);
    struct fault_entry *entry = find(book, id);
    while (!book->stopping && entry->released == 0)
        pthread_cond_wait(&book->changed, &book->mutex);
    enum fault_release how = book->stopping ? FAULT_DISCARD : entry->released;
    pthread_mutex_unlock(&book->mutex);
    return how;
}

static struct timespec after_ms(unsigned ms)
{
    struct timespec at;
    clock_gettime(CLOCK_MONOTONIC, &at);
    at.tv_sec += (time_t)(ms / 1000);
    at.tv_nsec += (long)(ms % 1000) * 1000000L;
    if (at.tv_nsec >= 1000000000L) {
        at.tv_sec++;
        at.tv_nsec -= 1000000000L;
    }
    return at;
}

void fault_book_delay(struct fault_book *book, unsigned delay_ms)
{
    struct timespec end = after_ms(delay_ms);
    pthread_mutex_lock(&book->mutex);
    int rc = 0;
    while (delay_ms > 0 && !book->stopping && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&book->changed, &book->mutex, &end);
    pthread_mutex_unlock(&book->mutex);
}

void fault_book_stop(struct fault_book *book)
{
    pthread_mutex_lock(&book->mutex);
    book->stopping = true;
    pthread_cond_broadcast(&book->changed);
    pthread_mutex_unlock(&book->mutex);
}

unsigned fault_book_add(struct fault_book *book, const struct fault_rule *rule)
{
    struct fault_entry *entry = calloc(1, sizeof(*entry));
    if (entry == NULL || !rule_copy(rule, &entry->rule)) {
        free(entry);
        return 0;
    }
    pthread_mutex_lock(&book->mutex);
    entry->id = ++book->last_id;
    struct fault_entry **end = &book->entries;
    while (*end != NULL)
        end = &(*end)->next;
    *end = entry;
    unsigned id = entry->id;
    pthread_mutex_unlock(&book->mutex);
    return id;
}

void fault_book_remove(struct fault_book *book, unsigned id)
{
    pthread_mutex_lock(&book->mutex);
    for (struct fault_entry *entry = book->entries; entry != NULL; entry = entry->next) {
        if (id == 0 || entry->id == id) {
            entry->removed = true;
            entry->released = entry->released != 0 ? entry->released : FAULT_FORWARD;
        }
    }
    pthread_cond_broadcast(&book->changed);
    pthread_mutex_unlock(&book->mutex);
}

void fault_book_release(struct fault_book *book, unsigned id, enum fault_release how)
{
    pthread_mutex_lock(&book->mutex);
    struct fault_entry *entry = find(book, id);
    if (entry != NULL) {
        entry->released = how;
        pthread_cond_broadcast(&book->changed);
    }
    pthread_mutex_unlock(&book->mutex);
}

unsigned fault_book_hits(struct fault_book *book, unsigned id)
{
    pthread_mutex_lock(&book->mutex);
    const struct fault_entry *entry = find(book, id);
    unsigned hits = entry != NULL ? entry->hits : 0;
    pthread_mutex_unlock(&book->mutex);
    return hits;
}

bool fault_book_wait(struct fault_book *book, unsigned id, bool finished, unsigned count, unsigned timeout_ms)
{
    struct timespec end = after_ms(timeout_ms);
    pthread_mutex_lock(&book->mutex);
    const struct fault_entry *entry = find(book, id);
    int rc = 0;
    while (entry != NULL && (finished ? entry->finished : entry->hits) < count && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&book->changed, &book->mutex, &end);
    bool reached = entry != NULL && (finished ? entry->finished : entry->hits) >= count;
    pthread_mutex_unlock(&book->mutex);
    return reached;
}

size_t fault_book_count(struct fault_book *book, const struct fault_match *match)
{
    pthread_mutex_lock(&book->mutex);
    size_t count = 0;
    for (size_t i = 0; i < book->seen_count; i++)
        count += matches(match, book->seen[i]) ? 1 : 0;
    pthread_mutex_unlock(&book->mutex);
    return count;
}

bool fault_book_seen(struct fault_book *book, const struct fault_match *match, size_t index, struct fault_seen *ret)
{
    pthread_mutex_lock(&book->mutex);
    bool found = false;
    for (size_t i = 0; i < book->seen_count && !found; i++)
        if (matches(match, book->seen[i]) && index-- == 0)
            found = seen_copy(book->seen[i], ret);
    pthread_mutex_unlock(&book->mutex);
    return found;
}

/* Requests that are still under way write to their memory, so it is blanked and not freed. */
void fault_book_forget(struct fault_book *book)
{
    pthread_mutex_lock(&book->mutex);
    for (size_t i = 0; i < book->seen_count; i++) {
        book->seen[i]->method[0] = '\0';
        book->seen[i]->path[0] = '\0';
        book->seen[i]->query[0] = '\0';
        book->seen[i]->head[0] = '\0';
        book->seen[i]->body[0] = '\0';
    }
    pthread_mutex_unlock(&book->mutex);
}
