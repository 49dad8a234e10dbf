/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A program of somebody else: makes an embedded store in the folder argv[1], writes one name twice, and demands one
 * `committed` and one `conflict`. Its own functions have names that the library uses inside, where nobody sees them.
 */
#include <oscommit.h>
#include <stdio.h>
#include <string.h>

int buf_append(void);
int record_copy(void);
int error_set(void);

int buf_append(void)
{
    return 1;
}

int record_copy(void)
{
    return 2;
}

int error_set(void)
{
    return 3;
}

static os_verdict write_once(os_client *client, os_error *err)
{
    os_body body = OS_BODY_MEMORY("text", 4);
    os_result result = OS_RESULT_INIT;
    os_verdict verdict = os_put_if_absent(client, "name", &body, NULL, NULL, &result, err);
    os_result_clear(&result);
    return verdict;
}

int main(int argc, char **argv)
{
    char wanted[32];
    snprintf(wanted, sizeof wanted, "%d.%d.%d", OS_VERSION_MAJOR, OS_VERSION_MINOR, OS_VERSION_PATCH);
    if (argc != 2 || strcmp(os_version(), wanted) != 0) {
        fprintf(stderr, "the header is of version %s, the library of version %s\n", wanted, os_version());
        return 1;
    }

    char url[4200];
    snprintf(url, sizeof url, "file://%s", argv[1]);
    os_options options = OS_OPTIONS_INIT;
    options.store_url = url;
    os_error err;
    os_client *client;
    if (os_init(argv[1], &err) != OS_OK || os_client_open(&options, &client, &err) != OS_OK) {
        fprintf(stderr, "%s\n", err.message);
        return 1;
    }
    os_verdict first = write_once(client, &err);
    os_verdict second = write_once(client, &err);
    os_client_close(client);
    printf("%s, %s\n", os_verdict_name(first), os_verdict_name(second));
    return first == OS_COMMITTED && second == OS_CONFLICT && buf_append() + record_copy() + error_set() == 6 ? 0 : 1;
}
