/* SPDX-License-Identifier: Apache-2.0 */
/* What the sentences of the judges are made of. Pure. */
#ifndef OSCOMMIT_LAB_WORDS_H
#define OSCOMMIT_LAB_WORDS_H

#include <stdint.h>

enum { WORDS_TIME = 32 };

/* "1.203000 s"; `otherwise` for HISTORY_NEVER. */
void words_time(uint64_t us, const char *otherwise, char ret[WORDS_TIME]);

/* Keys and values are cut to fit, perhaps within a character: what is left of one becomes question marks. */
void words_mend_utf8(char *text);

#endif
