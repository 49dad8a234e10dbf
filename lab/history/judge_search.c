/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The calls are played in the order of time, start by start and end by end. A call gets its place in the order no later
 * than it must: when some call ends that has none yet, writes that run are put into the order, one after the other,
 * until that call has its place (just-in-time linearization, Lowe 2017). What is remembered is the set of all
 * configurations that can be reached so, each once.
 *
 * What keeps that set small, and why nothing is lost by it:
 *   - A write fits only where the register has the value that it expects. Values are mostly unique, so the value picks
 *     the next write, and the set mostly holds one configuration: the forced order costs one look per call.
 *   - A call that changes nothing (a conflict, a read) gets its place as soon as the register allows it: later ones
 *     would not be better, as nobody can tell whether it has had its turn.
 *   - Of writes with the same effect that run at the same time, the one that ends first goes first: in any order the
 *     two could change places. An unknown one never ends and so goes last.
 *   - An unknown write is used only where it leads on. Of two configurations that differ only in the unknown writes
 *     they used, the one that used fewer can do whatever the other can; with versions to be counted, only when they
 *     made as many.
 */
#include "history/judge_search.h"

#include "history/judge_config.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

/* Configurations of that many words in all are more than this memory is for (128 MiB). */
#define WORDS_MAX (UINT64_C(32) << 20)

struct search {
    const struct judge_key *key;
    struct judge_search_options options;
    struct judge_configs now;
    uint32_t *ending; /* ops that end, by their end */
    size_t ending_count;
    /* Writes that run, by the value that they expect: lists through next and previous. */
    uint32_t *first;
    uint32_t *next;
    uint32_t *previous;
    /* The best write to each value, while successors are gathered. */
    uint32_t *best;
    uint32_t *candidate;
    uint64_t steps;
    enum judge_found failure; /* JUDGE_GAVE_UP or JUDGE_NO_MEMORY; JUDGE_FOUND: none */
};

static bool judge_search_is_write(const struct judge_op *op)
{
    return op->kind == JUDGE_WRITE || op->kind == JUDGE_MAYBE;
}

static bool count_steps(struct search *search, uint64_t steps)
{
    search->steps += steps;
    if (search->steps > search->options.steps_max)
        search->failure = JUDGE_GAVE_UP;
    return search->failure == JUDGE_FOUND;
}

static bool no_memory(struct search *search)
{
    search->failure = JUDGE_NO_MEMORY;
    return false;
}

static bool add_config(struct search *search, struct judge_configs *configs, struct judge_config *config)
{
    uint64_t before = configs->work;

    if (judge_configs_add(configs, config, search->options.count_versions) == JUDGE_ADD_FAILED)
        return no_memory(search);
    if (configs->words > WORDS_MAX)
        search->failure = JUDGE_GAVE_UP;
    return count_steps(search, (configs->work - before) / 16);
}

/* ---------------------------------------------------------------------------------------------- running writes */

static void list_insert(struct search *search, uint32_t op)
{
    uint32_t *first = &search->first[search->key->op[op].from];

    search->next[op] = *first;
    search->previous[op] = JUDGE_NO_OP;
    if (*first != JUDGE_NO_OP)
        search->previous[*first] = op;
    *first = op;
}

static void list_remove(struct search *search, uint32_t op)
{
    uint32_t next = search->next[op];
    uint32_t previous = search->previous[op];

    if (next != JUDGE_NO_OP)
        search->previous[next] = previous;
    if (previous != JUDGE_NO_OP)
        search->next[previous] = next;
    else
        search->first[search->key->op[op].from] = next;
}

static bool goes_before(const struct judge_key *key, uint32_t a, uint32_t b)
{
    return key->op[a].end != key->op[b].end ? key->op[a].end < key->op[b].end : a < b;
}

/* The writes that can come next, one for each value that they lead to, into search->candidate. */
static size_t gather_candidates(struct search *search, const struct judge_config *config)
{
    const struct judge_op *ops = search->key->op;
    size_t count = 0;

    for (uint32_t op = search->first[config->value]; op != JUDGE_NO_OP; op = search->next[op]) {
        search->steps++;
        if (ops[op].kind == JUDGE_WRITE ? !judge_set_has(&config->open, op) : judge_set_has(&config->used, op))
            continue;
        uint32_t *best = &search->best[ops[op].to];
        if (*best == JUDGE_NO_OP) {
            search->candidate[count++] = ops[op].to;
            *best = op;
        } else if (goes_before(search->key, op, *best)) {
            *best = op;
        }
    }
    for (size_t i = 0; i < count; i++) {
        uint32_t to = search->candidate[i];
        search->candidate[i] = search->best[to];
        search->best[to] = JUDGE_NO_OP;
    }
    return count;
}

/* ---------------------------------------------------------------------------------------------- configurations */

/* Does the register, as it is now, give this call its place? */
static bool is_satisfied(const struct search *search, const struct judge_config *config, uint32_t op)
{
    const struct judge_key *key = search->key;

    if (key->op[op].kind == JUDGE_MISSES)
        return config->value != key->op[op].from;
    if (key->op[op].kind != JUDGE_SEES || config->value != key->op[op].from)
        return false;
    return key->op[op].call != NULL || !search->options.count_versions || config->versions == (uint64_t)key->versions;
}

static void drop_satisfied(const struct search *search, struct judge_config *config)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < config->open.count; i++)
        if (!is_satisfied(search, config, config->open.item[i]))
            config->open.item[kept++] = config->open.item[i];
    config->open.count = kept;
}

/* `config` with `op` put into the order; NULL: no memory. */
static struct judge_config *apply_write(const struct search *search, const struct judge_config *config, uint32_t op)
{
    const struct judge_op *write = &search->key->op[op];
    struct judge_config *after = judge_config_copy(config);

    if (after == NULL)
        return NULL;
    after->value = write->to;
    after->last = op;
    after->versions += judge_op_makes_version(write) ? 1 : 0;
    if (write->kind == JUDGE_WRITE) {
        judge_set_remove(&after->open, op);
    } else if (!judge_set_add(&after->used, op)) {
        judge_config_free(after);
        return NULL;
    }
    drop_satisfied(search, after);
    return after;
}

/* What follows from `config` by one write: into `done` where the op that ends has its place, else into `todo`. */
static bool expand_config(struct search *search, const struct judge_config *config, uint32_t ending,
                          struct judge_configs *todo, struct judge_configs *done)
{
    size_t count = gather_candidates(search, config);

    for (size_t i = 0; i < count; i++) {
        if (!count_steps(search, 1 + (config->open.count + config->used.count) / 16))
            return false;
        struct judge_config *after = apply_write(search, config, search->candidate[i]);
        if (after == NULL)
            return no_memory(search);
        if (search->options.count_versions && after->versions > (uint64_t)search->key->versions)
            judge_config_free(after);
        else if (!add_config(search, judge_set_has(&after->open, ending) ? todo : done, after))
            return false;
    }
    return count_steps(search, 1);
}

/* ------------------------------------------------------------------------------------------------------ events */

static bool start_op(struct search *search, uint32_t op)
{
    const struct judge_op *started = &search->key->op[op];

    if (judge_search_is_write(started))
        list_insert(search, op);
    if (started->kind == JUDGE_MAYBE)
        return true;
    for (size_t i = 0; i < search->now.count; i++) {
        struct judge_config *config = search->now.item[i];
        if (!is_satisfied(search, config, op) && !judge_set_add(&config->open, op))
            return no_memory(search);
    }
    return count_steps(search, search->now.count);
}

static bool is_open_anywhere(const struct search *search, uint32_t op)
{
    for (size_t i = 0; i < search->now.count; i++)
        if (judge_set_has(&search->now.item[i]->open, op))
            return true;
    return false;
}

/* Every way to give `ending` its place. Leaves the configurations that did in `done`. */
static bool give_place(struct search *search, uint32_t ending, struct judge_configs *todo, struct judge_configs *done)
{
    for (size_t i = 0; i < search->now.count; i++) {
        struct judge_config *config = search->now.item[i];
        search->now.item[i] = NULL;
        if (!add_config(search, judge_set_has(&config->open, ending) ? todo : done, config))
            return false;
    }
    for (size_t i = 0; i < todo->count; i++)
        if (!expand_config(search, todo->item[i], ending, todo, done))
            return false;
    return true;
}

/* False: a failure, or no configuration is left (search->failure stays JUDGE_FOUND). */
static bool end_op(struct search *search, uint32_t op, struct judge_outcome *ret)
{
    struct judge_configs todo = {0};
    struct judge_configs done = {0};

    if (!count_steps(search, search->now.count))
        return false;
    if (is_open_anywhere(search, op)) {
        ret->stuck = op;
        ret->value = search->now.item[0]->value;
        ret->last = search->now.item[0]->last;
        bool placed = give_place(search, op, &todo, &done);
        judge_configs_clear(&todo);
        judge_configs_clear(&search->now);
        search->now = done;
        if (!placed || done.count == 0)
            return false;
    }
    if (judge_search_is_write(&search->key->op[op]))
        list_remove(search, op);
    return true;
}

static enum judge_found play_search(struct search *search, struct judge_outcome *ret)
{
    const struct judge_key *key = search->key;
    size_t starting_count = key->op_count - (search->options.without_final && key->has_final ? 1 : 0);
    size_t starting = 0;
    size_t ending = 0;

    while (starting < starting_count || ending < search->ending_count) {
        bool good;
        if (starting < starting_count &&
            (ending == search->ending_count || key->op[starting].start <= key->op[search->ending[ending]].end))
            good = start_op(search, (uint32_t)starting++);
        else
            good = end_op(search, search->ending[ending++], ret);
        if (!good)
            return search->failure == JUDGE_FOUND ? JUDGE_FOUND_NONE : search->failure;
    }
    assert(search->now.count > 0);
    ret->stuck = JUDGE_NO_OP;
    ret->value = search->now.item[0]->value;
    ret->last = search->now.item[0]->last;
    ret->versions = search->now.item[0]->versions;
    return JUDGE_FOUND;
}

/* ------------------------------------------------------------------------------------------------------- setup */

struct ending {
    uint64_t end;
    uint32_t op;
};

static int compare_endings(const void *a, const void *b)
{
    const struct ending *left = a;
    const struct ending *right = b;

    if (left->end != right->end)
        return left->end < right->end ? -1 : 1;
    return left->op < right->op ? -1 : left->op > right->op;
}

static bool order_endings(struct search *search)
{
    const struct judge_key *key = search->key;
    struct ending *endings = calloc(key->op_count + 1, sizeof(*endings));

    search->ending = calloc(key->op_count + 1, sizeof(*search->ending));
    if (endings == NULL || search->ending == NULL) {
        free(endings);
        return false;
    }
    for (uint32_t i = 0; i < key->op_count; i++) {
        bool is_final = key->op[i].call == NULL;
        if (key->op[i].kind != JUDGE_MAYBE && !(is_final && search->options.without_final))
            endings[search->ending_count++] = (struct ending){.end = key->op[i].end, .op = i};
    }
    qsort(endings, search->ending_count, sizeof(*endings), compare_endings);
    for (size_t i = 0; i < search->ending_count; i++)
        search->ending[i] = endings[i].op;
    free(endings);
    return true;
}

static uint32_t *no_ops(size_t count)
{
    uint32_t *ops = calloc(count + 1, sizeof(*ops));

    if (ops != NULL)
        memset(ops, 0xff, (count + 1) * sizeof(*ops)); /* JUDGE_NO_OP */
    return ops;
}

static bool prepare_search(struct search *search)
{
    const struct judge_key *key = search->key;
    struct judge_config *begin = calloc(1, sizeof(*begin));

    search->first = no_ops(key->value_count);
    search->best = no_ops(key->value_count);
    search->candidate = no_ops(key->op_count);
    search->next = no_ops(key->op_count);
    search->previous = no_ops(key->op_count);
    if (begin == NULL || search->first == NULL || search->best == NULL || search->candidate == NULL ||
        search->next == NULL || search->previous == NULL || !order_endings(search)) {
        free(begin);
        return no_memory(search);
    }
    begin->last = JUDGE_NO_OP;
    return add_config(search, &search->now, begin);
}

enum judge_found judge_search(const struct judge_key *key, const struct judge_search_options *options,
                              struct judge_outcome *ret)
{
    struct search search = {.key = key, .options = *options, .failure = JUDGE_FOUND};
    struct judge_outcome outcome = {0};

    assert(key->op_count < JUDGE_NO_OP && key->value_count < JUDGE_NO_OP);
    enum judge_found found = prepare_search(&search) ? play_search(&search, &outcome) : search.failure;
    *ret = outcome;
    judge_configs_clear(&search.now);
    free(search.ending);
    free(search.first);
    free(search.best);
    free(search.candidate);
    free(search.next);
    free(search.previous);
    return found;
}
