/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fails one allocation of a source file. A test includes this, then the .c file itself, so that the file's calls come
 * here; then it runs the same thing with the first, the second ... allocation failing, until none fails any more.
 */
#ifndef OSCOMMIT_TEST_FAILING_ALLOC_H
#define OSCOMMIT_TEST_FAILING_ALLOC_H

#include "support/failing_functions.h"

#undef strndup
#define malloc  failing_malloc
#define calloc  failing_calloc
#define realloc failing_realloc
#define strndup failing_strndup

#endif
