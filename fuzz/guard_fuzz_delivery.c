/* SPDX-License-Identifier: Apache-2.0 */
/* How an attempt travels, and how long its record has to protect it (F2, T6). */
#include "guard_fuzz_model.h"

bool model_stalls_for_ever(const struct model *model)
{
    return !model->at_once && model->settings.stalled_body_s == GUARD_STALLED_BODY_FOR_EVER;
}

uint64_t model_allowance_s(const struct model *model)
{
    const struct guard_settings *settings = &model->settings;
    uint64_t work_s = settings->work_s ? settings->work_s : guard_work_s(model->operation, model->amount);
    uint64_t stalled_s = model_stalls_for_ever(model) ? GUARD_STALLED_BODY_S : settings->stalled_body_s;
    if (model->at_once)
        return work_s;
    return work_s + guard_delivery_s(settings, model->wire_bytes) + settings->late_segment_s + stalled_s;
}

/* The allowance rests on the first one; a second may not need more. */
void model_signed(struct model *model, const struct guard_event *event)
{
    const struct guard_settings *settings = &model->settings;
    bool slower = guard_delivery_s(settings, event->wire_bytes) > guard_delivery_s(settings, model->wire_bytes);
    bool longer = model->at_once ? !event->at_once : !event->at_once && slower;
    model->signed_ok = event->signed_ok && (model->sends == 0 || !longer);
    if (model->sends > 0)
        return;
    model->at_once = event->at_once;
    model->wire_bytes = event->wire_bytes;
}
