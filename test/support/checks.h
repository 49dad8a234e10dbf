/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Assertions on what the public interface says, that print the library's own sentence when they fail; and short forms
 * of its calls. Includes cmocka with what it needs before it.
 */
#ifndef OSCOMMIT_TEST_CHECKS_H
#define OSCOMMIT_TEST_CHECKS_H

#include "oscommit.h"
#include "support/event.h"
#include "support/test.h"

/* A guarded call with everything that it says. */
struct outcome {
    os_verdict verdict;
    os_result result;
    os_error error;
};
void outcome_clear(struct outcome *outcome);
/* At the end of its block, unless the test has failed before. */
#define CLEARED __attribute__((cleanup(outcome_clear)))
#define CLOSED  __attribute__((cleanup(client_close_at)))
void client_close_at(os_client **client);

/* Short forms: the body is text, options are defaults; `call` may be NULL. */
struct outcome create(os_client *client, const char *key, const char *text, const os_call *call);
struct outcome replace(os_client *client, const char *key, const char *etag, const char *text, const os_call *call);
struct outcome copy(os_client *client, const char *source, const char *key, const os_call *call);
struct outcome copy_over(os_client *client, const char *source, const char *key, const char *etag, const os_call *call);
struct outcome rename_object(os_client *client, const char *source, const char *key, const os_call *call);
struct outcome delete_version(os_client *client, const char *key, const char *etag, const os_call *call);
struct outcome resolve(os_client *client, const char *ticket, const os_call *call);

/* The object's bytes as text, malloc'ed; NULL when it is not there. Fails the test on any other error. */
char *text_of_object(os_client *client, const char *key);
/* Puts text without a guard, or fails the test. Returns its ETag in ret_etag (128 bytes; may be NULL). */
void put_plain(os_client *client, const char *key, const char *text, char *ret_etag);
bool object_exists(os_client *client, const char *key);

#define CHECK_VERDICT(outcome, expected) check_verdict(&(outcome), (expected), __FILE__, __LINE__)
#define CHECK_ERROR(outcome, expected) \
    check_code((outcome).error.code, (expected), &(outcome).error, __FILE__, __LINE__)
#define CHECK_CODE(code, expected, error) check_code((code), (expected), (error), __FILE__, __LINE__)
#define CHECK_SAYS(error, part)           check_says((error), (part), __FILE__, __LINE__)
#define CHECK_OBJECT(client, key, text)   check_object((client), (key), (text), __FILE__, __LINE__)
#define CHECK_ABSENT(client, key)         check_object((client), (key), NULL, __FILE__, __LINE__)
void check_verdict(const struct outcome *outcome, os_verdict expected, const char *file, int line);
void check_code(os_code code, os_code expected, const os_error *error, const char *file, int line);
void check_says(const os_error *error, const char *part, const char *file, int line); /* any case */
void check_object(os_client *client, const char *key, const char *text, const char *file, int line);

#endif
