/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the judge of transactions knows of a history while it works: its versions, its nodes, and the edges between
 * them. An index that is NONE is none.
 */
#ifndef OSCOMMIT_LAB_TRANSACTION_WORK_H
#define OSCOMMIT_LAB_TRANSACTION_WORK_H

#include "history/transaction_judge.h"

#define NONE UINT32_MAX

/* A value of a register or an element of a list. The first one of each key stands for "nothing yet". */
struct txn_version {
    const char *key;
    const char *value; /* NULL: nothing yet */
    uint32_t key_index;
    uint32_t writer;    /* transaction; NONE: nobody, or nothing yet */
    uint32_t next_own;  /* the version by which its own transaction replaced it, or that it appended behind it */
    uint32_t successor; /* the transaction in force that replaced it, of a register */
    uint32_t position;  /* in the longest read, of a list */
    bool seen;
    bool has_amount;
    int64_t amount;
};

struct txn_key {
    uint32_t nothing; /* its first version */
    bool used;
    bool is_list;
    const struct history_item *longest; /* read of the list; NULL: none */
    uint32_t longest_by;                /* transaction */
    uint32_t head;   /* a node that read the longest and appended behind it; it is the first to do so */
    uint32_t behind; /* the node that stands between those that read the longest and those that appended behind it */
};

/* A transaction in force, or one read of another; or, beyond `real_count`, a node that only passes an order on. */
struct txn_node {
    uint32_t transaction;
    uint32_t item; /* NONE: all of it */
    uint64_t start_us;
    uint64_t end_us;
};

/* `from` comes before `to`. PASS leads on from a node beyond real_count, and continues the edge that led there. */
enum txn_edge_kind { TXN_WW = 1, TXN_WR = 2, TXN_RW = 4, TXN_TIME = 8, TXN_PASS = 16 };

struct txn_edge {
    uint32_t from;
    uint32_t to;
    uint32_t version; /* that was replaced, read, or read and replaced */
    uint32_t kind;
};

struct txn_work {
    const struct history *history;
    struct transaction_result *result;
    uint32_t transaction_count;
    uint32_t *first_item;  /* of each transaction, and the end: an index into the two that follow */
    uint32_t *version_of;  /* each item: read, written, appended; of a list read, the last element */
    uint32_t *expected_of; /* each item that is a write */
    bool *in_force;        /* each transaction: committed, or unknown and seen */
    uint32_t *node_of;     /* each transaction in force */
    struct txn_version *version;
    uint32_t version_count;
    uint32_t version_capacity;
    uint32_t *slot; /* versions by key and value: open addressing */
    size_t slot_count;
    struct txn_key *key;
    uint32_t key_count;
    uint32_t key_capacity;
    struct txn_node *node;
    uint32_t real_count;
    uint32_t node_count;
    struct txn_edge *edge; /* ordered by `from` */
    size_t edge_count;
    size_t edge_capacity;
    size_t *first_edge; /* of each node, and the end */
};

/* transaction_versions.c. Each is false without memory; txn_work_free is fine afterwards. */
bool txn_versions_take(struct txn_work *work); /* may find that it is a bad history */
bool txn_versions_see(struct txn_work *work);  /* who is in force */
uint32_t txn_version_find(const struct txn_work *work, const char *key, const char *value); /* NONE: nobody named it */
void txn_work_free(struct txn_work *work);

/* transaction_bad.c: what contradicts itself. */
void txn_find_bad(struct txn_work *work);
bool txn_find_same_ids(struct txn_work *work);

/* transaction_lists.c: the longest read of each list, and where each element stands in it. */
void txn_lists_order(struct txn_work *work);

/* transaction_plain.c: what a person sees at once. */
void txn_find_plain(struct txn_work *work);

/* transaction_sum.c. False: no memory. */
bool txn_find_sums(struct txn_work *work);

/* transaction_graph.c */
bool txn_nodes_make(struct txn_work *work);
bool txn_edges_make(struct txn_work *work);
/* Numbers the components that hang together by edges of these kinds; each node of a cycle has the number of the cycle's
 * other nodes. */
bool txn_components(const struct txn_work *work, uint32_t kinds, uint32_t *component);

/* transaction_cycle.c */
bool txn_find_cycles(struct txn_work *work);

/* One step of a cycle, between nodes that are real. */
struct txn_step {
    uint32_t from;
    uint32_t to;
    uint32_t version;
    uint32_t kind;
};

/* transaction_story.c. `about` is a transaction or NONE. */
struct transaction_finding *txn_report(struct txn_work *work, enum transaction_violation violation, uint32_t about,
                                       const char *format, ...) __attribute__((format(printf, 4, 5)));
void txn_tell_cycle(struct txn_work *work, enum transaction_violation violation, const struct txn_step *step,
                    size_t count);
enum { TXN_DESCRIPTION = 160 };
/* "transaction 7 (writer 1, 0.000120 s to 0.004821 s, committed)" */
void txn_describe(const struct txn_work *work, uint32_t transaction, char ret[TXN_DESCRIPTION]);

#define TXN_ITEM_COUNT(work, transaction) ((work)->first_item[(transaction) + 1] - (work)->first_item[transaction])

#endif
