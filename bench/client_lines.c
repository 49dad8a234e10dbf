/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Mode `lines`, for what is measured once and not per second. A command a line:
 *   create KEY BODY | update KEY ETAG BODY | copy FROM TO | delete KEY ETAG | quit
 * and an answer: WORD MS ETAG-OR-REASON, where WORD is committed, conflict, not-executed or unknown.
 */
#include "client.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec * 1e3 + (double)now.tv_nsec / 1e6;
}

/* Cuts the next word off *rest; "" when there is none. */
static char *next_word(char **rest)
{
    char *word = *rest;
    *rest += strcspn(word, " ");
    if (**rest != '\0')
        *(*rest)++ = '\0';
    return word;
}

static os_verdict commit(os_client *client, const char *command, char *rest, os_result *ret, os_error *err)
{
    const char *key = next_word(&rest);
    if (strcmp(command, "copy") == 0)
        return os_copy_if_not_exists(client, key, rest, NULL, NULL, ret, err);
    if (strcmp(command, "delete") == 0)
        return os_delete_if_match(client, key, rest, NULL, ret, err);
    const char *etag = strcmp(command, "update") == 0 ? next_word(&rest) : NULL;
    os_body body = OS_BODY_MEMORY(rest, strlen(rest));
    return etag != NULL ? os_put_if_match(client, key, etag, &body, NULL, NULL, ret, err)
                        : os_put_if_absent(client, key, &body, NULL, NULL, ret, err);
}

static void answer(os_client *client, char *line)
{
    static const char *const words[] = {"?", "committed", "conflict", "not-executed", "unknown"};
    os_result result = OS_RESULT_INIT;
    os_error error;
    const char *command = next_word(&line);
    double begun = now_ms();
    os_verdict verdict = commit(client, command, line, &result, &error);
    const char *more = verdict == OS_COMMITTED ? result.etag : error.message;
    printf("%s %.1f %s\n", words[verdict], now_ms() - begun, more[0] != '\0' ? more : "-");
    fflush(stdout);
    os_result_clear(&result);
}

int run_lines(os_client *client)
{
    char *line = NULL;
    size_t size = 0;
    while (getline(&line, &size, stdin) > 0) {
        line[strcspn(line, "\n")] = '\0';
        if (strcmp(line, "quit") == 0)
            break;
        answer(client, line);
    }
    free(line);
    return 0;
}
