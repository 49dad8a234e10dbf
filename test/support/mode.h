/* SPDX-License-Identifier: Apache-2.0 */
/* A client of one guard mode behind fault proxies, and a key that it writes; times are short (fixture_fast_options). */
#ifndef OSCOMMIT_TEST_MODE_H
#define OSCOMMIT_TEST_MODE_H

#include "support/suite.h"

struct mode {
    struct fixture *f;
    os_client *client;
    const char *key;
    struct fault_match writes; /* of the key */
    struct outcome outcome;
};

/* `profile`: the text of one, or NULL for the shipped one of this store. */
struct mode mode_open(struct fixture *f, const char *name, os_guard guard, const char *profile);
void mode_close(struct mode *mode);
#define ENDED __attribute__((cleanup(mode_close)))

/* Meets the writes of the key, once where `times` is 0. Returns the rule's id. */
unsigned mode_add(struct mode *mode, struct fault_rule rule);

#endif
