/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by all parts of a program that explores: the configuration under exploration, and what was violated there. */
#ifndef OSCOMMIT_MODEL_FINDING_H
#define OSCOMMIT_MODEL_FINDING_H

struct config; /* of the model; begins with the names, which see model.h */

struct finding {
    const char *name; /* NULL: none */
    char text[256];
};

extern const struct config *config;
extern struct finding finding; /* the first violation that counts */

void violated(const char *name, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
