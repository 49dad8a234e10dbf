/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Stands in front of libc's name look-up, also for libcurl: names that end in ".test" are 127.0.0.1, unless they are to
 * be unknown for a while. Every other name goes to libc.
 */
#ifndef OSCOMMIT_TEST_NAME_SERVICE_H
#define OSCOMMIT_TEST_NAME_SERVICE_H

void name_service_fail(unsigned count); /* the next so many look-ups of such a name */
unsigned name_service_failures(void);   /* how many have failed so far */
void name_service_hold(void);           /* from now on such a look-up waits */
void name_service_go_on(void);          /* until then */

#endif
