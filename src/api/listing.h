/* SPDX-License-Identifier: Apache-2.0 */
/* One os_list under way: what the list of objects and the list of versions share. */
#ifndef OSCOMMIT_API_LISTING_H
#define OSCOMMIT_API_LISTING_H

#include "client/store_call.h"

enum { LIST_PAGE = 1000 };

struct listing {
    os_client *client;
    os_call call; /* its deadline is what is left: the time of the caller's function does not count */
    os_list_fn each;
    void *context;
    uint64_t left; /* UINT64_MAX: all */
    struct s3_list_options options;
};

/* Takes the time since `before` from what is left. */
void listing_took(struct listing *listing, const struct clock_reading *before);

/* Every version, page after page. */
os_code list_versions(struct listing *listing, os_error *err);

#endif
