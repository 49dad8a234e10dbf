/* SPDX-License-Identifier: Apache-2.0 */
/* What a choice does: the store, the ledger, time and the outsiders. */
#include "choice.h"
#include "forger.h"
#include "link.h"
#include "oracle.h"
#include "peer.h"
#include "writer.h"

#include <string.h>

/* ------------------------------------------------------------------------------------------------ the store */

/* An attempt is admitted while its signature lives, and applied when it has arrived (link.c). */
bool store_takes(const struct world *world, const struct flight *send)
{
    uint32_t now_s = world_date(world);
    uint32_t margin_s = config->margin_s ? config->margin_s : 1;
    uint32_t work_s = config->allowance_s ? config->allowance_s : 1;
    bool completes = config->calls[send->writer].operation == GUARD_COMPLETE;
    if (completes && world->uploads[send->writer].state != UPLOAD_IS_OPEN && !complete_is_admitted(world, send))
        return false;
    if (config->never_expires)
        return !config->late_in_bound || now_s <= send->date_s + 2 * (send->length_s + work_s + margin_s);
    return link_store_takes(world, send);
}

/* N4.1: its own pair, and those of what it replaces. */
static void add_pairs(const struct world *world, struct object *object, const struct object *base,
                      const struct flight *send)
{
    const struct call_plan *plan = &config->calls[send->writer];
    const struct writer *writer = &world->writers[send->writer];
    const uint8_t *nonces = config->stale_pairs ? writer->known_pair_nonce : base->pair_nonce;
    const uint8_t *overs = config->stale_pairs ? writer->known_pair_over : base->pair_over;
    if (!call_is_promised(send->writer) || plan->operation == GUARD_COMPLETE)
        return;
    object->pair_nonce[0] = object_nonce_code(object);
    object->pair_over[0] = plan->expected;
    for (unsigned i = 1; i < PAIRS && !config->forgets_pairs; i++) {
        object->pair_nonce[i] = nonces[i - 1];
        object->pair_over[i] = overs[i - 1];
    }
}

static void write_object(struct world *world, const struct flight *send)
{
    const struct call_plan *plan = &config->calls[send->writer];
    struct object base = world->object;
    oracle_applies(world, send);
    world->outsider_last = 0;
    memset(&world->object, 0, sizeof(world->object));
    if (plan->operation != GUARD_DELETE) {
        world->object.exists = 1;
        world->object.etag = plan->ours;
        world->object.maker = (uint8_t)(send->writer + 1);
        world->object.guard = send->guard;
        world->object.has_nonce = !plan->no_nonce;
        world->object.replaced = plan->no_nonce || plan->operation == GUARD_COMPLETE ? 0 : send->replaced;
        world->object.modified_s = world_date(world);
        add_pairs(world, &world->object, &base, send);
    }
    if (plan->operation == GUARD_COMPLETE) {
        world->object.guard = 0; /* the nonce is the upload's */
        if (config->upload_dates)
            world->object.modified_s = START_S - LONG_AGO_S;
        world->uploads[send->writer].state = UPLOAD_IS_COMPLETED;
    }
    if (plan->operation == GUARD_DELETE)
        world->object.modified_s = world->keeps_versions ? world_date(world) : 0;
    world_keep_version(world);
    oracle_object_changed(world);
}

void store_aborts(struct world *world, unsigned w)
{
    world->uploads[w].state = UPLOAD_IS_ABORTED;
    world->uploads[w].aborted_s = world_date(world);
}

static void serve_abort(struct world *world, struct flight *flight)
{
    bool accepted = config->abort_accepts && world->uploads[flight->row].state == UPLOAD_IS_COMPLETED;
    if (world->uploads[flight->row].state == UPLOAD_IS_OPEN) {
        accepted = true;
        store_aborts(world, flight->row);
    }
    flight->outcome = accepted ? UPLOAD_ABORTED : UPLOAD_GONE;
}

static void serve_send(struct world *world, struct flight *flight)
{
    bool holds = world_holds(config->calls[flight->writer].expected, &world->object);
    flight->outcome = ATTEMPT_OK;
    if (call_has_condition(flight->writer) && !holds)
        flight->outcome = ATTEMPT_PRECONDITION;
    else
        write_object(world, flight);
}

static void serve_head(struct world *world, struct flight *flight, bool fast)
{
    flight->outcome = HEAD_ANSWERED;
    flight->object = world->object;
    flight->date_s = config->late_dates ? 0 : world_date(world);
    if (fast) {
        flight->date_s += config->margin_s ? config->margin_s : 1;
        world->budget[BUDGET_FAST]--;
    }
}

/* What guarded/driver_io_versions.c finds out: ours, or whether another could hide it. */
static enum versions_outcome look_at(const struct guard *guard, const struct object *object)
{
    struct object_version version;
    object_version_of(object, &version);
    const struct listed_version listed = {.version_id =
                                              object->version > 0 ? (char[]){(char)('0' + object->version), 0} : "null",
                                          .etag = version.etag,
                                          .last_modified_s = object->modified_s,
                                          .is_delete_marker = !object->exists};
    unsigned weight = guard_classify_listed(guard, &listed);
    enum versions_outcome outcome =
        weight & GUARD_VERSION_ASK ? guard_classify_version(guard, &version) : VERSIONS_OTHERS;
    return outcome == VERSIONS_OTHERS && weight & GUARD_VERSION_HIDES ? VERSIONS_HIDDEN : outcome;
}

static void serve_versions(const struct world *world, struct flight *flight)
{
    const struct guard *guard = &world->writers[flight->writer].guard;
    flight->date_s = world_date(world);
    flight->outcome = world->keeps_versions ? VERSIONS_OTHERS : VERSIONS_HIDDEN;
    for (uint8_t i = 0; i < world->history_count && flight->outcome != VERSIONS_OURS; i++) {
        enum versions_outcome outcome = look_at(guard, &world->history[i]);
        if (outcome == VERSIONS_OURS)
            flight->object = world->history[i];
        if (outcome != VERSIONS_OTHERS)
            flight->outcome = (uint8_t)outcome;
    }
}

/* ------------------------------------------------------------------------------------------------ the ledger */

bool ledger_condition_holds(const struct world *world, const struct flight *put)
{
    const struct row *row = &world->rows[put->row];
    const struct record *seen = &put->condition.seen;
    switch (put->condition.kind) {
    case RECORD_IF_ABSENT: return !row->present;
    case RECORD_IF_SEEN: return row->present && record_same_holder(&row->record, seen);
    case RECORD_IF_SAME: return row->present && memcmp(&row->record, seen, sizeof(*seen)) == 0;
    case RECORD_IF_HELD:
        return row->present && row->record.generation == seen->generation &&
               strcmp(row->record.nonce, seen->nonce) == 0;
    }
    return false;
}

/* R12.11. */
static bool is_told_of(uint8_t row)
{
    for (unsigned w = 0; w < WRITERS; w++)
        if (config->calls[w].told && config->calls[w].expected == row)
            return true;
    return false;
}

static void write_row(struct world *world, const struct flight *put)
{
    struct row *row = &world->rows[put->row];
    struct writer *writer = &world->writers[put->writer];
    row->present = 1;
    record_copy(&row->record, &put->record);
    if (put->is_release && is_told_of(put->row)) {
        record_copy(&world->released, &put->record);
        world->released_row = put->row + 1;
    }
    /* So that the books know what was held, whoever learns of it. */
    if (!put->is_release && memcmp(&writer->book.put, &put->record, sizeof(put->record)) == 0)
        writer->book.acquired = 1;
}

static void serve_put(struct world *world, struct flight *flight)
{
    if (ledger_condition_holds(world, flight)) {
        write_row(world, flight);
        memset(&flight->record, 0, sizeof(flight->record));
        flight->outcome = LEDGER_OK;
        return;
    }
    const struct row *row = &world->rows[flight->row];
    flight->outcome = row->present ? LEDGER_CONFLICT : LEDGER_CONFLICT_BLIND;
    memset(&flight->record, 0, sizeof(flight->record));
    if (row->present)
        record_copy(&flight->record, &row->record);
}

static void serve_get(const struct world *world, struct flight *flight)
{
    const struct row *row = &world->rows[flight->row];
    flight->outcome = LEDGER_OK;
    flight->found = row->present;
    if (row->present)
        record_copy(&flight->record, &row->record);
}

static void serve_query(const struct world *world, struct flight *flight)
{
    struct guard_evidence evidence = {false, false};
    for (uint8_t i = 0; i < ETAG_COUNT; i++) {
        if (world->rows[i].present)
            guard_classify_record(&world->writers[flight->writer].guard, etag_text(i), &world->rows[i].record,
                                  &evidence);
    }
    flight->outcome = LEDGER_OK;
    flight->saw_ours = evidence.saw_ours;
    flight->locked = evidence.locked;
}

/* ------------------------------------------------------------------------------------------------ requests */

static void serve(struct world *world, unsigned f, bool fast)
{
    struct flight *flight = &world->flights[f];
    switch ((enum flight_kind)flight->kind) {
    case FLIGHT_HEAD: serve_head(world, flight, fast); break;
    case FLIGHT_GET: serve_get(world, flight); break;
    case FLIGHT_QUERY: serve_query(world, flight); break;
    case FLIGHT_PUT: serve_put(world, flight); break;
    case FLIGHT_SEND: serve_send(world, flight); break;
    case FLIGHT_PARTS:
        flight->outcome = world->uploads[flight->row].state == UPLOAD_IS_OPEN ? UPLOAD_OPEN : UPLOAD_GONE;
        break;
    case FLIGHT_ABORT: serve_abort(world, flight); break;
    case FLIGHT_VERSIONS: serve_versions(world, flight); break;
    default: flight->outcome = HEAD_ANSWERED; break;
    }
    flight->served = 1;
    if (flight->kind == FLIGHT_PUT)
        memset(&flight->condition, 0, sizeof(flight->condition));
    if (config->whole || flight->kind == FLIGHT_SOURCE)
        writer_deliver(world, f);
}

static void land(struct world *world, unsigned f)
{
    struct flight flight = world->flights[f];
    memset(&world->flights[f], 0, sizeof(flight));
    if (flight.kind == FLIGHT_SEND)
        write_object(world, &flight);
    else if (flight.kind == FLIGHT_ABORT)
        store_aborts(world, flight.row);
    else
        write_row(world, &flight);
}

static void copy(struct world *world, unsigned f)
{
    struct flight *flight = &world->flights[f];
    struct flight *second = world_new_flight(world, (enum flight_kind)flight->kind, flight->writer);
    memcpy(second, flight, sizeof(*second));
    second->awaited = 0;
    world->budget[flight->kind == FLIGHT_PUT ? BUDGET_DUP : BUDGET_DUP_SEND]--;
}

static void answer(struct world *world, unsigned f, unsigned outcome, unsigned budget)
{
    struct flight *flight = &world->flights[f];
    if (budget < BUDGETS)
        world->budget[budget]--;
    flight->outcome = (uint8_t)outcome;
    flight->served = 1;
    writer_deliver(world, f);
}

static void answer_409_later(struct world *world, unsigned f)
{
    struct flight *late = world_new_flight(world, FLIGHT_SEND, world->flights[f].writer);
    memcpy(late, &world->flights[f], sizeof(*late));
    late->awaited = 0;
    answer(world, f, ATTEMPT_409, BUDGET_409);
}

static void lose(struct world *world, unsigned f)
{
    const struct flight *flight = &world->flights[f];
    bool stays = !flight->served && flight_writes(flight);
    world->budget[BUDGET_LOSE]--;
    writer_deliver_loss(world, f, stays);
}

/* ------------------------------------------------------------------------------------------------ surroundings */

static void outsider(struct world *world, unsigned what)
{
    world->budget[BUDGET_OUTSIDER]--;
    world->outsider_last = 1;
    memset(&world->object, 0, sizeof(world->object));
    if (what != 1) {
        world->object.exists = 1;
        world->object.maker = MAKER_OUTSIDER;
        world->object.etag = what == 0 ? (uint8_t)ETAG_D : config->base;
        world->object.modified_s = world_date(world);
    }
    if (what == 1)
        world->object.modified_s = world->keeps_versions ? world_date(world) : 0;
    world_keep_version(world);
    oracle_object_changed(world);
}

static uint32_t leap_s(void)
{
    return config->leap_s ? config->leap_s : 7;
}

static void pass(struct world *world, unsigned step, enum clock_mode mode, unsigned w)
{
    struct writer *writer = &world->writers[w];
    uint32_t seconds = step == BUDGET_TICK ? 1 : step == BUDGET_LEAP ? leap_s() : config->eon_s ? config->eon_s : 700;
    int64_t ms = (int64_t)seconds * 1000;
    world->budget[step]--;
    world->s3_ms += (uint64_t)ms;
    if (mode == CLOCKS_RUN)
        return;
    world->budget[mode == CLOCKS_FROZEN ? BUDGET_FREEZE : BUDGET_SUSPEND]--;
    writer->monotonic_lag_ms += ms;
    if (mode == CLOCKS_FROZEN) {
        link_frozen(world, w, seconds);
        writer->boottime_lag_ms += ms;
        writer->realtime_lag_ms += ms;
    }
}

static void set_clock(struct world *world, unsigned w, bool back)
{
    int64_t ms = (int64_t)leap_s() * 1000;
    world->budget[BUDGET_SET]--;
    world->writers[w].realtime_lag_ms += back ? ms : -ms;
}

static void delete_row(struct world *world, unsigned row)
{
    world->budget[BUDGET_TTL]--;
    memset(&world->rows[row], 0, sizeof(world->rows[row]));
}

/* ------------------------------------------------------------------------------------------------ all of it */

static void apply_to_flight(struct world *world, uint32_t choice)
{
    unsigned f = choice_arg(choice, 0);
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_SERVE: serve(world, f, choice_arg(choice, 1) != 0); return;
    case CHOICE_DELIVER: writer_deliver(world, f); return;
    case CHOICE_LOSE: lose(world, f); return;
    case CHOICE_LAND: land(world, f); return;
    case CHOICE_COPY: copy(world, f); return;
    case CHOICE_BLIND:
        memset(&world->flights[f].record, 0, sizeof(world->flights[f].record));
        answer(world, f, LEDGER_CONFLICT_BLIND, BUDGET_BLIND);
        return;
    case CHOICE_THROTTLE: answer(world, f, LEDGER_THROTTLED, BUDGET_THROTTLE); return;
    case CHOICE_ANSWER: answer(world, f, choice_arg(choice, 1), choice_arg(choice, 2)); return;
    case CHOICE_ADMIT:
    case CHOICE_TAIL:
    case CHOICE_ARRIVE:
    case CHOICE_KEEP: link_apply(world, f, (enum choice_kind)choice_kind_of(choice)); return;
    default: answer_409_later(world, f); return;
    }
}

void choice_apply(struct world *world, uint32_t choice)
{
    unsigned a = choice_arg(choice, 0);
    switch ((enum choice_kind)choice_kind_of(choice)) {
    case CHOICE_START: writer_start(world, a); break;
    case CHOICE_TIMER: writer_timer(world, a); break;
    case CHOICE_STOP:
        world->budget[BUDGET_STOP]--;
        writer_stop(world, a);
        break;
    case CHOICE_CRASH:
        world->budget[BUDGET_CRASH]--;
        writer_crash(world, a);
        break;
    case CHOICE_TTL: delete_row(world, a); break;
    case CHOICE_OUTSIDER: outsider(world, a); break;
    case CHOICE_GC:
        world->budget[BUDGET_GC]--;
        store_aborts(world, a);
        break;
    case CHOICE_VERSIONING: world->keeps_versions = 1; break;
    case CHOICE_FORGE: forger_start(world, a, choice_arg(choice, 1)); break;
    case CHOICE_TIME: pass(world, a, (enum clock_mode)choice_arg(choice, 1), choice_arg(choice, 2)); break;
    case CHOICE_SET: set_clock(world, a, choice_arg(choice, 1) != 0); break;
    case CHOICE_PEER: peer_step(world, a); break;
    default: apply_to_flight(world, choice); break;
    }
    world_canonical(world);
}
