/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the search for keys finds in its surroundings, for a test that compares it with another program's. The digests
 * stand for the secrets.
 *
 *   print_keys [PROFILE]     {"source":"sso","id":"ASIA...","secret":"SHA-256","token":"SHA-256"|"","expires":SECONDS}
 *                            {"refused":"OS_ERR_...","sentence":"..."}
 */
#include "base/digest.h"
#include "base/error.h"
#include "base/text.h"
#include "credentials/chain.h"

#include <jansson.h>
#include <stdio.h>
#include <string.h>

static bool digest_of(const char *secret, char ret[65])
{
    ret[0] = '\0';
    return secret == NULL || sha256_hex(secret, strlen(secret), ret);
}

static json_t *describe_keys(const struct chain *chain)
{
    char secret[65];
    char token[65];
    if (!digest_of(chain->found.secret_access_key, secret) || !digest_of(chain->found.session_token, token))
        return NULL;
    return json_pack("{s:s, s:s, s:s, s:s, s:I}", "source", chain->source, "id", chain->found.access_key_id, "secret",
                     secret, "token", token, "expires", (json_int_t)chain->found.expires_s);
}

int main(int argc, char **argv)
{
    const struct http_engine_options http = {
        .user_agent = "print_keys", .connect_timeout_ms = 5000, .max_connections = 1};
    struct fetcher fetcher = {0};
    struct chain chain = {.profile = argc > 1 ? argv[1] : NULL, .fetcher = &fetcher};
    os_error error;
    os_code code = fetcher_init(&fetcher, &http, &error);
    if (code != OS_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    code = chain_find(&chain, &error);
    json_t *found = code == OS_OK ? describe_keys(&chain)
                                  : json_pack("{s:s, s:s}", "refused", os_code_name(code), "sentence", error.message);
    chain_free(&chain);
    fetcher_close(&fetcher);
    bool ok = found != NULL && json_dumpf(found, stdout, 0) == 0 && putchar('\n') != EOF && fflush(stdout) == 0;
    json_decref(found);
    return ok ? 0 : 1;
}
