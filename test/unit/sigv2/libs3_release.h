/* SPDX-License-Identifier: Apache-2.0 */
/* Lets a held answer go between two calls into libs3; for programs linked with --wrap=S3_runonce_request_context. */
#ifndef OSCOMMIT_TEST_UNIT_SIGV2_LIBS3_RELEASE_H
#define OSCOMMIT_TEST_UNIT_SIGV2_LIBS3_RELEASE_H

#include "libs3_test.h"

#include <libs3.h>

static pthread_mutex_t libs3_is_called = PTHREAD_MUTEX_INITIALIZER;

S3Status __real_S3_runonce_request_context(S3RequestContext *context, int *ret_remaining);
S3Status __wrap_S3_runonce_request_context(S3RequestContext *context, int *ret_remaining);

S3Status __wrap_S3_runonce_request_context(S3RequestContext *context, int *ret_remaining)
{
    pthread_mutex_lock(&libs3_is_called);
    S3Status status = __real_S3_runonce_request_context(context, ret_remaining);
    pthread_mutex_unlock(&libs3_is_called);
    return status;
}

/* The answer comes when libs3 has returned from the call that sent the request: so it is looked at before it is read.
 */
static void *release_one(void *unused)
{
    (void)unused;
    assert_true(http_server_wait_held(server, 1));
    pthread_mutex_lock(&libs3_is_called);
    http_server_release(server, 1);
    pthread_mutex_unlock(&libs3_is_called);
    return NULL;
}

#endif
