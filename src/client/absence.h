/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a table is there, by the answers of those who ask it, and when that was waited for long enough. Loop's thread. */
#ifndef OSCOMMIT_CLIENT_ABSENCE_H
#define OSCOMMIT_CLIENT_ABSENCE_H

#include "client/client.h"

/* Embedded in what asks. A zeroed one has asked nothing. */
struct absence {
    struct clock_reading since; /* before the first of an unbroken row of failures was sent */
    bool away;
    bool connects;          /* the last of them left this machine */
    bool was_there;         /* it has answered, once at least */
    uint32_t foreign_count; /* answers in a row that are no table's */
    const char *gave_up;    /* why it is not waited for any longer, as a clause; NULL: it is */
};

/* What an answer says of it. */
struct absence_sign {
    bool away;      /* there was none, and asking again may help */
    bool ambiguous; /* but the request may have been received */
    bool foreign;   /* it is of something that is no table */
};

/* No answer, or one that is cut, without end or not HTTP. */
bool absence_explains(const os_error *error);
/* After an answer with `error`: as far as anybody knows it is not there. `foreign`: what answered is no table. */
bool absence_is_elsewhere(bool foreign, const os_error *error);
/* `sent`: before the request was. */
void absence_note(struct absence *absence, const struct clock_reading *sent, struct absence_sign sign);
/* The same of an answer of the table itself. */
void absence_note_answer(struct absence *absence, const struct clock_reading *sent, const struct table_answer *answer);
/* For how long it is still waited for; UINT64_MAX: it is not away. */
uint64_t absence_left_ms(const struct absence *absence, const os_client *client);
/* What has answered is something else. */
bool absence_is_mistaken(const struct absence *absence);

/* One that was never there is given up when it was waited for long enough: true, and `gave_up` says why. */
bool absence_gives_up(struct absence *absence, const os_client *client);
/* `what` came to nothing ("The lease "x" was not acquired") because of that, as `last` says. */
os_code absence_refuse(const struct absence *absence, const os_client *client, const char *what, const os_error *last,
                       os_error *err);

#endif
