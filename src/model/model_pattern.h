/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of JSON Schema, as ajv 8 has them (new RegExp(pattern, "u")): characters, ".", "[a-z]", \d \w \s \D \W \S, groups,
 * alternatives, ^ and $, each part with * + ? {n} {n,} {n,m}. Nothing that looks around or back, no \b, \u or \p. A match takes
 * time in proportion to pattern times text.
 */
#ifndef OSCOMMIT_MODEL_MODEL_PATTERN_H
#define OSCOMMIT_MODEL_MODEL_PATTERN_H

#include "base/text.h"

/* NULL, or what is wrong with it: "has a [ without its ]". */
const char *model_pattern_fault(struct text pattern);

/* Of a pattern without a fault, and a text in UTF-8. */
bool model_pattern_matches(struct text pattern, struct text text);

#endif
