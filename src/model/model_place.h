/* SPDX-License-Identifier: Apache-2.0 */
/* Where something stands in a model, for the sentence that says what is wrong with it: Order.lines[3].price. */
#ifndef OSCOMMIT_MODEL_MODEL_PLACE_H
#define OSCOMMIT_MODEL_MODEL_PLACE_H

#include "attribute/path.h"

/* Steps below a field, and so the bound of what recurses: a JSON Schema takes two for each level of an item. */
enum { MODEL_STEPS_MAX = 2 * PATH_STEPS_MAX };

struct model_place {
    struct path_step steps[2 + MODEL_STEPS_MAX]; /* the model, the field, and what leads on */
    size_t count;
    os_code code; /* of what is refused */
    os_error *err;
};

/* `field` may be NULL: the whole model. Both are borrowed. */
struct model_place model_place_of(const char *model, const char *field, os_code code, os_error *err);

/* False when there is no room: what stands here is nested too deep, and model_refuse_depth says so. */
bool model_place_enter(struct model_place *place, struct path_step step);
void model_place_leave(struct model_place *place);

/* "Order.lines[3].price: " and the rest, which has no full stop. Returns the code. */
os_code model_refuse(const struct model_place *place, const char *format, ...) __attribute__((format(printf, 2, 3)));
os_code model_refuse_depth(const struct model_place *place);

#endif
