/* SPDX-License-Identifier: Apache-2.0 */
/* The history as the page carries it, and how its numbers read. Nothing here touches the document. */
'use strict';

const READ = 0, COMMITTED = 1, CONFLICT = 2, NOT_EXECUTED = 3, UNKNOWN = 4, KILLED = 5; // looks, page.h
const LOOK_NAMES = ['read', 'committed', 'conflict', 'not executed', 'unknown', 'killed in flight'];
const VERDICT_NAMES = ['', 'committed', 'conflict', 'not executed', 'unknown'];
const OPERATION_NAMES = ['', 'put if absent', 'put if match', 'copy if absent', 'copy if match', 'delete if match', 'read'];
const EVENT_NAMES = ['', 'pause', 'kill', 'start', 'slow', 'lost reply', 'late replay', '5xx', 'throttle'];
const PAUSE = 1, KILL = 2, START = 3;

function readModel(text) {
    const raw = JSON.parse(text);
    const calls = raw.calls;
    const count = calls.id.length;
    const model = {
        calls, count, total: raw.total, strings: raw.strings, duration: Math.max(raw.duration, 1),
        start: new Float64Array(count), end: new Float64Array(count), events: [], findings: raw.findings,
        wrong: new Map(), byId: new Map(), lanes: [], laneEvents: [], keys: [], callsOfKey: new Map(), finals: new Map()
    };
    let at = 0;
    for (let i = 0; i < count; i++) {
        at += calls.start[i];
        model.start[i] = at;
        model.end[i] = at + calls.length[i];
        model.byId.set(calls.id[i], i);
    }
    sortIntoLanes(model, raw.lanes);
    sortByKey(model);
    readEvents(model, raw.events);
    for (const [key, value, versions] of raw.finals) {
        model.finals.set(key, {value, versions});
        addKey(model, key);
    }
    for (const [call, other, sentence] of raw.findings) {
        for (const id of [call, other]) {
            if (model.byId.has(id)) {
                model.wrong.set(model.byId.get(id), sentence);
            }
        }
    }
    return model;
}

/* Each lane's calls by their start; `reach` is the latest end so far, so that a range of time can be searched for. */
function sortIntoLanes(model, count) {
    for (let lane = 0; lane < count; lane++) {
        model.lanes.push({calls: [], reach: null});
        model.laneEvents.push([]);
    }
    for (let i = 0; i < model.count; i++) {
        if (model.calls.writer[i] < count) {
            model.lanes[model.calls.writer[i]].calls.push(i);
        }
    }
    for (const lane of model.lanes) {
        lane.calls.sort((a, b) => model.start[a] - model.start[b]);
        lane.reach = new Float64Array(lane.calls.length);
        let reach = 0;
        lane.calls.forEach((call, index) => {
            reach = Math.max(reach, model.end[call], model.calls.settledAt[call]);
            lane.reach[index] = reach;
        });
    }
}

/* The call that `id` numbers, or where none does, the one whose number is nearest; -1: there is no call at all. */
function nearestCall(model, id) {
    if (model.byId.has(id)) {
        return model.byId.get(id);
    }
    let best = -1;
    for (let call = 0; call < model.count; call++) {
        if (best < 0 || Math.abs(model.calls.id[call] - id) < Math.abs(model.calls.id[best] - id)) {
            best = call;
        }
    }
    return best;
}

function addKey(model, key) {
    if (!model.callsOfKey.has(key)) {
        model.callsOfKey.set(key, []);
        model.keys.push(key);
    }
}

function sortByKey(model) {
    for (let i = 0; i < model.count; i++) {
        addKey(model, model.calls.key[i]);
        model.callsOfKey.get(model.calls.key[i]).push(i);
    }
}

function readEvents(model, rows) {
    for (const [kind, writer, start, length, what] of rows) {
        const event = {kind, writer, start, end: start + length, what};
        model.events.push(event);
        if (writer < model.lanes.length) {
            model.laneEvents[writer].push(event);
        }
    }
    for (const events of model.laneEvents) {
        events.sort((a, b) => a.start - b.start);
    }
}

/* The first index of a rising array (or of what `get` makes of one) whose value is not less than `wanted`. */
function lowerBound(length, wanted, get) {
    let low = 0;
    let high = length;
    while (low < high) {
        const middle = (low + high) >> 1;
        if (get(middle) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/* Events of the call's lane between its start and its end (or the end of its settling). */
function eventsDuring(model, call) {
    const end = Math.max(model.end[call], model.calls.settledAt[call]);
    return model.events.filter((event) => event.writer === model.calls.writer[call]).filter(
        (event) => event.kind !== START && event.start <= end && event.end >= model.start[call]);
}

/*
 * The writes of a key that took effect, in the order in which each replaced the one before. A write whose expectation
 * nothing before it made stands where its end puts it, marked as loose.
 */
function chainOf(model, key) {
    const {calls} = model;
    const done = (call) => calls.settledAt[call] || model.end[call];
    const rest = model.callsOfKey.get(key).filter(
        (call) => calls.operation[call] !== 6 && calls.settled[call] === COMMITTED);
    rest.sort((a, b) => done(a) - done(b));
    const waiting = new Map();
    for (const call of rest) {
        const expected = calls.expected[call];
        if (!waiting.has(expected)) {
            waiting.set(expected, []);
        }
        waiting.get(expected).push(call);
    }
    const used = new Set();
    const chain = [];
    let next = 0;
    let value = 0;
    while (used.size < rest.length) {
        const queue = waiting.get(value) || [];
        while (queue.length > 0 && used.has(queue[0])) {
            queue.shift();
        }
        let call = queue[0];
        const loose = call === undefined;
        if (loose) {
            while (used.has(rest[next])) {
                next++;
            }
            call = rest[next];
        }
        used.add(call);
        chain.push({call, loose, at: done(call)});
        value = calls.value[call];
    }
    return chain;
}

/* ------------------------------------------------------------------------------------------------------- wording */

function formatCount(number) {
    return number.toLocaleString('en-US');
}

function formatDuration(us) {
    const seconds = Math.round(us / 1e6);
    const digits = (value) => value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0);
    if (us < 1000) {
        return `${Math.round(us)} µs`;
    }
    if (us < 999500) {
        return `${digits(us / 1e3)} ms`;
    }
    if (us < 59950000) {
        return `${digits(us / 1e6)} s`;
    }
    if (seconds < 3600) {
        return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
    }
    return `${Math.floor(seconds / 3600)} h ${String(Math.floor(seconds / 60) % 60).padStart(2, '0')} min`;
}

/* An instant, as exact as `step` between two neighbours asks for. */
function formatInstant(us, step) {
    const decimals = step >= 1e6 ? 0 : Math.min(6, Math.ceil(6 - Math.log10(step)));
    if (us < 60e6 || decimals > 3) {
        return `${(us / 1e6).toFixed(decimals)} s`;
    }
    const seconds = ((us / 1e6) % 60).toFixed(decimals);
    return `${Math.floor(us / 60e6)}:${seconds.padStart(decimals > 0 ? decimals + 3 : 2, '0')}`;
}

function verdictText(model, call) {
    const first = model.calls.look[call] === KILLED ? 'killed in flight' : VERDICT_NAMES[model.calls.verdict[call]];
    if (model.calls.look[call] === READ) {
        return model.calls.verdict[call] === COMMITTED ? 'read' : 'read failed';
    }
    if (model.calls.settledAt[call] > 0) {
        return `${first}, then ${VERDICT_NAMES[model.calls.settled[call]]}`;
    }
    return first;
}
