/* SPDX-License-Identifier: Apache-2.0 */
#include "common/surroundings.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void surroundings_clear(struct surroundings *surroundings)
{
    for (size_t i = 0; i < SURROUNDINGS_MORE; i++)
        free(surroundings->own[i]);
    free(surroundings->all);
}

static char *variable(const struct surrounding *named)
{
    size_t size = strlen(named->name) + 1 + strlen(named->value) + 1;
    char *text = malloc(size);

    if (text != NULL)
        (void)snprintf(text, size, "%s=%s", named->name, named->value);
    return text;
}

static bool is_among(const char *text, const struct surrounding *more, size_t count)
{
    size_t length = strcspn(text, "=");

    for (size_t i = 0; i < count; i++)
        if (strlen(more[i].name) == length && strncmp(more[i].name, text, length) == 0)
            return true;
    return false;
}

bool surroundings_fill(struct surroundings *ret, const struct surrounding *more, size_t count)
{
    size_t inherited = 0;
    size_t kept = 0;
    bool good;

    assert(count <= SURROUNDINGS_MORE);
    memset(ret, 0, sizeof(*ret));
    while (environ[inherited] != NULL)
        inherited++;
    ret->all = calloc(inherited + count + 1, sizeof(*ret->all));
    good = ret->all != NULL;
    for (size_t i = 0; good && i < count; i++) {
        ret->own[i] = variable(&more[i]);
        good = ret->own[i] != NULL;
    }
    if (!good) {
        surroundings_clear(ret);
        return false;
    }
    for (size_t i = 0; i < inherited; i++)
        if (!is_among(environ[i], more, count))
            ret->all[kept++] = environ[i];
    memcpy(ret->all + kept, ret->own, count * sizeof(ret->own[0]));
    return true;
}
