/* SPDX-License-Identifier: Apache-2.0 */
/* What the tests of the sources of keys share: profile files and an environment of their own, one scripted server that
 * plays every service, and the search of the chain. Nothing leaves this machine. */
#ifndef OSCOMMIT_TEST_CREDENTIALS_SOURCES_H
#define OSCOMMIT_TEST_CREDENTIALS_SOURCES_H

#include "credentials/chain.h"
#include "support/http_server.h"
#include "support/test.h"

#include <string.h>

struct sources {
    struct http_server *server;
    char url[64]; /* http://127.0.0.1:port */
    struct http_engine_options http;
    struct fetcher fetcher;
    struct chain chain;
    os_code code; /* of the last search */
    os_error error;
};
void sources_set_up(struct sources *ret); /* no source is set up */
void sources_tear_down(struct sources *sources);

/* Below ~/.aws; folders are made. */
void sources_write(const char *name, const char *text);
enum { SOURCES_PATH_SIZE = 160 };
void sources_path(const char *name, char ret[SOURCES_PATH_SIZE]);
/* Of a file that the code under test wrote; malloc'ed. */
char *sources_read(const char *name);

/* What the server answers next. */
void sources_answer(struct sources *sources, const char *status, const char *body);
void sources_answers(struct sources *sources, const char *status, const char *body, unsigned times);
/* Keys as a container's service gives them, good for so long; with `hold` when http_server_release says so. */
void sources_give_keys(struct sources *sources, const char *id, int64_t left_s, bool hold);
/* 404: it gives none. */
void sources_give_none(struct sources *sources, bool hold);
/* AWS_ENDPOINT_URL_... and so on name the server. */
void sources_name_server(const struct sources *sources, const char *variable, const char *path);

/* Searches; what it found before is dropped. `profile`: asked for by name; NULL: not. */
os_code sources_find(struct sources *sources, const char *profile);
/* Keys of this source, of which the session token may be NULL. */
void sources_expect(struct sources *sources, const char *profile, const char *source, const char *id,
                    const char *token);
/* None: an error with that in its sentence, and without "HUSH", which stands in every secret. */
void sources_expect_none(struct sources *sources, const char *profile, os_code code, const char *words);
void sources_check_says(const struct sources *sources, const char *words);

const struct http_server_record *sources_request(const struct sources *sources, size_t index);
/* NULL: it has none. */
void sources_check_header(const struct http_server_record *record, const char *name, const char *value);

/* ISO 8601, so long from now. */
void sources_time(int64_t from_now_s, char ret[32]);
/* The members that a container's service, the metadata service and STS's SDK have in common; of one hour. */
void sources_json(const char *id, char ret[400]);
/* AssumeRoleResponse or AssumeRoleWithWebIdentityResponse. */
void sources_sts(const char *action, const char *id, char ret[900]);

#endif
