/* SPDX-License-Identifier: Apache-2.0 */
/* All that is known of one call, and of one key. Texts are set as text and never read as markup. */
'use strict';

function element(name, text, className) {
    const made = document.createElement(name);
    if (text !== undefined) {
        made.textContent = text;
    }
    if (className) {
        made.className = className;
    }
    return made;
}

function callLink(model, call) {
    const link = element('a', String(model.calls.id[call]));
    link.href = `#call-${model.calls.id[call]}`;
    return link;
}

/* A key or a value: its own direction of writing, in a typewriter's letters. */
function textNode(model, number, className, empty) {
    return number === 0 ? element('em', empty) : element('bdi', model.strings[number], className);
}

function arrow(model, call) {
    const made = element('span');
    if (model.calls.operation[call] !== 6) {
        made.append(textNode(model, model.calls.expected[call], 'value', 'absent'), ' → ');
    }
    made.append(textNode(model, model.calls.value[call], 'value', 'absent'));
    return made;
}

function fact(list, name, content, className) {
    const row = element('div', undefined, className);
    const value = element('dd');
    value.append(content);
    row.append(element('dt', name), value);
    list.append(row);
}

function eventText(model, event) {
    const length = event.end > event.start ? ` for ${formatDuration(event.end - event.start)}` : '';
    const what = event.what > 0 ? ` (${model.strings[event.what]})` : '';
    return `${EVENT_NAMES[event.kind]}${length}${what}`;
}

function factsHeading(model, call) {
    const heading = element('h3');
    const id = callLink(model, call);
    id.textContent = `Call ${model.calls.id[call]}`;
    const key = element('bdi', model.strings[model.calls.key[call]], 'key');
    heading.append(id, element('span', OPERATION_NAMES[model.calls.operation[call]]), key);
    return heading;
}

function showFacts(panel, model, call) {
    if (call < 0) {
        panel.replaceChildren(element('p', 'Point at a call, or go to one with the arrow keys, to see all that is known of it.', 'quiet'));
        return;
    }
    const {calls} = model;
    const list = element('dl');
    const rule = calls.rule[call] > 0 ? ` by ${model.strings[calls.rule[call]]}` : '';
    const met = eventsDuring(model, call);
    fact(list, 'Verdict', verdictText(model, call) + rule);
    fact(list, 'Writer', String(calls.writer[call]));
    fact(list, 'Expected → written', arrow(model, call), 'wide');
    fact(list, 'Start', formatInstant(model.start[call], 1));
    fact(list, calls.look[call] === KILLED ? 'Killed' : 'Return', formatInstant(model.end[call], 1));
    fact(list, 'Took', formatDuration(model.end[call] - model.start[call]));
    fact(list, 'Settled', calls.settledAt[call] > 0 ? formatInstant(calls.settledAt[call], 1) : '–');
    fact(list, 'Attempts, requests', `${calls.attempts[call]}, ${calls.requests[call]}`);
    fact(list, 'Guards', String(calls.guards[call]));
    fact(list, 'Generation', String(calls.generation[call]));
    fact(list, 'Waited', formatDuration(calls.waited[call] * 1000) + (calls.tookOver[call] ? ', then took over' : ''));
    if (met.length > 0) {
        fact(list, 'Faults met', met.slice(0, 12).map((event) => eventText(model, event)).join('; '), 'whole');
    }
    if (calls.message[call] > 0) {
        fact(list, 'Message', element('bdi', model.strings[calls.message[call]]), 'whole');
    }
    if (model.wrong.has(call)) {
        fact(list, 'Finding', element('bdi', model.wrong.get(call)), 'whole wrong');
    }
    panel.replaceChildren(factsHeading(model, call), list);
}

function tipText(model, call) {
    const {calls} = model;
    return `${calls.id[call]}  ${OPERATION_NAMES[calls.operation[call]]}  ${model.strings[calls.key[call]]}: ` +
        `${verdictText(model, call)}, ${formatDuration(model.end[call] - model.start[call])}`;
}

/* ------------------------------------------------------------------------------------------------- chain of a key */

const CHAIN_ROWS = 500;

function chainNotes(model, link) {
    const {calls} = model;
    const notes = [];
    if (link.loose) {
        notes.push('nothing before it wrote what it expected');
    }
    if (calls.settledAt[link.call] > 0) {
        notes.push(`${calls.look[link.call] === KILLED ? 'killed' : 'unknown'} at first`);
    }
    if (calls.tookOver[link.call]) {
        notes.push('took over');
    }
    return notes.join(', ');
}

function chainRow(model, link, number) {
    const row = element('tr');
    const id = element('td');
    const value = element('td', undefined, 'word');
    id.append(callLink(model, link.call));
    value.append(textNode(model, model.calls.value[link.call], 'value', 'absent'));
    row.append(element('th', formatCount(number)), element('td', String(model.calls.writer[link.call])), id,
        element('td', OPERATION_NAMES[model.calls.operation[link.call]], 'word'), value,
        element('td', formatInstant(link.at, 1000)), element('td', chainNotes(model, link), 'word'));
    row.firstChild.scope = 'row';
    return row;
}

function chainHead() {
    const head = element('thead');
    const row = element('tr');
    for (const [name, className] of [['Version'], ['Writer'], ['Call'], ['Operation', 'word'], ['Wrote', 'word'],
        ['Known at'], ['', 'word']]) {
        const cell = element('th', name, className);
        cell.scope = 'col';
        row.append(cell);
    }
    head.append(row);
    return head;
}

function showChain(panel, model, key) {
    const chain = chainOf(model, key);
    const writers = new Set(chain.map((link) => model.calls.writer[link.call]));
    const heading = element('h3', 'Versions of ');
    const table = element('table', undefined, 'numbers');
    const body = element('tbody');
    const scroll = element('div', undefined, 'scroll');
    heading.append(element('bdi', model.strings[key], 'key'));
    chain.slice(0, CHAIN_ROWS).forEach((link, index) => body.append(chainRow(model, link, index + 1)));
    table.append(chainHead(), body);
    scroll.append(table);
    const more = chain.length > CHAIN_ROWS ? `, of which the first ${CHAIN_ROWS} stand here` : '';
    panel.replaceChildren(heading, element('p', `${formatCount(chain.length)} committed by ${writers.size} ` +
        `writer${writers.size === 1 ? '' : 's'}, in the order in which each replaced the one before${more}.`, 'quiet'), scroll);
    panel.hidden = false;
}
