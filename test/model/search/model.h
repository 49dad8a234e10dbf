/* SPDX-License-Identifier: Apache-2.0 */
/* What a program that explores brings along: its worlds (world.h), and these. ../guard and ../lease are two. */
#ifndef OSCOMMIT_MODEL_MODEL_H
#define OSCOMMIT_MODEL_MODEL_H

#include "choices.h"
#include "finding.h"
#include "world.h"

#include <stdbool.h>
#include <stdio.h>

enum mode { MODE_SLICE, MODE_LONG, MODE_QUICK, MODE_TINY };

extern const char model_name[]; /* the program's */

size_t configs_count(void);
const struct config *config_at(size_t i);
const struct config *config_by_name(const char *name); /* of the common part */

void world_init(struct world *world);
/* Equal as bytes where nothing that can follow differs. */
void world_canonical(struct world *world);
/* Counts what the search saw in a world of which all choices are known. */
void world_tally(const struct world *world, bool is_final, struct tally *ret);
bool tally_suffices(const struct tally *tally); /* the search went where something could have been wrong */
void tally_print(const struct tally *tally);

void choices_of(const struct world *world, struct choices *ret);
/* Leaves the canonical form; `finding` says what was violated. */
void choice_apply(struct world *world, uint32_t choice);
/* What was chosen in `before`, and what came of it, as a line. */
void trace_step(const struct world *before, const struct world *after, size_t number, uint32_t choice, FILE *out);

/* Whether a violation of this name is looked for. */
bool violation_counts(const char *name);
bool mode_has(enum mode mode, const struct config *of);
/* States per configuration, so that a mode ends in its time; 0: no limit. */
uint64_t states_limit(enum mode mode, const struct config *of);
/* An option that only this program has. False: it is none. */
bool model_option(const char *option);
extern const char model_options[]; /* for the usage line */
void model_self_test(void);        /* by must() of selftest.h */

#endif
