/* SPDX-License-Identifier: Apache-2.0 */
/* A lane so far away that calls cannot be told apart: for each few pixels, the shares of the verdicts, and small ticks
 * for what happened there. */
'use strict';

const BIN = 3;
const STACK = [COMMITTED, READ, CONFLICT, NOT_EXECUTED, UNKNOWN, KILLED]; // from the bottom up
const RARE = 2; // pixels that an unknown or a killed call has at least

function isDense(view, count) {
    return count > view.width / 3;
}

function countBins(view, calls, first, last) {
    const bins = Math.ceil(view.width / BIN);
    const counted = {bins, all: new Uint32Array(bins), look: SHAPES.map(() => new Uint32Array(bins))};
    for (let index = first; index < last; index++) {
        const call = calls[index];
        const from = Math.max(0, Math.floor((view.x(view.model.start[call]) - GUTTER) / BIN));
        const to = Math.min(bins - 1, Math.floor((view.x(view.model.end[call]) - GUTTER) / BIN));
        const shown = view.visible(call) && view.bright(call);
        for (let bin = from; bin <= to; bin++) {
            counted.all[bin]++;
            if (shown) {
                counted.look[view.model.calls.look[call]][bin]++;
            }
        }
    }
    return counted;
}

function drawDensity(view, context, calls, first, last, top) {
    const counted = countBins(view, calls, first, last);
    const room = Math.round(0.76 * view.lane);
    const bottom = top + Math.round(0.12 * view.lane) + room;
    for (let bin = 0; bin < counted.bins; bin++) {
        let below = 0;
        for (const look of STACK) {
            const count = counted.look[look][bin];
            if (count === 0) {
                continue;
            }
            const least = look >= UNKNOWN ? RARE : 0;
            const height = Math.min(room, Math.max(least, count / counted.all[bin] * room));
            const base = Math.min(below, room - height);
            context.fillStyle = view.paint.look[look];
            context.fillRect(GUTTER + bin * BIN, bottom - base - height, BIN, height);
            below = base + height;
        }
    }
}

/* Instead of marks that would cover each other: faults above, kills and pauses below. */
function drawTicks(view, context, events, top) {
    const bottom = top + view.lane - 1;
    for (const event of events) {
        if (event.kind === START || event.end < view.from || event.start > view.to) {
            continue;
        }
        const x = view.x(event.start);
        if (event.kind === PAUSE) {
            context.fillStyle = view.paint.soft;
            context.fillRect(x, bottom - 2, Math.max(1, view.x(event.end) - x), 2);
        } else if (event.kind === KILL) {
            context.fillStyle = view.paint.kill;
            context.fillRect(x - 1, bottom - 5, 2, 5);
        } else {
            context.fillStyle = view.paint.fault;
            context.fillRect(x, top, 1, 3);
        }
    }
}
