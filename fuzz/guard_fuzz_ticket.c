/* SPDX-License-Identifier: Apache-2.0 */
/* What must hold of a guard that was made of a ticket, whatever the ticket says (R17). */
#include "guard_fuzz_model.h"

#include <string.h>

void model_begin_resolution(struct model *model, const struct guard_settings *settings,
                            const struct guard_ticket *ticket)
{
    model->settings = *settings;
    model->margin_s = ticket->margin_s > settings->margin_s ? ticket->margin_s : settings->margin_s;
    model->settings.margin_s = model->margin_s;
    model->operation = ticket->operation;
    model->resolving = true;
    model->settings.native = ticket->native;
    model->upload = ticket->record.upload;
    model->versioned = ticket->versioned;
    model->has_versions = ticket->versioned || settings->versioned || settings->versions_likely;
    model->before = ticket->base;
    model->sign_date_s = ticket->d0_s;
    model->sent = ticket->record;
    model->has_fence = ticket->record.has_fence;
    model->fence_s = ticket->record.fence_s;
    model->undecided = !ticket->not_applied;
}

/* Dead by what is stored, and by a Date that came before the round began. */
static bool stored_is_dead(const struct model *model, const struct record *stored)
{
    uint64_t date_s = model->head_known_date_s;
    return stored->has_fence && date_s > stored->fence_s && date_s - stored->fence_s > model->margin_s;
}

void model_own_read(struct model *model, const struct guard_event *event)
{
    const struct record *stored = &event->record;

    if (!model->resolving || event->kind != GUARD_EVENT_RECORD_GET || model->get_our_etag)
        return;
    model->held = false;
    model->owns_upload = false;
    model->contradicted = false;
    if (event->ledger != LEDGER_OK || !event->found || strcmp(stored->nonce, MODEL_NONCE) != 0)
        return;
    bool same = memcmp(stored, &model->sent, sizeof(*stored)) == 0;
    model->contradicted = !same && stored->generation == model->sent.generation;
    model->held = same && stored->upload == 0 && stored_is_dead(model, stored);
    model->owns_upload = same && stored->upload != 0 && stored_is_dead(model, stored);
}
