/* SPDX-License-Identifier: Apache-2.0 */
#include "model/model_place.h"

#include "base/text.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { FAULT_SIZE = 512 };

struct model_place model_place_of(const char *model, const char *field, os_code code, os_error *err)
{
    struct model_place place; /* one is made for each value: the steps that it may need are not cleared */
    place.steps[0] = (struct path_step){.name = model};
    place.count = 1;
    place.code = code;
    place.err = err;
    if (field != NULL)
        model_place_enter(&place, (struct path_step){.name = field});
    return place;
}

bool model_place_enter(struct model_place *place, struct path_step step)
{
    if (place->count == sizeof(place->steps) / sizeof(place->steps[0]))
        return false;
    place->steps[place->count++] = step;
    return true;
}

void model_place_leave(struct model_place *place)
{
    place->count--;
}

os_code model_refuse(const struct model_place *place, const char *format, ...)
{
    char text[PATH_TEXT_SIZE];
    char fault[FAULT_SIZE];
    const struct path path = {place->steps, place->count};
    va_list args;
    va_start(args, format);
    vsnprintf(fault, sizeof(fault), format, args);
    va_end(args);
    fault[text_utf8_cut(text_from(fault), sizeof(fault) - 1)] = '\0';
    return error_set(place->err, place->code, "%s: %s.", path_text(&path, text), fault);
}

os_code model_refuse_depth(const struct model_place *place)
{
    return model_refuse(place, "objects and arrays nest deeper than an item has levels");
}
