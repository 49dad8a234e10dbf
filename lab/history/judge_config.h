/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where an order of a key's calls can stand at one moment: the value of the register, which of the calls that run are
 * still without their place in the order, and which unknown ones were used. And sets of those, the same one kept once.
 * Internal to the judge.
 */
#ifndef OSCOMMIT_LAB_JUDGE_CONFIG_H
#define OSCOMMIT_LAB_JUDGE_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A set of ops, ascending. */
struct judge_set {
    uint32_t *item;
    uint32_t count;
    uint32_t capacity;
};

struct judge_config {
    struct judge_set open; /* have begun, must have their place before they end, have none yet */
    struct judge_set used; /* unknown ones that took effect */
    uint32_t value;
    uint32_t last;     /* the write that made the value; JUDGE_NO_OP: none yet */
    uint64_t versions; /* that were made */
    struct judge_config *next;
    uint64_t hash;
};

bool judge_set_has(const struct judge_set *set, uint32_t op);
bool judge_set_add(struct judge_set *set, uint32_t op); /* false: no memory */
void judge_set_remove(struct judge_set *set, uint32_t op);

struct judge_config *judge_config_copy(const struct judge_config *config); /* NULL: no memory */
void judge_config_free(struct judge_config *config);

/* In the order in which they came. */
struct judge_configs {
    struct judge_config **item;
    size_t count;
    size_t capacity;
    struct judge_config **bucket; /* chains by hash; NULL: too few for that, they are compared one by one */
    size_t buckets;
    uint64_t words; /* of memory, about */
    uint64_t work;  /* words that were compared to find out whether one is known, about: it may be most of the time */
};

enum judge_added { JUDGE_ADDED, JUDGE_KNOWN, JUDGE_ADD_FAILED };

/* Takes `config` over, or frees it when one that is as good is there: the same value and open calls (and with
 * `count_versions` as many versions), and no unknown call used that `config` has not used too. */
enum judge_added judge_configs_add(struct judge_configs *configs, struct judge_config *config, bool count_versions);
void judge_configs_clear(struct judge_configs *configs);

#endif
