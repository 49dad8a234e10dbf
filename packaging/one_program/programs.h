/* SPDX-License-Identifier: Apache-2.0 */
/* The main functions of the two programs, under names of their own. */
#ifndef OSCOMMIT_ONE_PROGRAM_PROGRAMS_H
#define OSCOMMIT_ONE_PROGRAM_PROGRAMS_H

int tool_program(int argc, char **argv);
int race_program(int argc, char **argv);

#endif
