/* SPDX-License-Identifier: Apache-2.0 */
#include "api/listing.h"

void listing_took(struct listing *listing, const struct clock_reading *before)
{
    struct clock_reading after;
    clock_read(&after);
    uint64_t used_ms = clock_elapsed_max(before, &after);
    listing->call.deadline_ms = listing->call.deadline_ms > used_ms ? listing->call.deadline_ms - used_ms : 1;
}
