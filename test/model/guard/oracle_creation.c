/* SPDX-License-Identifier: Apache-2.0 */
/* T3.10: the record of a creation, which a deletion reads beside its attempt, and releases when that was applied. */
#include "choice.h"
#include "oracle.h"

#define MUST(holds, ...)                        \
    do {                                        \
        if (!(holds))                           \
            violated(RULE_BROKEN, __VA_ARGS__); \
    } while (false)

void oracle_creation_read(struct world *world, unsigned w, const struct guard_event *event, enum guard_state was)
{
    struct book *book = &world->writers[w].book;
    if (event->kind != GUARD_EVENT_RECORD_GET || (was != GUARD_SENDING && was != GUARD_CLEARING))
        return;
    book->creation = event->ledger == LEDGER_OK && event->found ? nonce_code(event->record.nonce) : 0;
    book->creation_generation = (uint32_t)event->record.generation;
}

void oracle_creation_released(const struct world *world, unsigned w, const struct guard_actions *todo)
{
    const struct writer *writer = &world->writers[w];
    const struct book *book = &writer->book;
    const struct record *seen = &todo->creation_condition.seen;
    uint8_t code = nonce_code(seen->nonce);
    MUST(config->calls[w].operation == GUARD_DELETE && guard_verdict(&writer->guard) == VERDICT_COMMITTED,
         "T3.10: of a deletion");
    MUST(writer->applied[writer->number], "T3.10: of one that was applied");
    MUST(code != 0 && (code == book->shown || code == book->shown_replaced) && seen->upload == 0,
         "T3.10: of what was deleted");
    MUST(todo->creation.timeout_ms == 0 && todo->creation.generation == seen->generation + 1,
         "T3: generation, timeout");
    MUST(code == book->creation && seen->generation == book->creation_generation, "T3.10: as read");
}
