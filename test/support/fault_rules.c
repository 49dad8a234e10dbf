/* SPDX-License-Identifier: Apache-2.0 */
#include "support/fault_rules.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

static void lock(struct fault_proxy *faults)
{
    pthread_mutex_lock(&faults->proxy->mutex);
}

static void unlock(struct fault_proxy *faults)
{
    pthread_mutex_unlock(&faults->proxy->mutex);
}

static void unlock_changed(struct fault_proxy *faults)
{
    pthread_cond_broadcast(&faults->proxy->changed);
    unlock(faults);
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

void fault_forget_all(struct fault_proxy *faults)
{
    for (struct fault_entry *entry = faults->entries, *next; entry != NULL; entry = next) {
        next = entry->next;
        rule_free(&entry->rule);
        free(entry);
    }
    for (size_t i = 0; i < faults->seen_count; i++) {
        fault_seen_free(faults->seen[i]);
        free(faults->seen[i]);
    }
    free(faults->seen);
}

static bool contains(const char *text, const char *part)
{
    return part == NULL || strstr(text, part) != NULL;
}

bool fault_find_header(struct head_text head, const char *name, struct head_text *ret_line, struct head_field *ret)
{
    struct head_text line;
    while (head_take_line(&head, &line)) {
        *ret_line = (struct head_text){line.p, line.len + 2};
        if (head_read_field(line, ret) && head_is(ret->name, name))
            return true;
    }
    return false;
}

static bool has_header(const struct fault_seen *seen, const char *name)
{
    struct head_text line;
    struct head_field field;
    return fault_find_header((struct head_text){seen->head, strlen(seen->head)}, name, &line, &field);
}

static bool target_fits(const struct fault_seen *seen, const char *wanted)
{
    struct head_text line;
    struct head_field target;
    size_t len = strlen(wanted);
    return fault_find_header((struct head_text){seen->head, strlen(seen->head)}, "x-amz-target", &line, &target) &&
           target.value.len >= len && memcmp(target.value.p + target.value.len - len, wanted, len) == 0;
}

static bool matches(const struct fault_match *match, const struct fault_seen *seen)
{
    if (match == NULL || seen->method[0] == '\0')
        return seen->method[0] != '\0'; /* empty: forgotten */
    return (match->method == NULL || strcmp(match->method, seen->method) == 0) &&
           contains(seen->path, match->path_contains) && contains(seen->query, match->query_contains) &&
           contains(seen->body, match->body_contains) && (match->target == NULL || target_fits(seen, match->target)) &&
           (match->has_header == NULL || has_header(seen, match->has_header)) &&
           (match->lacks_header == NULL || !has_header(seen, match->lacks_header));
}

static bool seen_is_whole(struct fault_seen *seen)
{
    if (seen->method != NULL && seen->path != NULL && seen->query != NULL && seen->head != NULL && seen->body != NULL)
        return true;
    fault_seen_free(seen);
    return false;
}

static bool seen_copy(const struct fault_seen *from, struct fault_seen *ret)
{
    *ret = *from;
    ret->method = strdup(from->method);
    ret->path = strdup(from->path);
    ret->query = strdup(from->query);
    ret->head = strdup(from->head);
    ret->body = strdup(from->body);
    return seen_is_whole(ret);
}

/* What was received has no NUL behind it, which strndup may look for under strict_string_checks. */
static char *text_of(const char *from, size_t len)
{
    char *text = malloc(len + 1);
    if (text == NULL)
        return NULL;
    memcpy(text, from, len);
    text[len] = '\0';
    return text;
}

static bool seen_of(const struct proxy_message *request, struct fault_seen *ret)
{
    size_t path = strcspn(request->target, "?");
    bool with_body = request->service_call[0] != '\0';
    ret->method = strdup(request->method);
    ret->path = strndup(request->target, path);
    ret->query = strdup(request->target + path + (request->target[path] == '?' ? 1 : 0));
    ret->head = text_of(request->data, request->head_len);
    ret->body = text_of(request->data + request->head_len, with_body ? request->len - request->head_len : 0);
    return seen_is_whole(ret);
}

/* Makes the memory of a request; the lock is held. */
static struct fault_seen *remember(struct fault_proxy *faults, const struct proxy_message *request)
{
    if (faults->seen_count == faults->seen_cap) {
        size_t cap = faults->seen_cap > 0 ? faults->seen_cap * 2 : 64;
        struct fault_seen **grown = realloc(faults->seen, cap * sizeof(*grown));
        if (grown == NULL)
            return NULL;
        faults->seen = grown;
        faults->seen_cap = cap;
    }
    struct fault_seen *seen = calloc(1, sizeof(*seen));
    if (seen == NULL || !seen_of(request, seen)) {
        free(seen);
        return NULL;
    }
    faults->seen[faults->seen_count++] = seen;
    return seen;
}

static bool window_open(struct fault_entry *entry)
{
    unsigned first = entry->rule.first > 0 ? entry->rule.first : 1;
    entry->matched++;
    return entry->matched >= first && (entry->rule.times == 0 || entry->matched - first < entry->rule.times);
}

struct fault_seen *fault_meet(struct fault_proxy *faults, const struct proxy_message *request,
                              struct fault_rule *ret_rule)
{
    memset(ret_rule, 0, sizeof(*ret_rule));
    lock(faults);
    struct fault_seen *seen = remember(faults, request);
    for (struct fault_entry *entry = faults->entries; seen != NULL && entry != NULL; entry = entry->next) {
        if (!entry->removed && matches(&entry->rule.match, seen) && window_open(entry)) {
            seen->rule = entry->id;
            *ret_rule = entry->rule; /* its strings live as long as the proxy */
            break;
        }
    }
    unlock(faults);
    return seen;
}

void fault_status(struct fault_proxy *faults, struct fault_seen *seen, int status, int upstream_status)
{
    lock(faults);
    seen->status = status != 0 ? status : seen->status;
    seen->upstream_status = upstream_status != 0 ? upstream_status : seen->upstream_status;
    unlock_changed(faults);
}

static struct fault_entry *find(struct fault_proxy *faults, unsigned id)
{
    struct fault_entry *entry = faults->entries;
    while (entry != NULL && entry->id != id)
        entry = entry->next;
    return entry;
}

static void count(struct fault_proxy *faults, unsigned id, bool finished)
{
    lock(faults);
    struct fault_entry *entry = find(faults, id);
    if (entry != NULL)
        *(finished ? &entry->finished : &entry->hits) += 1;
    unlock_changed(faults);
}

void fault_hit(struct fault_proxy *faults, unsigned id)
{
    count(faults, id, false);
}

void fault_finished(struct fault_proxy *faults, unsigned id)
{
    count(faults, id, true);
}

enum fault_release fault_wait_release(struct fault_proxy *faults, unsigned id)
{
    lock(faults);
    struct fault_entry *entry = find(faults, id);
    while (!faults->proxy->stopping && entry->released == 0)
        pthread_cond_wait(&faults->proxy->changed, &faults->proxy->mutex);
    enum fault_release how = faults->proxy->stopping ? FAULT_DISCARD : entry->released;
    unlock(faults);
    return how;
}

unsigned fault_proxy_add(struct fault_proxy *faults, const struct fault_rule *rule)
{
    struct fault_entry *entry = calloc(1, sizeof(*entry));
    if (entry == NULL || !rule_copy(rule, &entry->rule)) {
        free(entry);
        return 0;
    }
    lock(faults);
    entry->id = ++faults->last_id;
    struct fault_entry **end = &faults->entries;
    while (*end != NULL)
        end = &(*end)->next;
    *end = entry;
    unsigned id = entry->id;
    unlock(faults);
    return id;
}

/* 0: all */
static void remove_rules(struct fault_proxy *faults, unsigned id)
{
    lock(faults);
    for (struct fault_entry *entry = faults->entries; entry != NULL; entry = entry->next) {
        if (id == 0 || entry->id == id) {
            entry->removed = true;
            entry->released = entry->released != 0 ? entry->released : FAULT_FORWARD;
        }
    }
    unlock_changed(faults);
}

void fault_proxy_remove(struct fault_proxy *faults, unsigned id)
{
    remove_rules(faults, id);
}

void fault_proxy_clear(struct fault_proxy *faults)
{
    remove_rules(faults, 0);
}

void fault_proxy_release(struct fault_proxy *faults, unsigned id, enum fault_release how)
{
    lock(faults);
    struct fault_entry *entry = find(faults, id);
    if (entry != NULL)
        entry->released = how;
    unlock_changed(faults);
}

unsigned fault_proxy_hits(struct fault_proxy *faults, unsigned id)
{
    lock(faults);
    const struct fault_entry *entry = find(faults, id);
    unsigned hits = entry != NULL ? entry->hits : 0;
    unlock(faults);
    return hits;
}

static bool wait_count(struct fault_proxy *faults, unsigned id, bool finished, unsigned count, unsigned timeout_ms)
{
    struct timespec end = proxy_time_after(timeout_ms);
    lock(faults);
    const struct fault_entry *entry = find(faults, id);
    int rc = 0;
    while (entry != NULL && (finished ? entry->finished : entry->hits) < count && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&faults->proxy->changed, &faults->proxy->mutex, &end);
    bool reached = entry != NULL && (finished ? entry->finished : entry->hits) >= count;
    unlock(faults);
    return reached;
}

bool fault_proxy_wait_hits(struct fault_proxy *faults, unsigned id, unsigned hits, unsigned timeout_ms)
{
    return wait_count(faults, id, false, hits, timeout_ms);
}

bool fault_proxy_wait_finished(struct fault_proxy *faults, unsigned id, unsigned count, unsigned timeout_ms)
{
    return wait_count(faults, id, true, count, timeout_ms);
}

static unsigned count_answered(struct fault_proxy *faults, const struct fault_match *match, int upstream_status)
{
    unsigned count = 0;
    for (size_t i = 0; i < faults->seen_count; i++)
        if (faults->seen[i]->upstream_status == upstream_status && matches(match, faults->seen[i]))
            count++;
    return count;
}

bool fault_proxy_wait_answered(struct fault_proxy *faults, const struct fault_match *match, int upstream_status,
                               unsigned count, unsigned timeout_ms)
{
    struct timespec end = proxy_time_after(timeout_ms);
    lock(faults);
    int rc = 0;
    while (count_answered(faults, match, upstream_status) < count && rc != ETIMEDOUT)
        rc = pthread_cond_timedwait(&faults->proxy->changed, &faults->proxy->mutex, &end);
    bool reached = count_answered(faults, match, upstream_status) >= count;
    unlock(faults);
    return reached;
}

size_t fault_proxy_count(struct fault_proxy *faults, const struct fault_match *match)
{
    lock(faults);
    size_t count = 0;
    for (size_t i = 0; i < faults->seen_count; i++)
        count += matches(match, faults->seen[i]) ? 1 : 0;
    unlock(faults);
    return count;
}

bool fault_proxy_seen(struct fault_proxy *faults, const struct fault_match *match, size_t index, struct fault_seen *ret)
{
    lock(faults);
    bool found = false;
    for (size_t i = 0; i < faults->seen_count && !found; i++)
        if (matches(match, faults->seen[i]) && index-- == 0)
            found = seen_copy(faults->seen[i], ret);
    unlock(faults);
    return found;
}

/* Requests that are still under way write to their memory, so it is marked and not freed. */
void fault_proxy_forget(struct fault_proxy *faults)
{
    lock(faults);
    for (size_t i = 0; i < faults->seen_count; i++)
        faults->seen[i]->method[0] = '\0';
    unlock(faults);
}
