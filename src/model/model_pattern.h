/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Patterns of JSON Schema, as ajv 8 has them (new RegExp(pattern, "u")), as far as they are one row of characters: each "."
 * or a character or "[a-z]" or one of \d \w \s \D \W \S, each with * + ? {n} {n,} {n,m}, between ^ and $ or without those.
 * No groups, no alternatives, nothing that looks around or back. A match takes time in proportion to pattern times text.
 */
#ifndef OSCOMMIT_MODEL_MODEL_PATTERN_H
#define OSCOMMIT_MODEL_MODEL_PATTERN_H

#include "base/text.h"

/* NULL, or what is wrong with it: "has a group". */
const char *model_pattern_fault(struct text pattern);

/* Of a pattern without a fault, and a text in UTF-8. */
bool model_pattern_matches(struct text pattern, struct text text);

#endif
