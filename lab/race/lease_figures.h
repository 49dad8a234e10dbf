/* SPDX-License-Identifier: Apache-2.0 */
/* What the judge of leases found, for people and for programs: of a race, and of a history. */
#ifndef OSCOMMIT_LAB_RACE_LEASE_FIGURES_H
#define OSCOMMIT_LAB_RACE_LEASE_FIGURES_H

#include "cli/json_line.h"
#include "history/lease_judge.h"

void lease_print_figures(const struct lease_result *result);
void lease_print_findings(const struct lease_result *result);
void lease_add_json(struct json_line *line, const struct lease_result *result); /* figures and findings */

#endif
