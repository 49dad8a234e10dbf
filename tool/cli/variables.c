/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/variables.h"

#include "cli/clean.h"
#include "cli/options.h"
#include "cli/suggest.h"

#include <string.h>

enum { NAME_SIZE = 64, NEAR = 2 /* mistakes */ };

static const char prefix[] = "OSCOMMIT_";

/* "OSCOMMIT_TIMEOUT" begins "OSCOMMIT_TIMEOUT_MS": the unit, or another word, was left out. */
static bool is_beginning(const char *name, const char *known)
{
    size_t length = strlen(name);
    return length > sizeof(prefix) - 1 && strncmp(known, name, length) == 0 && known[length] == '_';
}

/* The setting that `name` is, or is nearly; `ret_distance` says how nearly. */
static void find_nearest(const char *name, char ret[NAME_SIZE], size_t *ret_distance)
{
    *ret_distance = SIZE_MAX;
    for (int id = 0; id < OPTION_COUNT; id++) {
        char variable[NAME_SIZE];
        if (option_table[id].scope == OPTION_SCOPE_SETTING) {
            option_variable((enum option_id)id, variable, sizeof(variable));
            size_t distance = is_beginning(name, variable) ? 1 : suggest_distance(name, variable);
            if (distance < *ret_distance) {
                *ret_distance = distance;
                memcpy(ret, variable, sizeof(variable));
            }
        }
    }
}

void variables_warn(char *const *environment, FILE *out)
{
    for (; *environment != NULL; environment++) {
        char name[NAME_SIZE];
        char known[NAME_SIZE];
        size_t distance;
        size_t len = strcspn(*environment, "=");
        if (len < sizeof(name) && strncmp(*environment, prefix, sizeof(prefix) - 1) == 0) {
            memcpy(name, *environment, len);
            name[len] = '\0';
            find_nearest(name, known, &distance);
            if (distance > 0 && distance <= NEAR) {
                (void)fputs("oscommit: warning: ", out);
                clean_print(out, name);
                (void)fprintf(out, " is not a setting and has no effect. Did you mean %s?\n", known);
            }
        }
    }
}
