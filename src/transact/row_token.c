/* SPDX-License-Identifier: Apache-2.0 */
#include "transact/row_token.h"

#include "attribute/value.h"
#include "base/digest.h"
#include "base/random.h"
#include "base/text.h"

#include <stdio.h>
#include <string.h>

bool row_token_make(char ret[ROW_TOKEN_SIZE])
{
    unsigned char bits[(ROW_TOKEN_SIZE - 1) / 2];
    if (!random_bytes(bits, sizeof(bits)))
        return false;
    for (size_t i = 0; i < sizeof(bits); i++)
        snprintf(ret + 2 * i, 3, "%02x", bits[i]);
    return true;
}

bool row_token_fence(const char *token, char ret[ROW_TOKEN_SIZE])
{
    char of[sizeof("fence ") + ROW_TOKEN_SIZE];
    char digest[65];
    int len = snprintf(of, sizeof(of), "fence %s", token);
    if (!sha256_hex(of, (size_t)len, digest))
        return false;
    snprintf(ret, ROW_TOKEN_SIZE, "%.32s", digest);
    return true;
}

bool row_token_is(const char *text)
{
    return text != NULL && strlen(text) == ROW_TOKEN_SIZE - 1 && strspn(text, "0123456789abcdef") == ROW_TOKEN_SIZE - 1;
}

const char *row_token_of(const json_t *item, const char *attribute)
{
    const json_t *value = json_object_get(item, attribute);
    return value_type(value) == VALUE_S ? json_string_value(value_inside(value)) : NULL;
}

static uint8_t whose(const struct row_mark *mark, const struct row_tokens *tokens, const char *token)
{
    if (token == NULL)
        return TRANSACTION_NONE;
    if (strcmp(token, tokens->own) == 0)
        return TRANSACTION_OURS;
    if (strcmp(token, tokens->fence) == 0)
        return TRANSACTION_FENCE;
    return mark->read_token != NULL && strcmp(token, mark->read_token) == 0 ? TRANSACTION_READ : TRANSACTION_OTHER;
}

void row_see(const struct row_mark *mark, const struct row_tokens *tokens, const json_t *item,
             struct transaction_row *ret)
{
    ret->seen = TRANSACTION_ABSENT;
    if (item == NULL)
        return;
    ret->seen = TRANSACTION_THERE;
    ret->token = whose(mark, tokens, row_token_of(item, ROW_TOKEN));
    ret->before = whose(mark, tokens, row_token_of(item, ROW_BEFORE));
}
