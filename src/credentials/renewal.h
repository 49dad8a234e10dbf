/* SPDX-License-Identifier: Apache-2.0 */
/*
 * When keys are renewed: some minutes before they expire, as the AWS SDKs do, and not all machines of a fleet at once.
 * Pure.
 */
#ifndef OSCOMMIT_CREDENTIALS_RENEWAL_H
#define OSCOMMIT_CREDENTIALS_RENEWAL_H

#include <stdint.h>

enum {
    RENEWAL_BEFORE_S = 300,  /* at the latest, of keys that live long enough */
    RENEWAL_EARLIER_S = 600, /* so much earlier at most, drawn by each for itself */
    RENEWAL_LEAST_MS = 1000,
    RENEWAL_AGAIN_MS = 5000, /* after a failure; doubles */
    RENEWAL_AGAIN_MOST_MS = 300000
};

/* From now, for keys that expire in `left_s`. Of keys that live less than half an hour it is the half of their time.
 * Keys that are over, as the metadata service gives out in an outage, are asked for again later. */
uint64_t renewal_after_ms(int64_t left_s, uint64_t *random);
/* After so many failures in a row. */
uint64_t renewal_again_ms(uint32_t failures, uint64_t *random);

#endif
