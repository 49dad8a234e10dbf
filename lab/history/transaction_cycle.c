/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Nodes that come before each other hang together in a component. For each, a short cycle is told, of the worst kind
 * that it has: first cycles of writes alone, then with reads, then with one read of what was replaced, and so on.
 */
#include "history/transaction_work.h"

#include <stdlib.h>
#include <string.h>

enum { WW = TXN_WW | TXN_PASS, WW_WR = TXN_WW | TXN_WR | TXN_PASS, DATA = TXN_WW | TXN_WR | TXN_RW | TXN_PASS };
enum { ALL = DATA | TXN_TIME };

/* Edges looked at in search of a shorter cycle, for each component. */
#define LOOKS_MAX UINT64_C(5000000)

struct hunt {
    struct txn_work *work;
    uint32_t kinds;
    uint32_t *component; /* by those kinds */
    uint32_t *knot;      /* component by all kinds */
    bool *told;          /* each knot */
    uint32_t *size;      /* of each component */
    uint32_t *member;    /* nodes, by component */
    uint32_t *level;
    uint32_t *round; /* of the last search that met the node */
    uint32_t rounds;
    struct txn_edge **led; /* the edge by which it was met */
    uint32_t *now;         /* nodes at the same distance, and those one step farther */
    uint32_t *then;
    uint64_t looks_left;
    struct txn_step *best;
    size_t best_count; /* 0: none */
    struct txn_step *tried;
};

/* ---------------------------------------------------------------------------------------------------- one cycle */

static bool is_real(const struct hunt *hunt, uint32_t node)
{
    return node < hunt->work->real_count;
}

/* The steps between real nodes from the edge `closing` (NULL: none) and the path that leads from `from` to `to`. */
static size_t collect_steps(struct hunt *hunt, uint32_t from, uint32_t to, const struct txn_edge *closing)
{
    size_t count = 0;
    uint32_t end = to;
    const struct txn_edge *edge = closing;

    if (closing != NULL)
        hunt->tried[count++] = (struct txn_step){closing->from, closing->to, closing->version, closing->kind};
    for (uint32_t node = to; node != from || edge == closing;) {
        edge = hunt->led[node];
        node = edge->from;
        if (edge->kind == TXN_PASS)
            continue;
        hunt->tried[count++] = (struct txn_step){edge->from, end, edge->version, edge->kind};
        end = node;
    }
    if (closing != NULL)
        hunt->tried[0].to = end;
    /* They were found from the end on. */
    for (size_t i = closing != NULL ? 1 : 0, j = count - 1; i < j; i++, j--) {
        struct txn_step swapped = hunt->tried[i];
        hunt->tried[i] = hunt->tried[j];
        hunt->tried[j] = swapped;
    }
    return count;
}

static void keep_shorter(struct hunt *hunt, size_t count)
{
    if (hunt->best_count != 0 && hunt->best_count <= count)
        return;
    memcpy(hunt->best, hunt->tried, count * sizeof(*hunt->best));
    hunt->best_count = count;
}

/* Meets what an edge leads to; true: it is `to`. One that was to come with the next step may come with this one. */
static bool follow(struct hunt *hunt, struct txn_edge *edge, uint32_t to, uint32_t *now_count, uint32_t *then_count)
{
    uint32_t *round = &hunt->round[edge->to];
    bool is_pass = edge->kind == TXN_PASS;

    if (edge->to == to) {
        hunt->led[to] = edge;
        return true;
    }
    if (*round == hunt->rounds + 1 || (*round == hunt->rounds && !is_pass))
        return false;
    *round = hunt->rounds + (is_pass ? 1 : 0);
    hunt->led[edge->to] = edge;
    if (is_pass)
        hunt->now[(*now_count)++] = edge->to;
    else
        hunt->then[(*then_count)++] = edge->to;
    return false;
}

/* Those of `then` that did not come earlier become `now`. */
static uint32_t go_on(struct hunt *hunt, uint32_t then_count)
{
    uint32_t count = 0;

    for (uint32_t i = 0; i < then_count; i++) {
        uint32_t node = hunt->then[i];
        if (hunt->round[node] == hunt->rounds)
            hunt->now[count++] = node;
        hunt->round[node] = hunt->rounds + 1;
    }
    return count;
}

/* Breadth first, by edges of `kinds`, within the component of `from`; `to` may be `from`. */
static bool find_path(struct hunt *hunt, uint32_t from, uint32_t to, uint32_t kinds)
{
    uint32_t then_count = 1;

    hunt->rounds += 2;
    hunt->then[0] = from;
    hunt->round[from] = hunt->rounds;
    while (then_count > 0) {
        uint32_t now_count = go_on(hunt, then_count);
        then_count = 0;
        while (now_count > 0) {
            uint32_t node = hunt->now[--now_count];
            for (size_t i = hunt->work->first_edge[node]; i < hunt->work->first_edge[node + 1]; i++) {
                struct txn_edge *edge = &hunt->work->edge[i];
                hunt->looks_left -= hunt->looks_left > 0 ? 1 : 0;
                if ((edge->kind & kinds) != 0 && hunt->component[edge->to] == hunt->component[from] &&
                    follow(hunt, edge, to, &now_count, &then_count))
                    return true;
            }
        }
    }
    return false;
}

/* ----------------------------------------------------------------------------------------------- one component */

/* What ends before that begins which it comes after: a cycle of two. The one that goes back farthest is kept. */
static void try_backwards(struct hunt *hunt, const uint32_t *member, uint32_t count)
{
    uint64_t farthest_us = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = hunt->work->first_edge[member[i]]; j < hunt->work->first_edge[member[i] + 1]; j++) {
            const struct txn_edge *edge = &hunt->work->edge[j];
            if (!is_real(hunt, member[i]) || !is_real(hunt, edge->to))
                continue;
            uint64_t start_us = hunt->work->node[edge->from].start_us;
            uint64_t end_us = hunt->work->node[edge->to].end_us;
            if (end_us >= start_us || start_us - end_us <= farthest_us)
                continue;
            farthest_us = start_us - end_us;
            hunt->best[0] = (struct txn_step){edge->from, edge->to, edge->version, edge->kind};
            hunt->best[1] = (struct txn_step){edge->to, edge->from, NONE, TXN_TIME};
            hunt->best_count = 2;
        }
    }
}

static bool is_replaced_read(const struct hunt *hunt, const struct txn_edge *edge)
{
    return edge->kind == TXN_RW && hunt->component[edge->to] == hunt->component[edge->from];
}

static void try_edge(struct hunt *hunt, const struct txn_edge *edge)
{
    if (find_path(hunt, edge->to, edge->from, WW_WR))
        keep_shorter(hunt, collect_steps(hunt, edge->to, edge->from, edge));
}

/* The read that lies farthest behind the write which replaced what it saw: mostly it is what is wrong. */
static const struct txn_edge *find_oldest(const struct hunt *hunt, const uint32_t *member, uint32_t count)
{
    const struct txn_edge *oldest = NULL;
    uint32_t most = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = hunt->work->first_edge[member[i]]; j < hunt->work->first_edge[member[i] + 1]; j++) {
            const struct txn_edge *edge = &hunt->work->edge[j];
            uint32_t read = hunt->level[edge->from];
            uint32_t replaced = hunt->level[edge->to];
            if (is_replaced_read(hunt, edge) && read > replaced && read - replaced > most) {
                most = read - replaced;
                oldest = edge;
            }
        }
    }
    return oldest;
}

/* One read of what was replaced, and a way back without any other. */
static void try_single(struct hunt *hunt, const uint32_t *member, uint32_t count)
{
    const struct txn_edge *oldest = find_oldest(hunt, member, count);

    if (oldest != NULL)
        try_edge(hunt, oldest);
    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = hunt->work->first_edge[member[i]]; j < hunt->work->first_edge[member[i] + 1]; j++) {
            if (hunt->looks_left == 0 || hunt->best_count == 2)
                return;
            if (is_replaced_read(hunt, &hunt->work->edge[j]))
                try_edge(hunt, &hunt->work->edge[j]);
        }
    }
}

static void try_from(struct hunt *hunt, uint32_t node)
{
    if (find_path(hunt, node, node, hunt->kinds))
        keep_shorter(hunt, collect_steps(hunt, node, node, NULL));
}

/* From whoever comes before what began longest before it, which may be unknown and have no end. */
static void try_farthest(struct hunt *hunt, const uint32_t *member, uint32_t count)
{
    uint32_t farthest = NONE;
    uint64_t most_us = 0;

    for (uint32_t i = 0; i < count; i++) {
        for (size_t j = hunt->work->first_edge[member[i]]; j < hunt->work->first_edge[member[i] + 1]; j++) {
            const struct txn_edge *edge = &hunt->work->edge[j];
            if (!is_real(hunt, member[i]) || !is_real(hunt, edge->to))
                continue;
            uint64_t from_us = hunt->work->node[edge->from].start_us;
            uint64_t to_us = hunt->work->node[edge->to].start_us;
            if (hunt->component[edge->to] == hunt->component[edge->from] && from_us > to_us &&
                from_us - to_us > most_us) {
                most_us = from_us - to_us;
                farthest = edge->from;
            }
        }
    }
    if (farthest != NONE)
        try_from(hunt, farthest);
}

static void try_shortest(struct hunt *hunt, const uint32_t *member, uint32_t count)
{
    for (uint32_t i = 0; i < count && hunt->best_count != 2; i++) {
        if (hunt->best_count != 0 && hunt->looks_left == 0)
            return;
        if (is_real(hunt, member[i]))
            try_from(hunt, member[i]);
    }
}

static enum transaction_violation kind_of(const struct hunt *hunt)
{
    uint32_t kinds = 0;
    size_t replaced = 0;

    for (size_t i = 0; i < hunt->best_count; i++) {
        kinds |= hunt->best[i].kind;
        replaced += hunt->best[i].kind == TXN_RW ? 1 : 0;
    }
    if ((kinds & TXN_TIME) != 0)
        return TRANSACTION_REAL_TIME;
    if (replaced > 0)
        return replaced == 1 ? TRANSACTION_G_SINGLE : TRANSACTION_G2_ITEM;
    return (kinds & TXN_WR) != 0 ? TRANSACTION_G1C : TRANSACTION_G0;
}

/* A story begins with what was read or written, and ends with the times if it can. */
static void rotate(struct hunt *hunt)
{
    size_t first = 0;

    for (size_t i = 0; i < hunt->best_count; i++)
        if (hunt->best[i].kind == TXN_TIME)
            first = (i + 1) % hunt->best_count;
    for (size_t i = 0; i < hunt->best_count; i++)
        hunt->tried[i] = hunt->best[(first + i) % hunt->best_count];
    memcpy(hunt->best, hunt->tried, hunt->best_count * sizeof(*hunt->best));
}

static void hunt_in(struct hunt *hunt, const uint32_t *member, uint32_t count)
{
    hunt->best_count = 0;
    hunt->looks_left = LOOKS_MAX;
    if (hunt->kinds == ALL)
        try_backwards(hunt, member, count);
    if (hunt->kinds == DATA)
        try_single(hunt, member, count);
    if (hunt->best_count == 0) {
        try_farthest(hunt, member, count);
        try_shortest(hunt, member, count);
    }
    rotate(hunt);
    txn_tell_cycle(hunt->work, kind_of(hunt), hunt->best, hunt->best_count);
}

/* --------------------------------------------------------------------------------------------- all components */

static void sort_members(struct hunt *hunt)
{
    uint32_t count = hunt->work->node_count;
    uint32_t sum = 0;

    memset(hunt->size, 0, ((size_t)count + 2) * sizeof(*hunt->size));
    for (uint32_t i = 0; i < count; i++)
        hunt->size[hunt->component[i] + 2]++;
    for (uint32_t i = 0; i < count + 2; i++) {
        sum += hunt->size[i];
        hunt->size[i] = sum;
    }
    for (uint32_t i = 0; i < count; i++)
        hunt->member[hunt->size[hunt->component[i] + 1]++] = i;
}

static void hunt_by(struct hunt *hunt)
{
    sort_members(hunt);
    for (uint32_t i = 0; i < hunt->work->node_count; i++) {
        uint32_t first = hunt->size[i];
        uint32_t end = hunt->size[i + 1];
        if (end - first < 2 || hunt->told[hunt->knot[hunt->member[first]]])
            continue;
        hunt->told[hunt->knot[hunt->member[first]]] = true;
        hunt_in(hunt, hunt->member + first, end - first);
    }
}

static bool has_knots(const struct hunt *hunt)
{
    bool *met = calloc((size_t)hunt->work->node_count + 1, sizeof(*met));
    bool found = met == NULL;

    for (uint32_t i = 0; !found && i < hunt->work->node_count; i++) {
        found = met[hunt->knot[i]];
        met[hunt->knot[i]] = true;
    }
    free(met);
    return found;
}

/* How long a way of writes and reads of them leads to each node. Components are numbered from the last of a way to its
 * first. */
static void find_levels(struct hunt *hunt)
{
    for (uint32_t i = hunt->work->node_count; i-- > 0;) {
        uint32_t node = hunt->member[i];
        for (size_t j = hunt->work->first_edge[node]; j < hunt->work->first_edge[node + 1]; j++) {
            const struct txn_edge *edge = &hunt->work->edge[j];
            if ((edge->kind & WW_WR) != 0 && hunt->level[edge->to] <= hunt->level[node])
                hunt->level[edge->to] = hunt->level[node] + 1;
        }
    }
}

static bool hunt_all(struct hunt *hunt)
{
    static const uint32_t kinds[] = {WW, WW_WR, DATA, ALL};

    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        hunt->kinds = kinds[i];
        if (!txn_components(hunt->work, hunt->kinds, hunt->component))
            return false;
        hunt_by(hunt);
        if (hunt->kinds == WW_WR)
            find_levels(hunt);
    }
    return true;
}

static bool hunt_begin(struct hunt *hunt, size_t count)
{
    hunt->component = calloc(count, sizeof(*hunt->component));
    hunt->told = calloc(count, sizeof(*hunt->told));
    hunt->size = calloc(count, sizeof(*hunt->size));
    hunt->member = calloc(count, sizeof(*hunt->member));
    hunt->level = calloc(count, sizeof(*hunt->level));
    hunt->round = calloc(count, sizeof(*hunt->round));
    hunt->led = calloc(count, sizeof(*hunt->led));
    hunt->now = calloc(count, sizeof(*hunt->now));
    hunt->then = calloc(count, sizeof(*hunt->then));
    hunt->best = calloc(count, sizeof(*hunt->best));
    hunt->tried = calloc(count, sizeof(*hunt->tried));
    return hunt->component != NULL && hunt->told != NULL && hunt->size != NULL && hunt->member != NULL &&
           hunt->level != NULL && hunt->round != NULL && hunt->led != NULL && hunt->now != NULL && hunt->then != NULL &&
           hunt->best != NULL && hunt->tried != NULL;
}

static void hunt_end(struct hunt *hunt)
{
    free(hunt->component);
    free(hunt->knot);
    free(hunt->told);
    free(hunt->size);
    free(hunt->member);
    free(hunt->level);
    free(hunt->round);
    free(hunt->led);
    free(hunt->now);
    free(hunt->then);
    free(hunt->best);
    free(hunt->tried);
}

bool txn_find_cycles(struct txn_work *work)
{
    size_t count = (size_t)work->node_count + 3;
    struct hunt hunt = {.work = work, .knot = calloc(count, sizeof(*hunt.knot))};
    bool good = hunt.knot != NULL && txn_components(work, ALL, hunt.knot);

    if (good && has_knots(&hunt))
        good = hunt_begin(&hunt, count) && hunt_all(&hunt);
    hunt_end(&hunt);
    return good;
}
